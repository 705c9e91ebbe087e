"""Hybridized blocks whose results need no input: what they give is what they give eagerly."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import BlockError, HybridBlock, SymbolBlock, Trainer
from hy_ndarray import AutogradError, NDArray, autograd, nd, np as mnp, random
from hy_symbol import sym

pytestmark = pytest.mark.filterwarnings("ignore:.*not used by any computation")
FLAGS = pytest.mark.parametrize(
    "flags", [{}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True}], ids=str
)


class Zeros(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        return F.zeros((2, 3))


class Computed(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        return F.zeros((2, 3)) + 1, F.arange(3) * 2


class Mixed(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.eye(3), [x * 2, F.arange(4)]


class Nested(HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.zeros = Zeros()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.broadcast_add(self.zeros(x), F.sum(x)), self.zeros(x)


class OfParameters(HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.weight = self.params.get("weight", shape=(2,), init="ones")

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:  # noqa: ARG002
        return weight * 3


class Drawn(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        return F.random.uniform(0, 1, shape=(4,))


def flat(found: Any) -> list[Any]:
    if isinstance(found, list | tuple):
        return [array for part in found for array in flat(part)]
    return [found.asnumpy()]


def assert_alike(found: Any, expected: Any) -> None:
    for x, y in zip(flat(found), flat(expected), strict=True):
        np.testing.assert_array_equal(x, y)
        assert x.dtype == y.dtype


BLOCKS = pytest.mark.parametrize("kind", [Zeros, Computed, Mixed, Nested, OfParameters])


@BLOCKS
@FLAGS
def test_results_are_those_of_the_eager_block(
    kind: type[HybridBlock], flags: dict[str, Any]
) -> None:
    net = kind()
    net.initialize()
    inputs = [nd.ones((2, 2)), nd.ones((4, 2)), nd.ones((2, 2))]
    expected = [net(x) for x in inputs]
    net.hybridize(**flags)
    for x, y in zip(inputs, expected, strict=True):
        assert_alike(net(x), y)
        with autograd.record():
            assert_alike(net(x), y)


@FLAGS
def test_what_is_written_to_a_result_changes_no_other(flags: dict[str, Any]) -> None:
    net, x = Zeros(), nd.ones((2, 2))
    net.hybridize(**flags)
    for _ in range(4):
        y = net(x)
        assert_alike(y, nd.zeros((2, 3)))
        y[:] = 5


@BLOCKS
def test_they_are_exported_and_read_again(kind: type[HybridBlock], tmp_path: Path) -> None:
    net, x = kind(), nd.ones((2, 2))
    net.initialize()
    net.hybridize()
    expected = net(x)
    files = net.export(str(tmp_path / "net"))
    read = SymbolBlock.imports(files[0], ["data"], files[1])
    assert_alike(read(x), expected)
    read.hybridize()
    assert_alike(read(x), expected)


def test_a_name_that_is_no_input_is_refused_where_an_input_lacks_a_name(tmp_path: Path) -> None:
    files = [str(tmp_path / "net.json"), str(tmp_path / "net.params")]
    (sym.var("data") * sym.var("weight")).save(files[0])
    nd.save(files[1], {"arg:weight": nd.ones((2,))})
    for parameters in (None, files[1]):
        with pytest.raises(BlockError, match="no input 'dta'; inputs: data, weight"):
            SymbolBlock.imports(files[0], ["dta"], parameters)
    net = SymbolBlock.imports(files[0], ["data", "mask"], files[1])
    assert_alike(net(nd.ones((2,)), nd.ones((2,))), nd.ones((2,)))


@FLAGS
def test_numbers_are_drawn_anew(flags: dict[str, Any]) -> None:
    net, x = Drawn(), nd.ones((1,))
    random.seed(3)
    expected = [net(x).asnumpy() for _ in range(3)]
    net.hybridize(**flags)
    random.seed(3)
    np.testing.assert_array_equal([net(x).asnumpy() for _ in range(3)], expected)


@FLAGS
def test_gradients_flow_to_what_has_inputs(flags: dict[str, Any]) -> None:
    net, x = Nested(), nd.ones((2, 2))
    net.hybridize(**flags)
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            y, zeros = net(x)
        autograd.backward([y])
        assert_alike(x.grad, nd.full((2, 2), 6))
        with pytest.raises(AutogradError, match="not computed from variables"):
            zeros.backward()


def test_parameters_without_data_are_trained() -> None:
    net = OfParameters()
    net.initialize()
    net.hybridize()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(3):
        with autograd.record():
            y = net(nd.ones((1,)))
        y.backward()
        trainer.step(1)
    np.testing.assert_allclose(net.weight.data().asnumpy(), [0.1, 0.1], rtol=1e-5)


def test_arrays_of_numpy_give_arrays_of_numpy() -> None:
    class Ones(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
            return F.np.ones((2, 3))

    net, x = Ones(), mnp.ones((2,))
    for _ in range(2):
        assert type(net(x)) is mnp.ndarray
        net.hybridize()


def test_they_are_shown_to_hooks_and_explained() -> None:
    net, x, seen = Computed(), nd.ones((2,)), []
    net.hybridize()
    net(x)
    assert "2 constants" in str(net.explain(x))
    net.register_op_hook(lambda name, op, array: seen.append((op, array.shape)))
    net(x)
    assert ("_zeros", (2, 3)) in seen


def test_a_symbol_block_may_need_no_input() -> None:
    net = SymbolBlock(sym.zeros((2, 3)), [sym.var("x")])
    assert_alike(net(nd.ones((2,))), nd.zeros((2, 3)))


def test_inputs_that_are_not_used_are_told_of() -> None:
    net = Zeros()
    net.hybridize()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        net(nd.ones((2,)))
    assert "inputs 0 are not used by any computation" in str(told[0].message)
    assert isinstance(net(nd.ones((2,))), NDArray)
