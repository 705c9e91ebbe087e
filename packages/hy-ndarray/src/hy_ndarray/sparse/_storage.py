"""Storage of sparse arrays as numpy arrays of values and indices.

Index arrays are immutable and may be shared. Values are changed in place, by
:mod:`hy_ndarray.sparse.rows` only, so each array has values of its own.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Never, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import ArgumentError, HyError, ShapeError

Values: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class CSRStorage:
    """Matrix in CSR format; the elements of row ``i`` are at ``indptr[i]`` to ``indptr[i + 1]``.

    Args:
        data: ``[stored]``, the elements.
        indices: ``[stored]``, the column of each element.
        indptr: ``[rows + 1]``, the start of each row's elements, and the end of the last.
        shape: ``(rows, columns)``.
    """

    stype: ClassVar[str] = "csr"
    data: Values
    indices: Indices
    indptr: Indices
    shape: tuple[int, int]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the elements."""
        return self.data.dtype

    @property
    def rows(self) -> Indices:
        """Return the row index of each element, ``[stored]``."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    @classmethod
    def of(cls, dense: Values) -> Self:
        """Return the storage of a dense matrix's nonzero elements.

        Raises:
            ShapeError: The array does not have two axes.
        """
        if dense.ndim != 2:  # noqa: PLR2004  # a matrix
            raise ShapeError(f"csr storage: an array {dense.shape} must have 2 axes")
        # In row-major order, which is that of csr: the columns of each row increase.
        rows, columns = np.nonzero(dense)
        counts = np.bincount(rows, minlength=dense.shape[0])
        return cls(dense[rows, columns], columns, starts(counts), dense.shape)

    def with_data(self, data: Values) -> "CSRStorage":
        """Return storage with other values at the same positions."""
        return CSRStorage(data, self.indices, self.indptr, self.shape)

    def dense(self) -> Values:
        """Return the dense matrix; values of duplicate indices are added."""
        whole = np.zeros(self.shape, self.dtype)
        # Not an assignment by index, which would keep only the last of duplicates.
        np.add.at(whole, (self.rows, self.indices), self.data)
        return whole

    @property
    def parts(self) -> "CSRStorage":
        """Return the storage whose parts may be inspected: itself; see :class:`BrokenStorage`."""
        return self

    def check_lengths(self) -> None:
        """Raise an error unless there is one index for each stored value.

        Raises:
            ShapeError: ``data`` or ``indices`` has another length.
        """
        if self.data.ndim != 1 or self.data.shape != self.indices.shape:
            raise self._unequal("data and indices must be vectors of the same length")

    def _unequal(self, rule: str) -> ShapeError:
        parts = {"data": self.data, "indices": self.indices, "indptr": self.indptr}
        lengths = ", ".join(f"{name} {part.shape}" for name, part in parts.items())
        return ShapeError(f"csr array {self.shape}: {lengths}; {rule}")

    def check(self, full: bool) -> None:
        """Check that sizes match; with ``full``, check indices and their order, too.

        Raises:
            ShapeError: The lengths of the parts do not match the shape.
            ArgumentError: Indices are out of range, repeated in a row, or out of order.
        """
        self.check_lengths()
        if self.indptr.shape != (self.shape[0] + 1,):
            raise self._unequal("indptr must have rows + 1 elements")
        if not full:
            return
        self.check_indices()
        # Only within a row: the next one may begin at any column.
        falls = (np.diff(self.indices) <= 0) & (np.diff(self.rows) == 0)
        if np.any(falls):
            raise ArgumentError(
                f"csr array {self.shape}: indices must increase within each row, but do not at "
                f"position {int(np.argmax(falls)) + 1}"
            )

    def check_indices(self) -> None:
        """Check that ``indptr`` is valid and column indices are in range.

        Raises:
            ShapeError: ``indptr`` does not have ``rows + 1`` entries.
            ArgumentError: ``indptr`` is inconsistent, or an index is out of range.
        """
        self.check(full=False)
        if self.indptr[0] != 0 or self.indptr[-1] != len(self.indices):
            raise ArgumentError(
                f"csr array {self.shape}: indptr must start at 0 and end at {len(self.indices)}, "
                f"the number of stored elements; got {self.indptr[0]} and {self.indptr[-1]}"
            )
        if np.any(np.diff(self.indptr) < 0):
            raise ArgumentError(f"csr array {self.shape}: indptr must not decrease")
        _in_range("csr", self.indices, self.shape, self.shape[1])


@dataclass(frozen=True, eq=False, slots=True)
class RowSparseStorage:
    """Array in row_sparse format: some rows are stored, all others are zero.

    Args:
        data: ``[stored, *rest]``, the stored rows.
        indices: ``[stored]``, their row indices, ascending.
        shape: ``[length, *rest]``, the shape of the whole array.
    """

    stype: ClassVar[str] = "row_sparse"
    data: Values
    indices: Indices
    shape: tuple[int, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the elements."""
        return self.data.dtype

    @classmethod
    def of(cls, dense: Values) -> Self:
        """Return the storage of a dense array's nonzero rows.

        Raises:
            ShapeError: The array has no axes.
        """
        if not dense.ndim:
            raise ShapeError("row_sparse storage: an array () must have at least one axis")
        rows = np.flatnonzero(dense.any(axis=tuple(range(1, dense.ndim))))
        return cls(dense[rows], rows, dense.shape)

    def with_data(self, data: Values) -> "RowSparseStorage":
        """Return storage with other values in the same rows."""
        return RowSparseStorage(data, self.indices, self.shape)

    def whole(self) -> "RowSparseStorage":
        """Return equal storage with all rows stored; itself if they are already."""
        if len(self.indices) == self.shape[0]:
            return self
        return RowSparseStorage(self.dense(), np.arange(self.shape[0]), self.shape)

    def dense(self) -> Values:
        """Return the dense array."""
        whole = np.zeros(self.shape, self.dtype)
        whole[self.indices] = self.data
        return whole

    @property
    def parts(self) -> "RowSparseStorage":
        """Return the storage whose parts may be inspected: itself; see :class:`BrokenStorage`."""
        return self

    def check(self, full: bool) -> None:
        """Check that sizes match; with ``full``, check indices and their order, too.

        Raises:
            ShapeError: The sizes of the parts do not match the shape.
            ArgumentError: Indices are out of range, repeated, or out of order.
        """
        self.check_lengths()
        if not full:
            return
        self.check_indices()
        if np.any(np.diff(self.indices) <= 0):
            raise ArgumentError(
                f"row_sparse array {self.shape}: indices must be in increasing order"
            )

    def check_lengths(self) -> None:
        """Raise an error unless there is one row of the right size for each index.

        Raises:
            ShapeError: The sizes of ``data`` do not match.
        """
        if self.indices.ndim != 1 or self.data.shape != (len(self.indices), *self.shape[1:]):
            raise ShapeError(
                f"row_sparse array {self.shape}: data {self.data.shape} must have one row of shape "
                f"{self.shape[1:]} for each of the indices {self.indices.shape}"
            )

    def check_indices(self) -> None:
        """Check that row indices are in range.

        Raises:
            ArgumentError: An index is out of range.
        """
        _in_range("row_sparse", self.indices, self.shape, self.shape[0])


