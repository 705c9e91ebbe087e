"""Comparisons and logic of arrays; the result is 0 or 1 in the operands' dtype."""

import numpy as np

from hy_kernels.numpy._array import Array, Out
from hy_kernels.numpy._kernels import alias, kernel

__all__ = [
    "broadcast_equal",
    "broadcast_greater",
    "broadcast_greater_equal",
    "broadcast_lesser",
    "broadcast_lesser_equal",
    "broadcast_logical_and",
    "broadcast_logical_or",
    "broadcast_logical_xor",
    "broadcast_not_equal",
    "elemwise_equal",
    "elemwise_greater",
    "elemwise_greater_equal",
    "elemwise_lesser",
    "elemwise_lesser_equal",
    "elemwise_logical_and",
    "elemwise_logical_or",
    "elemwise_logical_xor",
    "elemwise_not_equal",
    "logical_not",
]


@kernel(pointwise=True)
def broadcast_equal(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs == rhs``."""
    return np.equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_not_equal(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs != rhs``."""
    return np.not_equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_greater(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs > rhs``."""
    return np.greater(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_greater_equal(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs >= rhs``."""
    return np.greater_equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_lesser(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs < rhs``."""
    return np.less(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_lesser_equal(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs <= rhs``."""
    return np.less_equal(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_logical_and(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return 1 where both are not 0, else 0."""
    return np.logical_and(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_logical_or(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return 1 where one is not 0, else 0."""
    return np.logical_or(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
def broadcast_logical_xor(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return 1 where exactly one is not 0, else 0."""
    return np.logical_xor(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


elemwise_equal = alias("elemwise_equal", broadcast_equal)
elemwise_not_equal = alias("elemwise_not_equal", broadcast_not_equal)
elemwise_greater = alias("elemwise_greater", broadcast_greater)
elemwise_greater_equal = alias("elemwise_greater_equal", broadcast_greater_equal)
elemwise_lesser = alias("elemwise_lesser", broadcast_lesser)
elemwise_lesser_equal = alias("elemwise_lesser_equal", broadcast_lesser_equal)
elemwise_logical_and = alias("elemwise_logical_and", broadcast_logical_and)
elemwise_logical_or = alias("elemwise_logical_or", broadcast_logical_or)
elemwise_logical_xor = alias("elemwise_logical_xor", broadcast_logical_xor)


@kernel(pointwise=True)
def logical_not(data: Array, *, out: Out = None) -> Array:
    """Return ``data == 0``."""
    return np.logical_not(data, out=out).astype(data.dtype, copy=False)
