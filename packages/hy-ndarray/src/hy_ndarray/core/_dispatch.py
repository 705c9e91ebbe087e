"""Dispatch of an eager call: find the kernel, run it, wrap the result, record it on the tape."""

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from hy_ndarray._errors import ArgumentError
from hy_ndarray.core import _state
from hy_ndarray.core._array import STORAGES, Array, record_call
from hy_ndarray.core._bound_params import BoundParams
from hy_ndarray.core._checks import (
    check_call,
    check_devices,
    check_inputs,
    check_operands,
    check_same,
    raise_explained,
    wrong_input,
)
from hy_ndarray.core._migration import private, write_back
from hy_ndarray.core._numpy_fallback import numpy_fallback
from hy_ndarray.core._steps import written
from hy_ndarray.core.casting import cast_inputs
from hy_ndarray.devices._context import Context, current_context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._kernels import StaleTableError
from hy_ndarray.devices._levels import Level, LiftedError, highest
from hy_ndarray.devices._protocols import Buffer, KernelFunction, Params
from hy_ndarray.devices._selection import device_of
from hy_ndarray.ops import Operator, is_operand
from hy_ndarray.random import generator

A = TypeVar("A", bound=Array)
# Without __init__ a new array takes half of the time; its three slots are set here.
_new: Any = object.__new__


# In one frame from operands to result, as each call of a Python function takes some 0.06 µs of the
# 0.8 that a call takes beside its kernel. Attributes are read once, classes compared by identity,
# one or two operands taken without a loop, and nothing is called that can be avoided. Keyword-only
# parameters would be filled in one by one.
def run(  # noqa: C901, PLR0912
    op: Operator,
    inputs: Sequence[Any],
    params: Params,
    context: Context | None = None,
    kind: type[Array] | None = None,
    is_train: bool | None = None,
    casts: bool = True,
    out: Any = None,
) -> Any:
    """Run an operator on operands of any kind, and return its visible results.

    Args:
        op: The operator.
        inputs: The operands: arrays, None for those left out, or symbols.
        params: All parameters.
        context: The context of the result of an operator without operands.
        kind: The class of that result.
        is_train: Training mode; None: that of the autograd scope.
        casts: Whether the casting policy applies: to calls of programs, not to gradients.
        out: The arrays that the caller writes the results to; returned if this was done here, as
            operands of another table have to migrate together with these.
    """
    if _state.casts and casts:
        inputs = cast_inputs(op, inputs, params)
    try:
        if not inputs or not isinstance(first := inputs[0], Array):
            return _without_array(op, inputs, params, context, is_train, kind)
        # Without a call in between, at which another thread could migrate the array.
        device, data, cls = first._device, first._data, first.__class__
        kernel: KernelFunction | None
        if op.plain:
            if type(params) is BoundParams:
                kernel = device.calls[params.key]
            else:
                kernel = partial(device.calls[op.kernel], **params)
        else:
            kernel = _specialised(params, device, is_train)
            if kernel is None:
                return _general(op, inputs, params, context, is_train, kind)
        buffers: Sequence[Buffer] | None
        count = len(inputs)
        if count == 1:
            buffers = (data,)
        elif count == 2 and (second := inputs[1]).__class__ is cls and second._device is device:  # noqa: PLR2004
            buffers = data, second._data
        else:
            buffers = same_kind = []
            for x in inputs:
                if x.__class__ is cls and x._device is device:
                    same_kind.append(x._data)
                elif x is None and op.optional:
                    same_kind.append(None)
                else:
                    buffers = _buffers(op, inputs, params, device)
                    break
            if buffers is None:
                return _run_by_class(op, inputs, params)
        if op.checked:
            if op.same:
                check_same(op, inputs, buffers)
            else:
                check_operands(op, inputs, buffers, params)
        try:
            data = kernel(*buffers)
        except Exception as error:
            data = numpy_fallback(op, inputs, device, buffers, params, error)
        if data.__class__ is not device.buffer_type:
            data = device.memory.from_numpy(data, device.handle)
        result = _new(cls)
        result._data = data
        result._device = device
        result._entry = None
        if _state.scope.recording:
            record_call(op, inputs, params, (result,), _state.scope.training)
    except StaleTableError as error:
        return _migrated(op, inputs, params, out, context, is_train, kind, error)
    return result


