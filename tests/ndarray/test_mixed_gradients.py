"""Gradients through integers, mixed dtypes and head gradients of other dtypes; as MXNet 1.9.1."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import AutogradError, NDArray, autograd, nd, np
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
def test_an_executor_casts_a_head_gradient_of_another_dtype(dtype: str, head: str) -> None:
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


TAKING = {  # what MXNet computes of a float32 head gradient, the sum of the absolute gradient
    "x.sum()": 16, "x.sum(axis=1)": 16, "x.mean()": 1, "x.reshape((-1,))": 16, "x[1]": 8,
    "x.expand_dims(0)": 16, "x.flatten()": 16, "nd.squeeze(x)": 16, "x.astype('float16')": 16,
    "x.copy()": 16, "nd.reshape_like(x, nd.ones(16, dtype='float64'))": 16, "nd.make_loss(x)": 16,
}  # fmt: skip
REFUSING = (
    *(
        "nd.tanh(x)",
        "x * 2",
        "nd.relu(x)",
        "nd.softmax(x)",
        "x.transpose()",
        "nd.concat(x, x, dim=0)",
    ),
    *("x + x", "nd.exp(x)", "nd.square(x)", "nd.log_softmax(x)", "x.max(axis=1)", "nd.stack(x, x)"),
    *("nd.L2Normalization(x)", "nd.slice(x, begin=(0,), end=(1,))", "x.clip(0, 1)", "nd.prod(x)"),
    "nd.GroupNorm(x, nd.ones(2, dtype='float64'), nd.zeros(2, dtype='float64'), num_groups=2)",
)


def slope(text: str, head: str) -> float:
    x = nd.array(onp.arange(16).reshape(2, 4, 1, 2) / 10, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = eval(text, {"x": x, "nd": nd})  # noqa: S307  # a line of the tests
    y.backward(nd.ones(y.shape, dtype=head))
    assert x.grad is not None
    return float(x.grad.abs().sum().asscalar())


@pytest.mark.parametrize("text", TAKING)
def test_sums_and_reshapes_take_a_head_gradient_of_another_dtype(text: str) -> None:
    assert slope(text, "float32") == pytest.approx(TAKING[text])


@pytest.mark.parametrize("text", REFUSING)
def test_other_operators_on_arrays_refuse_it(text: str) -> None:
    with pytest.raises(
        AutogradError, match=r"is float64, but its head gradient is float32; convert"
    ):
        slope(text, "float32")
    slope(text, "float64")
