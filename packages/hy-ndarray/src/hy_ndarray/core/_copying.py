"""Copies of arrays: to another dtype or another device."""

from typing import TypeVar

from hy_ndarray._errors import ArgumentError, TransformError
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import Array
from hy_ndarray.core._tape import record_function
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices._protocols import Buffer
from hy_ndarray.devices._selection import device_of
from hy_ndarray.ops import find

A = TypeVar("A", bound=Array)


def copied(array: A) -> A:
    """Return a copy on the same device, recorded as operator ``_copy``."""
    op = find("_copy")
    result: A = _dispatch.invoke(op, (array,), op.defaults)
    return result


def as_dtype(array: A, dtype: str, *, copy: bool = True) -> A:
    """Return the array cast to a dtype; with ``copy=False``, itself if it has that dtype."""
    if not copy and dtype == array._device.memory.dtype(array._data):
        return array
    result: A = _dispatch.invoke(find("Cast"), (array,), {"dtype": dtype})
    return result


def moved(array: A, context: Context) -> A:
    """Return a copy on ``context``; gradients flow back to the original context.

    Raises:
        ArgumentError: ``context`` is no context.
    """
    if not isinstance(context, Context):
        raise ArgumentError(
            f"copyto: target must be an NDArray or a context such as mx.cpu(), got {context!r}"
        )
    device = device_of(context)
    own = array._device
    if device is own or (isinstance(own, Level) and context == array.context):
        return copied(array)
    if isinstance(own, Level):
        raise TransformError(
            f"an array inside vmap or jvp cannot be moved from {array.context} to {context}; move "
            "arrays outside of the transformed function"
        )
    result = array.from_buffer(_sent(array, device), device)
    if _state.scope.recording and array._live_entry() is not None:
        origin = array.context
        record_function([array], [result], lambda dys: [on(dys[0], origin)])
    return result


def _sent(array: Array, device: Device) -> Buffer:
    """Return a copy of the array's buffer on another device."""
    # From pinned memory the copy is asynchronous; from other memory it goes through numpy.
    pins = device.pins
    if pins is not None and array._device.memory is pins:
        return pins.sent(array._data, device.handle)
    host = array._device.memory.to_numpy(array._data)
    return device.memory.from_numpy(host, device.handle)


def on(array: A, context: Context) -> A:
    """Return the array on ``context``; the array itself if it is there already."""
    return array if array.context == context else moved(array, context)
