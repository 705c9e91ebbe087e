"""Private functions of ``mxnet.ndarray``: shapes, index keys, handles."""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from hy_ndarray import Context, HyError, NDArray, current_context, nd, np as mx_np
from mxnet._c_types import DLContext, DLDataType, DLManagedTensor, DLTensor
from mxnet._private.absent import Absent, Handle
from mxnet._private.errors import KeyOfArrayError, OperandError, ShapesError
from mxnet._private.values import (
    _NDARRAY_ADVANCED_INDEXING,
    _NDARRAY_BASIC_INDEXING,
    _NDARRAY_NO_ZERO_DIM_BOOL_ARRAY,
    _STORAGE_TYPE_STR_TO_ID,
)
from mxnet.base import integer_types, numeric_types

__all__ = ["DLContext", "DLDataType", "DLManagedTensor", "DLTensor"]

_Shape = tuple[int, ...]

# --- shapes ----------------------------------------------------------------------------------


def _get_broadcast_shape(shape1: _Shape, shape2: _Shape) -> _Shape:
    """Return the shape that two shapes broadcast to.

    Raises:
        ShapesError: The shapes cannot be broadcast.
    """
    try:
        return np.broadcast_shapes(shape1, shape2)
    except ValueError:
        raise ShapesError(f"shape1={shape1} is not broadcastable to shape2={shape2}") from None


def _broadcast_shapes(seq: Iterable[Any]) -> _Shape:
    """Return the shape that a sequence of arrays broadcasts to; ``()`` for an empty one."""
    shapes = [tuple(array.shape) for array in seq]
    return reduce(_get_broadcast_shape, shapes) if shapes else ()


def _shape_for_bcast(shape: _Shape, target_ndim: int, new_axes: Sequence[int]) -> _Shape:
    """Return a shape of ``target_ndim`` axes, with 1 in leading and new axes."""
    filled = [1] * (target_ndim - len(shape) - len(new_axes)) + list(shape)
    if len(filled) == target_ndim:
        return tuple(filled)
    rest = iter(filled)
    return tuple(1 if i in new_axes else next(rest, 1) for i in range(target_ndim))


def get_oshape_of_gather_nd_op(dshape: _Shape, ishape: _Shape) -> _Shape:
    """Return the shape of ``gather_nd(data, indices)``.

    Example:
        >>> get_oshape_of_gather_nd_op((2, 3, 4), (2, 5))
        (5, 4)
    """
    assert len(dshape) > 0 and len(ishape) > 0  # noqa: PT018  # MXNet's class
    return (*ishape[1:], *dshape[ishape[0] :])


# --- keys ------------------------------------------------------------------------------------


def _int_to_slice(idx: int) -> slice:
    """Return an index as a slice of length 1.

    Example:
        >>> _int_to_slice(1), _int_to_slice(-1)
        (slice(1, 2, None), slice(-1, None, None))
    """
    # slice(-1, 0) would be empty.
    return slice(idx, None if idx == -1 else idx + 1)


def _get_index_range(
    start: int | None, stop: int | None, length: int, step: int | None = 1
) -> tuple[int, int, int]:
    """Return start, stop and step of a slice as non-negative numbers."""
    if step == 0:
        raise ShapesError("step size cannot be zero")
    return slice(start, stop, step).indices(length)


def _get_dim_size(start: int, stop: int, step: int) -> int:
    """Return the number of elements of a slice."""
    assert step != 0  # MXNet's class
    assert stop >= start if step > 0 else start >= stop
    return len(range(start, stop, step))


def _get_slice_len(slc: slice, seq_length: int) -> int:
    """Return the number of elements that a slice selects from a sequence."""
    return len(range(*slc.indices(seq_length)))


def _is_advanced_index(idx: Any) -> bool:
    """Return whether an entry of a key is an array or a list.

    Raises:
        HyError: The entry is not an index.
    """
    if isinstance(idx, (NDArray, np.ndarray, integer_types, list, tuple, range)):
        return True
    if isinstance(idx, slice) or idx is None:
        return False
    raise HyError(f"illegal index type {type(idx)}")