def invoke(
    op: Operator,
    inputs: Sequence[Array | None],
    params: Params,
    *,
    out: Any = None,
    context: Context | None = None,
    is_train: bool | None = None,
    kind: type[Array] | None = None,
    casts: bool = False,
) -> Any:
    """Run an operator as :func:`hy_ndarray.invoke`; if an operand is a symbol, add a node instead.

    Results are of the class of the first input, those of an operator without inputs of ``kind``.
    With ``casts`` the current casting policy applies: for calls of programs, not for gradients.
    """
    if out is None:
        return run(op, inputs, params, context, kind, is_train=is_train, casts=casts)
    if casts and _state.casts:
        inputs = cast_inputs(op, inputs, params)
    try:
        if written(op, inputs, params, out):
            return out
        targets = out if isinstance(out, list | tuple) else [out]
        other = _other_operand((*inputs, *targets))
        if other is not None:
            return type(other).apply_operator(op, inputs, params, is_train, out)
    except StaleTableError as error:
        return _migrated(op, inputs, params, out, context, is_train, kind, error)
    result = run(op, inputs, params, context, kind, is_train=is_train, casts=False, out=out)
    return out if result is out else store(result, out)


def _migrated(
    op: Operator,
    inputs: Sequence[Any],
    params: Params,
    out: Any,
    context: Context | None,
    is_train: bool | None,
    kind: type[Array] | None,
    error: StaleTableError,
) -> Any:
    """Repeat a call with operands migrated to this thread's table or lifted to the top level."""
    targets = [] if out is None else out if isinstance(out, list | tuple) else [out]
    level = error.level if isinstance(error, LiftedError) else highest((*inputs, *targets))
    if level is not None and all(x is None for x in inputs):
        training = _state.scope.training if is_train is None else is_train
        result = _on_level(level, op, inputs, params, training, kind)
        return result if out is None else store(result, out)
    operands = (*inputs, *targets)
    sparse: Any = next((x for x in operands if isinstance(x, Array) and not x._dense), None)
    if sparse is not None:
        return type(sparse).apply_operator(op, inputs, params, is_train, out)
    # On private arrays: threads on other tables may migrate the operands back meanwhile.
    own = {id(x): private(x, level) for x in operands if isinstance(x, Array)}
    ins = [own.get(id(x), x) for x in inputs]
    outs = [own.get(id(x), x) for x in targets] or None
    result = invoke(op, ins, params, out=outs, context=context, is_train=is_train, kind=kind)
    training = _state.scope.training if is_train is None else is_train
    write_back((*targets, *(inputs[i] for i in op.updated(params, training))), own)
    return result if out is None else out


def _on_level(
    level: Level,
    op: Operator,
    inputs: Sequence[None],
    params: Params,
    training: bool,
    kind: type[Array] | None,
) -> Any:
    """Run an operator without operands, such as a sampler, on a transform's level."""
    kernel, more = op.kernel_on(level, is_train=training), kernel_arguments(op, level, training)
    data = kernel(*inputs, **params, **more)
    values = data if data.__class__ is tuple else (data,)
    outputs = _wrapped(op, (), params, training, values, level, kind)
    visible = op.num_visible(params)
    return outputs[0] if visible == 1 else list(outputs[:visible])


def _run_by_class(op: Operator, inputs: Sequence[Any], params: Params) -> Any:
    """Run an operator by the class of its first operand that is not an array, such as a symbol.

    Raises:
        ArgumentError: An operand is neither an array nor a symbol.
    """
    other = _other_operand(inputs)
    if other is not None:
        return type(other).apply_operator(op, inputs, params)
    wrong = wrong_input(op, inputs, params)
    assert wrong is not None
    raise wrong


def _other_operand(operands: Sequence[Any]) -> Any:
    """Return the first operand that is not an array, such as a symbol; None if there is none."""
    return next((x for x in operands if not isinstance(x, Array) and is_operand(x)), None)


