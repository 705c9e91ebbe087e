"""User-defined operators in Python: ``mx.operator``'s classes, registry, and ``Custom``.

A property (:class:`CustomOpProp`) describes an operator, like a record of the catalogue; the
:class:`CustomOp` it creates computes on arrays. ``nd.Custom`` and ``sym.Custom`` create an operator
for each call, so that one object runs forward and backward and may keep state in between.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hy_ndarray._dtypes import DTYPES, dtype_name
from hy_ndarray._errors import ArgumentError
from hy_ndarray.array._functions import array_function
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core._scopes import pause
from hy_ndarray.core._state import is_np_array
from hy_ndarray.custom_classes import CustomOp, CustomOpProp
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._protocols import Buffer, KernelFunction
from hy_ndarray.devices.instrumentation import watch
from hy_ndarray.ops import Operator, Saved, TensorType, find, is_operand, names, operator
from hy_ndarray.ops.record.descriptions import mxnet_description
from hy_ndarray.ops.record.params import REQUIRED, param_of
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.suggestion import hint

__all__ = [
    "NAMES",
    "Custom",
    "CustomOp",
    "CustomOpProp",
    "OperatorArguments",
    "custom_operator",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]

NAMES = frozenset(("Custom", "_npi_Custom"))
"""Names of ``Custom`` in files of graphs."""

PropType = TypeVar("PropType", bound=type[CustomOpProp])
_REGISTRY: dict[str, Callable[..., CustomOpProp]] = {}


def register(reg_name: str) -> Callable[[PropType], PropType]:
    """Return a decorator that registers a property class under ``reg_name``.

    Example:
        >>> from hy_ndarray import nd
        >>> class Twice(CustomOp):
        ...     def forward(self, is_train, req, in_data, out_data, aux):
        ...         self.assign(out_data[0], req[0], in_data[0] * 2)
        ...     def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        ...         self.assign(in_grad[0], req[0], out_grad[0] * 2)
        >>> @register("twice")
        ... class TwiceProp(CustomOpProp):
        ...     def create_operator(self, ctx, in_shapes, in_dtypes):
        ...         return Twice()
        >>> nd.Custom(nd.array([1, 2]), op_type="twice").asnumpy()
        array([2., 4.], dtype=float32)
    """

    def add(prop: PropType) -> PropType:
        untyped: Any = prop
        if not (isinstance(untyped, type) and issubclass(untyped, CustomOpProp)):
            raise ArgumentError(
                f"register({reg_name!r}): {prop!r} is not a subclass of CustomOpProp"
            )
        _REGISTRY[reg_name] = prop
        return prop

    return add


def get_all_registered_operators() -> list[str]:
    """Return the names of all operators."""
    return [*names(), *sorted(NAMES)]


class OperatorArguments(NamedTuple):
    """Names of an operator's inputs and parameters."""

    narg: int
    """The number of arguments."""
    names: list[str]
    types: list[str]


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """Return the names of the inputs and parameters of an operator.

    Raises:
        ArgumentError: There is no such operator.
    """
    if op_name == "Custom":
        return OperatorArguments(2, ["data", "op_type"], ["NDArray-or-Symbol[]", "string"])
    op = find(op_name)
    inputs = ["NDArray-or-Symbol[]" if op.variadic else "NDArray-or-Symbol"] * len(op.inputs)
    counts = [] if op.count is None else [op.count]
    types = [*inputs, *("int, required" for _ in counts)]
    types += map(mxnet_description, op.params.values())
    return OperatorArguments(len(types), [*op.inputs, *counts, *op.params], types)


