"""NumPy functions that are one operator each: of one operand, of two, and comparisons."""

import sys
from collections.abc import Callable
from typing import Any, cast

from hy_ndarray.np.calls import Binary, Comparison, Unary, binary, check_options, unary

__all__ = ["comparison", "function_of_one", "function_of_two"]


def function_of_one(name: str, text: str) -> Unary:
    """Return a function of one operand, or of a number.

    Args:
        name: NumPy's.
        text: Its docstring.
    """

    def function(x: Any, out: Any = None, **kwargs: Any) -> Any:
        return unary(name, x, out, kwargs)

    return cast("Unary", _set_name(function, name, text))


def function_of_two(name: str, text: str, *, reversed_name: str = "") -> Binary:
    """Return a function of two operands, of one and a number, or of two numbers.

    Args:
        name: NumPy's.
        text: Its docstring.
        reversed_name: That of its operator with the operands swapped; it commutes if empty.
    """

    def function(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        check_options(name, kwargs)
        return binary(name, x1, x2, out, reversed_name=reversed_name)

    return cast("Binary", _set_name(function, name, text))


def comparison(name: str, text: str, *, reversed_name: str = "") -> Comparison:
    """Return a comparison function of two operands; arguments as above."""

    def function(x1: Any, x2: Any, out: Any = None) -> Any:
        return binary(name, x1, x2, out, reversed_name=reversed_name)

    return cast("Comparison", _set_name(function, name, text))


def _set_name(function: Callable[..., Any], name: str, text: str) -> Callable[..., Any]:
    """Set a function's name and module, by which it is pickled."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    function.__module__ = sys._getframe(2).f_globals["__name__"]
    return function
