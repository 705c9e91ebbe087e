"""One array twice among the heads: its head gradients are added up, however it was computed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock
from hy_ndarray import NDArray, autograd, cpu, nd
from hy_symbol import Symbol, sym

X = np.array([1, 2, 3], "float32")


class Squares(HybridBlock):
    """Gives one result as two outputs."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = F.square(x)
        return y, y


def variable() -> NDArray:
    x = nd.array(X)
    x.attach_grad()
    return x


def heads(*values: float) -> list[NDArray]:
    return [nd.full((3,), value) for value in values]


def assert_gradient(x: NDArray, expected: Any) -> None:
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)


def squares(x: NDArray) -> list[NDArray]:
    y = nd.square(x)
    return [y, y]


def hybridized(**flags: Any) -> Callable[[NDArray], Any]:
    net = Squares()
    net.hybridize(**flags)
    return net


def symbol_block(x: NDArray) -> Any:
    y = sym.square(sym.var("x"))
    return SymbolBlock(sym.Group([y, y]), [sym.var("x")])(x)


FORMS = pytest.mark.parametrize(
    "form",
    [squares, Squares(), hybridized(), hybridized(static_alloc=True), symbol_block],
    ids=["eager", "block", "hybridized", "static", "symbol"],
)


@FORMS
def test_head_gradients_of_one_array_are_added_up(form: Callable[[NDArray], Any]) -> None:
    for _ in range(3):
        x = variable()
        with autograd.record():
            outputs = form(x)
        autograd.backward([*outputs], heads(1, 10))
        assert_gradient(x, 22 * X)


@FORMS
def test_heads_without_gradients_count_one_each(form: Callable[[NDArray], Any]) -> None:
    x = variable()
    with autograd.record():
        outputs = form(x)
    autograd.backward([*outputs])
    assert_gradient(x, 4 * X)


@FORMS
def test_gradients_that_are_returned_are_added_up_too(form: Callable[[NDArray], Any]) -> None:
    x = variable()
    with autograd.record():
        outputs = form(x)
    (dx,) = autograd.grad([*outputs], [x], heads(1, 10))
    np.testing.assert_array_equal(dx.asnumpy(), 22 * X)


def test_second_gradients_follow_all_of_them() -> None:
    x = variable()
    with autograd.record():
        y = x * x * x
        (dx,) = autograd.grad([y, y], [x], heads(1, 10), create_graph=True)
    dx.backward()
    np.testing.assert_array_equal(dx.asnumpy(), 33 * X**2)
    assert_gradient(x, 66 * X)


def test_a_variable_may_be_a_head_twice() -> None:
    x = variable()
    with autograd.record():
        y = nd.square(x)
    autograd.backward([y, x, x], heads(1, 10, 100))
    assert_gradient(x, 2 * X + 110)


def test_one_output_of_several_may_be_a_head_twice() -> None:
    x = variable()
    with autograd.record():
        a, b = nd.split(nd.concat(x, x, dim=0), 2, axis=0)
    autograd.backward([a, b, a], heads(1, 10, 100))
    assert_gradient(x, [111] * 3)


def test_added_gradients_are_added_for_each_pass() -> None:
    x = nd.array(X)
    x.attach_grad("add")
    for _ in range(2):
        with autograd.record():
            y = nd.square(x)
        autograd.backward([y, y], heads(1, 10))
    assert_gradient(x, 44 * X)


@pytest.mark.parametrize(
    ("symbol", "values", "expected"),
    [
        (lambda x, y: [y, y], (1, 10), 22 * X),
        (lambda x, y: [y, 3 * y, y], (1, 10, 100), 262 * X),
        (lambda x, y: [x, y, x], (1, 10, 100), 20 * X + 101),
    ],
)
def test_executors_add_them_up(
    symbol: Callable[[Symbol, Symbol], list[Symbol]], values: Any, expected: Any
) -> None:
    x = sym.var("x")
    grad = nd.zeros((3,))
    executor = sym.Group(symbol(x, sym.square(x))).bind(cpu(), {"x": nd.array(X)}, {"x": grad})
    executor.forward(is_train=True)
    executor.backward(heads(*values))
    np.testing.assert_array_equal(grad.asnumpy(), expected)
