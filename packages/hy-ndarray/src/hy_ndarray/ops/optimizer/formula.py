"""Formula: a rule as steps of catalogue operators with placeholders for numbers.

A rule is a function of operands and numbers. Called with a :class:`Value` for each array and a
:class:`Number` for each number it gives a :class:`Formula`, which kernel tables make one kernel of:
nothing is traced again when a learning rate changes.
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
    """Placeholder of a number that varies by step, or arithmetic of such, as Python text.

    A rule may ask whether it is there (``if wd``, ``bound >= 0``): what a step leaves out is a
    plain number, so a :class:`Number` is there.
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
    """Placeholder of a constant in a formula, as the value of a parameter."""

    constant: int


class _Trace:
    """Steps of a rule traced so far."""

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
        """Return the index of a value times a number, shared by equal products."""
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
        """Return the function that computes all constants from the numbers."""
        body = "".join(f"{text}, " for text in self._constants)
        text = f"lambda {', '.join(names)}: ({body})"
        function: Callable[..., tuple[Any, ...]] = eval(text, {})  # noqa: S307  # of the forms above
        return function


class Value:
    """Array in a traced rule, for Python's operators and the catalogue's functions.

    A product with a number waits until it is needed: factors of factors are multiplied first.
    """

    __slots__ = ("index", "scale", "trace")

    def __init__(self, trace: _Trace, index: int, scale: Any = 1) -> None:
        self.trace = trace
        self.index = index
        self.scale = scale

    def position(self) -> int:
        """Return the index of the step that computed the value."""
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
        """Add a step; part of the ``Operand`` protocol."""
        trace: _Trace = inputs[0].trace
        if op is not square.op:
            return trace.add(op, inputs, params)
        # A factor waits here, too: with the factor of a running mean it makes one.
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
    """Formula: steps as data, whose values are numbered: weight, gradient, states, results."""

    inputs: int
    steps: tuple[PointwiseStep, ...]
    """Parameters are numbers, or a :class:`Constant`."""
    results: tuple[int, ...]
    """Numbers of the new weight and the new states."""
    constants: Callable[..., tuple[Any, ...]]
    """Computes the constants from the rule's numbers, which may be buffers without axes."""
    is_pointwise: bool
    """Whether each element of the results follows from those at its index."""


def traced(
    rule: Callable[..., Any], inputs: int, names: Sequence[str], numbers: Sequence[Any]
) -> Formula:
    """Return the formula of a rule.

    Args:
        rule: Takes weight, gradient and states, and numbers by name; gives new ones of all but the
            gradient.
        inputs: How many arrays it takes.
        names: Of the numbers.
        numbers: Those that are known; a :class:`Number` for each that steps are given.
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
