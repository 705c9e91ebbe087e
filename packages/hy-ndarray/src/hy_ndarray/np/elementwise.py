"""Elementwise functions of one operand, clipping and choosing, on arrays and on symbols."""

from typing import Any, overload

import numpy as onp

from hy_ndarray._errors import ArgumentError
from hy_ndarray.np.calls import (
    A,
    call,
    check_options,
    is_number,
    is_operand,
    of_one,
    unary,
)

__all__ = [
    "abs",
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "around",
    "bitwise_not",
    "cbrt",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "exp",
    "expm1",
    "fabs",
    "fix",
    "floor",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "log",
    "log1p",
    "log2",
    "log10",
    "logical_not",
    "nan_to_num",
    "negative",
    "rad2deg",
    "radians",
    "reciprocal",
    "rint",
    "round",
    "round_",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "where",
]


@of_one
def absolute(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The absolute value of each element."""
    return unary("absolute", x, out, kwargs)


@of_one
def negative(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Each element with the other sign."""
    return unary("negative", x, out, kwargs)


@of_one
def reciprocal(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """``1 / x``."""
    return unary("reciprocal", x, out, kwargs)


@of_one
def sign(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """-1, 0 or 1 by the sign of each element."""
    return unary("sign", x, out, kwargs)


@of_one
def exp(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """E to the power of each element."""
    return unary("exp", x, out, kwargs)


@of_one
def expm1(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """``exp(x) - 1``, exact near 0."""
    return unary("expm1", x, out, kwargs)


@of_one
def log(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The natural logarithm."""
    return unary("log", x, out, kwargs)


@of_one
def log2(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The logarithm to base 2."""
    return unary("log2", x, out, kwargs)


@of_one
def log10(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The logarithm to base 10."""
    return unary("log10", x, out, kwargs)


@of_one
def log1p(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """``log(1 + x)``, exact near 0."""
    return unary("log1p", x, out, kwargs)


@of_one
def sqrt(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The square root."""
    return unary("sqrt", x, out, kwargs)


@of_one
def cbrt(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The cube root."""
    return unary("cbrt", x, out, kwargs)


@of_one
def square(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """``x * x``."""
    return unary("square", x, out, kwargs)


@of_one
def rint(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The nearest integer."""
    return unary("rint", x, out, kwargs)


@of_one
def ceil(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The next integer above."""
    return unary("ceil", x, out, kwargs)


@of_one
def floor(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The next integer below."""
    return unary("floor", x, out, kwargs)


@of_one
def trunc(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The next integer towards 0."""
    return unary("trunc", x, out, kwargs)


@of_one
def fix(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The next integer towards 0."""
    return unary("fix", x, out, kwargs)


@of_one
def sin(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The sine of angles in radians."""
    return unary("sin", x, out, kwargs)


@of_one
def cos(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The cosine of angles in radians."""
    return unary("cos", x, out, kwargs)


@of_one
def tan(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The tangent of angles in radians."""
    return unary("tan", x, out, kwargs)


@of_one
def arcsin(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The angle in radians whose sine is ``x``."""
    return unary("arcsin", x, out, kwargs)


@of_one
def arccos(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The angle in radians whose cosine is ``x``."""
    return unary("arccos", x, out, kwargs)


@of_one
def arctan(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The angle in radians whose tangent is ``x``."""
    return unary("arctan", x, out, kwargs)


@of_one
def sinh(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The hyperbolic sine."""
    return unary("sinh", x, out, kwargs)


@of_one
def cosh(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The hyperbolic cosine."""
    return unary("cosh", x, out, kwargs)


@of_one
def tanh(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The hyperbolic tangent."""
    return unary("tanh", x, out, kwargs)


@of_one
def arcsinh(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The number whose hyperbolic sine is ``x``."""
    return unary("arcsinh", x, out, kwargs)


@of_one
def arccosh(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The number whose hyperbolic cosine is ``x``."""
    return unary("arccosh", x, out, kwargs)


@of_one
def arctanh(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """The number whose hyperbolic tangent is ``x``."""
    return unary("arctanh", x, out, kwargs)


@of_one
def degrees(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Radians as degrees."""
    return unary("degrees", x, out, kwargs)


@of_one
def radians(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Degrees as radians."""
    return unary("radians", x, out, kwargs)


@of_one
def isnan(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Whether each element is nan, as booleans."""
    return unary("isnan", x, out, kwargs)


@of_one
def isinf(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Whether each element is infinite, as booleans."""
    return unary("isinf", x, out, kwargs)


@of_one
def isfinite(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Whether each element is neither nan nor infinite, as booleans."""
    return unary("isfinite", x, out, kwargs)


@of_one
def isposinf(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Whether each element is infinite and positive, as booleans."""
    return unary("isposinf", x, out, kwargs)


@of_one
def isneginf(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Whether each element is infinite and negative, as booleans."""
    return unary("isneginf", x, out, kwargs)


@of_one
def logical_not(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Whether each element is 0, as booleans."""
    return unary("logical_not", x, out, kwargs)


@of_one
def bitwise_not(x: Any, out: Any = None, **kwargs: Any) -> Any:
    """Each bit turned; of booleans the opposite."""
    return unary("bitwise_not", x, out, kwargs)


abs = absolute
fabs = absolute
invert = bitwise_not
rad2deg = degrees
deg2rad = radians


@overload
def clip(a: A, a_min: float | None, a_max: float | None, out: Any = ...) -> A: ...


@overload
def clip(a: float, a_min: float | None, a_max: float | None, out: Any = ...) -> Any: ...


def clip(a: Any, a_min: float | None, a_max: float | None, out: Any = None) -> Any:
    """Elements below ``a_min`` or above ``a_max`` replaced by these.

    Args:
        a: The elements, or a number.
        a_min: The lower end; None for none.
        a_max: The upper end; None for none.
        out: Array to write to.

    Raises:
        ArgumentError: There is neither.
    """
    if a_min is None and a_max is None:
        raise ArgumentError("clip: a_min and a_max are both None; give one of them")
    if is_number(a):
        return onp.clip(a, a_min, a_max)
    lower = -onp.inf if a_min is None else a_min
    upper = onp.inf if a_max is None else a_max
    return call("_npi_clip", a, out=out, a_min=lower, a_max=upper)


@overload
def around(x: A, decimals: int = ..., out: Any = ..., **kwargs: Any) -> A: ...


@overload
def around(x: float, decimals: int = ..., out: Any = ..., **kwargs: Any) -> float: ...


def around(x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> Any:
    """Each element rounded to so many decimals."""
    kwargs.pop("name", None)  # of the node; MXNet takes it here
    check_options("around", kwargs)
    if is_number(x):
        return onp.around(x, decimals)
    return call("_npi_around", x, out=out, decimals=decimals)


round = around
round_ = around


@overload
def nan_to_num(
    x: A,
    copy: bool = ...,
    nan: float = ...,
    posinf: float | None = ...,
    neginf: float | None = ...,
    **kwargs: Any,
) -> A: ...


@overload
def nan_to_num(
    x: float,
    copy: bool = ...,
    nan: float = ...,
    posinf: float | None = ...,
    neginf: float | None = ...,
    **kwargs: Any,
) -> float: ...


def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: Any,
) -> Any:
    """Numbers in place of nan and infinity.

    Args:
        x: The elements.
        copy: False writes into ``x`` and returns it.
        nan: In place of nan.
        posinf: In place of infinity; the largest number of the dtype if None.
        neginf: In place of negative infinity; the smallest number of the dtype if None.
        kwargs: Options of numpy, which must change nothing.
    """
    kwargs.pop("name", None)
    check_options("nan_to_num", kwargs)
    if is_number(x):
        return onp.nan_to_num(x, copy=copy, nan=nan, posinf=posinf, neginf=neginf)
    values = {"nan": nan, "posinf": posinf, "neginf": neginf}
    return call("_npi_nan_to_num", x, out=None if copy else x, copy=copy, **values)


def nonzero(a: A) -> tuple[A, ...]:
    """Indices by axis of the elements that are not 0, int64; one axis for an array of none."""
    indices: Any = call("_npx_nonzero", a)
    return tuple(indices[:, axis] for axis in range(indices.shape[1]))


@overload
def where(condition: A, x: None = None, y: None = None) -> tuple[A, ...]: ...
@overload
def where(condition: A, x: Any, y: Any) -> A: ...
@overload
def where(condition: Any, x: Any, y: Any) -> Any: ...
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """``x`` where the condition holds, else ``y``; where it holds, if both are left out.

    Args:
        condition: Booleans, or numbers that hold if they are not 0.
        x: An operand or a number.
        y: An operand or a number.

    Returns:
        The elements; without ``x`` and ``y`` a tuple of the indices by axis, int64.

    Raises:
        ArgumentError: One of ``x`` and ``y`` is left out.
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ArgumentError("where: give both of x and y, or neither")
    if is_number(condition):
        return x if condition else y
    if is_operand(x):
        if is_operand(y):
            return call("_npi_where", condition, x, y)
        return call("_npi_where_rscalar", condition, x, scalar=float(y))
    if is_operand(y):
        return call("_npi_where_lscalar", condition, y, scalar=float(x))
    return call("_npi_where_scalar2", condition, x=float(x), y=float(y))
