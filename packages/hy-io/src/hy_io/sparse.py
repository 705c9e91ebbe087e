"""Sparse arrays of files: stored values and their indices, as numpy arrays."""

import sys
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io._errors import ArgumentError
from hy_io._limits import check_expansion, expansion_limit

__all__ = ["CSRArray", "RowSparseArray"]


@dataclass(frozen=True, eq=False, slots=True)
class RowSparseArray:
    """Sparse array in row-sparse format: only some rows are stored, the others are zero.

    Args:
        data: ``[rows, *rest]``, the stored rows.
        indices: ``[rows]``, int64: the index of each stored row along the first axis.
        shape: ``[length, *rest]``, of the whole array.

    Raises:
        ValueError: The shapes or indices are inconsistent.

    Example:
        >>> RowSparseArray(np.array([[1.0, 2.0]]), np.array([1]), (3, 2)).to_dense()
        array([[0., 0.],
               [1., 2.],
               [0., 0.]])
    """

    data: npt.NDArray[Any]
    indices: npt.NDArray[np.int64]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        # Frozen, so that checked indices stay checked; conversions pass through `object`.
        object.__setattr__(self, "data", np.asarray(self.data))
        _set_int64(self, "indices")
        data, indices, shape = self.data, self.indices, self.shape
        if indices.ndim != 1:
            raise ArgumentError(f"RowSparseArray: indices{indices.shape} needs one axis")
        if not shape or data.shape != (len(indices), *shape[1:]):
            raise ArgumentError(
                f"RowSparseArray: data{data.shape} needs {len(indices)} rows of shape{shape}, "
                f"one for each of indices{indices.shape}"
            )
        _check_range("RowSparseArray", indices, shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.data.dtype

    @property
    def nbytes(self) -> int:
        """Size of the stored rows and their indices in bytes."""
        return self.data.nbytes + self.indices.nbytes

    def to_dense(self, *, max_expansion: int | None = None) -> npt.NDArray[Any]:
        """Convert to a dense array; if an index occurs twice, the last row is used.

        Args:
            max_expansion: Limit on the size of the result, in bytes beyond `nbytes`; None for the
                environment variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

        Raises:
            FileLimitError: The result would exceed the limit.
        """
        dense = _zeros(self, max_expansion)
        dense[self.indices] = self.data
        return dense


@dataclass(frozen=True, eq=False, slots=True)
class CSRArray:
    """Sparse matrix in compressed sparse row (CSR) format.

    Args:
        data: ``[stored]``, the elements.
        indices: ``[stored]``, int64: the column of each element.
        indptr: ``[rows + 1]``, int64: row ``i`` is ``data[indptr[i]:indptr[i + 1]]``.
        shape: ``(rows, columns)`` of the whole matrix.

    Raises:
        ValueError: The shapes or indices are inconsistent.

    Example:
        >>> CSRArray(np.array([1.0, 2.0]), np.array([0, 2]), np.array([0, 1, 2]), (2, 3)).to_dense()
        array([[1., 0., 0.],
               [0., 0., 2.]])
    """

    data: npt.NDArray[Any]
    indices: npt.NDArray[np.int64]
    indptr: npt.NDArray[np.int64]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", np.asarray(self.data))
        _set_int64(self, "indices")
        _set_int64(self, "indptr")
        data, indices, indptr = self.data, self.indices, self.indptr
        if len(self.shape) != 2:  # noqa: PLR2004 - a matrix
            raise ArgumentError(f"CSRArray: shape{self.shape} needs two axes")
        if indices.ndim != 1 or data.shape != indices.shape:
            raise ArgumentError(
                f"CSRArray: data{data.shape} and indices{indices.shape} need one axis of one length"
            )
        rows, columns = self.shape
        if indptr.shape != (rows + 1,):
            raise ArgumentError(
                f"CSRArray: indptr{indptr.shape} needs rows + 1 = {rows + 1} entries, "
                f"shape{self.shape}"
            )
        # Rising from 0 to the number of elements: any other indptr would make `to_dense` read
        # outside.
        if indptr[0] != 0 or indptr[-1] != len(indices) or np.any(indptr[1:] < indptr[:-1]):
            raise ArgumentError(
                f"CSRArray: indptr must rise from 0 to {len(indices)}, got {indptr}"
            )
        _check_range("CSRArray", indices, columns)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.data.dtype

    @property
    def nbytes(self) -> int:
        """Size of the stored elements and their indices in bytes."""
        return self.data.nbytes + self.indices.nbytes + self.indptr.nbytes

    def to_dense(self, *, max_expansion: int | None = None) -> npt.NDArray[Any]:
        """Convert to a dense matrix; if an index occurs twice, the last element is used.

        Args:
            max_expansion: Limit on the size of the result, in bytes beyond `nbytes`; None for the
                environment variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

        Raises:
            FileLimitError: The result would exceed the limit.
        """
        dense = _zeros(self, max_expansion)
        # The row of each element, from the lengths of the rows.
        dense[np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices] = self.data
        return dense


def _zeros(array: RowSparseArray | CSRArray, max_expansion: int | None) -> npt.NDArray[Any]:
    limit = expansion_limit(max_expansion)
    # An empty array takes nothing, but numpy refuses it, too, if its other axes overflow an index.
    size = prod(size for size in array.shape if size) * array.dtype.itemsize
    label = f"{type(array).__name__} of shape {array.shape}, made dense"
    check_expansion(None, 0, label, size, array.nbytes, min(limit, sys.maxsize))
    return np.zeros(array.shape, array.dtype)


def _set_int64(array: RowSparseArray | CSRArray, field: str) -> None:
    values = np.asarray(getattr(array, field))
    # Floats would be cut silently; uint64 may be beyond int64.
    if not np.can_cast(values.dtype, np.int64):
        raise ArgumentError(f"{type(array).__name__}: {field} must be integers, got {values.dtype}")
    object.__setattr__(array, field, values.astype(np.int64, copy=False))


def _check_range(owner: str, indices: npt.NDArray[np.int64], size: int) -> None:
    if len(indices) and not 0 <= indices.min() <= indices.max() < size:
        raise ArgumentError(
            f"{owner}: indices must be within 0..{size - 1}, got {indices.min()}..{indices.max()}"
        )