def _specialised(params: Params, device: Device, is_train: bool | None) -> KernelFunction | None:
    """Return the specialised kernel of a non-plain operator if the call returns one array."""
    if type(params) is not BoundParams or not params.single or is_train is not None:
        return None
    scope = _state.scope
    # The specialised kernel takes no training mode, and omits hidden outputs that a tape needs.
    return None if scope.training or scope.recording else device.calls[params.key]


def _without_array(
    op: Operator,
    inputs: Sequence[Any],
    params: Params,
    context: Context | None,
    is_train: bool | None,
    kind: type[Array] | None,
) -> Any:
    """Run an operator that has no operands, or whose first one is left out or a symbol."""
    if not inputs and type(params) is BoundParams and params.single and is_train is None:
        return created_array(op, params, context, kind)
    return _general(op, inputs, params, context, is_train, kind)


def created_array(
    op: Operator, params: BoundParams, context: Context | None, kind: type[Array] | None
) -> Any:
    """Run an operator without inputs that creates one array, and return the array."""
    device = device_of(context or current_context())
    # Without operands the type rule depends on parameters alone: checked once.
    if not params.accepted:
        check_call(op, (), params)
        params.accepted.add(())
    kernels = device.calls
    bound: KernelFunction | None = kernels[params.key]
    kernel = bound or partial(kernels[op.kernel], **params)
    more = kernel_arguments(op, device)
    try:
        data = kernel(**more)
    except Exception as error:
        raise_explained(op, (), params, error)
    assert kind is not None, f"{op.name}: no array class was chosen for its result"
    return kind.from_buffer(data, device)


def _buffers(
    op: Operator, inputs: Sequence[Any], params: Params, device: Device
) -> list[Buffer] | None:
    """Return the buffers of operands on any device; None if one is a symbol.

    Args:
        op: The operator.
        inputs: The operands.
        params: All parameters.
        device: The device that computes.
    """
    buffers: list[Buffer] = []
    for x in inputs:
        if isinstance(x, Array):
            buffers.append(_buffer_of(x, device, op, inputs, params))
        elif x is None:
            if not op.plain and not op.optional:
                check_inputs(op, inputs, params)
            buffers.append(None)
        else:
            return None
    return buffers


def _general(
    op: Operator,
    inputs: Sequence[Any],
    params: Params,
    context: Context | None,
    is_train: bool | None,
    kind: type[Array] | None,
) -> Any:
    """Run any operator on arrays: several outputs, updated inputs, random numbers, no inputs."""
    for x in inputs:
        if x is not None and not isinstance(x, Array):
            return _run_by_class(op, inputs, params)
    if op.stores is not None and (stype := op.stores(params)) != "default":
        # Sparse arrays are on the CPU alone; elsewhere the result is dense.
        sparse = STORAGES.get(stype)
        if sparse is not None and inputs[0]._device.context.device_type.startswith("cpu"):
            return sparse.apply_operator(op, inputs, params, is_train)
    device, values, training = _computed(op, inputs, params, context, is_train)
    visible = len(values) if op.visible is None else op.num_visible(params)
    if not _state.scope.recording:
        values = values[:visible]
    outputs = _wrapped(op, inputs, params, training, values, device, kind)
    return outputs[0] if visible == 1 else list(outputs[:visible])


def all_outputs(
    op: Operator,
    inputs: Sequence[A | None],
    params: Params,
    context: Context | None = None,
    is_train: bool | None = None,
    kind: type[A] | None = None,
) -> tuple[A, ...]:
    """Run an operator on the table of its operands; return hidden outputs, too.

    Operands are not migrated to this thread's table: a graph that runs operator by operator stays
    on the table with which it began.
    """
    try:
        device, values, training = _computed(op, inputs, params, context, is_train, follows=True)
    except StaleTableError as error:
        # Operands are on several tables: all go to that of the first, or to the highest level.
        level = error.level if isinstance(error, LiftedError) else highest(inputs)
        device = level or next(x._device for x in inputs if x is not None)
        own = {id(x): private(x, device) for x in inputs if x is not None}
        outs = [own.get(id(x)) for x in inputs]
        _, values, training = _computed(op, outs, params, context, is_train, follows=True)
        write_back([inputs[i] for i in op.updated(params, training)], own)
    return _wrapped(op, inputs, params, training, values, device, kind)