def get_indexing_dispatch_code(key: tuple[Any, ...]) -> int:
    """Return 0 for a key of integers, slices and None, 1 for a key with arrays.

    Raises:
        KeyOfArrayError: An entry is not an index.
    """
    assert isinstance(key, tuple)  # MXNet's class
    code = _NDARRAY_BASIC_INDEXING
    for entry in key:
        if isinstance(entry, (NDArray, np.ndarray, list, tuple, range)):
            # One advanced entry makes the whole key advanced, as in NumPy.
            code = _NDARRAY_ADVANCED_INDEXING
        elif not (isinstance(entry, (slice, integer_types)) or entry is None):
            raise KeyOfArrayError(
                f"NDArray does not support slicing with key {entry} of type {type(entry)}."
            )
    return code


def check_boolean_array_dimension(array_shape: _Shape, axis: int, bool_shape: _Shape) -> None:
    """Raise an error if a mask differs in size from the axes it indexes.

    Raises:
        KeyOfArrayError: A size differs.
    """
    for i, size in enumerate(bool_shape, start=axis):
        if array_shape[i] != size:
            raise KeyOfArrayError(
                f"boolean index did not match indexed array along axis {i}; size is "
                f"{array_shape[i]} but corresponding boolean size is {size}"
            )


def _axes_of(entry: Any) -> int:
    """Return the number of array axes that an entry of a key indexes."""
    if entry is None:
        return 0
    is_mask = isinstance(entry, NDArray | np.ndarray) and np.dtype(entry.dtype) == np.bool_
    return int(entry.ndim) if is_mask else 1


