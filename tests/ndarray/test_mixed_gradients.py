"""Gradients through integers, mixed dtypes and head gradients of other dtypes; as MXNet 1.9.1."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import NDArray, autograd, nd, np
from hy_symbol import sym

A = [5, 7, -7, 2, 9]
B = [2, 3, 2, 5, -4]


def through_integers(
    function: Callable[[Any, Any], Any], make: Callable[..., Any], dtype: str
) -> tuple[list[float], list[float]]:
    a, b = make(A, dtype="float32"), make(B, dtype="float32")
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        y = function(a.astype(dtype), b.astype(dtype)).astype("float32")
    y.backward()
    return a.grad.asnumpy().tolist(), b.grad.asnumpy().tolist()


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8"])
def test_no_gradient_flows_through_remainders_of_integers(dtype: str) -> None:
    zeros = ([0.0] * 5, [0.0] * 5)
    functions: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a % b,
        lambda a, b: a % 3 + 17 % b,
    ]
    for function in [nd.broadcast_mod, *functions]:
        assert through_integers(function, nd.array, dtype) == zeros
    of_numpy: list[Callable[[Any, Any], Any]] = [np.mod, np.lcm]
    for function in [*of_numpy, *functions]:
        assert through_integers(function, np.array, dtype) == zeros


def test_remainders_of_floats_have_the_gradient_of_the_quotient() -> None:
    slope = [-2.0, -2.0, 4.0, 0.0, 3.0]
    for make in (nd.array, np.array):
        assert through_integers(lambda a, b: a % b, make, "float32") == ([1.0] * 5, slope)


def test_the_slope_of_an_integer_quotient_is_cut_to_an_integer() -> None:
    """``-a / b²``: -5/4, -7/9, 7/4, -2/25, -9/16."""
    for function in (nd.broadcast_div, nd.elemwise_div):
        found = through_integers(function, nd.array, "int32")
        assert found == ([0.0] * 5, [-1.0, 0.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("base", "exponent", "slope"),
    [
        ("int32", "float16", [2.7734375, 29.65625]),
        ("int64", "float32", [2.7725887, 29.6625328]),
        ("uint8", "float32", [2.7725887, 29.6625328]),
        ("float16", "float32", [2.7725887, 29.6625328]),
        ("float32", "float64", [2.7725887222, 29.6625317940]),
    ],
)
def test_the_logarithm_of_the_base_is_taken_in_the_dtype_of_the_power(
    base: str, exponent: str, slope: list[float]
) -> None:
    a, b = np.array([2, 3], dtype=base), np.array([2, 3], dtype=exponent)
    b.attach_grad()
    with autograd.record():
        y = np.power(a, b)
    y.backward()
    assert b.grad is not None
    assert b.grad.dtype == exponent
    assert b.grad.asnumpy() == pytest.approx(onp.array(slope), rel=1e-7)


def summed(gradients: list[NDArray]) -> list[float]:
    return [float(onp.abs(g.asnumpy()).sum()) for g in gradients]


@pytest.mark.parametrize(("dtype", "head"), [("float32", "float64"), ("float64", "float32")])
def test_a_head_gradient_of_another_dtype_is_cast_to_that_of_the_output(
    dtype: str, head: str
) -> None:
    rng = onp.random.RandomState(0)
    values = [rng.rand(2, 4, 1, 2) + 0.5, rng.rand(2) + 0.5, rng.rand(2) + 0.5]
    arrays = [nd.array(x, dtype=dtype) for x in values]
    heads = nd.array(rng.rand(2, 4, 1, 2), dtype=head)
    made = sym.GroupNorm(sym.var("x"), sym.var("g"), sym.var("b"), num_groups=2)
    gradients = [nd.zeros(x.shape, dtype=dtype) for x in arrays]
    executor = made.bind(arrays[0].context, arrays, args_grad=gradients)
    executor.forward(is_train=True)
    executor.backward([heads])
    assert summed(gradients) == pytest.approx([9.5834, 2.0935, 8.5023], abs=1e-4)
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        y = nd.GroupNorm(arrays[0], arrays[1], arrays[2], num_groups=2)
    y.backward(heads)
    eager = [x.grad for x in arrays if x.grad is not None]
    assert summed(eager) == pytest.approx([9.5834, 2.0935, 8.5023], abs=1e-4)


def test_functions_of_each_element_take_such_a_head_gradient() -> None:
    for function in (nd.exp, nd.tanh, nd.square):
        x = nd.array([0.5, 1.0])
        x.attach_grad()
        with autograd.record():
            y = function(x)
        y.backward(nd.array([1.0, 2.0]), retain_graph=True)
        assert x.grad is not None
        expected = x.grad.asnumpy().tolist()
        y.backward(nd.array([1.0, 2.0], dtype="float64"))
        assert x.grad.asnumpy().tolist() == expected
