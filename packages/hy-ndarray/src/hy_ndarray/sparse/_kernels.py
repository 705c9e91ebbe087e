"""Kernels for sparse storage, which compute with the stored elements only."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import ShapeError
from hy_ndarray.sparse._storage import CSRStorage, RowSparseStorage, Storage, starts
from hy_ndarray.sparse._sums import Together, in_order, sums

Values: TypeAlias = npt.NDArray[Any]
_SPREAD = 32
"""Ratio of columns to stored elements below which a dense pass over all columns is faster than
sorting the elements by column."""


def zeros(stype: str, shape: tuple[int, ...], dtype: Any) -> Storage:
    """Return storage of the given shape with no stored elements.

    Raises:
        ShapeError: The shape is not a matrix's (csr), or has no axes (row_sparse).
    """
    if len(shape) != 2 and stype == "csr":  # noqa: PLR2004  # a matrix
        raise ShapeError(f"csr storage: shape {shape} must have 2 axes")
    if not shape:
        raise ShapeError("row_sparse storage: shape () must have at least one axis")
    none = np.zeros(0, np.int64)
    if stype == "csr":
        rows, columns = shape
        pointers = np.zeros(rows + 1, np.int64)
        return CSRStorage(np.zeros(0, dtype), none, pointers, (rows, columns))
    return RowSparseStorage(np.zeros((0, *shape[1:]), dtype), none, shape)


def combine(function: Callable[[Values, Values], Values], a: Storage, b: Storage) -> Storage:
    """Return ``function(a, b)`` at all positions stored by ``a`` or ``b``.

    Args:
        function: An elementwise function with ``function(0, 0) == 0``.
        a: The first operand.
        b: The second operand, of the same storage type, shape and dtype.
    """
    # Elements of csr matrices are merged by their flat position, rows by their index.
    columns = max(a.shape[1], 1) if len(a.shape) > 1 else 1
    if isinstance(a, CSRStorage):
        assert isinstance(b, CSRStorage)
        at = [x.rows * columns + x.indices for x in (a, b)]
    else:
        at = [a.indices, b.indices]
    positions = np.union1d(*at)
    spread = [np.zeros((len(positions), *x.data.shape[1:]), x.dtype) for x in (a, b)]
    for target, where, x in zip(spread, at, (a, b), strict=True):
        if isinstance(x, CSRStorage):
            # csr storage may hold duplicates, whose values are added.
            np.add.at(target, np.searchsorted(positions, where), x.data)
        else:
            target[np.searchsorted(positions, where)] = x.data
    data = function(*spread)
    if isinstance(a, CSRStorage):
        counts = np.bincount(positions // columns, minlength=a.shape[0])
        return CSRStorage(data, positions % columns, starts(counts), a.shape)
    return RowSparseStorage(data, positions, a.shape)


def product(a: CSRStorage, b: Values, together: Together) -> Values:
    """Return the dense product ``a · b`` of shapes ``[rows, columns]`` and ``[columns, n]``."""
    return sums(a.data, b, a.indices, a.indptr, together)


def transposed_product(a: CSRStorage, b: Values, together: Together) -> RowSparseStorage:
    """Return ``aᵀ · b`` as row_sparse, with rows for the nonempty columns of ``a``."""
    shape = a.shape[1], b.shape[1]
    # A single column of sums is a bincount over all columns of a, without sorting; see _SPREAD.
    if b.shape[1] == 1 and a.dtype.kind == "f" and a.shape[1] < _SPREAD * len(a.data):
        has_values = np.zeros(a.shape[1], bool)
        has_values[a.indices] = True
        columns = np.flatnonzero(has_values)
        column_sums = np.bincount(a.indices, a.data * b[a.rows, 0], a.shape[1])[columns]
        return RowSparseStorage(column_sums.astype(a.dtype)[:, None], columns, shape)
    # Sorted by column, the terms of each row of the result are consecutive.
    positions, order = in_order(a.indices, a.shape[1])
    borders = np.flatnonzero(positions[1:] != positions[:-1]) + 1
    # An empty matrix has no first term, and so no sum begins at 0.
    begins = (
        np.concatenate([[0], borders, [len(positions)]])
        if len(positions)
        else np.zeros(1, np.int64)
    )
    data = sums(a.data.take(order), b, a.rows.take(order), begins, together)
    return RowSparseStorage(data, positions[begins[:-1]], shape)


def summed_rows(
    rows: Values, positions: npt.NDArray[np.int64], shape: tuple[int, ...]
) -> RowSparseStorage:
    """Return row_sparse storage of ``rows [n, *rest]`` at ``positions [n]``, duplicates summed."""
    positions, order = in_order(positions, shape[0])
    unique, begins = np.unique(positions, return_index=True)
    data = rows[order]
    # Without duplicates there is nothing to sum.
    if len(unique) < len(positions):
        data = np.add.reduceat(data, begins, axis=0)
    return RowSparseStorage(data, unique, shape)


def retained(a: RowSparseStorage, rows: npt.NDArray[np.int64]) -> RowSparseStorage:
    """Return the rows of ``a`` whose index is in ``rows``, as stored ones even where they are 0."""
    if not len(a.indices):
        return a
    # As in MXNet: an optimizer that goes through stored rows alone updates all that were asked for.
    wanted = np.unique(rows)
    wanted = wanted[(wanted >= 0) & (wanted < a.shape[0])]
    _, here, there = np.intersect1d(wanted, a.indices, assume_unique=True, return_indices=True)
    data = np.zeros((len(wanted), *a.data.shape[1:]), a.data.dtype)
    data[here] = a.data[there]
    return RowSparseStorage(data, wanted, a.shape)


def sliced(a: CSRStorage, begin: int, end: int, left: int, right: int) -> CSRStorage:
    """Return the csr matrix ``a[begin:end, left:right]``."""
    part = slice(a.indptr[begin], a.indptr[end])
    data, indices = a.data[part], a.indices[part]
    pointers = a.indptr[begin : end + 1] - a.indptr[begin]
    if left > 0 or right < a.shape[1]:
        inside = (indices >= left) & (indices < right)
        data, indices = data[inside], indices[inside] - left
        # Prefix sums count the kept elements before each former row boundary.
        pointers = starts(inside.astype(np.int64))[pointers]
    return CSRStorage(data, indices, pointers, (end - begin, right - left))


def taken(a: CSRStorage, rows: npt.NDArray[np.int64]) -> CSRStorage:
    """Return the given rows of a csr matrix, in the given order."""
    counts = np.diff(a.indptr)[rows]
    pointers = starts(counts)
    # Positions in a: those in the result, shifted from each row's new start to its old one.
    at = np.arange(pointers[-1]) + np.repeat(a.indptr[rows] - pointers[:-1], counts)
    return CSRStorage(a.data[at], a.indices[at], pointers, (len(rows), a.shape[1]))


def joined(parts: list[CSRStorage]) -> CSRStorage:
    """Return csr matrices of equal width stacked vertically."""
    counts = np.concatenate([np.diff(x.indptr) for x in parts])
    data = np.concatenate([x.data for x in parts])
    indices = np.concatenate([x.indices for x in parts])
    return CSRStorage(data, indices, starts(counts), (len(counts), parts[0].shape[1]))
