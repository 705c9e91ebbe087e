"""The larger of each element and zero, as fast as memory goes.

Numpy compares two arrays in vector registers, an array and a number one by one. So it is given an
array of zeros, which stays in the cache.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._array import Array

__all__ = ["FEW", "operands_of_relu", "relu", "zeros_of"]

_ZEROS = 1 << 16  # elements
FEW = 1 << 10  # elements of arrays that have zeros of their own


@lru_cache(maxsize=256)
def zeros_of(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Zeros that nobody overwrites."""
    zeros = np.zeros(shape, dtype)
    zeros.flags.writeable = False
    return zeros


def relu(data: Array, out: Array | None = None) -> Array:
    """``data``, but zero where it is negative; nan stays.

    Args:
        data: Any numbers.
        out: Where to write it; may be ``data``.
    """
    if data.size <= FEW:
        return np.asarray(np.maximum(data, zeros_of(data.shape, data.dtype), out=out))
    result = np.empty_like(data) if out is None else out
    for x, zeros, y in operands_of_relu(data, result):
        np.maximum(x, zeros, out=y)
    return result


def operands_of_relu(data: Array, out: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Elements, zeros, and where the larger ones go: for ``numpy.maximum``, a piece at a time."""
    if not (data.flags.c_contiguous and out.flags.c_contiguous):
        yield data, zeros_of((), data.dtype), out
        return
    zeros = zeros_of((_ZEROS,), data.dtype)
    source, target = data.reshape(-1), out.reshape(-1)
    for start in range(0, source.size, _ZEROS):
        part = source[start : start + _ZEROS]
        yield part, zeros[: part.size], target[start : start + _ZEROS]
