"""Compositions: definitions of operators in terms of other operators.

A composition is a function of tracers. For given parameters it is traced into a :class:`Program`, a
list of operator applications, which is replayed wherever the definition is needed: by kernels on
buffers, by type rules on types, by graphs as nodes. If a composition reads the types of its inputs,
its program is specialised for these types.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

from hy_ndarray.devices._compositions import PartialType
from hy_ndarray.devices._protocols import BufferType, Params
from hy_ndarray.ops.record.schema import Operator, OperatorFunction, find
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "Composition",
    "PartialType",
    "Program",
    "Step",
    "Trace",
    "Tracer",
    "UnknownTypeError",
    "create",
]


class UnknownTypeError(Exception):
    """Raised when a composition reads a type that is unknown during tracing."""


class Step(NamedTuple):
    """One operator application in a program."""

    op: Operator
    operands: tuple[int | None, ...]
    """Indices of the values it takes; None for an omitted optional input."""
    params: Params
    first: int
    """Index of its first output among the values."""
    outputs: int
    """Number of outputs."""


@dataclass(frozen=True, slots=True)
class Program:
    """Steps of a composition; values are numbered: inputs, then the outputs of each step."""

    inputs: int
    """Number of inputs, omitted ones included."""
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """Indices of the values that are the results."""

    def replay(
        self,
        inputs: Sequence[Any],
        apply: Callable[[Operator, Sequence[Any], Params], Sequence[Any]],
    ) -> list[Any]:
        """Run the steps on other inputs, by a given function, and return the results.

        Args:
            inputs: A value for each input, None for omitted ones.
            apply: Function of operator, operands and parameters that returns all outputs.
        """
        values = [*inputs]
        for step in self.steps:
            operands = [None if i is None else values[i] for i in step.operands]
            values += apply(step.op, operands, step.params)
        return [values[i] for i in self.results]


class Trace:
    """Steps that a composition has recorded so far."""

    def __init__(self, types: Sequence[TensorType | None]) -> None:
        self.steps: list[Step] = []
        self.values = len(types)
        self._types: list[TensorType | None] = [*types]

    def type(self, index: int) -> TensorType:
        """Return the type of a value, inferred as far as the inputs' types allow."""
        # Inferred lazily and only up to this value: most compositions never read types.
        for step in self.steps:
            if len(self._types) > index:
                break
            if step.first == len(self._types):
                operands = [None if i is None else self._types[i] for i in step.operands]
                self._types += step.op.infer(operands, step.params)
        known = self._types[index]
        assert known is not None
        return known

    def apply(
        self, op: Operator, inputs: Sequence["Tracer | None"], params: Params
    ) -> list["Tracer"]:
        """Record a step; return tracers for all outputs of the operator."""
        operands = tuple([None if x is None else x.index for x in inputs])
        first, count = self.values, len(op.output_names(params))
        self.steps.append(Step(op, operands, params, first, count))
        self.values += count
        return [Tracer(self, first + i) for i in range(count)]


Scalar: TypeAlias = int | float
V = TypeVar("V")


class Tracer:
    """Symbolic value in a composition, which supports Python's operators and catalogue functions.

    Two values broadcast; a number does not change the dtype of the value.
    """

    __slots__ = ("index", "trace")

    def __init__(self, trace: Trace, index: int) -> None:
        self.trace = trace
        self.index = index

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape; reading it specialises the program for the inputs' types.

        Raises:
            UnknownTypeError: A size is unknown.
        """
        return _known(self.trace.type(self.index).sizes)

    @property
    def ndim(self) -> int:
        """Return the number of axes; reading it specialises the program, as for :attr:`shape`."""
        return _known(self.trace.type(self.index).rank)

    @property
    def dtype(self) -> str:
        """Return the dtype's name; reading it specialises the program, as for :attr:`shape`."""
        return _known(self.trace.type(self.index).dtype)

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,  # noqa: ARG003  # given when the program is replayed
        out: Any = None,
    ) -> Any:
        """Record a step; part of the ``Operand`` protocol."""
        assert out is None
        trace = next(x.trace for x in inputs if x is not None)
        outputs = trace.apply(op, inputs, params)[: op.num_visible(params)]
        return outputs[0] if len(outputs) == 1 else outputs

    def __add__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_add", "_plus_scalar", self, other)

    __radd__ = __add__

    def __sub__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_sub", "_minus_scalar", self, other)

    def __rsub__(self, other: Scalar) -> "Tracer":
        return _binary("", "_rminus_scalar", self, other)

    def __mul__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_mul", "_mul_scalar", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_div", "_div_scalar", self, other)

    def __rtruediv__(self, other: Scalar) -> "Tracer":
        return _binary("", "_rdiv_scalar", self, other)

    def __pow__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_power", "_power_scalar", self, other)

    def __rpow__(self, other: Scalar) -> "Tracer":
        return _binary("", "_rpower_scalar", self, other)

    def __neg__(self) -> "Tracer":
        return _binary("", "_mul_scalar", self, -1)

    def __gt__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_greater", "_greater_scalar", self, other)

    def __ge__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_greater_equal", "_greater_equal_scalar", self, other)

    def __lt__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_lesser", "_lesser_scalar", self, other)

    def __le__(self, other: "Tracer | Scalar") -> "Tracer":
        return _binary("broadcast_lesser_equal", "_lesser_equal_scalar", self, other)


