"""Moves operands to the kernel table that serves a thread, without a copy where possible."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from hy_ndarray._errors import ContextError
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import current_context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level, LiftedError, highest
from hy_ndarray.devices._protocols import Buffer
from hy_ndarray.devices._selection import device_of

__all__ = ["buffers_of", "carried_over", "densified", "migrate", "private", "write_back"]

A = TypeVar("A", bound=Array)


def carried_over(array: Array, device: Device) -> Buffer:
    """Return the buffer of a dense array as one of another table, without a copy where possible.

    If that table serves the thread, the array is moved to it.
    """
    data, own = array._data, array._device
    if own is device:
        return data
    if isinstance(device, Level):
        return device.lift(array)
    if isinstance(own, Level):
        raise LiftedError(own)
    same = own.table is device.table
    buffer = data if same else device.memory.from_dlpack(data, device.handle)
    moves = own.context == device.context and device.serves
    # Unless another thread has moved the array meanwhile.
    if moves and array._data is data:
        array._data, array._device = buffer, device
    return buffer


def private(array: A, device: Device | None = None) -> A:
    """Return an array on the memory of a dense one, which no other thread moves to another table.

    It is on ``device``, or on the device that serves this thread.
    """
    if device is None:
        own = array._device
        device = own if isinstance(own, Level) else device_of(own.context)
    result = array.from_buffer(carried_over(array, device), device)
    result._entry = array._entry
    return result


def write_back(changed: Iterable[Any], own: Mapping[int, Array]) -> None:
    """Write to arrays what a call wrote to the private arrays in their place, by id."""
    for x in changed:
        if isinstance(x, Array):
            written = own[id(x)]
            if x._data is not written._data:
                x._write(written)
            x._entry = written._entry


def migrate(inputs: Sequence[Any]) -> None:
    """Hand arrays over to the tables that serve their contexts in this thread."""
    for x in inputs:
        if isinstance(x, Array) and x._dense and x._device.calls.guarded:
            if isinstance(x._device, Level):
                continue
            carried_over(x, device_of(x._device.context))


def buffers_of(
    arrays: Sequence[Array], device: Device | None = None
) -> tuple[Device, list[Buffer]]:
    """Return the device of all arrays, and their buffers; without arrays the current context's.

    Args:
        arrays: The arrays. Those of a table that does not serve this thread are handed over.
        device: The device of the buffers; None: the one that serves the thread.

    Raises:
        ContextError: They are on different devices.
        LiftedError: A transform follows one of them, which compiled programs cannot take.
    """
    if not arrays:
        return device or device_of(current_context()), []
    own = arrays[0]._device if device is None else device
    if device is not None or not own.calls.guarded:
        # Other threads may hand arrays over at any call; here as elsewhere there is none between
        # the look at the device of an array and the look at its buffer.
        buffers = [x._data for x in arrays if x._device is own]
        if len(buffers) == len(arrays):
            return own, buffers
    level = highest(arrays)
    if level is not None and device is not level:
        raise LiftedError(level)
    arrays = [densified(x) for x in arrays]
    contexts = {str(x.context): x.context for x in arrays}
    if len(contexts) > 1:
        raise ContextError(f"arrays are on different devices: {', '.join(contexts)}")
    (context,) = contexts.values()
    target = device_of(context) if device is None else device
    return target, [carried_over(x, target) for x in arrays]


def densified(array: Array) -> Array:
    """Return a sparse array as a dense one that is not on the tape; a dense one itself."""
    if array._dense:
        return array
    device = device_of(array._device.context)
    host = array._device.memory.to_numpy(array._data)
    return Array.from_buffer(device.memory.from_numpy(host, device.handle), device)
