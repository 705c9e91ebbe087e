"""Element-wise functions."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as onp

from hy_ndarray import np
from hy_ndarray._errors import DTypeError, OperandError
from hy_ndarray.array_api._promotion import KINDS, name_of, same_dtype
from hy_ndarray.array_api._routes import CLASSIC, FLOATS, INTEGERS, NUMBERS, Route
from hy_ndarray.array_api.dtypes import astype
from hy_ndarray.foreign import kind_of
from hy_ndarray.np import ndarray

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]

Unary = Callable[[ndarray], ndarray]
Binary = Callable[[ndarray | complex, ndarray | complex], ndarray]

_BOOL = frozenset(("bool",))
_WHOLE = frozenset(KINDS["integral"])
_REAL = _WHOLE | frozenset(KINDS["real floating"])
_INEXACT = frozenset(KINDS["real floating"] + KINDS["complex floating"])
_ANY = frozenset(KINDS["numeric"]) | _BOOL
_NUMERIC = _ANY - _BOOL
_NO_DTYPES: frozenset[str] = frozenset()


def _check_dtype(x: object, name: str, allowed: Collection[str]) -> None:
    if not isinstance(x, ndarray):
        raise OperandError(f"{name}: takes arrays, not {kind_of(x)}; make one with asarray(...)")
    if name_of(x) not in allowed:
        raise DTypeError(f"{name}: not defined for {name_of(x)}; convert the array with astype")


def _unary(
    name: str,
    numpy_name: str,
    allowed: Collection[str],
    dtypes: Collection[str],
    *,
    constant: bool = False,
    unchanged: Collection[str] = (),
    own: Callable[..., Any] | None = None,
    host: Callable[..., Any] | None = None,
) -> Unary:
    """Return a function of one array that dispatches to an operator or to NumPy.

    Args:
        name: The standard's name of the function.
        numpy_name: NumPy's name of the function.
        allowed: Dtypes for which the standard defines the function.
        dtypes: As in :class:`Route`.
        constant: As in :class:`Route`.
        unchanged: Dtypes for which the function returns a copy of its argument.
        own: As in :class:`Route`.
        host: As in :class:`Route`.
    """
    route = Route(numpy_name, dtypes, constant=constant, own=own, host=host)

    def function(x: ndarray, /) -> ndarray:
        _check_dtype(x, name, allowed)
        if name_of(x) in unchanged:
            return x.copy()
        return route(x)

    _describe(function, name, numpy_name)
    return function


def _binary(
    name: str,
    numpy_name: str,
    allowed: Collection[str],
    dtypes: Collection[str],
    *,
    constant: bool = False,
    own: Callable[..., Any] | None = None,
    host: Callable[..., Any] | None = None,
) -> Binary:
    """Return a function of two arrays, or of an array and a number; arguments as :func:`_unary`."""
    route = Route(numpy_name, dtypes, constant=constant, own=own, host=host)

    def function(x1: Any, x2: Any, /) -> ndarray:
        first, second = same_dtype(name, x1, x2)
        _check_dtype(first, name, allowed)
        return route(first, second)

    _describe(function, name, numpy_name)
    return function


def _describe(function: Any, name: str, numpy_name: str) -> None:
    BY_NUMPY_NAME[numpy_name] = function
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{name}`` of the Array API standard; gradients flow through floats."


def _sign(x: ndarray) -> ndarray:
    """Return the sign of each element; nan for nan, where MXNet returns 0."""
    result = np.sign(x)
    return result if name_of(x) in INTEGERS else np.where(np.isnan(x), x, result)


def _remainder(x1: ndarray, x2: ndarray) -> ndarray:
    """Return the remainder; nan for floating division by 0, where MXNet returns 0."""
    result = np.mod(x1, x2)
    if name_of(x1) in INTEGERS:
        return result
    undefined = np.logical_or(np.equal(x2, 0), np.isnan(x1))
    return np.where(undefined, onp.nan, np.copysign(result, x2))  # a 0 has its sign, too


def _floor_divide(x1: Any, x2: Any) -> Any:
    """Return NumPy's floor division, corrected for infinities to conform to the standard."""
    result = onp.floor_divide(x1, x2)
    if result.dtype.kind in "iu":
        return result
    return onp.where(onp.isinf(x1) | onp.isinf(x2), onp.floor(x1 / x2), result)


