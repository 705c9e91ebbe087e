"""ReLU at memory bandwidth.

NumPy vectorizes ``maximum`` for two arrays, but not for an array and a number. So its second
operand is an array of zeros, which stays in the cache.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS

__all__ = ["operands_of_relu", "relu", "zeros_of"]


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
    if data.size <= COSTS.memory.zeros:
        return np.asarray(np.maximum(data, zeros_of(data.shape, data.dtype), out=out))
    result = np.empty_like(data) if out is None else out
    for x, zeros, y in operands_of_relu(data, result):
        np.maximum(x, zeros, out=y)
    return result


def operands_of_relu(data: Array, out: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield blocks ``(data, zeros, out)``, the arguments of ``numpy.maximum``."""
    if not (data.flags.c_contiguous and out.flags.c_contiguous):
        yield data, zeros_of((), data.dtype), out
        return
    block = COSTS.blocks.relu
    zeros = zeros_of((block,), data.dtype)
    source, target = data.reshape(-1), out.reshape(-1)
    for start in range(0, source.size, block):
        part = source[start : start + block]
        yield part, zeros[: part.size], target[start : start + block]