# --- the operator of one call --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Forward(Operator):
    call: "_Call" = field(kw_only=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return custom_operator, (self.call.options,)

    def kernel_on(self, device: Device, *, is_train: bool) -> KernelFunction:
        """Return the user's ``forward`` as a kernel on buffers."""

        def kernel(*buffers: Buffer, **_: Any) -> Any:
            return self.call.forward(device, buffers, is_train)

        return kernel


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Backward(Operator):
    call: "_Call" = field(kw_only=True)

    def kernel_on(self, device: Device, *, is_train: bool) -> KernelFunction:  # noqa: ARG002
        """Return the user's ``backward`` as a kernel on buffers."""

        def kernel(*buffers: Buffer) -> Any:
            return self.call.backward(device, buffers)

        return kernel


@operator("Custom", traits=Traits(foreign=True), catalogued=False)
def _template(*data: TensorType, op_type: str) -> TensorType:
    raise AssertionError((data, op_type))


def _fields(**changed: Any) -> dict[str, Any]:
    """Return the fields of an operator record: the template's, with ``changed`` ones replaced."""
    values = {x.name: getattr(_template.op, x.name) for x in fields(Operator)}
    return {**values, "plain": False, **changed}


class _Call:
    """A user-defined operator with the parameters of one call, and the objects created for it."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)
        kind = self.options.get("op_type")
        if kind is None:
            raise ArgumentError("Custom: required parameter op_type is missing")
        if kind not in _REGISTRY:
            known = ", ".join(sorted(_REGISTRY)) or "none"
            raise ArgumentError(
                f"Custom: no operator {kind!r} is registered (registered: "
                f"{known}){hint(kind, _REGISTRY)}"
            )
        self.prop = self._property(_REGISTRY[kind])
        self.arguments = tuple(self.prop.list_arguments())
        self.outputs = tuple(self.prop.list_outputs())
        self.states = tuple(self.prop.list_auxiliary_states() or ())
        self._workers: dict[Any, CustomOp] = {}

    def _property(self, kind: Callable[..., CustomOpProp]) -> CustomOpProp:
        rest = {key: value for key, value in self.options.items() if key != "op_type"}
        try:
            return kind(**rest)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise ArgumentError(
                f"{self.label}: the property's constructor failed for arguments {rest}: {what}"
            ) from error

    @property
    def label(self) -> str:
        """Return the name of the operator for error messages."""
        return f"Custom {self.options['op_type']!r}"

    def operator(self) -> Operator:
        """Return the record of the forward operator."""
        inputs = (*self.arguments, *self.states)
        changed = _fields(
            inputs=inputs,
            variadic=False,
            params={key: param_of(key, str, REQUIRED) for key in self.options},
            defaults={},
            doc=type(self.prop).__doc__ or "",
            rule=lambda *inputs, **_: self.types(*inputs),  # whatever the parameters are called
            grad=self.gradient,
            aux=frozenset(self.states),
            outputs=self.outputs,
            updates=(lambda *_: self.states) if self.states else None,
            ignores_head_grad=not self.prop.need_top_grad_,
        )
        return _Forward(call=self, **changed)

    # --- types ------------------------------------------------------------------------------

    def types(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Return the output types that the property infers, and update the input types."""
        outputs = tuple(TensorType(name=name) for name in self.outputs)
        groups = inputs[: len(self.arguments)], outputs, inputs[len(self.arguments) :]
        self._shapes(*groups)
        self._dtypes(*groups)
        return outputs

    def _shapes(self, *groups: Sequence[TensorType]) -> None:
        arguments = groups[0]
        known = all(t.sizes is not None for t in arguments)
        if arguments and all(t.shape is None for t in arguments):
            return
        shapes = [[n or 0 for n in t.shape or ()] for t in arguments]
        for t, shape in self._property_results("infer_shape", shapes, groups, known):
            if shape is None or (len(shape) == 0 and not known):
                continue
            t.set_shape([int(n) if known or n > 0 else None for n in shape])

    def _dtypes(self, *groups: Sequence[TensorType]) -> None:
        arguments = groups[0]
        known = all(t.dtype is not None for t in arguments)
        if arguments and all(t.dtype is None for t in arguments):
            return
        dtypes = [None if t.dtype is None else DTYPES[t.dtype] for t in arguments]
        for t, dtype in self._property_results("infer_type", dtypes, groups, known):
            if dtype is not None:
                t.set_dtype(dtype_name(dtype))

    def _property_results(
        self, method: str, known_of: list[Any], groups: Sequence[Sequence[TensorType]], known: bool
    ) -> Iterable[tuple[TensorType, Any]]:
        """Return pairs of a type and what ``method`` inferred for it; empty if it failed.

        A failure is raised only if all inputs are known. Otherwise it is stored in the outputs, as
        the method may have failed for lack of information.
        """
        try:
            answer = list(getattr(self.prop, method)(known_of))
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            failure = ArgumentError(f"{self.label}: {method} failed on {known_of}: {what}")
            if known:
                raise failure from error
            failure.__cause__ = error
            for t in groups[1]:
                t.failure = failure
            return ()
        answer += [[]] * (3 - len(answer))
        counts = [len(part) for part in answer]
        if counts != [len(group) for group in groups]:
            wanted = ", ".join(str(len(group)) for group in groups)
            raise ArgumentError(
                f"{self.label}: {method} returned {counts} values for arguments, outputs and "
                f"states; expected {wanted}"
            )
        return [
            pair
            for group, part in zip(groups, answer, strict=True)
            for pair in zip(group, part, strict=True)
        ]

    # --- work -------------------------------------------------------------------------------

    def _worker(self, device: Device, arrays: Sequence[NDArray]) -> CustomOp:
        """Return the user's :class:`CustomOp` for arrays of these types, created once."""
        shapes, dtypes = [list(x.shape) for x in arrays], [x.dtype for x in arrays]
        key = device.context, tuple(map(tuple, shapes)), tuple(dtypes)
        if key not in self._workers:
            self._workers[key] = self.prop.create_operator(device.context, shapes, dtypes)
        return self._workers[key]

    def _shown(self, prefix: str) -> AbstractContextManager[None]:
        """Return a context manager: the profiler's scope of the user's code."""
        observer = watch.observer
        name = prefix + self.options["op_type"]
        return nullcontext() if observer is None else observer.custom(name)

    def _inputs(self, device: Device, buffers: Sequence[Buffer]) -> tuple[Any, Any]:
        """Return the inputs as arrays, and copies of the auxiliary states."""
        count = len(self.arguments)
        arguments = [_array(x, device) for x in buffers[:count]]
        return arguments, [_array(device.memory.copy(x), device) for x in buffers[count:]]

    def forward(self, device: Device, buffers: Sequence[Buffer], is_train: bool) -> Any:
        """Return the buffers of the outputs and of the new states."""
        arguments, states = self._inputs(device, buffers)
        present = [TensorType(x.shape, dtype_name(x.dtype)) for x in (*arguments, *states)]
        outputs = [_zeros(t, device, self.label) for t in self.types(*present)]
        worker = self._worker(device, [*arguments, *states])
        with self._shown(""), pause(train_mode=is_train):
            worker.forward(is_train, ["write"] * len(outputs), arguments, outputs, states)
        return _buffers(outputs, states)

    def backward(self, device: Device, buffers: Sequence[Buffer]) -> Any:
        """Return the buffers of the inputs' gradients and of the new states."""
        first, last = len(self.outputs), len(buffers) - len(self.outputs)
        dys = [_array(x, device) for x in buffers[:first]]
        arguments, states = self._inputs(device, buffers[first:last])
        outputs = [_array(x, device) for x in buffers[last:]]
        present = [TensorType(x.shape, dtype_name(x.dtype)) for x in arguments]
        gradients = [_zeros(t, device, self.label) for t in present]
        worker = self._worker(device, [*arguments, *states])
        req = ["write"] * len(gradients)
        with self._shown("_backward_"), pause(train_mode=True):
            worker.backward(req, dys, arguments, outputs, gradients, states)
        return _buffers(gradients, states)

    def gradient(self, saved: Saved, *dys: Any) -> tuple[Any, ...]:
        """Return the gradients of the inputs, computed by the user's ``backward``."""
        operands = [*dys, *saved.inputs, *saved.outputs]
        first = len(dys) + len(self.arguments)
        positions = tuple(range(first, first + len(self.states)))

        def rule(*types: TensorType) -> tuple[TensorType, ...]:
            return types[len(dys) : first]

        changed = _fields(
            name="_backward_Custom",
            inputs=tuple(f"arg{i}" for i in range(len(operands))),
            variadic=False,
            params={},
            defaults={},
            rule=rule,
            outputs=self.arguments,
            updates=(lambda *_: positions) if positions else None,
        )
        result = type(dys[0]).apply_operator(_Backward(call=self, **changed), operands, {})
        gradients = result if isinstance(result, list) else [result]
        return (*gradients, *[None] * len(self.states))


def _array(buffer: Buffer, device: Device) -> NDArray:
    """Return an array for the user's code: one of ``mx.np`` after ``set_np``, as in MXNet."""
    array = NDArray.from_buffer(buffer, device)
    return array.as_np_ndarray() if is_np_array() else array


def _zeros(t: TensorType, device: Device, label: str) -> NDArray:
    if t.sizes is None or t.dtype is None:
        raise ArgumentError(
            f"{label}: infer_shape and infer_type do not determine the type of output {t!r}"
        )
    zeros = np.zeros(t.sizes, DTYPES[t.dtype])
    return _array(device.memory.from_numpy(zeros, device.handle), device)


def _buffers(outputs: Sequence[NDArray], states: Sequence[NDArray]) -> Any:
    """Return the buffers of outputs and states in the form that kernels return."""
    buffers = tuple(x.buffer for x in (*outputs, *states))
    return buffers[0] if len(buffers) == 1 else buffers


def custom_operator(options: Mapping[str, Any]) -> Operator:
    """Return the operator that ``Custom`` calls for an ``op_type`` and parameters.

    Other arguments of a call and attributes of a node are ignored: operands, ``name``, ``attr``,
    ``out``, and attributes with names like ``__this__``.

    Raises:
        ArgumentError: ``op_type`` is missing, or not registered.
    """
    params = {
        key: str(value)
        for key, value in options.items()
        if key not in ("name", "attr", "out") and not key.startswith("__") and not is_operand(value)
    }
    return _Call(params).operator()


def Custom(*args: Any, **kwargs: Any) -> Any:  # noqa: N802  # MXNet's name
    """Return the results of a user-defined operator, registered with :func:`register`.

    Args:
        args: Inputs of the operator, then its auxiliary states.
        kwargs: ``op_type``, the operator's name; parameters, which are passed to it as strings;
            inputs by name; and ``out``, the arrays to write to.

    Returns:
        An array, or a list of arrays if the operator has several outputs.

    Raises:
        ArgumentError: ``op_type`` is missing, or not registered.
    """
    return array_function(custom_operator(kwargs), "Custom")(*args, **kwargs)
