"""Checks of the operands of an eager call, before a kernel runs and after it."""

from collections.abc import Sequence
from typing import Any, NoReturn
from weakref import ref

from hy_ndarray._errors import (
    ArgumentError,
    ContextError,
    DTypeError,
    HyError,
    IndexingError,
    OperandError,
    ShapeError,
    kernel_failure,
)
from hy_ndarray.core._array import Array
from hy_ndarray.core._bound_params import BoundParams, Description
from hy_ndarray.core._state import is_np_shape
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._kernels import StaleTableError
from hy_ndarray.devices._protocols import Buffer, Params
from hy_ndarray.foreign import conversion, kind_of
from hy_ndarray.ops import Operator, TensorType

_MAX_ACCEPTED = 256  # operand types cached per parameters; programs use fewer bucket lengths


def type_of(array: Array, name: str = "") -> TensorType:
    """Return the :class:`TensorType` of an array, for type rules."""
    device = array._device
    return TensorType(array.shape, device.memory.dtype(array._data), name)


def check_inputs(op: Operator, inputs: Sequence[Any], params: Params) -> None:
    wrong = wrong_input(op, inputs, params)
    if wrong is not None:
        raise wrong


def wrong_input(op: Operator, inputs: Sequence[Any], params: Params) -> ArgumentError | None:
    """Return the error for the first input that is missing or not an array; None if all are."""
    for i, x in enumerate(inputs):
        if isinstance(x, Array):
            continue
        name = op.inputs[i] if i < len(op.inputs) else f"arg{i}"
        if x is not None:
            advice = conversion(x, "np" if op.name.startswith("_np") else "nd")
            return OperandError(f"{op.name}: input {name} is {kind_of(x)}, not an NDArray{advice}")
        if op.variadic or (op.active is None and name in op.optional):
            continue
        if name in op.active_inputs(params):
            return ArgumentError(f"{op.name}: input {name} is missing")
    return None


def check_operands(
    op: Operator,
    inputs: Sequence[Any],
    buffers: Sequence[Buffer],
    params: Params,
    repeats: bool = False,
) -> None:
    """Check operands by the type rule; skipped for types accepted before with these parameters.

    Args:
        op: The operator.
        inputs: The operands.
        buffers: The buffers of the operands.
        params: The parameters.
        repeats: Whether calls with these parameters are expected to repeat their buffers, as
            steps of an optimizer do.

    Raises:
        ShapeError, DTypeError, ArgumentError: The rule refuses them, as it does in a graph.
    """
    if op.same and not (repeats and type(params) is BoundParams):
        check_same(op, inputs, buffers)
        return
    # Other parameters come from gradients and graphs: their types follow from checked calls.
    if type(params) is not BoundParams:
        return
    # A layer's parameters are the same buffers in each call: to see that takes 0.05 µs, where to
    # compare a type takes 0.1 µs (NumPy) or 0.2 µs (torch), and more by zip or by a set lookup.
    latest = params.latest
    if len(latest) == len(buffers):
        i = 0
        for x in buffers:
            shape, dtype, reference = latest[i]
            if x is None:  # compared first: a dead reference returns None, too
                if dtype is not None:
                    break
            elif reference() is not x and (x.dtype is not dtype or x.shape != shape):
                break
            i += 1  # noqa: SIM113  # pairs are slower, see above
        else:
            return
    key = tuple([None if x is None else (x.shape, x.dtype) for x in buffers])
    if key not in params.accepted:
        check_call(op, inputs, params)
        if len(params.accepted) >= _MAX_ACCEPTED:
            params.accepted.clear()
        params.accepted.add(key)
    params.latest = [*map(_description, buffers)]


def _description(buffer: Buffer | None) -> Description:
    """Return shape, dtype and a weak reference, where buffers can have one, of an operand."""
    if buffer is None:
        return None, None, _nothing
    try:
        return buffer.shape, buffer.dtype, ref(buffer)
    except TypeError:
        return buffer.shape, buffer.dtype, _nothing


def _nothing() -> None:
    """Return None: the reference of an operand that is left out, or cannot be referred to."""


def leaves_nothing(op: Operator, params: Params) -> bool:
    """Return whether the call is a ``tile`` with 0 repetitions, whose result is empty."""
    return op.name == "tile" and 0 in params.get("reps", ())


def check_known_sizes(op: Operator, params: Params) -> None:
    """Check that a ``tile`` has a non-empty result, unless NumPy's shapes are in force.

    Raises:
        ShapeError: Some repetitions are 0, outside of ``np_shape``.
    """
    if leaves_nothing(op, params) and not is_np_shape():
        raise ShapeError(
            f"{op.name}: the result for reps={params['reps']} would be empty; outside of np_shape "
            "a size of 0 means unknown: use `with np_shape():`"
        )


