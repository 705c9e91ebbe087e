"""Rounding to integers, element by element."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Out, number, quiet
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
    # NumPy rounds halves to even, with the sign of the data: -0.3 to -0.0. MXNet rounds them down.
    nearest = np.asarray(np.rint(data))
    is_up = np.asarray(nearest - data >= number(0.5, data.dtype))
    if is_up.any():
        nearest -= is_up
    if out is None:
        return nearest
    np.copyto(out[0], nearest)
    return out[0]


@cache
def _below_half(dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return the largest number below 0.5, as cached 0-d arrays: its negative, and itself."""
    below = np.nextafter(dtype.type(0.5), dtype.type(0))
    return number(-below, dtype), number(below, dtype)


@kernel(pointwise=True)
@quiet
def round(data: Array, *, out: Out = None) -> Array:
    """Return the nearest integers; halves are rounded away from 0."""
    if data.dtype.kind in "biu":
        return data.copy()
    # trunc(x + h) with h the largest number below 0.5, of the sign of x: if h were 0.5, the sum
    # would be rounded up to an integer for x = h and for many large numbers. Clipped to h, x itself
    # is its sign, or added where x + x rounds to 0.
    half = np.asarray(data.clip(*_below_half(data.dtype)))
    return np.asarray(np.trunc(np.add(half, data, out=half), out=half if out is None else out))


round_ste = alias("round_ste", round)
sign_ste = alias("sign_ste", sign)
