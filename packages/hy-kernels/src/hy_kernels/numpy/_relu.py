"""ReLU at memory bandwidth.

NumPy vectorizes ``maximum`` for two arrays, but not for an array and a number. So the second
operand of few elements is an array of zeros; many are clipped between 0 and infinity.
"""

from functools import lru_cache
from math import inf

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._array import Array, between
from hy_kernels.numpy.costs import COSTS

__all__ = ["relu", "zeros_of"]


@lru_cache(maxsize=256)
def zeros_of(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Return a cached, read-only array of zeros."""
    zeros = np.zeros(shape, dtype)
    zeros.flags.writeable = False
    return zeros


def relu(data: Array, out: Array | None = None) -> Array:
    """Return ``max(data, 0)``; nan stays nan.

    Args:
        data: An array of numbers.
        out: The array to write to, which may be ``data``; None: a new array.
    """
    is_small = data.size <= COSTS.memory.zeros
    if not is_small and data.dtype.kind == "f":
        return between(data, 0.0, inf, out)
    zeros = zeros_of(data.shape if is_small else (), data.dtype)
    return np.asarray(np.maximum(data, zeros, out=out))
