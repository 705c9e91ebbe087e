"""Arithmetic, comparisons and logic of an array and a number."""

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.broadcast import broadcast_div, broadcast_mod, broadcast_power

__all__ = [
    "div_scalar",
    "equal_scalar",
    "greater_equal_scalar",
    "greater_scalar",
    "hypot_scalar",
    "lesser_equal_scalar",
    "lesser_scalar",
    "logical_and_scalar",
    "logical_or_scalar",
    "logical_xor_scalar",
    "maximum_scalar",
    "minimum_scalar",
    "minus_scalar",
    "mod_scalar",
    "mul_scalar",
    "not_equal_scalar",
    "plus_scalar",
    "power_scalar",
    "rdiv_scalar",
    "rminus_scalar",
    "rmod_scalar",
    "rpower_scalar",
]


def _pair(data: Array, scalar: float, is_int: bool) -> tuple[Array, Array | float]:
    """The operands: integers with a fraction become float64, booleans with an integer int64."""
    kind = data.dtype.kind
    if kind == "f":
        return data, scalar
    if kind not in "biu":
        return data, np.asarray(scalar, data.dtype)
    if not is_int:
        return data.astype(np.float64), scalar
    if kind == "b":
        data = data.astype(np.int64)
    return data, np.asarray(np.float64(scalar).astype(np.int64).astype(data.dtype))


def _arrays(data: Array, scalar: float, is_int: bool) -> tuple[Array, Array]:
    """As :func:`_pair`, the number as an array of the same dtype."""
    lhs, rhs = _pair(data, scalar, is_int)
    return lhs, np.asarray(rhs, lhs.dtype)


@quiet
def plus_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data + scalar``."""
    return np.add(*_pair(data, scalar, is_int))


@quiet
def minus_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data - scalar``."""
    return np.subtract(*_pair(data, scalar, is_int))


@quiet
def rminus_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``scalar - data``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.subtract(rhs, lhs)


@quiet
def mul_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data * scalar``."""
    return np.multiply(*_pair(data, scalar, is_int))


def div_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data / scalar``."""
    return broadcast_div(*_arrays(data, scalar, is_int))


def rdiv_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``scalar / data``."""
    lhs, rhs = _arrays(data, scalar, is_int)
    return broadcast_div(rhs, lhs)


def mod_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """Remainder of ``data / scalar``."""
    return broadcast_mod(*_arrays(data, scalar, is_int))


def rmod_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """Remainder of ``scalar / data``."""
    lhs, rhs = _arrays(data, scalar, is_int)
    return broadcast_mod(rhs, lhs)


@quiet
def power_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data ** scalar``."""
    if data.dtype.kind == "f" and scalar == 2:
        return np.square(data)
    return broadcast_power(*_arrays(data, scalar, is_int))


def rpower_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``scalar ** data``."""
    lhs, rhs = _arrays(data, scalar, is_int)
    return broadcast_power(rhs, lhs)


@quiet
def maximum_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """The larger of both."""
    return np.maximum(*_pair(data, scalar, is_int))


@quiet
def minimum_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """The smaller of both."""
    return np.minimum(*_pair(data, scalar, is_int))


@quiet
def hypot_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``sqrt(data² + scalar²)``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.hypot(lhs, rhs).astype(lhs.dtype, copy=False)


def equal_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data == scalar``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.equal(lhs, rhs).astype(lhs.dtype)


def not_equal_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data != scalar``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.not_equal(lhs, rhs).astype(lhs.dtype)


def greater_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data > scalar``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.greater(lhs, rhs).astype(lhs.dtype)


def greater_equal_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data >= scalar``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.greater_equal(lhs, rhs).astype(lhs.dtype)


def lesser_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data < scalar``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.less(lhs, rhs).astype(lhs.dtype)


def lesser_equal_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """``data <= scalar``."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.less_equal(lhs, rhs).astype(lhs.dtype)


def logical_and_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """Both are not 0."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.logical_and(lhs, rhs).astype(lhs.dtype)


def logical_or_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """One is not 0."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.logical_or(lhs, rhs).astype(lhs.dtype)


def logical_xor_scalar(data: Array, *, scalar: float, is_int: bool) -> Array:
    """Exactly one is not 0."""
    lhs, rhs = _pair(data, scalar, is_int)
    return np.logical_xor(lhs, rhs).astype(lhs.dtype)
