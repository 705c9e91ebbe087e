"""What a user's code raises is named in the message, and stays in the chain of causes."""
# ruff: noqa: ARG002  # callbacks take what they are handed

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
import pytest

import mxnet as mx
from hy_gluon import HybridBlock, Trainer, lr_scheduler, metric, nn
from hy_ndarray import HyError, autograd, cpu, custom, nd
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_symbol import Symbol, sym, viz


class MistakeError(Exception):
    """Of the user's."""


class BeyondError(IndexError):
    """Of the user's, of a kind that operators raise, too."""


def _fail(error: type[Exception] = MistakeError) -> NoReturn:
    raise error("of mine")


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(custom, "_REGISTRY", {})
        register("fails")(FailingProp)
        register("weighs")(WeighingProp)
        yield


class Failing(CustomOp):
    """Doubles, but for the method that fails."""

    def __init__(self, prop: "FailingProp") -> None:
        self.prop = prop

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.prop.at("forward")
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.prop.at("backward")
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


class FailingProp(CustomOpProp):
    """An operator that fails in one of its methods."""

    def __init__(self, where: str, beyond: str = "") -> None:
        super().__init__()
        self.where, self.beyond = where, beyond
        self.at("made")

    def at(self, place: str) -> None:
        if place == self.where:
            _fail(BeyondError if self.beyond else MistakeError)

    def list_arguments(self) -> list[str]:
        self.at("list_arguments")
        return ["data"]

    def infer_shape(self, in_shape: Any) -> Any:
        self.at("infer_shape")
        return in_shape, [in_shape[0]], []

    def infer_type(self, in_type: Any) -> Any:
        self.at("infer_type")
        return in_type, [in_type[0]], []

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        self.at("create_operator")
        return Failing(self)


class WeighingProp(FailingProp):
    """An operator with a weight, whose shape it should tell."""

    def list_arguments(self) -> list[str]:
        return ["data", "weight"]

    def infer_type(self, in_type: Any) -> Any:
        self.at("infer_type")
        return [in_type[0]] * 2, [in_type[0]], []


def _check(call: Callable[[], Any], kind: type[Exception] = MistakeError) -> HyError:
    """The error of a call, after a look at its message and the chain of its causes."""
    with pytest.raises(HyError, match=rf"{kind.__name__}: of mine") as caught:
        call()
    seen: list[BaseException] = []
    error: BaseException | None = caught.value
    while error is not None:
        assert error not in seen
        seen.append(error)
        error = error.__cause__
    assert type(seen[-1]) is kind
    return caught.value


def _eager(**params: str) -> None:
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="fails", **params)
    y.backward()


def _bound(**params: str) -> None:
    executor = sym.Custom(sym.var("data"), op_type="fails", **params).simple_bind(
        cpu(), data=(2, 3)
    )
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 3)))


class Net(HybridBlock):
    """The operator in a block."""

    def __init__(self, **params: str) -> None:
        super().__init__()
        self.options = params

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Custom(x + 1, op_type="fails", **self.options)


def _hybridized(**params: str) -> None:
    net, x = Net(**params), nd.ones((2, 3))
    net.hybridize()
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()


@pytest.mark.parametrize("run", [_eager, _bound, _hybridized])
@pytest.mark.parametrize(
    "where", ["made", "infer_shape", "infer_type", "create_operator", "forward", "backward"]
)
def test_methods_of_custom_operators_name_what_they_raise(
    run: Callable[..., None], where: str
) -> None:
    _check(lambda: run(where=where))
    _check(lambda: run(where=where, beyond="yes"), BeyondError)


