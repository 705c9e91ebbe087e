"""Creation of sparse arrays, and functions of ``nd.sparse`` that are not operators."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from hy_ndarray._dtypes import numpy_type
from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.array._arithmetic import with_number
from hy_ndarray.array.ndarray import NDArray, array_from, storage_class
from hy_ndarray.core import _dispatch
from hy_ndarray.devices._context import Context
from hy_ndarray.devices.device_argument import takes_device
from hy_ndarray.ops import find
from hy_ndarray.sparse import _kernels
from hy_ndarray.sparse._sparse_device import sparse_device_of
from hy_ndarray.sparse._storage import CSRStorage, RowSparseStorage, Storage, checked, starts
from hy_ndarray.sparse.arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray, as_indices
from hy_ndarray.sparse.refusals import check_storage

__all__ = [
    "add",
    "array",
    "csr_matrix",
    "divide",
    "empty",
    "multiply",
    "retain",
    "row_sparse_array",
    "subtract",
    "zeros",
]

S = TypeVar("S", bound=BaseSparseNDArray)
_MATRIX = 2
"""Number of axes of a matrix, and of parts in COO form; CSR form has one more."""


@takes_device
def csr_matrix(
    arg1: Any, shape: Sequence[int] | None = None, ctx: Context | None = None, dtype: object = None
) -> CSRNDArray:
    """Create a csr matrix.

    Args:
        arg1: ``(data, indices, indptr)``; ``(data, (row, column))``, whose duplicate elements are
            added; a shape ``(rows, columns)``, for a matrix of zeros; or a dense or sparse matrix
            of hy, numpy, scipy or nested lists.
        shape: ``(rows, columns)``; the smallest that holds all elements if None. As in MXNet,
            indices out of range raise an error only in ``check_format`` and when values are read.
        ctx: The context, a CPU; the current one if None.
        dtype: The dtype of the elements; if None, that of an array passed, else float32.

    Raises:
        ShapeError: The parts do not match each other, or ``shape``.
        ArgumentError: ``arg1`` is none of these.

    Example:
        >>> csr_matrix(([1, 2], [0, 2], [0, 1, 2]), shape=(2, 3)).asnumpy()
        array([[1., 0., 0.],
               [0., 0., 2.]], dtype=float32)
    """
    selected = sparse_device_of(ctx)
    if isinstance(arg1, tuple) and len(arg1) == _MATRIX and _is_shape(arg1):
        return _empty(CSRNDArray, arg1, ctx, dtype)
    stored: Storage
    if isinstance(arg1, tuple) and len(arg1) == _MATRIX:
        data, (rows, columns) = arg1
        stored = _by_coordinates(_as_numpy(data, dtype), rows, columns, shape)
    elif isinstance(arg1, tuple) and len(arg1) == _MATRIX + 1:
        parts = [as_indices(part, "csr_matrix: indices and indptr") for part in arg1[1:]]
        size = (len(parts[1]) - 1, _end(parts[0])) if shape is None else _shape_of(shape)
        _check_inferred(shape, size)
        if len(size) != _MATRIX:
            raise ShapeError(f"csr_matrix: shape {size} must have 2 axes")
        stored = CSRStorage(_as_numpy(arg1[0], dtype), parts[0], parts[1], (size[0], size[1]))
    else:
        stored = _storage_of_whole(arg1, "csr", shape, dtype)
    return CSRNDArray.from_buffer(checked(stored), selected)


@takes_device
def row_sparse_array(
    arg1: Any, shape: Sequence[int] | None = None, ctx: Context | None = None, dtype: object = None
) -> RowSparseNDArray:
    """Create a row_sparse array.

    Args:
        arg1: ``(data, indices)``, the stored rows and their row indices; a shape, for an array of
            zeros; or an array of hy or numpy, or nested lists.
        shape: The shape of the whole array; the smallest that holds all rows if None.
        ctx: The context, a CPU; the current one if None.
        dtype: The dtype of the elements; if None, that of an array passed, else float32.

    Raises:
        ShapeError: The parts do not match each other, or ``shape``.
        ArgumentError: ``arg1`` is none of these.

    Example:
        >>> row_sparse_array(([[1, 2]], [1]), shape=(3, 2)).asnumpy()
        array([[0., 0.],
               [1., 2.],
               [0., 0.]], dtype=float32)
    """
    selected = sparse_device_of(ctx)
    if isinstance(arg1, tuple) and _is_shape(arg1):
        return _empty(RowSparseNDArray, arg1, ctx, dtype)
    stored: Storage
    if isinstance(arg1, tuple) and len(arg1) == _MATRIX:
        data, stored_indices = (
            _as_numpy(arg1[0], dtype),
            as_indices(arg1[1], "row_sparse_array: indices"),
        )
        size = (_end(stored_indices), *data.shape[1:]) if shape is None else _shape_of(shape)
        _check_inferred(shape, size)
        stored = RowSparseStorage(data, stored_indices, size)
    else:
        stored = _storage_of_whole(arg1, "row_sparse", shape, dtype)
    return RowSparseNDArray.from_buffer(checked(stored), selected)


@takes_device
def array(source_array: Any, ctx: Context | None = None, dtype: object = None) -> NDArray:
    """Return a copy of a sparse array, or of a scipy csr matrix.

    Args:
        source_array: The array.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements; that of ``source_array`` if None.

    Raises:
        ArgumentError: ``source_array`` is not sparse.
    """
    if isinstance(source_array, RowSparseNDArray):
        return row_sparse_array(source_array, None, ctx, dtype)
    if isinstance(source_array, CSRNDArray) or getattr(source_array, "format", None) == "csr":
        return csr_matrix(source_array, None, ctx, dtype)
    raise ArgumentError(
        f"nd.sparse.array: source_array must be a sparse array, got {type(source_array).__name__}; "
        "convert a dense one with tostype"
    )


@takes_device
def zeros(
    stype: str, shape: Any, ctx: Context | None = None, dtype: object = None, **kwargs: Any
) -> NDArray:
    """Return an array of zeros with the given storage type; a sparse one stores nothing.

    Args:
        stype: ``"default"``, ``"row_sparse"`` or ``"csr"``.
        shape: Sizes by axis; an integer for one axis.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements; float32 if None.
        kwargs: Must be empty.

    Raises:
        ArgumentError: The storage type is unknown, or there are further arguments.
        ShapeError: ``stype`` is csr, and ``shape`` does not have two axes.
    """
    if kwargs:
        raise ArgumentError(f"nd.sparse.zeros: unknown argument {', '.join(kwargs)}")
    cls = storage_class(stype)
    size = (int(shape),) if np.ndim(shape) == 0 else _shape_of(shape)
    if issubclass(cls, BaseSparseNDArray):
        return _empty(cls, size, ctx, dtype)
    return array_from(np.zeros(size, numpy_type("float32" if dtype is None else dtype)), ctx)


@takes_device
def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: object = None) -> NDArray:
    """Return an array of zeros; same as :func:`zeros`."""
    return zeros(stype, shape, ctx, dtype)


def add(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs + rhs``; sparse if both have the same storage type, else dense."""
    return _binary("add", "_plus_scalar", "_plus_scalar", lhs, rhs)