def check_call(op: Operator, inputs: Sequence[Any], params: Params) -> None:
    """Check the operands of a call by the operator's type rule.

    Raises:
        ShapeError, DTypeError, ArgumentError: The rule refuses them, as it does in a graph.
    """
    check_inputs(op, inputs, params)
    op.infer(_input_types(op, inputs), params)


def check_dense(op: Operator, inputs: Sequence[Any], params: Params) -> None:
    """Check operands as :func:`check_call`, unless some are sparse, which have other rules."""
    if op.checked and all(x is None or (isinstance(x, Array) and x._dense) for x in inputs):
        check_call(op, inputs, params)


def _input_types(op: Operator, inputs: Sequence[Any]) -> list[TensorType | None]:
    named = zip(_input_names(op, inputs), inputs, strict=True)
    return [None if x is None else type_of(x, name) for name, x in named]


def check_same(op: Operator, inputs: Sequence[Any], buffers: Sequence[Buffer]) -> None:
    """Check that operands have one dtype, and one shape where the operator requires it."""
    first = buffers[0]
    dtype, shape = first.dtype, first.shape if op.same == "type" else None
    for other in buffers:
        if other is first or other is None:
            continue
        if other.dtype is not dtype and other.dtype != dtype:
            raise explain(op, inputs, {}, DTypeError(_differ(op, inputs)))
        if shape is not None and other.shape != shape:
            raise explain(op, inputs, {}, ShapeError(_differ(op, inputs)))


def _differ(op: Operator, inputs: Sequence[Any]) -> str:
    types = [
        type_of(x, n)
        for n, x in zip(_input_names(op, inputs), inputs, strict=True)
        if x is not None
    ]
    what = "dtype" if op.same == "dtype" else "shape and dtype"
    cure = "; cast one of them with astype" if len({x.dtype for x in types}) > 1 else ""
    return f"operands must have one {what}, got {', '.join(map(repr, types))}{cure}"


def _input_names(op: Operator, inputs: Sequence[Any]) -> list[str]:
    if op.variadic:
        return [f"arg{i}" for i in range(len(inputs))]
    return list(op.inputs[: len(inputs)])


def check_devices(op: Operator, inputs: Sequence[Any], params: Params) -> None:
    """Check that all operands are in the memory of one device; all CPU contexts share memory.

    Raises:
        ContextError: They are on different devices.
        StaleTableError: An operand is on a table that does not serve this thread.
    """
    check_inputs(op, inputs, params)
    device = None
    for x in inputs:
        if x is None:
            continue
        own = x._device
        if own.calls.guarded and not own.serves:
            raise StaleTableError(op.kernel)
        if device is not None and own is not device:
            if not _is_shared(device, own):
                where = ", ".join(str(x.context) for x in inputs if x is not None)
                raise ContextError(
                    f"{op.name}: operands are on different devices ({where}); "
                    "move them with as_in_context"
                )
            # The process has selected another table since one of the arrays was made.
            if own.table is not device.table:
                raise StaleTableError(op.kernel)
        device = own


def _is_shared(one: Device, other: Device) -> bool:
    """Return whether two devices share memory: they have one context, or both are CPUs."""
    # Programs written for several GPUs use cpu(0), cpu(1), … without one.
    on_cpu = all(device.context.device_type.startswith("cpu") for device in (one, other))
    return on_cpu or one.context == other.context


def explain(op: Operator, inputs: Sequence[Any], params: Params, error: Exception) -> Exception:
    """Return the error to raise for a kernel's ``error``: the type rule's, if that fails, too."""
    types = _input_types(op, inputs)
    if isinstance(error, ShapeError | DTypeError):
        return op.explain(error, types)
    if isinstance(error, HyError):
        error.add_note(f"in operator {op.name}")
        return error
    # Type rules are not run before kernels; now the rule may give a better message.
    try:
        op.infer(types, params)
    except HyError as rule:
        return rule
    if isinstance(error, NotImplementedError):
        error.add_note(f"in operator {op.name}")
        return error
    if isinstance(error, IndexError) and not op.traits.foreign:
        return IndexingError(f"{op.name}: {error}")
    shown = ", ".join(repr(t) for t in types if t is not None)
    return kernel_failure(op.name, shown, error)


def raise_explained(
    op: Operator, inputs: Sequence[Any], params: Params, error: Exception
) -> NoReturn:
    """Raise the error of :func:`explain`, chained to the kernel's unless it has a cause."""
    explained = explain(op, inputs, params, error)
    if explained is error or explained.__cause__ is not None:
        raise explained
    raise explained from error


def raise_failure(
    op: Operator, inputs: Sequence[Any], params: Params, error: Exception
) -> NoReturn:
    """Raise the error for a missing input if there is one, else as :func:`raise_explained`."""
    wrong = wrong_input(op, inputs, params) if any(x is None for x in inputs) else None
    if wrong is not None:
        raise wrong from error
    raise_explained(op, inputs, params, error)