class BrokenStorage:
    """Storage with invalid indices: its parts can be inspected, other uses raise an error.

    As in MXNet such arrays can be created, and ``check_format`` reports them.

    Args:
        parts: The storage.
        error: The error that describes what is wrong.
    """

    __slots__ = ("_error", "dtype", "parts", "shape", "stype")

    def __init__(self, parts: CSRStorage | RowSparseStorage, error: HyError) -> None:
        self.parts = parts
        self.stype = parts.stype
        self.shape = parts.shape
        self.dtype = parts.dtype
        self._error = error

    def check(self, full: bool) -> None:
        """Check the parts of the storage, which raises the error."""
        self.parts.check(full)

    def _refuse(self, *_: Any) -> Never:
        # A new error for each use, as raising one object again would extend its traceback.
        raise type(self._error)(str(self._error))

    data = indices = indptr = rows = property(_refuse)
    dense = with_data = whole = _refuse


Storage: TypeAlias = CSRStorage | RowSparseStorage
"""Storage to compute with; a :class:`BrokenStorage` in its place raises an error on use."""


def checked(storage: Storage) -> Any:
    """Return the storage, as a :class:`BrokenStorage` if its indices are invalid.

    Raises:
        ShapeError: The numbers of indices and values differ.
    """
    storage.check_lengths()
    try:
        storage.check_indices()
    except HyError as error:
        return BrokenStorage(storage, error)
    return storage


def starts(counts: Indices) -> Indices:
    """Return the exclusive prefix sums of ``counts``, followed by their total: ``[n + 1]``."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _in_range(stype: str, indices: Indices, shape: tuple[int, ...], size: int) -> None:
    if len(indices) and not 0 <= indices.min() <= indices.max() < size:
        raise ArgumentError(
            f"{stype} array {shape}: indices must be from 0 to {size - 1}, got {indices.min()} to "
            f"{indices.max()}"
        )