def _computed(
    op: Operator,
    inputs: Sequence[Array | None],
    params: Params,
    context: Context | None,
    is_train: bool | None,
    *,
    follows: bool = False,
) -> tuple[Device, tuple[Buffer, ...], bool]:
    """Run the kernel and write updated inputs; return the device, the results, and training mode.

    Raises:
        StaleTableError: The operands' table does not serve this thread; with ``follows``, only if
            operands are on several tables.
    """
    buffers: list[Buffer] = []
    device = _device_for(op, inputs, params, buffers)
    if device is None:
        device = device_of(context or current_context())
    elif device.calls.guarded and not follows and not device.serves:
        raise StaleTableError(op.kernel)
    training = _state.scope.training if is_train is None else is_train
    kernel = op.kernel_on(device, is_train=training)
    if op.checked:
        check_operands(op, inputs, buffers, params)
    more = kernel_arguments(op, device, training) if op.needs else {}
    try:
        data = kernel(*buffers, **params, **more)
    except Exception as error:
        data = numpy_fallback(op, inputs, device, buffers, params, error)
    values = data if data.__class__ is tuple else (data,)
    if op.updates is None:
        return device, values, training
    # Kernels return the new values of updated inputs after their outputs.
    changed = op.updated(params, training)
    count = len(values) - len(changed)
    for position, value in zip(changed, values[count:], strict=True):
        target = inputs[position]
        assert target is not None
        data, own = target._data, target._device
        if own is device:
            own.write(data, value)
        else:
            target._write(Array.from_buffer(value, device))
    return device, values[:count], training


def _device_for(
    op: Operator, inputs: Sequence[Array | None], params: Params, buffers: list[Buffer]
) -> Device | None:
    """Return the operands' device, None without operands; append their buffers to ``buffers``."""
    device: Device | None = None
    for x in inputs:
        if x is None:
            check_inputs(op, inputs, params)
            buffers.append(None)
            continue
        if device is None:
            device = x._device
            buffers.append(x._data)
        else:
            buffers.append(_buffer_of(x, device, op, inputs, params))
    return device


def _buffer_of(
    x: Array, device: Device, op: Operator, inputs: Sequence[Any], params: Params
) -> Buffer:
    """Return an operand's buffer, which must be in the memory of ``device``."""
    # Both are read without a call in between: CPython switches threads at calls, and another thread
    # may migrate the array to another table.
    data, own = x._data, x._device
    if own is not device:
        check_devices(op, inputs, params)
        if own.table is not device.table:
            raise StaleTableError(op.kernel)
    return data


def _wrapped(
    op: Operator,
    inputs: Sequence[A | None],
    params: Params,
    training: bool,
    values: tuple[Buffer, ...],
    device: Device,
    kind: type[A] | None,
) -> tuple[A, ...]:
    """Wrap results as arrays of the first input's class, or ``kind``; record the call."""
    cls = kind
    for x in inputs:
        if x is not None:
            cls = x.__class__
            break
    assert cls is not None, f"{op.name}: no array class was chosen for its results"
    outputs = tuple([cls.from_buffer(value, device) for value in values])
    if _state.scope.recording:
        record_call(op, inputs, params, outputs, training)
    return outputs


def kernel_arguments(op: Operator, device: Device, is_train: bool | None = None) -> dict[str, Any]:
    """Return the kernel's extra keyword arguments: ``is_train``, ``rng``, ``device`` as needed.

    ``is_train`` of None means the mode of the autograd scope.
    """
    more: dict[str, Any] = {}
    for need in op.needs:
        if need == "is_train":
            more[need] = _state.scope.training if is_train is None else is_train
        elif need == "rng":
            more[need] = generator(device)
        else:
            more[need] = device.handle
    return more


def store(result: Any, out: Any) -> Any:
    """Write results into the arrays given as ``out``, and return ``out``.

    Raises:
        ArgumentError: ``out`` is not an array.
    """
    results = result if isinstance(result, list) else [result]
    targets = list(out) if isinstance(out, list | tuple) else [out]
    for target, value in zip(targets, results, strict=False):
        if not isinstance(target, Array):
            raise ArgumentError(f"out must be an array, not of type {type(target).__name__}")
        target._assign_from(value)
    return out
