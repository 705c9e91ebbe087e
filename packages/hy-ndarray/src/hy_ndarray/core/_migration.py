"""Migration of arrays to the kernel table that serves a thread, zero-copy where possible."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from hy_ndarray._errors import ContextError
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import current_context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level, LiftedError, highest
from hy_ndarray.devices._protocols import Buffer
from hy_ndarray.devices._selection import device_of

A = TypeVar("A", bound=Array)


def carried_over(array: Array, device: Device) -> Buffer:
    """Return an array's buffer on another table's device, without a copy where possible.

    If that table serves the thread, the array itself is migrated to it. The array is dense.
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
    """Return an array on the same memory that other threads do not migrate to another table.

    It is on ``device``, by default the device that serves this thread; the array is dense.
    """
    if device is None:
        own = array._device
        device = own if isinstance(own, Level) else device_of(own.context)
    result = array.from_buffer(carried_over(array, device), device)
    result._entry = array._entry
    return result


def write_back(changed: Iterable[Any], own: Mapping[int, Array]) -> None:
    """Copy what a call wrote to private arrays back to the arrays that they stand for.

    Args:
        changed: The operands that the call may have written.
        own: The private arrays, by the id of the array that each stands for.
    """
    for x in changed:
        if isinstance(x, Array):
            written = own[id(x)]
            if x._data is not written._data:
                x._write(written)
            x._entry = written._entry


def migrate(inputs: Sequence[Any]) -> None:
    """Migrate arrays to the tables that serve their contexts in this thread."""
    for x in inputs:
        if isinstance(x, Array) and x._dense and x._device.calls.guarded:
            if isinstance(x._device, Level):
                continue
            carried_over(x, device_of(x._device.context))


def buffers_of(
    arrays: Sequence[Array], device: Device | None = None
) -> tuple[Device, list[Buffer]]:
    """Return the device of some arrays and their buffers; without arrays, the current device.

    Args:
        arrays: The arrays. Arrays of a table that does not serve this thread are migrated.
        device: The device of the buffers; None: the one that serves the thread.

    Raises:
        ContextError: They are on different devices.
        LiftedError: An array belongs to a transform, which compiled programs do not support.
    """
    if not arrays:
        return device or device_of(current_context()), []
    own = arrays[0]._device if device is None else device
    if device is not None or not own.calls.guarded:
        # Other threads may migrate arrays at any call; there is none between reading an array's
        # device and reading its buffer.
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
    """Return a sparse array converted to a dense one, unrecorded; a dense array unchanged."""
    if array._dense:
        return array
    device = device_of(array._device.context)
    host = array._device.memory.to_numpy(array._data)
    return Array.from_buffer(device.memory.from_numpy(host, device.handle), device)
