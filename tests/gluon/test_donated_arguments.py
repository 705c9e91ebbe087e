"""Predictions may overwrite the arguments that a caller donates, and no others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_gluon._errors import BlockError
from hy_ndarray import ArgumentError, NDArray, autograd, nd

SIZE = (64, 32)
CALLS = 6  # of which the last one is compiled


class Applied(HybridBlock):
    """A function of arguments as a block."""

    def __init__(self, function: Callable[..., Any], donated: Any = ()) -> None:
        super().__init__()
        self.function = function
        self.hybridize(donate_argnums=donated)

    def hybrid_forward(self, F: Any, *args: Any) -> Any:
        return self.function(F, *args)


def drawn(shape: tuple[int, ...] = SIZE, seed: int = 0) -> NDArray:
    return nd.array(np.random.default_rng(seed).normal(size=shape))


def compiled_call(net: HybridBlock, make: Callable[[], Sequence[Any]]) -> tuple[Any, Any]:
    """The result of a call that is compiled, and its arguments."""
    for _ in range(CALLS - 1):
        net(*make())
    args = make()
    return net(*args), args


def is_in_memory_of(one: NDArray, other: NDArray) -> bool:
    return one.device.memory.overlap(one.buffer, other.buffer)


ROW, PLACE, FOUR = drawn((1, 32), 1), nd.array([3], dtype="int32"), drawn((4,), 2)
COORDINATES = nd.array([[0, 5, 63, 2], [1, 1, 31, 0]], dtype="int32")

OPERANDS = {"rows": (PLACE, ROW), "elements": (FOUR, COORDINATES), "slice": (ROW,), "number": ()}


class Changing(HybridBlock):
    """Changes some elements of its first argument."""

    def __init__(self, change: str) -> None:
        super().__init__()
        self.change = change

    def hybrid_forward(self, F: Any, x: Any, *others: Any) -> Any:
        if self.change == "rows":
            return F.contrib.index_copy(x, *others)
        if self.change == "elements":
            return F._internal._scatter_set_nd(x, *others, shape=SIZE)
        if self.change == "slice":
            return F._internal._slice_assign(x, *others, begin=(7, 0), end=(8, 32))
        return F._internal._slice_assign_scalar(x, scalar=7.0, begin=(0, 3), end=(9, 5))


@pytest.mark.parametrize("change", OPERANDS)
@pytest.mark.parametrize("donated", [False, True])
def test_some_elements_are_replaced_in_donated_memory_only(change: str, donated: bool) -> None:
    net, others = Changing(change), OPERANDS[change]
    expected = net(drawn(), *others).asnumpy()
    net.hybridize(donate_argnums=0 if donated else ())
    y, (x, *_) = compiled_call(net, lambda: (drawn(), *others))
    assert y.asnumpy().tobytes() == expected.tobytes()
    assert is_in_memory_of(y, x) == donated
    assert donated or x.asnumpy().tobytes() == drawn().asnumpy().tobytes()


def test_copies_inside_a_graph_are_overwritten_without_being_donated() -> None:
    def change(F: Any, x: Any, row: Any, place: Any) -> Any:
        for k in range(4):
            x = F.contrib.index_copy(x, place + k, row)
        return x

    net = Applied(change)
    expected = drawn().asnumpy()
    expected[3:7] = ROW.asnumpy()
    y, args = compiled_call(net, lambda: (drawn(), ROW, PLACE))
    np.testing.assert_array_equal(y.asnumpy(), expected)
    assert [row.how for row in net.explain(*args).rows if "index_copy" in row.kernel] == [
        "call", "in place", "in place", "in place",
    ]  # fmt: skip


def test_what_is_written_is_read_before_it_is_overwritten() -> None:
    backwards = nd.array(range(63, -1, -1), dtype="int32")
    net = Applied(lambda F, x, index: F.contrib.index_copy(x, index, x), donated=0)
    y, _ = compiled_call(net, lambda: (drawn(), backwards))
    np.testing.assert_array_equal(y.asnumpy(), drawn().asnumpy()[::-1])


def test_an_argument_that_is_read_later_is_not_overwritten() -> None:
    net = Applied(lambda F, x, row, place: x + F.contrib.index_copy(x, place, row), donated=0)
    expected = net(drawn(), ROW, PLACE).asnumpy()
    y, _ = compiled_call(net, lambda: (drawn(), ROW, PLACE))
    assert y.asnumpy().tobytes() == expected.tobytes()


def test_large_pointwise_results_take_the_memory_of_a_donated_argument() -> None:
    net, shape = Applied(lambda F, x, y: F.tanh(x * y), donated=[1]), (512, 512)
    result, (x, y) = compiled_call(net, lambda: (drawn(shape), drawn(shape, 1)))
    np.testing.assert_allclose(
        result.asnumpy(), np.tanh(drawn(shape).asnumpy() * drawn(shape, 1).asnumpy()), 1e-5
    )
    assert is_in_memory_of(result, y)
    assert x.asnumpy().tobytes() == drawn(shape).asnumpy().tobytes()


def test_all_arrays_of_a_nested_argument_are_donated() -> None:
    def write(F: Any, row: Any, cache: Any, place: Any) -> Any:
        return row + 1, [F.contrib.index_copy(x, place, row) for x in cache]

    net = Applied(write, donated=1)
    (y, cache), (_, donated, _) = compiled_call(net, lambda: (ROW, [drawn(), drawn(seed=3)], PLACE))
    np.testing.assert_array_equal(y.asnumpy(), ROW.asnumpy() + 1)
    for x, given, seed in zip(cache, donated, (0, 3), strict=True):
        assert is_in_memory_of(x, given)
        expected = drawn(seed=seed).asnumpy()
        expected[3] = ROW.asnumpy()[0]
        np.testing.assert_array_equal(x.asnumpy(), expected)


def test_calls_that_are_recorded_overwrite_nothing() -> None:
    net = Applied(lambda F, x, row, place: F.contrib.index_copy(x, place, row) ** 2, donated=0)
    expected = 2 * drawn().asnumpy()
    expected[3] = 0
    for _ in range(CALLS):
        x = drawn()
        x.attach_grad()
        with autograd.record():
            y = net(x, ROW, PLACE)
        y.backward()
        assert x.asnumpy().tobytes() == drawn().asnumpy().tobytes()
        assert x.grad is not None
        np.testing.assert_allclose(x.grad.asnumpy(), expected, 1e-6)


def test_what_was_prepared_of_overwritten_memory_is_prepared_again() -> None:
    weight, data = drawn((64, 64, 3, 3)), drawn((1, 64, 32, 32), 1)

    def convolved(weight: NDArray) -> Any:
        y = nd.Convolution(data, weight, kernel=(3, 3), num_filter=64, no_bias=True)
        return y.asnumpy()

    double = Applied(lambda F, x: x * 2, donated=0)
    expected = convolved(weight)
    for _ in range(CALLS):
        expected = 2 * expected
        convolved(weight)
        weight = double(weight)
        np.testing.assert_allclose(convolved(weight), expected, 1e-3, 1e-3)


def test_lowered_nets_overwrite_what_is_donated() -> None:
    class Net(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.HybridSequential()
            self.body.add(nn.Conv2D(16, 3, in_channels=3, activation="relu"), nn.GlobalAvgPool2D())

        def hybrid_forward(self, F: Any, image: Any, cache: Any, place: Any) -> Any:
            return F.contrib.index_copy(cache, place, self.body(image).reshape((1, -1)))

    net, image = Net(), drawn((1, 3, 24, 24))
    net.initialize()
    expected = net(image, nd.zeros((512, 16)), PLACE).asnumpy()
    net.hybridize(donate_argnums=1)
    found, (_, cache, _) = compiled_call(net, lambda: (image, nd.zeros((512, 16)), PLACE))
    np.testing.assert_allclose(found.asnumpy(), expected, 1e-5, 1e-6)
    assert is_in_memory_of(found, cache)


def test_donated_memory_must_not_be_that_of_another_argument() -> None:
    net = Applied(lambda F, x, y: F.broadcast_add(x, y), donated=0)
    x = drawn()
    for pair in ((x, x), (x, x[2:3]), (x[2:3], x)):
        with pytest.raises(ArgumentError, match="shares its memory with another input"):
            net(*pair)
    assert x.asnumpy().tobytes() == drawn().asnumpy().tobytes()


@pytest.mark.parametrize("given", [-1, "x", [0, -2], 1.5, ["x"], None])
def test_positions_of_arguments_are_numbers_from_zero(given: Any) -> None:
    with pytest.raises(BlockError, match="must be positions of arguments, from 0"):
        nn.Dense(3).hybridize(donate_argnums=given)


def test_children_keep_their_arguments() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3))
    net.hybridize(donate_argnums=0)
    assert "donate_argnums" in dict(net._flags)
    assert "donate_argnums" not in dict(net[0]._flags)


def test_an_argument_that_is_left_out_is_not_missed() -> None:
    net = Applied(lambda F, x, y=None: x * 2 if y is None else x * y, donated=1)
    x = drawn()
    y, _ = compiled_call(net, lambda: (x,))
    np.testing.assert_array_equal(y.asnumpy(), 2 * drawn().asnumpy())
