"""Arithmetic of an array and a number."""

from collections.abc import Callable
from functools import partial
from math import isnan

import numpy as np

from hy_kernels.numpy._array import FLOAT32, PLAIN, Array, Out, quiet, with_scalar
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.numpy.elementwise.broadcast import broadcast_div, broadcast_mod, broadcast_power
from hy_kernels.record import Function, Maker, Params, Types, by_params

_LARGEST = 3.0e38  # below float32's largest number


def _arrays(data: Array, scalar: float, is_int: bool) -> tuple[Array, Array]:
    """Return the operands of :func:`with_scalar`, with the number as an array of the same dtype."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    return lhs, np.asarray(rhs, lhs.dtype)


def _number_first(function: Callable[..., Array], *, negative: bool = False) -> Maker:
    """Return a :data:`Maker` that binds the scalar, or its negative, as first operand of floats."""
    # As a cached array of the same dtype, because NumPy takes three times as long to convert a
    # number. The number comes first, because partial binds operands from the left.

    def number(params: Params, dtype: str) -> Array | None:
        scalar: float = params["scalar"]
        if abs(scalar) > _LARGEST:
            return None
        result = np.asarray(-scalar if negative else scalar, dtype)
        result.flags.writeable = False
        return result

    def of_type(types: Types, params: Params) -> Function | None:
        result = (
            None if types[0] is None or types[0][1] not in PLAIN else number(params, types[0][1])
        )
        return None if result is None else partial(function, result)

    def of_any(params: Params, general: Function) -> Function | None:
        result = number(params, "float32")
        if result is None:
            return None
        return lambda data: function(result, data) if data.dtype is FLOAT32 else general(data)

    return by_params(of_any, types=of_type)


@kernel(pointwise=True, specialize=_number_first(np.add))
def plus_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data + scalar``."""
    return np.add(*with_scalar(data, scalar, is_int), out=out)


@kernel(pointwise=True, specialize=_number_first(np.add, negative=True))
def minus_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data - scalar``."""
    return np.subtract(*with_scalar(data, scalar, is_int), out=out)


@kernel(pointwise=True, specialize=_number_first(np.subtract))
def rminus_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``scalar - data``."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    return np.subtract(rhs, lhs, out=out)


@kernel(pointwise=True, specialize=_number_first(np.multiply))
def mul_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data * scalar``."""
    return np.multiply(*with_scalar(data, scalar, is_int), out=out)


def _enter_both_ways(name: str, function: Callable[..., Array]) -> None:
    """Register a kernel of two arrays for an array and a number, and a number and an array."""

    @kernel(f"{name}_scalar", pointwise=True)
    def of_number(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
        return function(*_arrays(data, scalar, is_int), out=out)

    @kernel(f"r{name}_scalar", pointwise=True)
    def reversed_(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
        lhs, rhs = _arrays(data, scalar, is_int)
        return function(rhs, lhs, out=out)


_enter_both_ways("div", broadcast_div)
_enter_both_ways("mod", broadcast_mod)


@kernel(pointwise=True)
@quiet
def power_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``data ** scalar``."""
    if data.dtype.kind == "f" and scalar == 2:
        return np.square(data, out=out)
    if is_int and scalar < 0 and data.dtype.kind in "iu":
        return np.power(data.astype(np.float64), scalar).astype(data.dtype)
    return broadcast_power(*_arrays(data, scalar, is_int), out=out)


@kernel(pointwise=True)
def rpower_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``scalar ** data``."""
    lhs, rhs = _arrays(data, scalar, is_int)
    return broadcast_power(rhs, lhs, out=out)


def _nearest(data: Array, scalar: float, is_int: bool) -> tuple[Array, Array | float]:
    """Return the operands of :func:`with_scalar`, the number clipped to an integer dtype's range.

    nan stays as it is there.
    """
    if not is_int or data.dtype.kind not in "iu" or isnan(scalar):
        return with_scalar(data, scalar, is_int)
    limits = np.iinfo(data.dtype)
    return data, np.asarray(int(min(max(scalar, limits.min), limits.max)), data.dtype)


@kernel(pointwise=True)
def maximum_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``maximum(data, scalar)``."""
    return np.maximum(*_nearest(data, scalar, is_int), out=out)


@kernel(pointwise=True)
def minimum_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``minimum(data, scalar)``."""
    return np.minimum(*_nearest(data, scalar, is_int), out=out)


@kernel(pointwise=True)
@quiet
def hypot_scalar(data: Array, *, scalar: float, is_int: bool, out: Out = None) -> Array:
    """Return ``sqrt(data² + scalar²)``."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    return np.hypot(lhs, rhs, out=out).astype(lhs.dtype, copy=False)


scatter_plus_scalar = alias("scatter_plus_scalar", plus_scalar)
scatter_minus_scalar = alias("scatter_minus_scalar", minus_scalar)
