"""Selection of elements by index arrays."""

import numpy as onp

from hy_ndarray.array_api._routes import to_host
from hy_ndarray.array_api.dtypes import astype, int64
from hy_ndarray.np import ndarray

__all__ = ["take", "take_along_axis"]


def take(x: ndarray, indices: ndarray, /, *, axis: int | None = None) -> ndarray:
    """Return the elements at some indices along an axis.

    Args:
        x: The elements.
        indices: ``[N]``, integers.
        axis: The axis; the only one if None.
    """
    along = 0 if axis is None else axis % x.ndim
    return x[(slice(None),) * along + (indices,)]


def take_along_axis(x: ndarray, indices: ndarray, /, *, axis: int = -1) -> ndarray:
    """Return elements along an axis at ``indices``, one index array per line.

    Args:
        x: The elements.
        indices: Integers; a shape that broadcasts against that of ``x`` beside the axis.
        axis: The axis.
    """
    numbers = onp.arange(x.size).reshape(x.shape)
    flat_indices = onp.take_along_axis(numbers, to_host(astype(indices, int64, copy=False)), axis)
    flat: ndarray = x.reshape((-1,))
    return flat[flat_indices]
