"""Elementwise functions of two operands, of one and a number, or of two numbers."""

from typing import Any

from hy_ndarray.np.calls import binary, check_options, of_two
from hy_ndarray.np.rows import comparison, function_of_two

__all__ = [
    "add",
    "arctan2",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "copysign",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "hypot",
    "lcm",
    "ldexp",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "not_equal",
    "power",
    "remainder",
    "subtract",
    "true_divide",
]


add = function_of_two("add", "``x1 + x2``.")
subtract = function_of_two("subtract", "``x1 - x2``.", reversed_name="rsubtract")
multiply = function_of_two("multiply", "``x1 * x2``.")
mod = function_of_two(
    "mod", "The remainder of ``x1 / x2``, with the sign of ``x2``.", reversed_name="rmod"
)
power = function_of_two("power", "``x1`` to the power of ``x2``.", reversed_name="rpower")
maximum = function_of_two("maximum", "The larger of both.")
minimum = function_of_two("minimum", "The smaller of both.")
hypot = function_of_two("hypot", "``sqrt(x1² + x2²)``, without overflow.")
arctan2 = function_of_two(
    "arctan2", "The angle of the point ``(x2, x1)`` in radians.", reversed_name="rarctan2"
)
copysign = function_of_two("copysign", "``x1`` with the sign of ``x2``.", reversed_name="rcopysign")
ldexp = function_of_two("ldexp", "``x1`` times 2 to the power of ``x2``.", reversed_name="rldexp")
lcm = function_of_two("lcm", "The least common multiple of integers.")
bitwise_and = function_of_two("bitwise_and", "The bits that both have.")
bitwise_or = function_of_two("bitwise_or", "The bits that one of both has.")
bitwise_xor = function_of_two("bitwise_xor", "The bits that one of both alone has.")
remainder = mod


@of_two
def true_divide(x1: Any, x2: Any, out: Any = None) -> Any:
    """Return ``x1 / x2``; the result is float32 for integers.

    Example:
        >>> from hy_ndarray import np
        >>> np.true_divide(np.array([1, 2], dtype="int32"), 4)
        array([0.25, 0.5 ])
    """
    return binary("true_divide", x1, x2, out, reversed_name="rtrue_divide")


@of_two
def divide(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """Return ``x1 / x2``, same as :func:`true_divide`."""
    check_options("divide", kwargs)
    return true_divide(x1, x2, out)


equal = comparison("equal", "Whether ``x1 == x2``, as booleans.")
not_equal = comparison("not_equal", "Whether ``x1 != x2``, as booleans.")
greater = comparison("greater", "Whether ``x1 > x2``, as booleans.", reversed_name="less")
greater_equal = comparison(
    "greater_equal", "Whether ``x1 >= x2``, as booleans.", reversed_name="less_equal"
)
less = comparison("less", "Whether ``x1 < x2``, as booleans.", reversed_name="greater")
less_equal = comparison(
    "less_equal", "Whether ``x1 <= x2``, as booleans.", reversed_name="greater_equal"
)
