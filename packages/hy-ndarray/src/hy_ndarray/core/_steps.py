"""Optimizers' steps that are written over the weights they are given."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray.core import _state
from hy_ndarray.core._array import Array
from hy_ndarray.core._checks import check_devices, check_same, explain
from hy_ndarray.core._repeated import KeptParams
from hy_ndarray.devices._protocols import Buffer, Params
from hy_ndarray.devices._tables import Device
from hy_ndarray.ops import Operator

__all__ = ["written"]


def written(op: Operator, inputs: Sequence[Any], params: Params, out: Any) -> bool:
    """Whether a step was done in place: ``out`` are the weights among ``inputs``, which lead."""
    if not inputs or not op.kernel or _state.scope.recording:
        return False
    updated = params.updated if type(params) is KeptParams else op.updated(params, False)
    if out is inputs[0]:
        return _stepped(op, inputs, params, (0, *updated))
    outs = out if isinstance(out, list | tuple) else [out]
    each = len(inputs) // max(len(outs), 1)
    if not each or any(x is not y for x, y in zip(outs, inputs[::each], strict=False)):
        return False
    return _stepped(op, inputs, params, (*range(0, len(inputs), each)[: len(outs)], *updated))


def _stepped(op: Operator, inputs: Sequence[Any], params: Params, places: Sequence[int]) -> bool:
    """Whether a kernel wrote over the operands at these places."""
    buffers: list[Buffer] = []
    for x in inputs:
        if not isinstance(x, Array):
            return False
        buffers.append(x._data)
    device = inputs[0]._device
    record = device.kernels.record(op.kernel)
    if record.out != "in place" or record.pointwise:  # then the result may be of another type
        return False
    for x in inputs:
        if x._device is not device:  # each notes what is written to it
            check_devices(op, inputs, params)
            return False
    targets = tuple([buffers[i] for i in places])
    contiguous = device.memory.contiguous
    for target in targets:
        if contiguous(target) is not target:
            return False
    if op.same:
        check_same(op, inputs, buffers)
    try:
        _step(device, op.kernel, buffers, params, targets)
    except Exception as error:
        raise explain(op, inputs, params, error) from error
    device.wrote(*targets)
    return True


def _step(
    device: Device, name: str, buffers: list[Buffer], params: Params, targets: tuple[Buffer, ...]
) -> None:
    kernels = device.kernels
    bound = kernels[params.key] if type(params) is KeptParams else None
    if bound is None:
        kernels[name](*buffers, **params, out=targets)
    else:
        bound(*buffers, out=targets)
