"""Python's operators on symbols."""

from typing import Any, Self, TypeVar, cast

import numpy as np

from hy_ndarray import ArgumentError, NDArray
from hy_ndarray.array.fluent import Fluent
from hy_ndarray.foreign import is_tensor, kind_of
from hy_ndarray.ops import find
from hy_symbol._errors import ArrayOperandError

__all__ = ["Arithmetic", "with_number"]

S = TypeVar("S", bound="Arithmetic")


class Arithmetic(Fluent):
    """Base class with Python's operators (``+``, ``<``, …), which add nodes with MXNet's names.

    Two operands must have equal shapes, except inside a trace that knows that the shapes differ:
    there the broadcasting operators such as ``broadcast_add`` are used.
    """

    __slots__ = ()

    def differs_in_shape(self, other: "Arithmetic") -> bool:
        """Return whether the shapes of both operands are known and differ."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Self:
        return _binary("_plus", "_plusscalar", "_plus_scalar", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return _binary("_minus", "_minusscalar", "_minus_scalar", self, other)

    def __rsub__(self, other: Any) -> Self:
        return with_number("_rminus_scalar", "_rminusscalar", self, other)

    def __mul__(self, other: Any) -> Self:
        return _binary("_mul", "_mulscalar", "_mul_scalar", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Self:
        return _binary("_div", "_divscalar", "_div_scalar", self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return with_number("_rdiv_scalar", "_rdivscalar", self, other)

    def __mod__(self, other: Any) -> Self:
        return _binary("_mod", "_modscalar", "_mod_scalar", self, other)

    def __rmod__(self, other: Any) -> Self:
        return with_number("_rmod_scalar", "_rmodscalar", self, other)

    def __pow__(self, other: Any) -> Self:
        return _binary("_power", "_powerscalar", "_power_scalar", self, other)

    def __rpow__(self, other: Any) -> Self:
        return with_number("_rpower_scalar", "_rpower_scalar", self, other)

    def __neg__(self) -> Self:
        return with_number("_mul_scalar", "_mulscalar", self, -1.0)

    def __abs__(self) -> Self:
        return self.abs()

    def __eq__(self, other: object) -> Any:
        return _compared("_equal", self, other)

    def __ne__(self, other: object) -> Any:
        return _compared("_not_equal", self, other)

    def __gt__(self, other: Any) -> Self:
        return _compared("_greater", self, other)

    def __ge__(self, other: Any) -> Self:
        return _compared("_greater_equal", self, other)

    def __lt__(self, other: Any) -> Self:
        return _compared("_lesser", self, other)

    def __le__(self, other: Any) -> Self:
        return _compared("_lesser_equal", self, other)

    def __hash__(self) -> int:
        return id(self) >> 4


_BROADCAST = {
    "_plus": "broadcast_add",
    "_minus": "broadcast_sub",
}
"""Broadcasting variants whose name is not ``broadcast`` followed by the operator's name."""


_NUMBERS = (int, float, np.number)  # a union would be created for each node


def _compared(op: str, symbol: S, other: Any) -> S:
    return _binary(op, f"{op}_scalar", f"{op}_scalar", symbol, other)


def _binary(op: str, hint: str, scalar_op: str, symbol: S, other: Any) -> S:
    if isinstance(other, Arithmetic):
        # A trace of a plain forward is written for arrays, whose operators broadcast.
        if symbol.differs_in_shape(other):  # as arrays, they would broadcast
            op = _BROADCAST.get(op, f"broadcast{op}")
        result: S = symbol.call_operator(find(op), op, (symbol, other), {})
        return result
    return with_number(scalar_op, hint, symbol, other)


def with_number(op: str, hint: str, symbol: S, value: Any) -> S:
    """Apply ``op`` to a symbol and a number; return NotImplemented for other objects."""
    if isinstance(value, bool | np.bool_):
        value = int(value)
    if isinstance(value, _NUMBERS):
        result: S = symbol.call_operator(find(op), hint, (symbol,), {"scalar": value})
        return result
    if isinstance(value, NDArray):
        raise ArrayOperandError(
            f"{op}: {symbol!r} and {kind_of(value)} cannot be combined; while a block is "
            "traced, values that are not computed from its arguments have to be parameters or "
            "constants of it (params.get_constant)"
        )
    if isinstance(value, np.ndarray) or is_tensor(value):
        raise ArgumentError(
            f"{op}: {symbol!r} and {kind_of(value)} cannot be combined; values that are not "
            "computed from the arguments of a block are parameters or constants of it "
            "(params.get_constant), others are bound to a variable (sym.var)"
        )
    refused: Any = NotImplemented
    return cast("S", refused)  # which Python asks for
