"""Binary operators whose operands broadcast against each other, and broadcasting itself."""

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

__all__ = ["broadcast_add", "like_of", "sum_like"]

broadcast_add = np.add


def sum_like(data: Array, like: Array) -> Array:
    """``data`` summed down to the shape of ``like``."""
    if data.shape == like.shape:
        return data
    extra = data.ndim - like.ndim
    axes = tuple(
        i for i, n in enumerate(data.shape) if i < extra or (like.shape[i - extra] == 1 and n != 1)
    )
    total = data.sum(axis=axes, dtype=accumulator(data.dtype))
    return np.asarray(total.reshape(like.shape).astype(data.dtype, copy=False))


def like_of(data: Array, like: Array) -> Array:
    """``data`` broadcast to the shape of ``like``."""
    return np.array(np.broadcast_to(data, like.shape))
