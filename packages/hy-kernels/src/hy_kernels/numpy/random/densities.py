"""Kernel for gradients of probability densities."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, out_buffer
from hy_kernels.numpy._kernels import kernel


@kernel(out="apart")
def unspread_like(data: Array, like: Array, *, keep: int, out: OutBuffers = None) -> Array:
    """Return ``data`` summed over the axes of draws, to the shape of ``like``, the parameters.

    These axes come before the last ``keep`` ones.
    """
    front, extra = like.ndim - keep, data.ndim - like.ndim
    axes = tuple(range(front, front + extra))
    if not axes:
        return copied(data, out)
    summed = data.sum(axis=axes, dtype=accumulator(data.dtype), out=out_buffer(out))
    return np.asarray(summed).astype(data.dtype, copy=False)
