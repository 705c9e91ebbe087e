"""Elementwise functions of one operand, clipping, and ``where``, on arrays and symbols."""

from typing import Any, overload

import numpy as onp

from hy_ndarray._errors import ArgumentError
from hy_ndarray.np.calls import A, call, check_options, is_number, is_operand
from hy_ndarray.np.rows import function_of_one

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


absolute = function_of_one("absolute", "The absolute value of each element.")
negative = function_of_one("negative", "Each element with the other sign.")
reciprocal = function_of_one("reciprocal", "``1 / x``.")
sign = function_of_one("sign", "-1, 0 or 1 by the sign of each element.")
exp = function_of_one("exp", "E to the power of each element.")
expm1 = function_of_one("expm1", "``exp(x) - 1``, exact near 0.")
log = function_of_one("log", "The natural logarithm.")
log2 = function_of_one("log2", "The logarithm to base 2.")
log10 = function_of_one("log10", "The logarithm to base 10.")
log1p = function_of_one("log1p", "``log(1 + x)``, exact near 0.")
sqrt = function_of_one("sqrt", "The square root.")
cbrt = function_of_one("cbrt", "The cube root.")
square = function_of_one("square", "``x * x``.")
rint = function_of_one("rint", "The nearest integer.")
ceil = function_of_one("ceil", "The next integer above.")
floor = function_of_one("floor", "The next integer below.")
trunc = function_of_one("trunc", "The next integer towards 0.")
fix = function_of_one("fix", "The next integer towards 0.")
sin = function_of_one("sin", "The sine of angles in radians.")
cos = function_of_one("cos", "The cosine of angles in radians.")
tan = function_of_one("tan", "The tangent of angles in radians.")
arcsin = function_of_one("arcsin", "The angle in radians whose sine is ``x``.")
arccos = function_of_one("arccos", "The angle in radians whose cosine is ``x``.")
arctan = function_of_one("arctan", "The angle in radians whose tangent is ``x``.")
sinh = function_of_one("sinh", "The hyperbolic sine.")
cosh = function_of_one("cosh", "The hyperbolic cosine.")
tanh = function_of_one("tanh", "The hyperbolic tangent.")
arcsinh = function_of_one("arcsinh", "The number whose hyperbolic sine is ``x``.")
arccosh = function_of_one("arccosh", "The number whose hyperbolic cosine is ``x``.")
arctanh = function_of_one("arctanh", "The number whose hyperbolic tangent is ``x``.")
degrees = function_of_one("degrees", "Radians as degrees.")
radians = function_of_one("radians", "Degrees as radians.")
isnan = function_of_one("isnan", "Whether each element is nan, as booleans.")
isinf = function_of_one("isinf", "Whether each element is infinite, as booleans.")
isfinite = function_of_one(
    "isfinite", "Whether each element is neither nan nor infinite, as booleans."
)
isposinf = function_of_one(
    "isposinf", "Whether each element is infinite and positive, as booleans."
)
isneginf = function_of_one(
    "isneginf", "Whether each element is infinite and negative, as booleans."
)
logical_not = function_of_one("logical_not", "Whether each element is 0, as booleans.")
bitwise_not = function_of_one("bitwise_not", "Each bit turned; of booleans the opposite.")
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
    """Return the elements clipped to ``a_min`` and ``a_max``.

    Args:
        a: The elements, or a number.
        a_min: The lower bound; None for none.
        a_max: The upper bound; None for none.
        out: Array to write to.

    Raises:
        ArgumentError: Both bounds are None.
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
    """Return each element rounded to ``decimals`` decimal places."""
    kwargs.pop("name", None)  # the name of a node, which MXNet accepts
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
    """Return the array with nan and infinities replaced by numbers.

    Args:
        x: The elements.
        copy: False overwrites ``x`` and returns it.
        nan: Replacement of nan.
        posinf: Replacement of infinity; the largest number of the dtype if None.
        neginf: Replacement of negative infinity; the lowest number of the dtype if None.
        kwargs: Options of numpy, with values that have no effect.
    """
    kwargs.pop("name", None)
    check_options("nan_to_num", kwargs)
    if is_number(x):
        return onp.nan_to_num(x, copy=copy, nan=nan, posinf=posinf, neginf=neginf)
    values = {"nan": nan, "posinf": posinf, "neginf": neginf}
    return call("_npi_nan_to_num", x, out=None if copy else x, copy=copy, **values)


def nonzero(a: A) -> tuple[A, ...]:
    """Return the int64 indices of the nonzero elements, a tuple with one array per axis."""
    indices: Any = call("_npx_nonzero", a)
    return tuple(indices[:, axis] for axis in range(indices.shape[1]))


@overload
def where(condition: A, x: None = None, y: None = None) -> tuple[A, ...]: ...
@overload
def where(condition: A, x: Any, y: Any) -> A: ...
@overload
def where(condition: Any, x: Any, y: Any) -> Any: ...
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return ``x`` where the condition is true, else ``y``; given neither, the indices where it is.

    Args:
        condition: Booleans, or numbers, of which all but 0 are true.
        x: An operand or a number.
        y: An operand or a number.

    Returns:
        The elements; without ``x`` and ``y`` a tuple of int64 index arrays, one per axis.

    Raises:
        ArgumentError: Only one of ``x`` and ``y`` is given.
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
