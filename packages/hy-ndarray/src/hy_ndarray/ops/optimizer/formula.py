"""Formula: an update rule traced to steps of operators, with placeholders for numbers.

A rule is a function of arrays and hyperparameters. Calling it with a :class:`Value` per array and a
:class:`Number` per hyperparameter records a :class:`Formula`, which kernel tables compile to one
kernel; it stays valid when a learning rate changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hy_ndarray.devices._protocols import Params, PointwiseStep
from hy_ndarray.ops.elementwise.broadcast import (
    broadcast_add,
    broadcast_div,
    broadcast_mul,
    broadcast_sub,
)
from hy_ndarray.ops.elementwise.compare import greater_scalar, lesser_scalar, not_equal_scalar
from hy_ndarray.ops.elementwise.scalar import (
    div_scalar,
    minus_scalar,
    mul_scalar,
    plus_scalar,
    rdiv_scalar,
    rminus_scalar,
)
from hy_ndarray.ops.elementwise.unary import square
from hy_ndarray.ops.record.schema import Operator

__all__ = ["Constant", "Formula", "Number", "Value", "traced"]


class Number:
    """Placeholder of a hyperparameter, or an expression of such, as Python source text.

    Tests of a rule for absent terms (``if wd``, ``bound >= 0``) are true: absent hyperparameters
    are passed as plain numbers.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __bool__(self) -> bool:
        return True

    def __ge__(self, other: float) -> bool:
        return True

    def __add__(self, other: Any) -> Any:
        return _of_numbers(self, "+", other)

    def __radd__(self, other: Any) -> Any:
        return _of_numbers(other, "+", self)

    def __sub__(self, other: Any) -> Any:
        return _of_numbers(self, "-", other)

    def __rsub__(self, other: Any) -> Any:
        return _of_numbers(other, "-", self)

    def __mul__(self, other: Any) -> Any:
        return _of_numbers(self, "*", other)

    def __rmul__(self, other: Any) -> Any:
        return _of_numbers(other, "*", self)

    def __truediv__(self, other: Any) -> Any:
        return _of_numbers(self, "/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return _of_numbers(other, "/", self)

    def __pow__(self, other: Any) -> Any:
        return _of_numbers(self, "**", other)

    def __rpow__(self, other: Any) -> Any:
        return _of_numbers(other, "**", self)

    def __neg__(self) -> "Number":
        return Number(f"(-{self.text})")

    def __eq__(self, other: object) -> Any:
        return _of_numbers(self, "==", other)

    def __ne__(self, other: object) -> Any:
        return _of_numbers(self, "!=", other)

    def __lt__(self, other: Any) -> Any:
        return _of_numbers(self, "<", other)

    def __gt__(self, other: Any) -> Any:
        return _of_numbers(self, ">", other)

    __hash__ = None  # type: ignore[assignment]  # equal is a number here


def _of_numbers(left: Any, sign: str, right: Any) -> Any:
    if isinstance(left, Value) or isinstance(right, Value):
        return NotImplemented
    if sign in ("*", "/") and not isinstance(right, Number) and right == 1:
        return left
    if sign == "*" and not isinstance(left, Number) and left == 1:
        return right
    return Number(f"({_text(left)} {sign} {_text(right)})")


def _text(number: Any) -> str:
    return number.text if isinstance(number, Number) else repr(number)


@dataclass(frozen=True, slots=True)
class Constant:
    """Placeholder of a computed constant, as the value of a step's parameter."""

    constant: int


class _Trace:
    """Steps of a rule recorded so far."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.steps: list[PointwiseStep] = []
        self.is_pointwise = True
        self._constants: list[str] = []
        self._scaled: dict[tuple[int, str], int] = {}

    def add(self, op: Operator, inputs: Sequence["Value"], params: Params) -> "Value":
        self.is_pointwise = self.is_pointwise and op.is_pointwise(params)
        operands = tuple([x.position() for x in inputs])
        self.steps.append(PointwiseStep(op.kernel, operands, self._closed(params)))
        return Value(self, self.inputs + len(self.steps) - 1)

    def scaled(self, index: int, scale: Any) -> int:
        """Return the index of a value multiplied by a number; equal products are computed once."""
        key = index, _text(scale)
        if key not in self._scaled:
            value = self.add(
                mul_scalar.op, [Value(self, index)], {"scalar": scale, "is_int": False}
            )
            self._scaled[key] = value.index
        return self._scaled[key]

    def _closed(self, params: Params) -> Params:
        return {
            name: self._constant(value) if isinstance(value, Number) else value
            for name, value in params.items()
        }

    def _constant(self, number: Number) -> Constant:
        if number.text not in self._constants:
            self._constants.append(number.text)
        return Constant(self._constants.index(number.text))

    def constants(self, names: Sequence[str]) -> Callable[..., tuple[Any, ...]]:
        """Return a function from the hyperparameters to all constants."""
        body = "".join(f"{text}, " for text in self._constants)
        text = f"lambda {', '.join(names)}: ({body})"
        function: Callable[..., tuple[Any, ...]] = eval(text, {})  # noqa: S307  # of the forms above
        return function


class Value:
    """Array in a traced rule, which supports Python's operators and catalogue functions.

    Multiplication by a number is deferred, so that consecutive factors are combined into one.
    """

    __slots__ = ("index", "scale", "trace")

    def __init__(self, trace: _Trace, index: int, scale: Any = 1) -> None:
        self.trace = trace
        self.index = index
        self.scale = scale

    def position(self) -> int:
        """Return the index of the value, after applying a deferred factor."""
        if not isinstance(self.scale, Number) and self.scale == 1:
            return self.index
        return self.trace.scaled(self.index, self.scale)

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,  # noqa: ARG003  # steps are not trained
        out: Any = None,  # noqa: ARG003  # it has no memory
    ) -> Any:
        """Record a step; part of the ``Operand`` protocol."""
        trace: _Trace = inputs[0].trace
        if op is not square.op:
            return trace.add(op, inputs, params)
        # The factor of a square is deferred, too, and combined with that of a running mean.
        (factor,) = inputs
        value: Value = trace.add(op, [Value(trace, factor.index)], params)
        return value * factor.scale * factor.scale

    def _combined(self, other: Any, of_arrays: Any, of_number: Any) -> Any:
        if isinstance(other, Value):
            return of_arrays(self, other)
        return of_number(self, scalar=other, is_int=False)

    def __add__(self, other: Any) -> Any:
        return self._combined(other, broadcast_add, plus_scalar)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, broadcast_sub, minus_scalar)

    def __rsub__(self, other: Any) -> Any:
        return rminus_scalar(self, scalar=other, is_int=False)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Value):
            return broadcast_mul(self, other)
        return Value(self.trace, self.index, self.scale * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._combined(other, broadcast_div, div_scalar)

    def __rtruediv__(self, other: Any) -> Any:
        return rdiv_scalar(self, scalar=other, is_int=False)

    def __neg__(self) -> Any:
        return self * -1.0

    def __lt__(self, other: Any) -> Any:
        return lesser_scalar(self, scalar=other, is_int=False)

    def __gt__(self, other: Any) -> Any:
        return greater_scalar(self, scalar=other, is_int=False)

    def __ne__(self, other: object) -> Any:
        return not_equal_scalar(self, scalar=other, is_int=False)

    def __eq__(self, other: object) -> Any:
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # unequal is an array here


@dataclass(frozen=True, eq=False)
class Formula:
    """Traced update rule: steps as data; values are numbered: weight, gradient, states, results."""

    inputs: int
    steps: tuple[PointwiseStep, ...]
    """Steps, whose parameters are numbers or a :class:`Constant`."""
    results: tuple[int, ...]
    """Indices of the new weight and the new states."""
    constants: Callable[..., tuple[Any, ...]]
    """Function from hyperparameters (numbers, or buffers without axes) to the constants."""
    is_pointwise: bool
    """Whether all steps are pointwise."""


def traced(
    rule: Callable[..., Any], inputs: int, names: Sequence[str], numbers: Sequence[Any]
) -> Formula:
    """Trace an update rule into a formula.

    Args:
        rule: Function of weight, gradient, states, and hyperparameters by name, that returns the
            new weight and states.
        inputs: The number of arrays that it takes.
        names: The names of the hyperparameters.
        numbers: Their values if known, else a :class:`Number`.
    """
    trace = _Trace(inputs)
    returned = rule(
        *[Value(trace, i) for i in range(inputs)], **dict(zip(names, numbers, strict=True))
    )
    results = tuple(
        [x.position() for x in (returned if isinstance(returned, tuple) else (returned,))]
    )
    steps = tuple(trace.steps)
    return Formula(inputs, steps, results, trace.constants(names), trace.is_pointwise)
