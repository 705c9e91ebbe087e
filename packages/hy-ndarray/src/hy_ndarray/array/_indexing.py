"""Reading and writing parts of an array: ``array[key]``.

Contiguous parts are views of the same memory, as in MXNet; others are copies by operators. Both
are recorded, so that gradients flow through.
"""

from typing import Any, TypeVar

import numpy as np

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import (
    ArgumentError,
    AutogradError,
    IndexingError,
    ScalarKeyError,
    ShapeError,
)
from hy_ndarray.array._reshaping import share, view_as
from hy_ndarray.array.indexing import Selection, select
from hy_ndarray.core import _dispatch, _migration, _state
from hy_ndarray.core._array import Array
from hy_ndarray.core._copying import as_dtype, on
from hy_ndarray.core._state import is_np_shape
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices._protocols import Buffer
from hy_ndarray.ops import find

A = TypeVar("A", bound=Array)
_ALL = slice(None)
_BOUND_CLASSES = frozenset((int, type(None)))  # bounds of most slices


def get(array: A, key: Any) -> A:
    """Return ``array[key]``."""
    kind = key.__class__
    if (kind is slice and key == _ALL) or (kind is tuple and not key):
        return array
    # Fast path for integers and slices of step 1: the buffer's own views, without a Selection,
    # which only operators and their gradients need.
    if not (_state.scope.recording and array._live_entry() is not None):
        device = array._device
        part = _basic_view(array, key) if kind is tuple else _leading_view(array, key)
        if part is not None:
            return type(array).from_buffer(part, device)
    if isinstance(key, Array) and not array.shape and dtype_name(key.dtype) != "bool":
        raise ScalarKeyError(
            "an array () has no axes and can be indexed only by (), not by an array"
        )
    selection = select(_on_host(key), array.shape, masks=not array._single)
    element = _element_shape(array, key)
    if selection.contiguous:
        selected = _view(array, selection, element)
    else:
        selected = _strided(array, selection, element)
    return _gathered(selected, selection) if selection.arrays else selected


def put(array: Array, key: Any, value: Any) -> None:
    """Write ``array[key] = value``."""
    # This thread may use another kernel table than the array's: the array is migrated first.
    if array._device.calls.guarded:
        _migration.migrate([array])
    if not _state.scope.recording:
        device = array._device
        rows = _leading_view(array, key)
        if rows is not None:
            source = _value(array, tuple(rows.shape), value)
            data, own = source._data, source._device
            device.write(rows, data if own is device else _migration.carried_over(source, device))
            return
    if key.__class__ is slice and array._single and not array.shape and is_np_shape():
        key = ()  # MXNet's classic arrays without axes take a slice, as initializers write x[:]
    selection = select(_on_host(key), array.shape, masks=not array._single)
    if _state.scope.recording:
        if array._live_entry() is not None:
            raise AutogradError(
                "an array that is part of a recorded graph cannot be written to "
                "(x[...] = value) under autograd.record(); make a new array instead"
            )
        if isinstance(value, Array) and value._live_entry() is not None:
            _put_recorded(array, selection, value)
            return
    # A thread with another kernel table may migrate ``array`` meanwhile, but not the private one.
    array = _migration.private(array)
    _put(array, selection, _value(array, selection.result or array._single, value))


def _on_host(key: Any) -> Any:
    """Return ``key`` with NDArrays converted to numpy arrays."""
    kind = Array
    if isinstance(key, kind):
        return key.asnumpy()
    if isinstance(key, tuple):
        return tuple(part.asnumpy() if isinstance(part, kind) else part for part in key)
    return key


def _element_shape(array: Array, key: Any) -> tuple[int, ...]:
    """Return the shape of ``array[key]`` where the key leaves no axes: ``(1,)`` or ``()``."""
    single = array._single
    # Classic arrays lose their last axis in NumPy's semantics alone, and in MXNet not by ``...``.
    if not single or not is_np_shape():
        return single
    has_dots = key.__class__ is tuple and any(part is Ellipsis for part in key)
    return single if has_dots else ()


def _leading_view(array: Array, key: Any) -> Buffer | None:
    """Return the view that one integer or one slice without step selects; None for other keys."""
    kind, data = key.__class__, array._data
    if not data.shape:
        return None
    size = data.shape[0]
    if kind is int:
        if not -size <= key < size:
            raise IndexingError(f"index {key} is out of bounds for axis 0 with size {size}")
        index = key % size
        if len(data.shape) > 1:
            return data[index]
        # Not data[index], which in numpy is a scalar, and no view.
        return data[index : index + 1].reshape(_element_shape(array, key))
    if kind is slice and key.step is None:
        start, stop, _ = key.indices(size)
        return data[start : max(start, stop)]
    return None


