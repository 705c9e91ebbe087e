"""In-place execution: optimizer steps that overwrite weights, and ``+=``."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hy_ndarray.core import _state
from hy_ndarray.core._array import Array
from hy_ndarray.core._bound_params import BoundParams
from hy_ndarray.core._checks import check_devices, check_operands, raise_explained
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._kernels import StaleTableError
from hy_ndarray.devices._protocols import Buffer, KernelFunction, Params
from hy_ndarray.ops import Operator


# In one frame from operands to kernel: on small weights a call takes a tenth of torch's own.
def written(  # noqa: C901, PLR0911
    op: Operator, inputs: Sequence[Any], params: Params, out: Any
) -> bool:
    """Run an optimizer step in place if ``out`` is the updated weights; return whether it ran."""
    if not inputs or not op.kernel or _state.scope.recording:
        return False
    first = inputs[0]
    bound = params if type(params) is BoundParams else None
    positions: Sequence[int] = (
        (0, *op.updated(params, False)) if bound is None else bound.overwritten
    )
    if out is not first:
        positions = _positions_of(out, inputs, positions)
    if not positions or not isinstance(first, Array):
        return False
    device, kind = first._device, first.__class__
    buffers: list[Buffer] = []
    try:
        for x in inputs:
            # Each device counts the writes to its own memory.
            is_same_kind = x.__class__ is kind and x._device is device
            if not is_same_kind and not _is_beside(x, device, op, inputs, params):
                return False
            buffers.append(x._data)
        update: KernelFunction | None = (
            _update(op, params, device) if bound is None else device.calls[bound.update_key]
        )
    except StaleTableError:  # of another table, as the caller will see
        return False
    if update is None:
        return False
    contiguous = device.memory.contiguous
    targets: list[Buffer] = []
    for i in positions:
        target = buffers[i]
        if contiguous(target) is not target:
            return False
        targets.append(target)
    if op.checked:
        check_operands(op, inputs, buffers, params, True)
    try:
        update(*buffers, out=tuple(targets))
    except Exception as error:
        raise_explained(op, inputs, params, error)
    device.wrote(*targets)
    return True


def _positions_of(out: Any, inputs: Sequence[Any], positions: Sequence[int]) -> Sequence[int]:
    """Return the positions of operands to overwrite if ``out`` is several weights, else none."""
    outs = out if isinstance(out, list | tuple) else [out]
    each = len(inputs) // max(len(outs), 1)
    if not each or any(x is not y for x, y in zip(outs, inputs[::each], strict=False)):
        return ()
    return (*range(0, len(inputs), each)[: len(outs)], *positions[1:])


def _is_beside(x: Any, device: Device, op: Operator, inputs: Sequence[Any], params: Params) -> bool:
    """Return whether an operand of another class, or device, is an array on the device."""
    if isinstance(x, Array) and x._device is not device:
        check_devices(op, inputs, params)
        return False
    return isinstance(x, Array)


def _update(op: Operator, params: Params, device: Device) -> KernelFunction | None:
    """Return the kernel that overwrites its operands, with parameters; None if it cannot."""
    record = device.calls.record(op.kernel)
    # The result of a pointwise kernel may have another type than the operand.
    if record.out != "in place" or record.pointwise:
        return None
    return partial(device.kernels[op.kernel], **params)


def overwritten(op: Operator, array: Array, other: Array) -> bool:
    """Write the result of ``op`` over the first operand; return whether that was possible.

    Args:
        op: A pointwise operator whose result has the type of both operands.
        array: The first operand, which is overwritten.
        other: The other operand.
    """
    device = array._device
    target, operand = array._data, other._data
    # Another thread may move the arrays to another table between here and the kernel.
    if device.calls.guarded:
        return False
    if _state.casts or _state.scope.recording or other._device is not device:
        return False
    if operand.dtype != target.dtype or operand.shape != target.shape:
        return False
    record, kernel = device.kernels.record(op.kernel), device.kernels[op.kernel]
    memory = device.memory
    is_fit = record.pointwise and memory.dtype(target) in device.limits.dtypes
    if not is_fit or memory.contiguous(target) is not target:
        return False
    # With partial overlap the kernel would overwrite elements of the operand before reading them.
    if operand is not target and memory.overlap(target, operand):
        return False
    try:
        kernel(target, operand, out=(target,))
    except Exception as error:
        raise_explained(op, (array, other), {}, error)
    device.wrote(target)
    return True