_tracing: ContextVar["Trace"] = ContextVar("tracing")


def create(function: OperatorFunction, **params: Any) -> Tracer:
    """Apply an operator without inputs, such as ``full``, in the composition being traced.

    Args:
        function: The operator.
        params: Its parameters.
    """
    (value,) = _tracing.get().apply(function.op, (), function.op.parse(params))
    return value


def _known(value: V | None) -> V:
    if value is None:
        raise UnknownTypeError
    return value


def _binary(array_op: str, scalar_op: str, value: Tracer, other: Tracer | Scalar) -> Tracer:
    op = find(array_op if isinstance(other, Tracer) else scalar_op)
    if isinstance(other, Tracer):
        applied: Tracer = Tracer.apply_operator(op, (value, other), op.defaults)
    else:
        applied = Tracer.apply_operator(op, (value,), {"scalar": float(other), "is_int": True})
    return applied


@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """Definition of an operator by the function ``composition`` in its record.

    Args:
        op: The operator.
    """

    op: Operator

    @property
    def present(self) -> tuple[bool, ...] | None:
        """Return for each input whether every call has it; None if that varies by call."""
        op = self.op
        varies = op.variadic or op.optional or op.active is not None
        return None if varies else (True,) * len(op.inputs)

    @property
    def draws(self) -> bool:
        """Return whether calls may draw random numbers."""
        return "rng" in self.op.needs

    def keeps(self, program: Program, kind: BufferType) -> bool:
        """Return whether all values of a program have the type ``kind`` if its inputs do."""

        def types(op: Operator, inputs: Sequence[Any], params: Params) -> Sequence[TensorType]:
            inferred = op.infer(inputs, params)
            others.extend(t for t in inferred if (t.sizes, t.dtype) != kind)
            return inferred

        others: list[TensorType] = []
        program.replay([TensorType(*kind) for _ in range(program.inputs)], types)
        return not others

    def shown(self, params: Params) -> int:
        """Return the number of visible outputs."""
        return self.op.num_visible(params)

    def program(self, types: Sequence[PartialType | None], params: Params) -> Program | None:
        """Return the program for partly known input types; None if it reads unknown ones.

        Args:
            types: Shape and dtype of each input as far as known, None for omitted inputs.
            params: All parameters.

        Raises:
            HyError: The operator refuses these types or parameters.
        """
        known = [None if t is None else TensorType(*t) for t in types]
        # Compositions rely on consistent parameters. Types are checked by most callers already.
        checked = [() if self.op.checked and t is not None else t for t in types]
        self.op.rule(*(None if t is None else TensorType(*t) for t in checked), **params)
        try:
            return self.traced(known, params)
        except UnknownTypeError:
            return None

    def traced(self, types: Sequence[TensorType | None], params: Params) -> Program:
        """Return the program for partly known input types.

        Raises:
            UnknownTypeError: The composition reads a type that is unknown.
        """
        assert self.op.composition is not None
        trace = Trace(types)
        operands = [None if t is None else Tracer(trace, i) for i, t in enumerate(types)]
        token = _tracing.set(trace)
        try:
            returned = self.op.composition(*operands, **params)
        finally:
            _tracing.reset(token)
        outputs: list[Tracer] = [*returned] if isinstance(returned, list | tuple) else [returned]
        copy = find("_copy")
        results: list[int] = []
        # Results must not share memory: one that is an input, or another result, is copied.
        for x in outputs:
            is_own = x.index >= len(types) and x.index not in results
            value = x if is_own else Tracer.apply_operator(copy, (x,), copy.defaults)
            results.append(value.index)
        return Program(len(types), tuple(trace.steps), tuple(results))

    def rule(self, *types: TensorType | None, **params: Any) -> tuple[TensorType, ...]:
        """Infer types by the rules of the steps, from inputs to outputs and back."""
        try:
            program = self.traced(types, params)
        except UnknownTypeError:
            return tuple(TensorType() for _ in self.op.output_names(params))
        return tuple(program.replay(types, lambda op, inputs, more: op.infer(inputs, more)))
