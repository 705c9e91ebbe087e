"""Reshaping of arrays, as copies; the shape and the size as arrays."""

from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied
from hy_kernels.numpy._kernels import kernel
from hy_kernels.reshape_codes import legacy_shape


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

    For the codes see :func:`legacy_shape`. ``target_shape`` is the legacy form of ``shape``.
    """
    if not shape and target_shape:
        codes = [n or -1 for n in target_shape]
        if keep_highest:
            codes[0] = 0
        sizes = legacy_shape(codes, data.shape)
    elif reverse:
        sizes = legacy_shape(shape[::-1], data.shape[::-1])[::-1]
    else:
        sizes = legacy_shape(shape, data.shape)
    if 0 in sizes and -1 in sizes:
        # NumPy cannot infer -1 next to a size of 0: here it follows from the nonzero sizes.
        rest = prod(n for n in sizes if n > 0)
        sizes[sizes.index(-1)] = prod(n for n in data.shape if n) // rest
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
