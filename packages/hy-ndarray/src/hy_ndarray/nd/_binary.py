"""Functions of two operands, each an array or a number, that broadcast: ``nd.maximum(x, 2)``."""

import operator
from collections.abc import Callable
from typing import Any

from hy_ndarray._arithmetic import with_number
from hy_ndarray._errors import ArgumentError
from hy_ndarray._functions import function_named
from hy_ndarray.ndarray import NDArray

__all__ = [
    "add",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "multiply",
    "not_equal",
    "power",
    "subtract",
    "true_divide",
]


def _apply(
    name: str, reverse: str, on_numbers: Callable[[Any, Any], Any], lhs: Any, rhs: Any
) -> Any:
    """Broadcast operator ``name``; its scalar form, or ``reverse`` for a number on the left."""
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


def add(lhs: Any, rhs: Any) -> Any:
    """``lhs + rhs``, broadcast."""
    return _apply("add", "plus", operator.add, lhs, rhs)


def subtract(lhs: Any, rhs: Any) -> Any:
    """``lhs - rhs``, broadcast."""
    return _apply("sub", "rminus", operator.sub, lhs, rhs)


def multiply(lhs: Any, rhs: Any) -> Any:
    """``lhs * rhs``, broadcast."""
    return _apply("mul", "mul", operator.mul, lhs, rhs)


def divide(lhs: Any, rhs: Any) -> Any:
    """``lhs / rhs``, broadcast; integers are divided without remainder."""
    return _apply("div", "rdiv", operator.truediv, lhs, rhs)


true_divide = divide


def modulo(lhs: Any, rhs: Any) -> Any:
    """``lhs % rhs``, broadcast."""
    return _apply("mod", "rmod", operator.mod, lhs, rhs)


def power(base: Any, exp: Any) -> Any:
    """``base ** exp``, broadcast."""
    return _apply("power", "rpower", operator.pow, base, exp)


def maximum(lhs: Any, rhs: Any) -> Any:
    """The larger of two elements, broadcast.

    Example:
        >>> from hy_ndarray import nd
        >>> maximum(nd.array([1, 5]), 3).asnumpy(), maximum(2, 3)
        (array([3., 5.], dtype=float32), 3)
    """
    return _apply("maximum", "maximum", max, lhs, rhs)


def minimum(lhs: Any, rhs: Any) -> Any:
    """The smaller of two elements, broadcast."""
    return _apply("minimum", "minimum", min, lhs, rhs)


def equal(lhs: Any, rhs: Any) -> Any:
    """1 where ``lhs == rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("equal", "equal", lambda a, b: int(a == b), lhs, rhs)


def not_equal(lhs: Any, rhs: Any) -> Any:
    """1 where ``lhs != rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("not_equal", "not_equal", lambda a, b: int(a != b), lhs, rhs)


def greater(lhs: Any, rhs: Any) -> Any:
    """1 where ``lhs > rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("greater", "lesser", lambda a, b: int(a > b), lhs, rhs)


def greater_equal(lhs: Any, rhs: Any) -> Any:
    """1 where ``lhs >= rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("greater_equal", "lesser_equal", lambda a, b: int(a >= b), lhs, rhs)


def lesser(lhs: Any, rhs: Any) -> Any:
    """1 where ``lhs < rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("lesser", "greater", lambda a, b: int(a < b), lhs, rhs)


def lesser_equal(lhs: Any, rhs: Any) -> Any:
    """1 where ``lhs <= rhs``, else 0, in the dtype of the operands; broadcast."""
    return _apply("lesser_equal", "greater_equal", lambda a, b: int(a <= b), lhs, rhs)


def logical_and(lhs: Any, rhs: Any) -> Any:
    """1 where neither is 0, else 0, in the dtype of the operands; broadcast."""
    return _apply("logical_and", "logical_and", lambda a, b: int(bool(a and b)), lhs, rhs)


def logical_or(lhs: Any, rhs: Any) -> Any:
    """1 where one is not 0, else 0, in the dtype of the operands; broadcast."""
    return _apply("logical_or", "logical_or", lambda a, b: int(bool(a or b)), lhs, rhs)


def logical_xor(lhs: Any, rhs: Any) -> Any:
    """1 where just one is not 0, else 0, in the dtype of the operands; broadcast."""
    return _apply("logical_xor", "logical_xor", lambda a, b: int(bool(a) != bool(b)), lhs, rhs)
