"""Functions of one array, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, Out, copied, pointwise, quiet
from hy_kernels.numpy._kernels import kernel

_LARGEST = (2 - 2**-7) * 2.0**127
"""The largest finite number of bfloat16."""

np_isnan = kernel("np_isnan", pointwise=True)(np.isnan)
np_isinf = kernel("np_isinf", pointwise=True)(np.isinf)
np_isfinite = kernel("np_isfinite", pointwise=True)(np.isfinite)
np_logical_not = kernel("np_logical_not", pointwise=True)(np.logical_not)
np_bitwise_not = kernel("np_bitwise_not", pointwise=True)(np.invert)


@kernel()
def np_isposinf(x: Array) -> Array:
    """Return True where elements are positive infinity, else False."""
    return np.isinf(x) & (x > 0)


@kernel()
def np_isneginf(x: Array) -> Array:
    """Return True where elements are negative infinity, else False."""
    return np.isinf(x) & (x < 0)


@kernel(pointwise=True)
@quiet
def np_around(x: Array, *, decimals: int, out: Out = None) -> Array:
    """Return elements rounded to ``decimals`` decimal places."""
    if x.dtype.kind in "iu" and decimals >= 0:
        return x.copy()
    if not decimals and x.dtype.kind == "f":
        return pointwise(np.rint, x, out)
    # In float64, because narrower floats are too inexact to scale by powers of ten.
    y = np.array(x, np.complex128 if x.dtype.kind == "c" else np.float64)
    return copied(np.around(y, decimals, out=y), out, dtype=x.dtype)


@kernel(pointwise=True)
def np_nan_to_num(
    data: Array,
    *,
    copy: bool,  # the result is a new array in any case
    nan: float,
    posinf: float | None,
    neginf: float | None,
    out: Out = None,
) -> Array:
    """Return ``data`` with nan and infinities replaced by numbers."""
    y = copied(data, out)
    if y.dtype.kind in "fbiu":
        np.nan_to_num(y, copy=False, nan=nan, posinf=posinf, neginf=neginf)
        return y
    # numpy's nan_to_num does not replace infinities of bfloat16.
    high = _LARGEST if posinf is None else posinf
    low = -_LARGEST if neginf is None else neginf
    y[...] = np.nan_to_num(y.astype(np.float32), nan=nan, posinf=high, neginf=low)
    return y


@kernel(pointwise=True)
def finite_mask(data: Array, *, out: Out = None) -> Array:
    """Return 1 where elements are finite, else 0."""
    return copied(np.asarray(np.isfinite(data)), out, dtype=data.dtype)
