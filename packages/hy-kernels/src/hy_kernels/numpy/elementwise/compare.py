"""Comparisons and logic; the result is 0 or 1 in the dtype of the first operand."""

from collections.abc import Callable
from math import isfinite

import numpy as np

from hy_kernels.numpy._array import Array, Out, with_scalar
from hy_kernels.numpy._kernels import alias, kernel


def _register_comparison(name: str, ufunc: Callable[..., Array]) -> None:
    """Register a comparison's kernels ``broadcast_``, ``elemwise_`` and ``_scalar``."""

    @kernel(f"broadcast_{name}", pointwise=True)
    def of_arrays(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
        return ufunc(lhs, rhs, out=out).astype(lhs.dtype, copy=False)

    @kernel(f"{name}_scalar", pointwise=True)
    def of_number(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
        lhs, rhs = _operands(data, scalar, is_int)
        return ufunc(lhs, rhs, out=out).astype(lhs.dtype, copy=False)

    alias(f"elemwise_{name}", of_arrays)


def _register_logic(name: str, ufunc: Callable[..., Array]) -> None:
    """Register a logical function's kernels, for which a number is true unless it is 0."""

    @kernel(f"broadcast_{name}", pointwise=True)
    def of_arrays(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
        return ufunc(lhs, rhs, out=out).astype(lhs.dtype, copy=False)

    @kernel(f"{name}_scalar", pointwise=True)
    def of_number(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
        lhs, _ = _operands(data, scalar, is_int)
        return ufunc(lhs, scalar != 0, out=out).astype(lhs.dtype, copy=False)

    alias(f"elemwise_{name}", of_arrays)


def _operands(data: Array, scalar: float, is_int: bool) -> tuple[Array, Array | float]:
    """Return the array and the number to compare, promoted as by :func:`with_scalar`.

    An integer stays a Python integer for an array of integers, instead of wrapping around in the
    dtype of the array; nan and the infinities stay floats.
    """
    # NumPy compares correctly with integers out of range; wrapped, a uint8 of 0 would equal 256.
    if is_int and data.dtype.kind in "biu":
        whole = data.astype(np.int64) if data.dtype.kind == "b" else data
        return whole, int(scalar) if isfinite(scalar) else scalar
    return with_scalar(data, scalar, is_int)


_register_comparison("equal", np.equal)
_register_comparison("not_equal", np.not_equal)
_register_comparison("greater", np.greater)
_register_comparison("greater_equal", np.greater_equal)
_register_comparison("lesser", np.less)
_register_comparison("lesser_equal", np.less_equal)
_register_logic("logical_and", np.logical_and)
_register_logic("logical_or", np.logical_or)
_register_logic("logical_xor", np.logical_xor)


@kernel(pointwise=True)
def logical_not(data: Array, *, out: Out = None) -> Array:
    """Return ``data == 0``."""
    return np.logical_not(data, out=out).astype(data.dtype, copy=False)
