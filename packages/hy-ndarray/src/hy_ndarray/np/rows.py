"""Factories of NumPy functions that are one operator each: unary, binary, comparisons."""

import sys
from collections.abc import Callable
from typing import Any, cast

from hy_ndarray.np.calls import Binary, Comparison, Unary, binary, check_options, unary

__all__ = ["comparison", "function_of_one", "function_of_two"]


def function_of_one(name: str, text: str) -> Unary:
    """Return the unary function ``name`` of an operand or a number.

    Args:
        name: NumPy's name.
        text: The docstring.
    """

    def function(x: Any, out: Any = None, **kwargs: Any) -> Any:
        return unary(name, x, out, kwargs)

    return cast("Unary", _set_name(function, name, text))


def function_of_two(name: str, text: str, *, reversed_name: str = "") -> Binary:
    """Return the binary function ``name`` of two operands or numbers.

    Args:
        name: NumPy's name.
        text: The docstring.
        reversed_name: Name of the operator with swapped operands; empty if commutative.
    """

    def function(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        check_options(name, kwargs)
        return binary(name, x1, x2, out, reversed_name=reversed_name)

    return cast("Binary", _set_name(function, name, text))


def comparison(name: str, text: str, *, reversed_name: str = "") -> Comparison:
    """Return the comparison ``name`` of two operands; arguments as for :func:`function_of_two`."""

    def function(x1: Any, x2: Any, out: Any = None) -> Any:
        return binary(name, x1, x2, out, reversed_name=reversed_name)

    return cast("Comparison", _set_name(function, name, text))


def _set_name(function: Callable[..., Any], name: str, text: str) -> Callable[..., Any]:
    """Set a function's name and module, by which it is pickled, and its docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    function.__module__ = sys._getframe(2).f_globals["__name__"]
    return function
