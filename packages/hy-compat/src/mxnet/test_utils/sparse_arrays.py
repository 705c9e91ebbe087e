"""Random sparse arrays for tests, drawn by numpy's global generator."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import ArgumentError, Context, NDArray, nd
from mxnet.test_utils.tolerances import default_dtype

__all__ = [
    "create_sparse_array",
    "create_sparse_array_zd",
    "rand_ndarray",
    "rand_sparse_ndarray",
    "shuffle_csr_column_indices",
]

_Array: TypeAlias = npt.NDArray[Any]
_Function: TypeAlias = Callable[[Any], Any]


class UnknownStorageError(ArgumentError):
    """A storage type, distribution or density of sparse arrays is unknown or invalid."""


def rand_sparse_ndarray(
    shape: Sequence[int],
    stype: str,
    density: float | None = None,
    dtype: npt.DTypeLike | None = None,
    distribution: str | None = None,
    data_init: float | None = None,
    rsp_indices: Any = None,
    modifier_func: _Function | None = None,
    shuffle_csr_indices: bool = False,
    ctx: Context | None = None,
) -> tuple[Any, tuple[Any, ...]]:
    """Return a random sparse array ``[*shape]`` and its parts.

    Args:
        shape: Shape of the array; of two sizes for csr.
        stype: ``"row_sparse"`` or ``"csr"``.
        density: Share of rows or elements that are stored; a random share if None.
        dtype: Dtype of the values; the default dtype if None.
        distribution: ``"uniform"``; or, for csr arrays, ``"powerlaw"``: each row stores twice as
            many elements as the previous row, until all elements are placed.
        data_init: Value of all stored elements; random from 0 to 1 if None.
        rsp_indices: Indices of the rows that a row_sparse array stores.
        modifier_func: Function applied to each value.
        shuffle_csr_indices: Whether to shuffle the columns of each row of a csr array.
        ctx: Context of the array.

    Returns:
        A row_sparse array and ``(data, indices)`` of numpy, or a csr array and ``(indptr, indices,
        data)``.

    Raises:
        UnknownStorageError: The storage type or distribution is unknown.

    Example:
        >>> array, (data, indices) = rand_sparse_ndarray((4, 2), "row_sparse", 0.5, data_init=3)
        >>> array.stype, data.shape == (len(indices), 2)
        ('row_sparse', True)
    """
    kind = default_dtype() if dtype is None else dtype
    share = np.random.rand() if density is None else density
    distribution = distribution or "uniform"
    if stype == "row_sparse":
        if distribution != "uniform":
            raise UnknownStorageError(f"Distribution {distribution} not supported for row_sparse")
        return _row_sparse(shape, share, kind, data_init, rsp_indices, modifier_func, ctx)
    if stype != "csr":
        raise UnknownStorageError(f"unknown storage type {stype!r}")
    if len(shape) != 2:  # noqa: PLR2004  # a matrix
        raise UnknownStorageError(f"a csr array has two axes, not the shape {tuple(shape)}")
    if distribution == "uniform":
        rows, columns, values = _uniform(shape, share)
    elif distribution == "powerlaw":
        rows, columns, values = _doubling(shape, share)
    else:
        raise UnknownStorageError(f"Distribution not supported: {distribution}")
    if data_init is not None:
        values[:] = data_init
    array: Any = nd.sparse.csr_matrix((values, (rows, columns)), shape, ctx, kind)
    if shuffle_csr_indices:
        array = shuffle_csr_column_indices(array)
    if modifier_func is not None:
        data = _modified(array.data.asnumpy(), modifier_func)
        array = nd.sparse.csr_matrix((data, array.indices, array.indptr), shape, ctx, kind)
    return array, (array.indptr, array.indices, array.data)


def _row_sparse(
    shape: Sequence[int],
    density: float,
    dtype: npt.DTypeLike,
    data_init: float | None,
    rsp_indices: Any,
    modifier_func: _Function | None,
    ctx: Context | None,
) -> tuple[Any, tuple[Any, ...]]:
    if rsp_indices is None:
        indices = np.flatnonzero(np.random.rand(shape[0]) < density)
    else:
        # The storage needs every row once, in rising order.
        indices = np.unique(np.asarray(rsp_indices))
    values = np.asarray(np.random.rand(len(indices), *shape[1:]), dtype)
    if data_init is not None:
        values[:] = data_init
    if modifier_func is not None:
        values = _modified(values, modifier_func)
    array = nd.sparse.row_sparse_array((values, indices), tuple(shape), ctx, dtype)
    return array, (values, indices)


def _modified(values: _Array, function: _Function) -> _Array:
    modified = [function(value) for value in values.flat]
    return np.array(modified, values.dtype).reshape(values.shape)


def _uniform(shape: Sequence[int], density: float) -> tuple[_Array, _Array, _Array]:
    """Return rows, columns and values (from 0 to 1) of a random share of the elements."""
    if not 0 <= density <= 1:
        raise UnknownStorageError(f"density must be from 0 to 1, not {density}")
    size = int(np.prod(shape))
    positions = np.random.permutation(size)[: round(size * density)]
    return positions % shape[0], positions // shape[0], np.random.rand(len(positions))


def _doubling(shape: Sequence[int], density: float) -> tuple[_Array, _Array, _Array]:
    """Return rows, columns and values, with twice as many elements in each next row."""
    left = int(shape[0] * shape[1] * density) - shape[0]
    if left < 0:
        raise UnknownStorageError(f"not supported for this density: {density} of {tuple(shape)}")
    counts = np.ones(shape[0], np.int64)
    for row in range(shape[0]):
        # Each row has twice the elements of the one before, until they are used up.
        more = min(2 ** (row + 1), shape[1]) - 1
        counts[row] += min(more, left)
        left -= min(more, left)
    rows = np.repeat(np.arange(shape[0]), counts)
    columns = np.concatenate([np.arange(n) for n in counts])
    # Never 0: a stored zero would not count towards the density.
    drawn = 1 + np.random.uniform(0.001, 2, len(rows))
    values = np.empty(len(rows))
    values[columns == 0], values[columns > 0] = drawn[: shape[0]], drawn[shape[0] :]
    return rows, columns, values


def shuffle_csr_column_indices(csr: Any) -> Any:
    """Return a csr array with the same elements, in random order within each row."""
    data, indices, indptr = (x.asnumpy() for x in (csr.data, csr.indices, csr.indptr))
    for first, last in pairwise(indptr):
        order = np.random.permutation(last - first) + first
        data[first:last], indices[first:last] = data[order], indices[order]
    return nd.sparse.csr_matrix((data, indices, indptr), csr.shape, csr.context, data.dtype)


def rand_ndarray(
    shape: Sequence[int],
    stype: str = "default",
    density: float | None = None,
    dtype: npt.DTypeLike | None = None,
    modifier_func: _Function | None = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Context | None = None,
) -> Any:
    """Return a random array: dense with standard normal elements, or sparse.

    Args:
        shape: Shape of the array.
        stype: ``"default"`` for a dense array; others see :func:`rand_sparse_ndarray`.
        density: See :func:`rand_sparse_ndarray`.
        dtype: Dtype of the values; the default dtype if None.
        modifier_func: See :func:`rand_sparse_ndarray`.
        shuffle_csr_indices: See :func:`rand_sparse_ndarray`.
        distribution: See :func:`rand_sparse_ndarray`.
        ctx: Context of the array.

    Raises:
        UnknownStorageError: The storage type or distribution is unknown.
    """
    if stype != "default":
        return rand_sparse_ndarray(
            shape,
            stype,
            density,
            dtype,
            distribution,
            modifier_func=modifier_func,
            shuffle_csr_indices=shuffle_csr_indices,
            ctx=ctx,
        )[0]
    values = np.random.standard_normal(tuple(shape))
    return nd.array(values, dtype=default_dtype() if dtype is None else dtype, ctx=ctx)


def create_sparse_array(
    shape: Sequence[int],
    stype: str,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: npt.DTypeLike | None = None,
    modifier_func: _Function | None = None,
    density: float = 0.5,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """Return a random sparse array, without the parts that ``rand_sparse_ndarray`` returns.

    Raises:
        UnknownStorageError: The storage type is unknown.
    """
    array: NDArray = rand_sparse_ndarray(
        shape,
        stype,
        density,
        dtype,
        data_init=data_init,
        rsp_indices=rsp_indices,
        modifier_func=modifier_func,
        shuffle_csr_indices=shuffle_csr_indices,
    )[0]
    return array


def create_sparse_array_zd(
    shape: Sequence[int],
    stype: str,
    density: float,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: npt.DTypeLike | None = None,
    modifier_func: _Function | None = None,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """Return a random sparse array; a row_sparse one of density 0 stores no rows."""
    if stype == "row_sparse" and density == 0:
        rsp_indices = ()
    return create_sparse_array(
        shape, stype, data_init, rsp_indices, dtype, modifier_func, density, shuffle_csr_indices
    )
