"""Private functions of ``mxnet.ndarray.sparse``."""

from typing import Any

import numpy as np

from hy_ndarray import Context, NDArray, current_context, nd
from mxnet._private.absent import Handle
from mxnet._private.arrays import _ndarray_cls
from mxnet._private.errors import ShapesError

__all__ = ["_ndarray_cls"]


def _check_shape(s1: Any, s2: Any) -> None:
    """Raise an error if two known shapes differ.

    Raises:
        ShapesError: The shapes differ.
    """
    # An empty shape is an unknown one here, as in MXNet.
    if s1 and s2 and s1 != s2:
        raise ShapesError(f"Shape mismatch detected. {s1} v.s. {s2}")


def _prepare_default_dtype(src_array: Any, dtype: Any) -> Any:
    """Return ``dtype``; by default, that of the array, or float32 for lists."""
    if dtype is not None:
        return dtype
    # Matrices of scipy are known by a method, as importing scipy takes long.
    has_own = isinstance(src_array, NDArray | np.ndarray) or hasattr(src_array, "tocsr")
    return src_array.dtype if has_own else np.float32


def _prepare_src_array(source_array: Any, dtype: Any) -> Any:
    """Return an array unchanged, and other values as a numpy array."""
    if isinstance(source_array, NDArray | np.ndarray):
        return source_array
    return np.array(source_array, dtype=dtype)


def _csr_matrix_from_definition(
    data: Any,
    indices: Any,
    indptr: Any,
    shape: Any = None,
    ctx: Context | None = None,
    dtype: Any = None,
    indices_type: Any = None,
    indptr_type: Any = None,
) -> Any:
    """Return a CSR matrix from values, column indices, and row pointers.

    Args:
        data: Values, ``[n]``.
        indices: Column of each value, ``[n]``.
        indptr: Position of each row's first value, ``[rows + 1]``.
        shape: Shape of the matrix; the smallest possible one if None.
        ctx: Context of the array.
        dtype: Dtype of the values.
        indices_type: Has no effect: indices are ``int64``.
        indptr_type: Has no effect.
    """
    del indices_type, indptr_type
    return nd.sparse.csr_matrix((data, indices, indptr), shape=shape, ctx=ctx, dtype=dtype)


def _row_sparse_ndarray_from_definition(
    data: Any,
    indices: Any,
    shape: Any = None,
    ctx: Context | None = None,
    dtype: Any = None,
    indices_type: Any = None,
) -> Any:
    """Return a row-sparse array from stored rows and their indices."""
    del indices_type
    return nd.sparse.row_sparse_array((data, indices), shape=shape, ctx=ctx, dtype=dtype)


def _new_alloc_handle(
    stype: str,
    shape: Any,
    ctx: Context | None,
    delay_alloc: bool,
    dtype: Any,
    aux_types: Any,
    aux_shapes: Any = None,
) -> Handle:
    """Return the handle of a new sparse array without elements.

    Args:
        stype: ``"csr"`` or ``"row_sparse"``.
        shape: Shape of the array.
        ctx: Context of the array.
        delay_alloc: Has no effect.
        dtype: Dtype of the values.
        aux_types: Has no effect: indices are ``int64``.
        aux_shapes: Has no effect: arrays grow.
    """
    del delay_alloc, aux_types, aux_shapes
    return Handle(nd.sparse.zeros(stype, shape, ctx=ctx or current_context(), dtype=dtype))
