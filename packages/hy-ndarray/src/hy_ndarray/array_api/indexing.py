"""Selection of elements by index arrays."""

import numpy as onp

from hy_ndarray.array_api._routes import to_host
from hy_ndarray.array_api.dtypes import astype, int64
from hy_ndarray.np import ndarray

__all__ = ["take", "take_along_axis"]


def take(x: ndarray, indices: ndarray, /, *, axis: int | None = None) -> ndarray:
    """Return the elements at the given indices along an axis.

    Args:
        x: The elements.
        indices: ``[N]``, integers.
        axis: The axis; may be None for a vector.
    """
    along = 0 if axis is None else axis % x.ndim
    return x[(slice(None),) * along + (indices,)]


def take_along_axis(x: ndarray, indices: ndarray, /, *, axis: int = -1) -> ndarray:
    """Return elements along an axis, at indices that may differ for each slice.

    Args:
        x: The elements.
        indices: Integers; the shape broadcasts against that of ``x`` except along ``axis``.
        axis: The axis.
    """
    numbers = onp.arange(x.size).reshape(x.shape)
    flat_indices = onp.take_along_axis(numbers, to_host(astype(indices, int64, copy=False)), axis)
    flat: ndarray = x.reshape((-1,))
    return flat[flat_indices]
