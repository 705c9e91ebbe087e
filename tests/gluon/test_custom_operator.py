"""Operators that users write in Python, inside graphs and hybridized blocks."""
# ruff: noqa: ARG002  # methods take what the base class's take

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, nn
from hy_ndarray import ArgumentError, autograd, cpu, custom, nd, np as hnp, npx
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_symbol import sym
from hy_symbol.symbol.symbol import load_json


class Counter(CustomOp):
    """``rate * x * weight``; counts the calls in a state."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * in_data[1] * self.rate)
        aux[0][:] = aux[0] + 1

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * in_data[1] * self.rate)
        self.assign(in_grad[1], req[1], (out_grad[0] * in_data[0] * self.rate).sum(axis=0))


@pytest.fixture(autouse=True)
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(custom, "_REGISTRY", {})
        register("count")(CounterProp)
        yield


class CounterProp(CustomOpProp):
    def __init__(self, rate: str = "1") -> None:
        super().__init__()
        self.rate = float(rate)

    def list_arguments(self) -> list[str]:
        return ["data", "weight"]

    def list_auxiliary_states(self) -> list[str]:
        return ["calls"]

    def infer_shape(self, in_shape: Any) -> Any:
        return [in_shape[0], in_shape[0][1:]], [in_shape[0]], [[1]]

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        return Counter(self.rate)


class Net(HybridBlock):  # type: ignore[misc,unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, in_units=2)
        self.weight = self.params.get("weight", shape=(3,), init="ones")
        self.calls = self.params.get("calls", shape=(1,), init="zeros", grad_req="null")

    def hybrid_forward(self, F: Any, x: Any, weight: Any, calls: Any) -> Any:
        return F.Custom(self.dense(x), weight, calls, op_type="count", rate=0.5).tanh()


def _trained(net: Net, x: Any) -> tuple[Any, ...]:
    with autograd.record():
        y = net(x)
        loss = (y * y).sum()
    loss.backward()
    return y.asnumpy(), net.weight.grad().asnumpy(), net.dense.weight.grad().asnumpy()


def test_a_hybridized_block_gives_what_it_gives_eagerly() -> None:
    net, x = Net(), nd.array([[1.0, 2.0], [3.0, -1.0]])
    net.initialize()
    eager = _trained(net, x)
    assert net.calls.data().asscalar() == 1
    for static in (False, True):
        net.hybridize(static_alloc=static, static_shape=static)
        for actual, wanted in zip(_trained(net, x), eager, strict=True):
            np.testing.assert_allclose(actual, wanted, rtol=1e-6)
    assert net.calls.data().asscalar() == 3


def test_an_exported_block_is_loaded_again(tmp_path: Path) -> None:
    net, x = Net(), nd.array([[1.0, 2.0]])
    net.initialize()
    net.hybridize()
    wanted = net(x).asnumpy()
    net.export(str(tmp_path / "net"))
    loaded = SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    )
    np.testing.assert_allclose(loaded(x).asnumpy(), wanted)


def test_a_symbol_has_the_lists_of_the_property() -> None:
    y = sym.Custom(sym.var("x"), op_type="count", rate=2, name="c")
    assert y.list_arguments() == ["x", "c_weight"]
    assert y.list_auxiliary_states() == ["c_calls"]
    assert y.list_outputs() == ["c_output"]
    assert y.infer_shape(x=(4, 5)) == ([(4, 5), (5,)], [(4, 5)], [(1,)])
    assert y.infer_shape_partial() == ([(), ()], [()], [()])
    assert y.infer_type(x="float64")[1] == [np.float64]


def test_inputs_by_name() -> None:
    y = sym.Custom(weight=sym.var("w"), data=sym.var("x"), op_type="count", name="c")
    assert y.list_arguments() == ["x", "w"]


def test_a_parameter_that_is_set_later_reaches_the_property() -> None:
    net = sym.Custom(sym.var("x"), op_type="count", rate="2", name="c")
    net._set_attr(rate="3")
    given: dict[str, Any] = {"c_weight": nd.ones(2), "c_calls": nd.zeros(1)}
    assert net.eval(x=nd.ones((1, 2)), **given)[0].asnumpy().tolist() == [[3, 3]]
    with pytest.raises(ArgumentError, match=r"failed for arguments {'rate': 'fast'}"):
        net._set_attr(rate="fast")
    assert net.attr("rate") == "3"


def test_json_keeps_the_parameters() -> None:
    y = sym.Custom(sym.var("x"), op_type="count", rate=2, name="c", attr={"__lr_mult__": "3"})
    again = load_json(y.tojson())
    assert again.tojson() == y.tojson()
    attrs = again.attr_dict()["c"]
    assert (attrs["op_type"], attrs["rate"], attrs["__lr_mult__"]) == ("count", "2", "3")


def test_a_file_with_an_unknown_operator_is_refused() -> None:
    text = sym.Custom(sym.var("x"), op_type="count", name="c").tojson()
    with pytest.raises(Exception, match=r"'c': Custom: no operator 'coun' is registered"):
        load_json(text.replace('"count"', '"coun"'))


def test_an_error_in_a_graph_names_the_node() -> None:
    class Narrow(CounterProp):
        def infer_shape(self, in_shape: Any) -> Any:
            raise ValueError("too narrow")

    register("narrow")(Narrow)
    y = sym.Custom(sym.var("x"), sym.var("w"), op_type="narrow", name="c")
    with pytest.raises(ArgumentError, match=r"Custom 'narrow': infer_shape failed .*too narrow"):
        y.infer_shape(x=(1, 2), w=(2,))


def test_an_executor_runs_forward_and_backward() -> None:
    y = sym.Custom(sym.var("x"), op_type="count", rate=2, name="c")
    executor = y.simple_bind(cpu(), x=(1, 2))
    executor.arg_dict["x"][:] = nd.array([[1.0, 3.0]])
    executor.arg_dict["c_weight"][:] = nd.array([1.0, 0.5])
    (out,) = executor.forward(is_train=True)
    np.testing.assert_allclose(out.asnumpy(), [[2, 3]])
    executor.backward(nd.ones((1, 2)))
    for name, wanted in (("x", [[2, 1]]), ("c_weight", [2, 6])):
        gradient = executor.grad_dict[name]
        assert gradient is not None
        np.testing.assert_allclose(gradient.asnumpy(), wanted)
    assert executor.aux_dict["c_calls"].asscalar() == 1


class Centred(CustomOp):
    """``x - mean(x)``, by functions of ``mx.np``, which take its own arrays alone."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] - hnp.mean(in_data[0]))

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] - hnp.mean(out_grad[0]))


class CentredProp(CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        return Centred()


class CentredNet(HybridBlock):  # type: ignore[misc,unused-ignore]
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Custom(x.as_nd_ndarray(), op_type="centred").as_np_ndarray() * 2


@pytest.mark.parametrize("hybridized", [False, True])
def test_an_operator_gets_arrays_of_np_after_set_np(hybridized: bool) -> None:
    register("centred")(CentredProp)
    npx.set_np()
    try:
        net = CentredNet()
        net.hybridize(hybridized)
        x: Any = hnp.array([1.0, 2, 6])
        x.attach_grad()
        y = x
        for _ in range(2):
            with autograd.record():
                y = net(x)
            y.backward(hnp.array([3.0, 0, 0]))
        assert y.tolist() == [-4, -2, 6]
        assert x.grad.tolist() == [4, -2, -2]
    finally:
        npx.reset_np()
