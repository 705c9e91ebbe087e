"""Binary functions of arrays or numbers, with broadcasting: ``nd.maximum(x, 2)``."""

import operator
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast, overload

from hy_ndarray._errors import ArgumentError
from hy_ndarray.array._arithmetic import with_number
from hy_ndarray.array._functions import function_named
from hy_ndarray.array.ndarray import NDArray

A = TypeVar("A", bound=NDArray)


class Binary(Protocol):
    """Protocol of these functions: the result is an array if an operand is one, else a number."""

    @overload
    def __call__(self, lhs: A, rhs: Any) -> A: ...
    @overload
    def __call__(self, lhs: Any, rhs: A) -> A: ...
    @overload
    def __call__(self, lhs: float, rhs: float) -> float: ...


def _typed(function: Callable[[Any, Any], Any]) -> Binary:
    return cast("Binary", function)


def _apply(
    name: str, reverse: str, on_numbers: Callable[[Any, Any], Any], lhs: Any, rhs: Any
) -> Any:
    """Apply the operator ``name`` to two arrays, or its scalar form to an array and a number."""
    result: Any
    if isinstance(lhs, NDArray):
        if isinstance(rhs, NDArray):
            return function_named(f"broadcast_{name}")(lhs, rhs)
        result = with_number(f"_{_SCALAR.get(name, name)}_scalar", lhs, rhs)
    elif isinstance(rhs, NDArray):
        result = with_number(f"_{reverse}_scalar", rhs, lhs)
    else:
        return on_numbers(lhs, rhs)
    if result is NotImplemented:
        kinds = f"{type(lhs).__name__} and {type(rhs).__name__}"
        raise ArgumentError(f"{name}: operands must be arrays or numbers, not {kinds}")
    return result


_SCALAR = {"add": "plus", "sub": "minus"}


@_typed
def add(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs + rhs``, broadcast."""
    return _apply("add", "plus", operator.add, lhs, rhs)


@_typed
def subtract(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs - rhs``, broadcast."""
    return _apply("sub", "rminus", operator.sub, lhs, rhs)


@_typed
def multiply(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs * rhs``, broadcast."""
    return _apply("mul", "mul", operator.mul, lhs, rhs)


@_typed
def divide(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs / rhs``, broadcast; the quotient of integers is truncated."""
    return _apply("div", "rdiv", operator.truediv, lhs, rhs)


true_divide = divide


@_typed
def modulo(lhs: Any, rhs: Any) -> Any:
    """Return ``lhs % rhs``, broadcast."""
    return _apply("mod", "rmod", operator.mod, lhs, rhs)


@overload
def power(base: A, exp: Any) -> A: ...
@overload
def power(base: Any, exp: A) -> A: ...
@overload
def power(base: float, exp: float) -> float: ...
def power(base: Any, exp: Any) -> Any:
    """Return ``base ** exp``, broadcast."""
    return _apply("power", "rpower", operator.pow, base, exp)


@_typed
def maximum(lhs: Any, rhs: Any) -> Any:
    """Return the elementwise maximum, broadcast.

    Example:
        >>> from hy_ndarray import nd
        >>> maximum(nd.array([1, 5]), 3).asnumpy(), maximum(2, 3)
        (array([3., 5.], dtype=float32), 3)
    """
    return _apply("maximum", "maximum", max, lhs, rhs)


@_typed
def minimum(lhs: Any, rhs: Any) -> Any:
    """Return the elementwise minimum, broadcast."""
    return _apply("minimum", "minimum", min, lhs, rhs)


@_typed
def equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where ``lhs == rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("equal", "equal", lambda a, b: int(a == b), lhs, rhs)


@_typed
def not_equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where ``lhs != rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("not_equal", "not_equal", lambda a, b: int(a != b), lhs, rhs)


@_typed
def greater(lhs: Any, rhs: Any) -> Any:
    """Return 1 where ``lhs > rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("greater", "lesser", lambda a, b: int(a > b), lhs, rhs)


@_typed
def greater_equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where ``lhs >= rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("greater_equal", "lesser_equal", lambda a, b: int(a >= b), lhs, rhs)


@_typed
def lesser(lhs: Any, rhs: Any) -> Any:
    """Return 1 where ``lhs < rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("lesser", "greater", lambda a, b: int(a < b), lhs, rhs)


@_typed
def lesser_equal(lhs: Any, rhs: Any) -> Any:
    """Return 1 where ``lhs <= rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("lesser_equal", "greater_equal", lambda a, b: int(a <= b), lhs, rhs)


@_typed
def logical_and(lhs: Any, rhs: Any) -> Any:
    """Return 1 where both are nonzero, else 0, in the dtype of the operands; broadcast."""
    return _apply("logical_and", "logical_and", lambda a, b: int(bool(a and b)), lhs, rhs)


@_typed
def logical_or(lhs: Any, rhs: Any) -> Any:
    """Return 1 where either is nonzero, else 0, in the dtype of the operands; broadcast."""
    return _apply("logical_or", "logical_or", lambda a, b: int(bool(a or b)), lhs, rhs)


@_typed
def logical_xor(lhs: Any, rhs: Any) -> Any:
    """Return 1 where exactly one is nonzero, else 0, in the operands' dtype; broadcast."""
    return _apply("logical_xor", "logical_xor", lambda a, b: int(bool(a) != bool(b)), lhs, rhs)
