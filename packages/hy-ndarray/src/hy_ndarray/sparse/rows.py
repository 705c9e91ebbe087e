"""Reading and writing of selected rows of dense and row_sparse arrays, without dense copies."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.sparse._storage import RowSparseStorage

__all__ = ["rows_of", "write_rows"]

Rows: TypeAlias = npt.NDArray[np.int64]


def rows_of(array: NDArray, rows: Rows) -> NDArray:
    """Return a dense, unrecorded copy of the given rows, ``[len(rows), *rest]``.

    Args:
        array: ``[length, *rest]``, dense or row_sparse.
        rows: The row indices; rows that a row_sparse array does not store are zeros.

    Example:
        >>> from hy_ndarray import nd
        >>> rows_of(nd.array([[1, 2], [3, 4]]).tostype("row_sparse"), np.array([1])).asnumpy()
        array([[3., 4.]], dtype=float32)
    """
    if array.stype != "row_sparse":
        return NDArray.from_buffer(array.buffer[_device_rows(array, rows)], array.device)
    stored: RowSparseStorage = array._data
    # With all rows stored, the position of a row is its index.
    if len(stored.indices) == stored.shape[0]:
        return array_from(stored.data[rows], array.context)
    rows_out = np.zeros((len(rows), *stored.shape[1:]), stored.dtype)
    if len(stored.indices):
        # Rows after the last stored one are clipped to it, and left out by the comparison.
        at = np.searchsorted(stored.indices, rows).clip(max=len(stored.indices) - 1)
        has_row = stored.indices[at] == rows
        rows_out[has_row] = stored.data[at[has_row]]
    return array_from(rows_out, array.context)


def write_rows(array: NDArray, rows: Rows, values: NDArray) -> None:
    """Overwrite the given rows in place; a row_sparse array then stores all its rows.

    Args:
        array: ``[length, *rest]``, dense or row_sparse.
        rows: The row indices, without duplicates.
        values: ``[len(rows), *rest]``, of the dtype and on the context of ``array``.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.zeros((3, 2))
        >>> write_rows(x, np.array([1]), nd.ones((1, 2)))
        >>> x.asnumpy()
        array([[0., 0.],
               [1., 1.],
               [0., 0.]], dtype=float32)
    """
    if array.stype == "row_sparse":
        array._data = array._data.whole()
        array._data.data[rows] = values.device.memory.to_numpy(values.buffer)
        return
    array.buffer[_device_rows(array, rows)] = values.buffer
    array.device.wrote(array.buffer)


def _device_rows(array: NDArray, rows: Rows) -> Any:
    return array.device.memory.from_numpy(rows, array.device.handle)
