"""The larger of each element and zero, as fast as memory goes.

Numpy compares two arrays in vector registers, an array and a number one by one. So it is given an
array of zeros, which stays in the cache.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._array import Array

__all__ = ["operands_of_relu", "relu"]

_ZEROS = 1 << 16  # elements
_FEW = 1 << 10  # elements of arrays that have zeros of their own


@lru_cache(maxsize=256)
def _zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    zeros = np.zeros(shape, dtype)
    zeros.flags.writeable = False
    return zeros


def relu(data: Array, out: Array | None = None) -> Array:
    """``data``, but zero where it is negative; nan stays.

    Args:
        data: Any numbers.
        out: Where to write it; may be ``data``.
    """
    if data.size <= _FEW:
        return np.asarray(np.maximum(data, _zeros(data.shape, data.dtype), out=out))
    result = np.empty_like(data) if out is None else out
    for x, zeros, y in operands_of_relu(data, result):
        np.maximum(x, zeros, out=y)
    return result


def operands_of_relu(data: Array, out: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Elements, zeros, and where the larger ones go: for ``numpy.maximum``, a piece at a time."""
    if not (data.flags.c_contiguous and out.flags.c_contiguous):
        yield data, _zeros((), data.dtype), out
        return
    zeros = _zeros((_ZEROS,), data.dtype)
    source, target = data.reshape(-1), out.reshape(-1)
    for start in range(0, source.size, _ZEROS):
        part = source[start : start + _ZEROS]
        yield part, zeros[: part.size], target[start : start + _ZEROS]
