"""Reshaping of arrays, as copies; the shape and the size as arrays."""

from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied
from hy_kernels.numpy._kernels import kernel
from hy_kernels.reshape_codes import reshaped_sizes


@kernel(out="apart")
def reshape(
    data: Array,
    *,
    shape: tuple[int, ...],
    reverse: bool,
    target_shape: tuple[int, ...],
    keep_highest: bool,
    out: OutBuffers = None,
) -> Array:
    """Return a copy in a new shape with MXNet's codes, read from the end if ``reverse``.

    For the codes see :func:`reshaped_sizes`. ``target_shape`` is the legacy form of ``shape``.
    """
    sizes = reshaped_sizes(data.shape, shape, reverse, target_shape, keep_highest)
    return copied(data.reshape(sizes), out)


@kernel(out="apart")
def flatten(data: Array, *, out: OutBuffers = None) -> Array:
    """Return a copy as a matrix ``[N, rest]``."""
    return copied(data.reshape(data.shape[0], prod(data.shape[1:])), out)


@kernel(out="apart")
def expand_dims(data: Array, *, axis: int, out: OutBuffers = None) -> Array:
    """Return a copy with a new axis of size 1 at ``axis``."""
    return copied(np.expand_dims(data, axis), out)


@kernel(out="apart")
def squeeze(data: Array, *, axis: tuple[int, ...] | None, out: OutBuffers = None) -> Array:
    """Return a copy without axes of size 1, but with at least one axis."""
    small = np.squeeze(data, axis)
    if small.ndim == 0 and data.ndim:
        small = small.reshape(1)
    return copied(small, out)


@kernel()
def shape_array(data: Array) -> Array:
    """Return the shape as an array of int64."""
    return np.array(data.shape, np.int64)


@kernel()
def size_array(data: Array) -> Array:
    """Return the number of elements as an array of int64."""
    return np.array([data.size], np.int64)


@kernel(out="apart")
def reshape_like(
    lhs: Array,
    rhs: Array,
    *,
    lhs_begin: int | None,
    lhs_end: int | None,
    rhs_begin: int | None,
    rhs_end: int | None,
    out: OutBuffers = None,
) -> Array:
    """Return a copy of ``lhs`` with a range of axes reshaped to a range of axes of ``rhs``."""
    taken = rhs.shape[rhs_begin:rhs_end]
    left, right = lhs.shape[:lhs_begin], lhs.shape[lhs_end:]
    if lhs_begin is None:
        left = ()
    if lhs_end is None:
        right = ()
    return copied(lhs.reshape(left + taken + right), out)