def _basic_view(array: Array, key: tuple[Any, ...]) -> Buffer | None:
    """Return the view that integers and slices without step select; None for other keys."""
    data, device = array._data, array._device
    shape = data.shape
    if len(key) > len(shape) or (device.calls.guarded and not device.serves):
        return None
    is_part = len(key) < len(shape)  # and so no single element
    for size, part in zip(shape, key, strict=False):
        kind = part.__class__
        if kind is int:
            # The general path raises the error, which names the axis.
            if not -size <= part < size:
                return None
        elif kind is slice and part.step is None:
            if (
                part.start.__class__ not in _BOUND_CLASSES
                or part.stop.__class__ not in _BOUND_CLASSES
            ):
                return None
            is_part = True
        else:
            return None
    # With ``...`` in the key numpy returns a view of an element instead of a scalar.
    element = data[key] if is_part else data[(*key, ...)].reshape(_element_shape(array, key))
    return device.memory.contiguous(element)


# --- reading ----------------------------------------------------------------------------------


def _call_operator(name: str, *inputs: A, **params: Any) -> A:
    op = find(name)
    result: A = _dispatch.invoke(op, inputs, op.parse(params))
    return result


def _buffer_part(buffer: Buffer, selection: Selection) -> Buffer:
    key = map(_ascending, selection.begin, selection.step, selection.sizes)
    # With ``...`` in the key numpy returns a view even of an array without axes, not a scalar.
    return buffer[(*key, ...)]


def _view(array: A, selection: Selection, element: tuple[int, ...]) -> A:
    """Return the contiguous part that a selection describes, as a view of the same memory."""
    params = {"begin": selection.begin, "end": selection.end, "step": selection.step}
    data, device = array._data, array._device
    part = share(array, _buffer_part(data, selection), device, "slice", params)
    return _reshaped(part, selection, element)


def _strided(array: A, selection: Selection, element: tuple[int, ...]) -> A:
    params = {"begin": selection.begin, "end": selection.end, "step": selection.step}
    return _reshaped(_call_operator("slice", array, **params), selection, element)


def _reshaped(part: A, selection: Selection, element: tuple[int, ...]) -> A:
    """Return a sliced part in the selection's shape, with axes of size 1 inserted or dropped."""
    shape = selection.shape if selection.arrays else selection.shape or element
    if shape == selection.sizes:
        return part
    operator, sizes = part._reshaping
    data, device = part._data, part._device
    return share(part, data.reshape(shape), device, operator, {sizes: shape})


def _gathered(part: A, selection: Selection) -> A:
    """Return the elements that the selection's index arrays select from a sliced part."""
    indices = [index for _, index in selection.arrays]
    axes = [axis for axis, _ in selection.arrays]
    rank = indices[0].ndim
    # select() has checked the indices, so that the mode has no effect.
    if len(axes) == 1 and axes[0] == selection.at:
        return _call_operator("take", part, _array_of(part, indices[0]), axis=axes[0], mode="clip")
    # take and gather_nd index the leading axes. NumPy puts the result axes of separated index
    # arrays first, those of adjacent ones at their position.
    rest = [axis for axis in range(part.ndim) if axis not in axes]
    order = (*axes, *rest)
    if order != tuple(range(part.ndim)):
        part = _call_operator("transpose", part, axes=order)
    if len(axes) == 1:
        part = _call_operator("take", part, _array_of(part, indices[0]), axis=0, mode="clip")
    else:
        part = _call_operator("gather_nd", part, _array_of(part, np.stack(indices)))
    if selection.at == 0:
        return part
    trailing = range(rank, part.ndim)
    return _call_operator(
        "transpose", part, axes=(*trailing[: selection.at], *range(rank), *trailing[selection.at :])
    )


def _array_of(like: A, values: Any) -> A:
    device = like._device
    return type(like).from_buffer(device.memory.from_numpy(values, device.handle), device)


# --- writing ----------------------------------------------------------------------------------


