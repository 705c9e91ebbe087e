"""Elementwise functions of two operands, of one and a number, or of two numbers."""

from typing import Any

from hy_ndarray.np.calls import binary, check_options, comparison, of_two

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


@of_two
def add(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """``x1 + x2``."""
    check_options("add", kwargs)
    return binary("add", x1, x2, out)


@of_two
def subtract(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """``x1 - x2``."""
    check_options("subtract", kwargs)
    return binary("subtract", x1, x2, out, reversed_name="rsubtract")


@of_two
def multiply(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """``x1 * x2``."""
    check_options("multiply", kwargs)
    return binary("multiply", x1, x2, out)


@of_two
def mod(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The remainder of ``x1 / x2``, with the sign of ``x2``."""
    check_options("mod", kwargs)
    return binary("mod", x1, x2, out, reversed_name="rmod")


@of_two
def power(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """``x1`` to the power of ``x2``."""
    check_options("power", kwargs)
    return binary("power", x1, x2, out, reversed_name="rpower")


@of_two
def maximum(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The larger of both."""
    check_options("maximum", kwargs)
    return binary("maximum", x1, x2, out)


@of_two
def minimum(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The smaller of both."""
    check_options("minimum", kwargs)
    return binary("minimum", x1, x2, out)


@of_two
def hypot(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """``sqrt(x1² + x2²)``, without overflow."""
    check_options("hypot", kwargs)
    return binary("hypot", x1, x2, out)


@of_two
def arctan2(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The angle of the point ``(x2, x1)`` in radians."""
    check_options("arctan2", kwargs)
    return binary("arctan2", x1, x2, out, reversed_name="rarctan2")


@of_two
def copysign(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """``x1`` with the sign of ``x2``."""
    check_options("copysign", kwargs)
    return binary("copysign", x1, x2, out, reversed_name="rcopysign")


@of_two
def ldexp(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """``x1`` times 2 to the power of ``x2``."""
    check_options("ldexp", kwargs)
    return binary("ldexp", x1, x2, out, reversed_name="rldexp")


@of_two
def lcm(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The least common multiple of integers."""
    check_options("lcm", kwargs)
    return binary("lcm", x1, x2, out)


@of_two
def bitwise_and(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The bits that both have."""
    check_options("bitwise_and", kwargs)
    return binary("bitwise_and", x1, x2, out)


@of_two
def bitwise_or(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The bits that one of both has."""
    check_options("bitwise_or", kwargs)
    return binary("bitwise_or", x1, x2, out)


@of_two
def bitwise_xor(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """The bits that one of both alone has."""
    check_options("bitwise_xor", kwargs)
    return binary("bitwise_xor", x1, x2, out)


remainder = mod


@of_two
def true_divide(x1: Any, x2: Any, out: Any = None) -> Any:
    """``x1 / x2``; float32 for integers.

    Example:
        >>> from hy_ndarray import np
        >>> np.true_divide(np.array([1, 2], dtype="int32"), 4)
        array([0.25, 0.5 ])
    """
    return binary("true_divide", x1, x2, out, reversed_name="rtrue_divide")


@of_two
def divide(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
    """Divide like :func:`true_divide`."""
    check_options("divide", kwargs)
    return true_divide(x1, x2, out)


@comparison
def equal(x1: Any, x2: Any, out: Any = None) -> Any:
    """Whether ``x1 == x2``, as booleans."""
    return binary("equal", x1, x2, out)


@comparison
def not_equal(x1: Any, x2: Any, out: Any = None) -> Any:
    """Whether ``x1 != x2``, as booleans."""
    return binary("not_equal", x1, x2, out)


@comparison
def greater(x1: Any, x2: Any, out: Any = None) -> Any:
    """Whether ``x1 > x2``, as booleans."""
    return binary("greater", x1, x2, out, reversed_name="less")


@comparison
def greater_equal(x1: Any, x2: Any, out: Any = None) -> Any:
    """Whether ``x1 >= x2``, as booleans."""
    return binary("greater_equal", x1, x2, out, reversed_name="less_equal")


@comparison
def less(x1: Any, x2: Any, out: Any = None) -> Any:
    """Whether ``x1 < x2``, as booleans."""
    return binary("less", x1, x2, out, reversed_name="greater")


@comparison
def less_equal(x1: Any, x2: Any, out: Any = None) -> Any:
    """Whether ``x1 <= x2``, as booleans."""
    return binary("less_equal", x1, x2, out, reversed_name="greater_equal")