def _expm1(x: Any) -> Any:
    """Return NumPy's ``expm1``, corrected for complex infinities and zeros."""
    result = onp.expm1(x)
    if result.dtype.kind != "c":
        return result
    return onp.where(onp.isfinite(x) & (x != 0), result, onp.exp(x) - 1)


def _tanh(x: Any) -> Any:
    """Return NumPy's ``tanh``, corrected for complex infinities: signed zero as imaginary part."""
    result = onp.array(onp.tanh(x))
    if result.dtype.kind == "c":
        ends = onp.isinf(x.real) & onp.isfinite(x.imag)
        result.imag[ends] = onp.copysign(0, x.imag)[ends]
    return result


BY_NUMPY_NAME: dict[str, Any] = {}
"""The functions by NumPy's names, for the Python operators of arrays."""

acos = _unary("acos", "arccos", _INEXACT, FLOATS)
acosh = _unary("acosh", "arccosh", _INEXACT, FLOATS)
asin = _unary("asin", "arcsin", _INEXACT, FLOATS)
asinh = _unary("asinh", "arcsinh", _INEXACT, FLOATS)
atan = _unary("atan", "arctan", _INEXACT, FLOATS)
atanh = _unary("atanh", "arctanh", _INEXACT, FLOATS)
cos = _unary("cos", "cos", _INEXACT, FLOATS)
cosh = _unary("cosh", "cosh", _INEXACT, FLOATS)
exp = _unary("exp", "exp", _INEXACT, FLOATS)
expm1 = _unary("expm1", "expm1", _INEXACT, FLOATS, host=_expm1)
log = _unary("log", "log", _INEXACT, FLOATS)
log1p = _unary("log1p", "log1p", _INEXACT, FLOATS)
log2 = _unary("log2", "log2", _INEXACT, FLOATS)
log10 = _unary("log10", "log10", _INEXACT, FLOATS)
sin = _unary("sin", "sin", _INEXACT, FLOATS)
sinh = _unary("sinh", "sinh", _INEXACT, FLOATS)
sqrt = _unary("sqrt", "sqrt", _INEXACT, FLOATS)
tan = _unary("tan", "tan", _INEXACT, FLOATS)
tanh = _unary("tanh", "tanh", _INEXACT, FLOATS, host=_tanh)
reciprocal = _unary("reciprocal", "reciprocal", _INEXACT, FLOATS)
abs = _unary("abs", "absolute", _NUMERIC, NUMBERS)
negative = _unary("negative", "negative", _NUMERIC, NUMBERS)
square = _unary("square", "square", _NUMERIC, NUMBERS)
sign = _unary("sign", "sign", _NUMERIC, NUMBERS, constant=True, own=_sign)
ceil = _unary("ceil", "ceil", _REAL, FLOATS, unchanged=_WHOLE)
floor = _unary("floor", "floor", _REAL, FLOATS, unchanged=_WHOLE)
trunc = _unary("trunc", "trunc", _REAL, FLOATS, unchanged=_WHOLE)
round = _unary("round", "round", _NUMERIC, _NO_DTYPES, constant=True, unchanged=_WHOLE)
positive = _unary("positive", "positive", _NUMERIC, _NO_DTYPES, unchanged=_NUMERIC)
conj = _unary("conj", "conj", _NUMERIC, _NO_DTYPES, unchanged=_REAL)
real = _unary("real", "real", _NUMERIC, _NO_DTYPES, unchanged=_REAL)
imag = _unary("imag", "imag", _NUMERIC, _NO_DTYPES)
signbit = _unary("signbit", "signbit", _REAL, _NO_DTYPES, constant=True)
isfinite = _unary("isfinite", "isfinite", _NUMERIC, FLOATS, constant=True)
isinf = _unary("isinf", "isinf", _NUMERIC, FLOATS, constant=True)
isnan = _unary("isnan", "isnan", _NUMERIC, FLOATS, constant=True)
logical_not = _unary("logical_not", "logical_not", _BOOL, _BOOL, constant=True)
bitwise_invert = _unary(
    "bitwise_invert", "bitwise_not", _WHOLE | _BOOL, INTEGERS | _BOOL, constant=True
)

