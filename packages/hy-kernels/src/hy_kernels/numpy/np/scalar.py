"""Arithmetic and comparison of an array and a number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Out, quiet, with_scalar
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.np.arithmetic import np_lcm, np_ldexp


def _to_real(data: Array) -> Array:
    """Convert integers to float32, in which they are divided; return other data as is."""
    # MXNet's default dtype; NumPy divides integers in float64.
    return data.astype(np.float32) if data.dtype.kind in "biu" else data


@kernel(pointwise=True)
@quiet
def np_true_divide_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data / scalar``."""
    real = _to_real(data)
    return np.asarray(np.true_divide(real, np.asarray(scalar, real.dtype), out=out))


@kernel(pointwise=True)
@quiet
def np_rtrue_divide_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``scalar / data``."""
    real = _to_real(data)
    return np.asarray(np.true_divide(np.asarray(scalar, real.dtype), real, out=out))


@quiet
def _in_common_dtype(
    function: Callable[..., Any],
    data: Array,
    scalar: float,
    is_int: bool,
    out: Out,
    swapped: bool = False,
) -> Array:
    """Return ``function(data, scalar)`` in the operands' common dtype, maybe ``swapped``."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    rhs = np.asarray(rhs, lhs.dtype)
    y = function(rhs, lhs, out=out) if swapped else function(lhs, rhs, out=out)
    return np.asarray(y).astype(lhs.dtype, copy=False)


def _enter_both_ways(name: str, function: Callable[..., Any]) -> None:
    """Register ``np_<name>_scalar``, and ``np_r<name>_scalar`` with the number as first operand."""

    @kernel(f"np_{name}_scalar", pointwise=True)
    def of_number(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
        return _in_common_dtype(function, data, scalar, is_int, out)

    @kernel(f"np_r{name}_scalar", pointwise=True)
    def reversed_(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
        return _in_common_dtype(function, data, scalar, is_int, out, swapped=True)


_enter_both_ways("arctan2", np.arctan2)
_enter_both_ways("copysign", np.copysign)
_enter_both_ways("ldexp", np_ldexp)


def _as_integer(data: Array, scalar: float) -> Array:
    """Return ``scalar`` as a 0-d array of the integer or boolean dtype of ``data``."""
    # Via int64, a cast that wraps around: NumPy rejects numbers out of range.
    return np.asarray(np.int64(scalar)).astype(data.dtype)


def _enter_of_integers(name: str, function: Callable[..., Array]) -> None:
    @kernel(f"np_{name}_scalar")
    def of_number(data: Array, *, scalar: float, is_int: bool) -> Array:
        return function(data, _as_integer(data, scalar))


_enter_of_integers("lcm", np_lcm)
_enter_of_integers("bitwise_and", np.bitwise_and)
_enter_of_integers("bitwise_or", np.bitwise_or)
_enter_of_integers("bitwise_xor", np.bitwise_xor)


def _register_comparison(name: str, function: np.ufunc) -> None:
    @kernel(f"np_{name}_scalar")
    def compare(data: Array, *, scalar: float, is_int: bool) -> Array:
        # A float32 of 0.1 equals the number 0.1 only if the number is also rounded to float32.
        number = scalar if data.dtype.kind in "biu" else np.asarray(scalar, data.dtype)
        return np.asarray(function(data, number))


_register_comparison("equal", np.equal)
_register_comparison("not_equal", np.not_equal)
_register_comparison("greater", np.greater)
_register_comparison("greater_equal", np.greater_equal)
_register_comparison("less", np.less)
_register_comparison("less_equal", np.less_equal)
