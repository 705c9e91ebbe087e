"""Binary functions of symbols and numbers."""

from collections.abc import Callable
from math import hypot as _hypot
from numbers import Number
from typing import Any

from hy_ndarray import ArgumentError
from hy_ndarray.ops import find
from hy_symbol._errors import brief
from hy_symbol.symbol.symbol import Symbol


def _either(
    name: str,
    left: Any,
    right: Any,
    numbers: Callable[[Any, Any], Any],
    reversed_name: str | None = None,
) -> Any:
    """Apply ``_<name>`` to two symbols, ``_<name>_scalar`` to one, or ``numbers`` to none."""
    for value in (left, right):
        if not isinstance(value, Symbol | Number):
            raise ArgumentError(f"{name}: {brief(value)} is neither a Symbol nor a number")
    if isinstance(left, Symbol) and isinstance(right, Symbol):
        return left.call_operator(find(f"_{name}"), f"_{name}", (left, right), {})
    if isinstance(left, Symbol):
        return _scalar(name, left, right)
    if isinstance(right, Symbol):
        return _scalar(reversed_name or name, right, left)
    return numbers(left, right)


def _scalar(name: str, symbol: Symbol, number: Any) -> Any:
    op = find(f"_{name}_scalar")
    return symbol.call_operator(op, f"_{name}scalar", (symbol,), {"scalar": number})


def pow(base: Any, exp: Any) -> Any:  # noqa: A001  # MXNet's name
    """Return ``base ** exp``; two numbers give a number.

    Example:
        >>> from hy_symbol import sym
        >>> pow(2, sym.var("x")).name, pow(2, 3)
        ('_rpowerscalar0', 8)
    """
    return _either("power", base, exp, lambda x, y: x**y, "rpower")


power = pow


def maximum(left: Any, right: Any) -> Any:
    """Return the elementwise maximum; two numbers give a number."""
    return _either("maximum", left, right, max)


def minimum(left: Any, right: Any) -> Any:
    """Return the elementwise minimum; two numbers give a number."""
    return _either("minimum", left, right, min)


def hypot(left: Any, right: Any) -> Any:
    """Return ``sqrt(left² + right²)``; two numbers give a number."""
    return _either("hypot", left, right, _hypot)