def _value(array: Array, part: tuple[int, ...], value: Any) -> Array:
    """Return ``value`` as an array on the device of ``array`` that broadcasts to shape ``part``."""
    if isinstance(value, Array) and not value._dense:
        source = _array_of(array, value.asnumpy().astype(array.dtype))
    elif isinstance(value, Array):
        if value._device is array._device and value.shape == part:
            return value.detach() if _state.scope.recording else value
        if isinstance(value._device, Level) and value._device is not array._device:
            value = value._device.settled(value, array)
        source = on(value, array.context).detach()
        _migration.migrate([source])
    else:
        # numpy warns about floats out of an integer dtype's range; MXNet casts them silently.
        with np.errstate(all="ignore"):
            source = _array_of(array, _as_numpy(value, np.dtype(array.dtype)).astype(array.dtype))
    shape = source.shape
    extra = max(len(shape) - len(part), 0)
    if shape[:extra] != (1,) * extra or not _broadcasts_to(shape[extra:], part):
        raise ShapeError(f"cannot broadcast a value {shape} to the indexed part {part}")
    return view_as(source, shape[extra:]) if extra else source


def _as_numpy(value: Any, dtype: np.dtype[Any]) -> Any:
    try:
        numbers = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"cannot write {value!r} into an array: {error}") from error
    kinds = "biufc" if dtype.kind == "c" else "biuf"
    if numbers.dtype.kind not in kinds and numbers.dtype.name != "bfloat16":
        raise ArgumentError(f"cannot write a {type(value).__name__} into an array: {value!r}")
    return numbers


def _broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Return whether ``shape`` broadcasts to ``target``, which has at least as many axes."""
    tail = target[len(target) - len(shape) :]
    return all(n in (1, m) for n, m in zip(shape, tail, strict=True))


def _put(array: Array, selection: Selection, value: Array) -> None:
    target = _buffer_part(array._data, selection)
    target = target.reshape(
        selection.shape if selection.arrays else selection.shape or array._single
    )
    # The buffer view has positive steps only: for a negative step the values are reversed.
    if value.size != 1 and (selection.flipped or selection.arrays):
        value = _arranged(_broadcast_to(value, selection.result or array._single), selection)
    if not selection.arrays:
        array._device.write(target, value._data)
        return
    key: list[Any] = [_ALL] * len(selection.shape)
    for axis, index in selection.arrays:
        key[axis] = _array_of(array, index)._data
    _assign(array._device, target, tuple(key), _cast_like(array, value)._data)
    array._device.wrote(array._data)


def _assign(device: Device, target: Buffer, key: Any, value: Buffer) -> None:
    """Write ``target[key] = value``, on the host if the table does not support the dtype."""
    try:
        target[key] = value
    # Torch has no index_put for unsigned integers of more than 8 bits.
    except NotImplementedError:
        memory = device.memory
        host = np.array(memory.to_numpy(target))
        indices = [x if isinstance(x, slice) else memory.to_numpy(x) for x in key]
        host[tuple(indices)] = memory.to_numpy(value)
        memory.write(target, memory.from_numpy(host, device.handle))


def _broadcast_to(value: A, shape: tuple[int, ...]) -> A:
    return _call_operator("_npi_broadcast_to", value, shape=shape)


def _cast_like(array: A, value: A) -> A:
    return as_dtype(value, dtype_name(array.dtype), copy=False)


def _ascending(begin: int, step: int, size: int) -> slice:
    """Return the indices ``begin, begin + step, …``, ``size`` of them, as an ascending slice."""
    if size == 0:
        return slice(0, 0)
    last = begin + step * (size - 1)
    return slice(min(begin, last), max(begin, last) + 1, abs(step))


def _arranged(value: A, selection: Selection) -> A:
    """Return ``value``, whose axes follow ``array[key]``, with axes in the order of the buffer.

    In the buffer the axes of adjacent index arrays are at the arrays' position, and all slices
    ascend.
    """
    axes = [axis for axis, _ in selection.arrays]
    rank = selection.arrays[0][1].ndim if axes else 0
    at = axes[0] if axes and axes == list(range(axes[0], axes[-1] + 1)) else 0
    if axes and at != selection.at:
        trailing = range(rank, value.ndim)
        order = (*trailing[:at], *range(rank), *trailing[at:])
        value = _call_operator("transpose", value, axes=order)
    layout = []
    for axis in selection.flipped:
        position = axis - sum(a < axis for a in axes)
        layout.append(position + rank if axes and position >= at else position)
    return _call_operator("reverse", value, axis=tuple(layout)) if layout else value


def _put_recorded(array: Array, selection: Selection, value: Array) -> None:
    """Overwrite an array while recording; the recorded value must replace all of it."""
    if (
        selection.arrays
        or not selection.contiguous
        or not selection.sizes == selection.shape == array.shape
    ):
        raise AutogradError(
            "a recorded value cannot be written to a part of an array under autograd.record(), "
            "because gradients would not flow through it; build the array with concat, stack or "
            "where instead"
        )
    if value.shape != array.shape:
        value = _broadcast_to(value, array.shape)
    array._assign_from(_cast_like(array, value))
