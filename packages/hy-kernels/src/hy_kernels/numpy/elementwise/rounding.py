"""Rounding to integers, element by element."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Out, quiet
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.numpy.elementwise.unary import sign


def _enter(name: str, function: Callable[..., Array]) -> Callable[..., Array]:
    @kernel(name, pointwise=True)
    def rounded(data: Array, *, out: Out = None) -> Array:
        return function(data, out=out).astype(data.dtype, copy=False)

    return rounded


_enter("floor", np.floor)
_enter("ceil", np.ceil)
alias("fix", _enter("trunc", np.trunc))


@kernel(pointwise=True)
@quiet
def rint(data: Array, *, out: Out = None) -> Array:
    """Return the nearest integers; halves are rounded down."""
    if data.dtype.kind in "biu":
        return data.copy()
    lower = np.floor(data)
    # Not NumPy's rint, which rounds halves to even: MXNet rounds them down.
    lower += data - lower > 0.5
    # With the sign of the data: -0.3 rounds to -0.0.
    return np.asarray(np.copysign(lower, data, out=out))


@cache
def _bits(dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return the bits, as integers, of -0.0 and of the largest number below 0.5."""
    pair = np.array([-0.0, 0.5], dtype)
    pair[1] = np.nextafter(pair[1], dtype.type(0))
    sign, half = pair.view(f"i{dtype.itemsize}")
    return np.asarray(sign), np.asarray(half)


@kernel(pointwise=True)
@quiet
def round(data: Array, *, out: Out = None) -> Array:
    """Return the nearest integers; halves are rounded away from 0."""
    if data.dtype.kind in "biu":
        return data.copy()
    # trunc(x + copysign(h, x)) with h the largest number below 0.5: if h were 0.5, the sum would
    # be rounded up to an integer for x = h and for many large numbers.
    # The sign is copied by bits, because NumPy's copysign is not vectorized.
    sign, below = _bits(data.dtype)
    bits = np.asarray(np.bitwise_and(data.view(sign.dtype), sign))
    bits |= below
    half = bits.view(data.dtype)
    return np.asarray(np.trunc(np.add(half, data, out=half), out=out))


round_ste = alias("round_ste", round)
sign_ste = alias("sign_ste", sign)
