"""ReLU at the speed of memory: the larger of each element and zero.

Numpy compares two arrays in vector registers, an array and a number one by one. So it is given an
array of zeros, which stays in the cache.
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
    """Return read-only zeros; equal calls share them."""
    zeros = np.zeros(shape, dtype)
    zeros.flags.writeable = False
    return zeros


def relu(data: Array, out: Array | None = None) -> Array:
    """Return ``data``, but zero where it is negative; nan stays.

    Args:
        data: Any numbers.
        out: Where to write it; may be ``data``.
    """
    if data.size <= COSTS.memory.zeros:
        return np.asarray(np.maximum(data, zeros_of(data.shape, data.dtype), out=out))
    result = np.empty_like(data) if out is None else out
    for x, zeros, y in operands_of_relu(data, result):
        np.maximum(x, zeros, out=y)
    return result


def operands_of_relu(data: Array, out: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield pieces of data, zeros and out: the operands of ``numpy.maximum``."""
    if not (data.flags.c_contiguous and out.flags.c_contiguous):
        yield data, zeros_of((), data.dtype), out
        return
    block = COSTS.blocks.relu
    zeros = zeros_of((block,), data.dtype)
    source, target = data.reshape(-1), out.reshape(-1)
    for start in range(0, source.size, block):
        part = source[start : start + block]
        yield part, zeros[: part.size], target[start : start + block]