def subtract(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs - rhs``; sparse if both have the same storage type, else dense."""
    return _binary("sub", "_minus_scalar", "_rminus_scalar", lhs, rhs)


def multiply(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs * rhs``; a sparse operand keeps its storage type."""
    return _binary("mul", "_mul_scalar", "_mul_scalar", lhs, rhs)


def divide(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs / rhs``; a sparse array divided by a number keeps its storage type."""
    return _binary("div", "_div_scalar", "_rdiv_scalar", lhs, rhs)


def retain(
    data: Any = None,
    indices: Any = None,
    out: NDArray | None = None,
    name: str | None = None,  # noqa: ARG001  # for symbols
    **kwargs: Any,
) -> NDArray:
    """Return a row_sparse array with only the given rows; differentiable.

    Args:
        data: ``[N, *rest]``, row_sparse.
        indices: ``[M]``, row indices in any order; rows that are not stored become zeros that are.
        out: An array to write to.
        name: Without effect, as in MXNet.
        kwargs: Without effect, as in MXNet.

    Raises:
        ArgumentError: ``data`` is dense, or a csr matrix.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4], [5, 6]]).tostype("row_sparse")
        >>> retain(x, nd.array([2, 0])).data.asnumpy()
        array([[1., 2.],
               [5., 6.]], dtype=float32)
    """
    op = find("_sparse_retain")
    check_storage(op, (data, indices), {})
    bound = op.bind((data, indices), kwargs)
    retained: NDArray = _dispatch.invoke(op, bound.inputs, bound.params, out=out)
    return retained


def _binary(name: str, scalar: str, reverse: str, lhs: Any, rhs: Any) -> Any:
    if isinstance(lhs, NDArray) and isinstance(rhs, NDArray):
        op = find(f"elemwise_{name}" if lhs.shape == rhs.shape else f"broadcast_{name}")
        return _dispatch.invoke(op, (lhs, rhs), op.defaults, casts=True)
    result: Any = NotImplemented
    if isinstance(lhs, NDArray):
        result = with_number(scalar, lhs, rhs)
    elif isinstance(rhs, NDArray):
        result = with_number(reverse, rhs, lhs)
    if result is NotImplemented:
        kinds = f"{type(lhs).__name__} and {type(rhs).__name__}"
        raise ArgumentError(
            f"{name}: operands must be an array and an array or number, got {kinds}"
        )
    return result


def _is_shape(value: tuple[Any, ...]) -> bool:
    return bool(value) and all(isinstance(n, int | np.integer) for n in value)


def _shape_of(shape: Sequence[int]) -> tuple[int, ...]:
    sizes = tuple(int(n) for n in shape)
    if any(n < 0 for n in sizes):
        raise ShapeError(f"shape {sizes} has a negative size")
    return sizes


def _check_inferred(shape: Sequence[int] | None, size: Sequence[int]) -> None:
    """Raise an error if an inferred shape has a size of 0."""
    if shape is None and 0 in size:
        raise ShapeError(f"cannot infer the shape without elements (inferred {size}); pass shape")


def _end(stored_indices: Any) -> int:
    return int(stored_indices.max()) + 1 if len(stored_indices) else 0


def _empty(cls: type[S], shape: Sequence[int], ctx: Context | None, dtype: object) -> S:
    kind = numpy_type("float32" if dtype is None else dtype)
    return cls.from_buffer(_kernels.zeros(cls.stype, _shape_of(shape), kind), sparse_device_of(ctx))


def _as_numpy(source: Any, dtype: object) -> Any:
    """Return values copied to a numpy array of the given dtype, or their own."""
    values = source.asnumpy() if isinstance(source, NDArray) else source
    default = values.dtype if isinstance(values, np.ndarray) else "float32"
    return np.array(values, numpy_type(default if dtype is None else dtype))


def _by_coordinates(data: Any, rows: Any, columns: Any, shape: Sequence[int] | None) -> CSRStorage:
    down = as_indices(rows, "csr_matrix: row")
    across = as_indices(columns, "csr_matrix: column")
    size = (_end(down), _end(across)) if shape is None else _shape_of(shape)
    _check_inferred(shape, size)
    if len(size) != _MATRIX or not data.shape == down.shape == across.shape:
        raise ShapeError(
            f"csr_matrix: data {data.shape}, row {down.shape} and column {across.shape} must be "
            f"vectors of one length, and shape {size} must have 2 axes"
        )
    if len(down) and (min(down.min(), across.min()) < 0 or _end(down) > size[0]):
        raise ShapeError(f"csr_matrix: rows and columns must be within the shape {size}")
    # By row, then by column: the last key is the primary one.
    order = np.lexsort((across, down))
    pointers = starts(np.bincount(down, minlength=size[0]))
    return CSRStorage(data[order], across[order], pointers, (size[0], size[1]))


def _storage_of_whole(
    source: Any, stype: str, shape: Sequence[int] | None, dtype: object
) -> Storage:
    """Convert a dense or sparse array, or nested lists, to storage of type ``stype``."""
    stored: Storage
    if isinstance(source, BaseSparseNDArray):
        if source.stype != stype:
            raise ArgumentError(
                f"cannot convert a {source.stype} array to {stype}; use tostype('default') first"
            )
        stored = source._data.with_data(source._data.data.copy())
    elif stype == "csr" and getattr(source, "format", None) == "csr":
        # A copy, as SciPy sums duplicates in place.
        canonical = source.copy()
        canonical.sum_duplicates()
        stored_indices = canonical.indices.astype(np.int64), canonical.indptr.astype(np.int64)
        stored = CSRStorage(canonical.data, *stored_indices, canonical.shape)
    else:
        try:
            values = _as_numpy(source, dtype)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"{type(source).__name__} cannot be converted to an array of numbers: {error}"
            ) from error
        stored = storage_of(values, stype)
    if shape is not None and _shape_of(shape) != tuple(stored.shape):
        raise ShapeError(f"shape={tuple(shape)} does not match the array {tuple(stored.shape)}")
    if dtype is not None:
        stored = stored.with_data(stored.data.astype(numpy_type(dtype)))
    return stored


def storage_of(values: Any, stype: str) -> Storage:
    """Return a numpy array converted to sparse storage."""
    return CSRStorage.of(values) if stype == "csr" else RowSparseStorage.of(values)
