"""Reshaping and broadcasting of arrays, as copies."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, expanded
from hy_kernels.numpy._kernels import kernel


@kernel(out="apart")
def np_reshape(a: Array, *, newshape: tuple[int, ...], order: str, out: OutBuffers = None) -> Array:
    """Return a copy in the shape ``newshape``."""
    return copied(a.reshape(newshape), out)


@kernel(out="apart")
def np_squeeze(a: Array, *, axis: tuple[int, ...] | None, out: OutBuffers = None) -> Array:
    """Return a copy without axes of size 1, or without those in ``axis``."""
    return copied(np.squeeze(a, axis=axis if a.ndim else None), out)


@kernel(out="apart")
def np_broadcast_to(array: Array, *, shape: tuple[int, ...], out: OutBuffers = None) -> Array:
    """Return a copy broadcast to ``shape``, in which -2 stands for the array's own size."""
    own = (1,) * (len(shape) - array.ndim) + array.shape
    target = tuple([size if n == -2 else n for size, n in zip(own, shape, strict=True)])
    return expanded(array, target, out)
