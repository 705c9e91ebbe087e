"""Functions with a backward of their own: `autograd.Function`."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from hy_ndarray import AutogradError, NDArray, autograd, nd
from tests.ndarray.variables import VALUES, gradient, modes, recorded, variable


class Sigmoid(autograd.Function):
    """The example everyone knows."""

    def forward(self, x: NDArray) -> Any:
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy: NDArray) -> Any:
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


class Square(autograd.Function):
    """Sets what it saves itself, as DGL's functions do."""

    def forward(self, x: NDArray) -> Any:
        self.saved_tensors = x
        return x * x

    def backward(self, dy: NDArray) -> Any:
        return 2 * dy * self.saved_tensors


class Pair(autograd.Function):
    """Two inputs, two outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.modes: list[tuple[bool, bool]] = []

    def forward(self, a: NDArray, b: NDArray) -> Any:
        self.modes.append(modes())
        return a * 2, b * 3

    def backward(self, da: NDArray, db: NDArray) -> Any:
        self.modes.append(modes())
        return da * 2, db * 3


def test_a_function_brings_its_own_backward() -> None:
    x = variable()
    y = recorded(lambda: Sigmoid()(x))
    y.backward()
    expected = 1 / (1 + np.exp(-VALUES))
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(gradient(x), expected * (1 - expected), rtol=1e-6)


def test_a_function_may_set_what_it_saved() -> None:
    x = variable([1.0, 2.0])
    recorded(lambda: Square()(x)).backward()
    assert gradient(x).tolist() == [2, 4]


def test_a_function_may_have_several_inputs_and_outputs() -> None:
    a, b = variable([1.0]), variable([1.0])
    pair = Pair()
    first, second = recorded(lambda: pair(a, b))
    autograd.backward([first, second], [nd.array([10]), nd.array([100])])
    assert (gradient(a).tolist(), gradient(b).tolist()) == ([20], [300])
    assert pair.modes == [(False, True), (False, True)]


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize("kind", [tuple, list])
@pytest.mark.parametrize("count", [1, 2])
def test_a_function_returns_a_tuple_or_list_as_forward_does(
    kind: type, count: int, record: bool
) -> None:
    class Scaled(autograd.Function):
        def forward(self, x: NDArray) -> Any:
            return kind(x * (i + 2) for i in range(count))

        def backward(self, *dys: NDArray) -> Any:
            return sum((i + 2) * dy for i, dy in enumerate(dys))

    x = variable([1.0])
    with autograd.record() if record else nullcontext():
        result = Scaled()(x)
    assert [y.asscalar() for y in result] == [2, 3][:count]
    assert type(result) is kind


def test_gradients_of_a_function_are_added_where_the_variable_asks_for_it() -> None:
    x = variable(req="add")
    assert x.grad is not None
    x.grad[:] = 3
    recorded(lambda: Sigmoid()(x) * 0).backward()
    np.testing.assert_array_equal(gradient(x), np.full((2, 3), 3))
    recorded(lambda: Pair()(x, x)[0]).backward()
    np.testing.assert_array_equal(gradient(x), np.full((2, 3), 5))


def test_a_function_that_returns_the_gradient_kept_so_far_doubles_it_under_add() -> None:
    x = variable(req="add")
    assert x.grad is not None
    x.grad[:] = 3

    class Kept(Sigmoid):
        def backward(self, _dy: NDArray) -> Any:
            return x.grad

    recorded(lambda: Kept()(x)).backward()
    np.testing.assert_array_equal(gradient(x), np.full((2, 3), 6))


def test_outputs_without_a_head_gradient_count_as_zero() -> None:
    a, b = variable([1.0]), variable([1.0])
    first, _ = recorded(lambda: Pair()(a, b))
    first.backward()
    assert (gradient(a).tolist(), gradient(b).tolist()) == ([2], [0])


def test_a_function_runs_unrecorded_too() -> None:
    assert Sigmoid()(nd.array([0])).tolist() == [0.5]


def test_a_function_object_is_for_one_call() -> None:
    function = Sigmoid()
    function(nd.array([0]))
    with pytest.raises(AutogradError, match="called only once"):
        function(nd.array([0]))


def test_backward_of_a_function_returns_one_gradient_per_input() -> None:
    class Wrong(Sigmoid):
        def backward(self, dy: NDArray) -> Any:
            return dy, dy

    x = variable()
    y = recorded(lambda: Wrong()(x))
    with pytest.raises(AutogradError, match=r"Wrong.backward returned 2 gradients for 1 inputs"):
        y.backward()


def test_a_function_needs_both_methods() -> None:
    with pytest.raises(NotImplementedError, match="Function must define forward"):
        autograd.Function()(nd.array([0]))


def function_whose_backward_gives(value: Callable[[NDArray], Any]) -> type[autograd.Function]:
    class Copy(autograd.Function):
        def forward(self, x: NDArray) -> NDArray:
            return x * 1

        def backward(self, dy: NDArray) -> Any:
            return value(dy)

    return Copy


@pytest.mark.parametrize(
    "value", [lambda dy: dy[:1, :1], lambda dy: (dy.asnumpy(),), lambda dy: dy.reshape((1, 2, 3))]
)
def test_what_backward_of_a_function_returns_is_taken_as_an_assignment_takes_it(
    value: Callable[[NDArray], Any],
) -> None:
    x = variable()
    y = recorded(lambda: function_whose_backward_gives(value)()(x * 2) * 3)
    y.backward()
    np.testing.assert_array_equal(gradient(x), np.full((2, 3), 6))


def test_a_gradient_of_another_shape_from_a_function_is_refused() -> None:
    x = variable()
    y = recorded(lambda: function_whose_backward_gives(lambda dy: dy[:, :2])()(x))
    message = r"Copy.backward returned a gradient \(2, 2\) for an input \(2, 3\); return an array"
    with pytest.raises(AutogradError, match=message):
        y.backward()
