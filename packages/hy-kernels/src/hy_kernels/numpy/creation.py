"""Arrays out of nothing, or of the shape of another."""

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["ones_like", "zeros_like"]


def zeros_like(data: Array) -> Array:
    """Zeros."""
    return np.zeros(data.shape, data.dtype)


def ones_like(data: Array) -> Array:
    """Ones."""
    return np.ones(data.shape, data.dtype)
