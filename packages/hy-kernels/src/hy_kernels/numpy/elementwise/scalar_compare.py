"""Comparisons and logic of an array and a number."""

import numpy as np

from hy_kernels.numpy._array import Array, Out, with_scalar
from hy_kernels.numpy._kernels import kernel

__all__ = [
    "equal_scalar",
    "greater_equal_scalar",
    "greater_scalar",
    "lesser_equal_scalar",
    "lesser_scalar",
    "logical_and_scalar",
    "logical_or_scalar",
    "logical_xor_scalar",
    "not_equal_scalar",
]


def _operands(data: Array, scalar: float, is_int: bool) -> tuple[Array, Array | float]:
    """Return the operands of :func:`with_scalar`, but an integer beyond the dtype as it is."""
    # Numpy compares with integers out of range rightly; wrapped, uint8 would equal 256 at 0.
    if is_int and data.dtype.kind in "iu":
        return data, int(scalar)
    return with_scalar(data, scalar, is_int)


@kernel(pointwise=True)
def equal_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data == scalar``."""
    lhs, rhs = _operands(data, scalar, is_int)
    return np.equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def not_equal_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data != scalar``."""
    lhs, rhs = _operands(data, scalar, is_int)
    return np.not_equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def greater_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data > scalar``."""
    lhs, rhs = _operands(data, scalar, is_int)
    return np.greater(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def greater_equal_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data >= scalar``."""
    lhs, rhs = _operands(data, scalar, is_int)
    return np.greater_equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def lesser_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data < scalar``."""
    lhs, rhs = _operands(data, scalar, is_int)
    return np.less(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def lesser_equal_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data <= scalar``."""
    lhs, rhs = _operands(data, scalar, is_int)
    return np.less_equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def logical_and_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return 1 where both are not 0, else 0."""
    lhs, _ = _operands(data, scalar, is_int)
    return np.logical_and(lhs, scalar != 0, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def logical_or_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return 1 where one is not 0, else 0."""
    lhs, _ = _operands(data, scalar, is_int)
    return np.logical_or(lhs, scalar != 0, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def logical_xor_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return 1 where exactly one is not 0, else 0."""
    lhs, _ = _operands(data, scalar, is_int)
    return np.logical_xor(lhs, scalar != 0, out=out).astype(lhs.dtype, copy=False)
