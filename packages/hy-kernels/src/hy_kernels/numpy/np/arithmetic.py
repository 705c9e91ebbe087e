"""Arithmetic and comparison of two arrays, with broadcasting and dtype promotion."""

from collections.abc import Callable

import numpy as np

from hy_kernels.numpy._array import Array, Out, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.elementwise.broadcast import broadcast_mod, broadcast_power
from hy_kernels.numpy.np._dtypes import common_dtype

np_equal = kernel("np_equal", pointwise=True)(np.equal)
np_not_equal = kernel("np_not_equal", pointwise=True)(np.not_equal)
np_greater = kernel("np_greater", pointwise=True)(np.greater)
np_greater_equal = kernel("np_greater_equal", pointwise=True)(np.greater_equal)
np_less = kernel("np_less", pointwise=True)(np.less)
np_less_equal = kernel("np_less_equal", pointwise=True)(np.less_equal)
np_bitwise_and = kernel("np_bitwise_and", pointwise=True)(np.bitwise_and)
np_bitwise_or = kernel("np_bitwise_or", pointwise=True)(np.bitwise_or)
np_bitwise_xor = kernel("np_bitwise_xor", pointwise=True)(np.bitwise_xor)


def _enter_promoted(name: str, function: Callable[..., Array]) -> None:
    """Register the kernel ``np_<name>``, which promotes its operands to a common dtype."""

    @kernel(f"np_{name}", pointwise=True)
    def of_two(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
        return _promoted(function, lhs, rhs, out)


def _promoted(function: Callable[..., Array], lhs: Array, rhs: Array, out: Out) -> Array:
    if lhs.dtype == rhs.dtype:
        return function(lhs, rhs, out=out)
    # Not NumPy's promotion, which gives float64 for int32 and float32.
    dtype = common_dtype(lhs, rhs)
    return function(lhs.astype(dtype, copy=False), rhs.astype(dtype, copy=False), out=out)


_enter_promoted("add", np.add)
_enter_promoted("subtract", np.subtract)
_enter_promoted("multiply", np.multiply)
_enter_promoted("mod", broadcast_mod)
_enter_promoted("power", broadcast_power)


@kernel(pointwise=True)
@quiet
def np_true_divide(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs / rhs``; for integers, in float32."""
    if lhs.dtype.kind in "biu" and rhs.dtype.kind in "biu":
        return np.true_divide(lhs, rhs).astype(np.float32)
    return _promoted(np.true_divide, lhs, rhs, out)


@kernel(pointwise=True)
def np_arctan2(x1: Array, x2: Array, *, out: Out = None) -> Array:
    """Return the angle of the point with abscissa ``x2`` and ordinate ``x1``, in radians."""
    return _in_own_dtype(np.arctan2, x1, x2, out)


@kernel(pointwise=True)
def np_copysign(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs`` with the sign of ``rhs``."""
    return _in_own_dtype(np.copysign, lhs, rhs, out)


@kernel(pointwise=True)
def same_sign(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return 1 where the signs agree, -1 where they differ: the derivative of ``copysign``.

    0 where ``lhs`` is 0.
    """
    sign = np.sign(lhs)
    y = _in_own_dtype(np.copysign, sign, rhs, out)
    y *= sign
    return y


@quiet
def _in_own_dtype(ufunc: np.ufunc, lhs: Array, rhs: Array, out: Out) -> Array:
    """Return ``ufunc(lhs, rhs)`` converted to the dtype of ``lhs``."""
    return np.asarray(ufunc(lhs, rhs, out=out)).astype(lhs.dtype, copy=False)


@kernel(pointwise=True)
@quiet
def np_ldexp(lhs: Array, rhs: Array, *, out: Out = None) -> Array:
    """Return ``lhs * 2 ** rhs``; integers are computed in float64 and truncated."""
    # Not np.ldexp, whose exponents must be integers.
    if lhs.dtype.kind in "biu":
        return (lhs * np.exp2(rhs.astype(np.float64))).astype(lhs.dtype)
    return lhs * np.exp2(rhs) if out is None else np.multiply(lhs, np.exp2(rhs), out=out)


@kernel()
def np_lcm(lhs: Array, rhs: Array) -> Array:
    """Return the least common multiple of integers; for booleans, ``lhs and rhs``."""
    # np.lcm rejects booleans.
    if lhs.dtype.kind == "b":
        return np.logical_and(lhs, rhs)
    return np.lcm(lhs, rhs)