def indexing_key_expand_implicit_axes(key: Any, shape: _Shape) -> tuple[tuple[Any, ...], int]:
    """Return a key with a slice for every omitted axis, and its boolean value.

    Args:
        key: The key, as in ``array[key]``.
        shape: ``[*S]`` of the array.

    Returns:
        The key as a tuple without ellipses and booleans; and -1 without booleans, 0 if one is
        False, or 1 if all are True.

    Raises:
        KeyOfArrayError: There are two ellipses.

    Example:
        >>> indexing_key_expand_implicit_axes((1, ...), (2, 3))
        ((1, slice(None, None, None)), -1)
    """
    entries: list[Any] = []
    flag = _NDARRAY_NO_ZERO_DIM_BOOL_ARRAY
    for entry in key if isinstance(key, tuple) else (key,):
        is_scalar = isinstance(entry, NDArray | np.ndarray) and entry.shape == ()
        if isinstance(entry, bool | np.bool_) or (is_scalar and entry.dtype == np.bool_):
            # A scalar boolean adds an axis of one element or of none, so one False empties the
            # result.
            flag = abs(flag) * int(bool(entry))
        else:
            entries.append(entry)
    if sum(entry is Ellipsis for entry in entries) > 1:
        raise KeyOfArrayError("Cannot use more than one ellipsis (`...`) for indexing")
    at = next((i for i, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    entries[at : at + 1] = []
    missing = len(shape) - sum(map(_axes_of, entries))
    entries[at:at] = [slice(None)] * max(missing, 0)
    return tuple(entries), flag


# --- operators of two operands ---------------------------------------------------------------


def _ufunc_helper(
    lhs: Any,
    rhs: Any,
    fn_array: Callable[[Any, Any], Any],
    fn_scalar: Callable[[Any, Any], Any],
    lfn_scalar: Callable[..., Any],
    rfn_scalar: Callable[..., Any] | None = None,
) -> Any:
    """Return the result of the function for the types of two operands: arrays or numbers.

    Args:
        lhs: An array, or a number.
        rhs: An array, or a number.
        fn_array: Function of two arrays.
        fn_scalar: Function of two numbers.
        lfn_scalar: Function of an array and a number.
        rfn_scalar: Function of an array and a number, called if ``lhs`` is the number;
            ``lfn_scalar`` if None, for commutative functions.

    Raises:
        OperandError: An operand is of another type.
    """
    if isinstance(lhs, numeric_types):
        if isinstance(rhs, numeric_types):
            return fn_scalar(lhs, rhs)
        if isinstance(rhs, NDArray):
            # Commutative functions come without a variant for a number on the left.
            return (rfn_scalar or lfn_scalar)(rhs, float(lhs))
    elif isinstance(lhs, NDArray):
        if isinstance(rhs, numeric_types):
            return lfn_scalar(lhs, float(rhs))
        if isinstance(rhs, NDArray):
            return fn_array(lhs, rhs)
    other = rhs if isinstance(lhs, (NDArray, numeric_types)) else lhs
    raise OperandError(f"type {type(other)} not supported")


# --- handles ---------------------------------------------------------------------------------


def _new_empty_handle() -> Handle:
    """Return an empty array handle."""
    return Handle(None)


def _new_alloc_handle(
    shape: Any, ctx: Context | None, delay_alloc: bool, dtype: Any = np.float32
) -> Handle:
    """Return the handle of a new uninitialized array.

    Args:
        shape: ``[*S]``.
        ctx: Context of the array.
        delay_alloc: Has no effect: memory is allocated immediately.
        dtype: Dtype of the elements.
    """
    del delay_alloc
    return Handle(nd.empty(shape, ctx=ctx or current_context(), dtype=dtype))


def _storage_type(handle: Any) -> int:
    """Return the storage type number of a handle's array."""
    return _STORAGE_TYPE_STR_TO_ID[array_of_handle(handle).stype]


def array_of_handle(handle: Any) -> NDArray:
    """Return the array of a handle.

    Raises:
        HyError: The handle is a pointer of a C library, or has no array.
    """
    if isinstance(handle, NDArray):
        return handle
    if isinstance(handle, Handle) and isinstance(handle.wrapped, NDArray):
        return handle.wrapped
    raise HyError(
        f"{handle!r} is no handle of an array; hy has no pointers of MXNet's C library: hand over "
        "the array itself"
    )


def _ndarray_cls(handle: Any, writable: bool = True, stype: int = -1) -> NDArray:
    """Return the array of a handle, always writable.

    Args:
        handle: The attribute ``handle`` of an array.
        writable: Has no effect.
        stype: Number of the storage type, or -1.
    """
    del writable
    array = array_of_handle(handle)
    if stype not in (-1, _storage_type(array)):
        raise HyError(f"the array of {handle!r} has storage {array.stype}, not number {stype}")
    return array


def _np_ndarray_cls(handle: Any, writable: bool = True, stype: int = 0) -> Any:
    """Return the array of a handle as ``mx.np.ndarray``."""
    return _ndarray_cls(handle, writable, stype).as_np_ndarray()


def _new_from_shared_mem(shared_pid: int, shared_id: int, shape: Any, dtype: Any) -> NoReturn:
    """Raise an error: arrays in another process's shared memory cannot be opened by number.

    Raises:
        AbsentError: Always.
    """
    del shared_pid, shared_id, shape, dtype
    Absent("_new_from_shared_mem", "arrays are pickled, or handed on by a DataLoader's workers")()


def _int64_enabled() -> bool:
    """Return False: arrays have at most 2**31 elements, as in MXNet's default build."""
    return os.environ.get("MXNET_INT64_TENSOR_SIZE", "0") == "1"


def imdecode(
    str_img: bytes,
    clip_rect: tuple[int, int, int, int] = (0, 0, 0, 0),
    out: NDArray | None = None,
    index: int = 0,
    channels: int = 3,
    mean: NDArray | None = None,
) -> NoReturn:
    """Raise an error: images are decoded by ``mx.image.imdecode``.

    Raises:
        HyError: Always, as MXNet's; ``mx.image.imdecode`` reads images.
    """
    del str_img, clip_rect, out, index, channels, mean
    raise HyError("nd.imdecode fails for every image in MXNet 1.9.1; use mx.image.imdecode")


_imdecode = imdecode


def _set_value(src: float = 0, out: NDArray | None = None, **_: Any) -> NDArray | None:
    """Fill an array with a number, and return it."""
    if out is not None:
        out[:] = src
    return out


# --- arrays in containers --------------------------------------------------------------------


def _as_onp_array(object: Any) -> tuple[Any, Context | None]:  # noqa: A002  # MXNet's name
    """Return (nested) arrays as numpy arrays, and the context of the first one."""
    if isinstance(object, mx_np.ndarray):
        return object.asnumpy(), object.context
    if not isinstance(object, list | tuple):
        return object, None
    pairs = [_as_onp_array(part) for part in object]
    converted = type(object)([array for array, _ in pairs])
    return converted, next((ctx for _, ctx in pairs if ctx is not None), None)


def _as_mx_np_array(object: Any, ctx: Context | None = None) -> Any:  # noqa: A002
    """Return (nested) numpy arrays as ``mx.np.ndarray``; numbers are returned unchanged.

    Raises:
        OperandError: The argument is of another type.
    """
    if isinstance(object, np.ndarray):
        return mx_np.array(object, dtype=object.dtype, ctx=ctx)
    if isinstance(object, list | tuple):
        return type(object)([_as_mx_np_array(part, ctx) for part in object])
    if isinstance(object, np.generic | int | float | complex):
        return object
    raise OperandError(f"Does not support converting {type(object)} to mx.np.ndarray.")