add = _binary("add", "add", _NUMERIC, NUMBERS)
subtract = _binary("subtract", "subtract", _NUMERIC, NUMBERS)
multiply = _binary("multiply", "multiply", _NUMERIC, NUMBERS)
divide = _binary("divide", "true_divide", _INEXACT, FLOATS)
pow = _binary("pow", "power", _NUMERIC, NUMBERS)
remainder = _binary("remainder", "mod", _REAL, NUMBERS, own=_remainder)
floor_divide = _binary(
    "floor_divide", "floor_divide", _REAL, _NO_DTYPES, constant=True, host=_floor_divide
)
atan2 = _binary("atan2", "arctan2", _INEXACT, FLOATS)
hypot = _binary("hypot", "hypot", _INEXACT, FLOATS)
copysign = _binary("copysign", "copysign", _INEXACT, FLOATS)
logaddexp = _binary("logaddexp", "logaddexp", _INEXACT, FLOATS)
nextafter = _binary("nextafter", "nextafter", _INEXACT, _NO_DTYPES)
maximum = _binary("maximum", "maximum", _REAL, NUMBERS)
minimum = _binary("minimum", "minimum", _REAL, NUMBERS)
equal = _binary("equal", "equal", _ANY, CLASSIC, constant=True)
not_equal = _binary("not_equal", "not_equal", _ANY, CLASSIC, constant=True)
less = _binary("less", "less", _REAL, CLASSIC, constant=True)
less_equal = _binary("less_equal", "less_equal", _REAL, CLASSIC, constant=True)
greater = _binary("greater", "greater", _REAL, CLASSIC, constant=True)
greater_equal = _binary("greater_equal", "greater_equal", _REAL, CLASSIC, constant=True)
logical_and = _binary("logical_and", "logical_and", _BOOL, _BOOL)
logical_or = _binary("logical_or", "logical_or", _BOOL, _BOOL)
logical_xor = _binary("logical_xor", "logical_xor", _BOOL, _BOOL)
bitwise_and = _binary("bitwise_and", "bitwise_and", _WHOLE | _BOOL, INTEGERS | _BOOL)
bitwise_or = _binary("bitwise_or", "bitwise_or", _WHOLE | _BOOL, INTEGERS | _BOOL)
bitwise_xor = _binary("bitwise_xor", "bitwise_xor", _WHOLE | _BOOL, INTEGERS | _BOOL)
bitwise_left_shift = _binary("bitwise_left_shift", "left_shift", _WHOLE, _NO_DTYPES)
bitwise_right_shift = _binary("bitwise_right_shift", "right_shift", _WHOLE, _NO_DTYPES)


def clip(x: ndarray, /, min: Any = None, max: Any = None) -> ndarray:
    """Return the elements clipped to ``min`` and ``max``.

    Args:
        x: The elements.
        min: Lower bound: a number, an array that broadcasts against ``x``, or None for none.
        max: Upper bound, likewise.
    """
    _check_dtype(x, "clip", _REAL)
    result = x
    dtype = x.dtype
    if min is not None:
        result = maximum(
            result, min if not isinstance(min, ndarray) else astype(min, dtype, copy=False)
        )
    if max is not None:
        result = minimum(
            result, max if not isinstance(max, ndarray) else astype(max, dtype, copy=False)
        )
    return result.copy() if result is x else result
