"""Rounding to integers, element by element."""

from functools import cache
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Out, quiet
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.numpy.elementwise.unary import sign

__all__ = ["ceil", "fix", "floor", "rint", "round", "round_ste", "sign_ste", "trunc"]


@kernel(pointwise=True)
def floor(data: Array, *, out: Out = None) -> Array:
    """Return the largest integer that is not above each element."""
    return np.floor(data, out=out).astype(data.dtype, copy=False)


@kernel(pointwise=True)
def ceil(data: Array, *, out: Out = None) -> Array:
    """Return the smallest integer that is not below each element."""
    return np.ceil(data, out=out).astype(data.dtype, copy=False)


@kernel(pointwise=True)
def trunc(data: Array, *, out: Out = None) -> Array:
    """Return each element without its fraction."""
    return np.trunc(data, out=out).astype(data.dtype, copy=False)


fix = alias("fix", trunc)


@kernel(pointwise=True)
@quiet
def rint(data: Array, *, out: Out = None) -> Array:
    """Return the nearest integers, halves down."""
    if data.dtype.kind in "biu":
        return data.copy()
    lower = np.floor(data)
    # Not numpy's rint, which rounds halves to even: MXNet's rounds them down.
    lower += data - lower > 0.5
    # With the sign of the data: -0.3 rounds to -0.0.
    return np.asarray(np.copysign(lower, data, out=out))


@cache
def _bits(dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return as integers the bit of the sign, and the largest number below a half."""
    pair = np.array([-0.0, 0.5], dtype)
    pair[1] = np.nextafter(pair[1], dtype.type(0))
    sign, half = pair.view(f"i{dtype.itemsize}")
    return np.asarray(sign), np.asarray(half)


@kernel(pointwise=True)
@quiet
def round(data: Array, *, out: Out = None) -> Array:
    """Return the nearest integers, halves away from 0."""
    if data.dtype.kind in "biu":
        return data.copy()
    # Up to the next integer from the largest number below a half on: with a half itself the sum
    # of that number, and of many large ones, would be rounded up.
    # By its bits: in copysign numpy has no vector instructions.
    sign, below = _bits(data.dtype)
    bits = np.asarray(np.bitwise_and(data.view(sign.dtype), sign))
    bits |= below
    half = bits.view(data.dtype)
    return np.asarray(np.trunc(np.add(half, data, out=half), out=out))


round_ste = alias("round_ste", round)
sign_ste = alias("sign_ste", sign)