class Weighing(HybridBlock):
    """The operator with a weight, of which one size is open."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.w = self.params.get("w", shape=(3, 0), allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
        return F.Custom(x, w, op_type="weighs", where="infer_shape")


def _net(hybridized: bool) -> Any:
    net = Weighing()
    net.initialize()
    if hybridized:
        net.hybridize()
    return net(nd.ones((2, 4)))


def _symbol(where: str = "infer_shape") -> Symbol:
    return sym.Custom(sym.var("data"), op_type="weighs", where=where, name="f")


@pytest.mark.parametrize(
    "call",
    [
        lambda: _symbol().infer_shape(data=(2, 4)),
        lambda: _symbol("infer_type").infer_type(data="float32"),
        lambda: _symbol().simple_bind(cpu(), data=(2, 4)),
        lambda: viz.print_summary(_symbol(), {"data": (2, 4)}),
        lambda: mx.mod.Module(_symbol(), label_names=None).bind([("data", (2, 4))], None, False),
        lambda: _net(hybridized=False),
        lambda: _net(hybridized=True),
    ],
)
def test_a_rule_that_fails_before_all_is_known_is_named(call: Callable[[], Any]) -> None:
    _check(call)


def test_a_rule_may_fail_until_enough_is_known() -> None:
    class Late(WeighingProp):
        def infer_shape(self, in_shape: Any) -> Any:
            return in_shape, [[in_shape[0][0], in_shape[1][0]]], []

    register("late")(Late)
    data, weight = sym.var("data"), sym.var("weight")
    product = sym.Custom(data, weight, op_type="late", where="")
    both = sym.Group([product, sym.elemwise_add(weight, sym.var("bias"))])
    shapes = both.infer_shape(data=(2, 4), bias=(3, 4))
    assert shapes == ([(2, 4), (3, 4), (3, 4)], [(2, 3), (3, 4)], [])
    assert product.infer_shape_partial(data=(2, 4)) == ([(2, 4), ()], [()], [])


class Schedule(lr_scheduler.LRScheduler):
    """A schedule that fails."""

    def __call__(self, num_update: int) -> float:
        _fail()


def _trained(**settings: Any) -> None:
    net, x = nn.Dense(2, in_units=3), nd.ones((2, 3))
    net.initialize()
    trainer = Trainer(net.collect_params(), "sgd", settings)
    with autograd.record():
        y = net(x)
    y.backward()
    trainer.step(2)


def _hooked(name: str) -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    getattr(net, name)(lambda *_: _fail())
    net(nd.ones((1, 3)))


def _fitted(**arguments: Any) -> None:
    output = sym.FullyConnected(sym.var("data"), num_hidden=3)
    module = mx.mod.Module(
        sym.LinearRegressionOutput(output, name="out"), label_names=["out_label"]
    )
    rows = np.ones((4, 3), np.float32)
    module.fit(
        mx.io.NDArrayIter(rows, rows, 2, label_name="out_label"),
        **{"eval_metric": "mse", "num_epoch": 1, **arguments},
    )


class Own(autograd.Function):
    """A function whose gradient fails."""

    def forward(self, x: Any) -> Any:
        return x * 2

    def backward(self, dy: Any) -> Any:
        _fail()


def _recorded() -> None:
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        y = Own()(x)
    y.backward()


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.Dense(2, in_units=3).initialize(lambda *_: _fail()),
        lambda: _trained(lr_scheduler=Schedule()),
        lambda: _hooked("register_forward_hook"),
        lambda: _hooked("register_forward_pre_hook"),
        lambda: metric.CustomMetric(lambda *_: _fail()).update([nd.ones(1)], [nd.ones(1)]),
        lambda: _fitted(batch_end_callback=lambda _: _fail()),
        lambda: _fitted(initializer=lambda *_: _fail()),
        lambda: _fitted(monitor=mx.mon.Monitor(1, lambda _: _fail())),
        _recorded,
        lambda: nd.Custom(nd.ones(1), op_type="fails", where="list_arguments"),
    ],
)
def test_other_callbacks_raise_what_they_raised(call: Callable[[], Any]) -> None:
    with pytest.raises(MistakeError, match="of mine"):
        call()
