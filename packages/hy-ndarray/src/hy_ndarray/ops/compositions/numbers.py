"""Compositions of elementwise functions: signs, bounds, bits, rounding, non-finite values."""

from typing import Any

from hy_ndarray.ops.compositions._terms import cast, in_reals, is_whole, number
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import exponential, rounding, unary as elementwise
from hy_ndarray.ops.np import (
    arithmetic as np_arithmetic,
    reduce as np_reduce,
    scalar as np_scalar,
    unary as np_unary,
)
from hy_ndarray.ops.np.scalar import np_greater_scalar, np_less_scalar
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.reduce import statistics


@composition(elementwise.negative)
def _negative(data: Tracer) -> Any:
    return data * -1


@composition(exponential.log10)
def _log10(data: Tracer) -> Any:
    return in_reals(lambda x: exponential.log(x) * 0.4342944819032518, data)


@composition(rounding.ceil)
def _ceil(data: Tracer) -> Any:
    return data if is_whole(data) else -rounding.floor(-data)


@composition(rounding.trunc)
def _trunc(data: Tracer) -> Any:
    if is_whole(data):
        return data
    return where(np_less_scalar(data, scalar=0.0), rounding.ceil(data), rounding.floor(data))


@composition(elementwise.clip)
def _clip(data: Tracer, *, a_min: float, a_max: float) -> Any:
    y = where(np_less_scalar(data, scalar=a_min), number(a_min, data.dtype), data)
    return where(np_greater_scalar(y, scalar=a_max), number(a_max, data.dtype), y)


_LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
}


@composition(np_unary.np_nan_to_num)
def _nan_to_num(
    data: Tracer, *, copy: bool, nan: float, posinf: float | None, neginf: float | None
) -> Any:
    if data.dtype not in _LARGEST:
        return data
    largest = _LARGEST[data.dtype]
    high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf
    y = where(np_unary.np_isnan(data), number(nan, data.dtype), data)
    y = where(np_unary.np_isposinf(data), number(high, data.dtype), y)
    return where(np_unary.np_isneginf(data), number(low, data.dtype), y)


@composition(statistics.allclose)
def _allclose(a: Tracer, b: Tracer, *, rtol: float, atol: float, equal_nan: bool) -> Any:
    x, y = cast(a, "float64"), cast(b, "float64")
    is_close = np_arithmetic.np_less_equal(elementwise.abs(x - y), elementwise.abs(y) * rtol + atol)
    is_close = np_arithmetic.np_bitwise_and(is_close, np_unary.np_isfinite(y))
    same = np_arithmetic.np_bitwise_or(is_close, np_arithmetic.np_equal(x, y))
    if equal_nan:
        both = np_arithmetic.np_bitwise_and(np_unary.np_isnan(x), np_unary.np_isnan(y))
        same = np_arithmetic.np_bitwise_or(same, both)
    return cast(np_reduce.np_all(same, axis=None, keepdims=False), "uint8")


def _infinite(name: OperatorFunction, sign: int) -> None:
    @composition(name)
    def infinite(x: Tracer) -> Any:
        if is_whole(x):
            return np_arithmetic.np_not_equal(x, x)
        return np_scalar.np_equal_scalar(x, scalar=sign * float("inf"))


_infinite(np_unary.np_isposinf, 1)
_infinite(np_unary.np_isneginf, -1)


@composition(np_unary.np_isinf)
def _isinf(x: Tracer) -> Any:
    return np_unary.np_isposinf(elementwise.abs(x))


@composition(np_unary.np_isnan)
def _isnan(x: Tracer) -> Any:
    return np_arithmetic.np_not_equal(x, x)


@composition(np_unary.np_isfinite)
def _isfinite(x: Tracer) -> Any:
    if is_whole(x):
        return np_arithmetic.np_equal(x, x)
    return np_scalar.np_less_scalar(elementwise.abs(x), scalar=float("inf"))


@composition(np_unary.finite_mask)
def _finite_mask(data: Tracer) -> Tracer:
    return cast(np_unary.np_isfinite(data), data.dtype)


@composition(np_arithmetic.np_less)
def _less(lhs: Tracer, rhs: Tracer) -> Any:
    return np_arithmetic.np_greater(rhs, lhs)


@composition(np_arithmetic.np_less_equal)
def _less_equal(lhs: Tracer, rhs: Tracer) -> Any:
    return np_arithmetic.np_greater_equal(rhs, lhs)


@composition(np_arithmetic.np_not_equal)
def _not_equal(lhs: Tracer, rhs: Tracer) -> Any:
    return np_unary.np_logical_not(np_arithmetic.np_equal(lhs, rhs))


@composition(np_arithmetic.np_bitwise_or)
def _bitwise_or(lhs: Tracer, rhs: Tracer) -> Any:
    both = np_arithmetic.np_bitwise_and(lhs, rhs)
    return np_arithmetic.np_bitwise_xor(np_arithmetic.np_bitwise_xor(lhs, rhs), both)


@composition(np_unary.np_bitwise_not)
def _bitwise_not(x: Tracer) -> Any:
    if x.dtype == "bool":
        return np_unary.np_logical_not(x)
    return x * -1 - 1


@composition(rounding.round)
def _round(data: Tracer) -> Any:
    if is_whole(data):
        return data
    toward_0 = rounding.trunc(data)
    is_far = elementwise.abs(data - toward_0) >= 0.5  # a half goes away from 0
    return toward_0 + elementwise.sign(data) * is_far


@composition(rounding.rint)
def _rint(data: Tracer) -> Any:
    if is_whole(data):
        return data
    lower = rounding.floor(data)  # a half goes down, as in MXNet
    is_nearer = cast(np_scalar.np_greater_scalar(data - lower, scalar=0.5), data.dtype)
    return np_arithmetic.np_copysign(lower + is_nearer, data)
