"""Functions of one array, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, quiet

__all__ = [
    "finite_mask",
    "np_around",
    "np_bitwise_not",
    "np_isfinite",
    "np_isinf",
    "np_isnan",
    "np_isneginf",
    "np_isposinf",
    "np_logical_not",
    "np_nan_to_num",
]

np_isnan = np.isnan
np_isinf = np.isinf
np_isfinite = np.isfinite
np_logical_not = np.logical_not
np_bitwise_not = np.invert


def np_isposinf(x: Array) -> Array:
    """Infinite and positive."""
    return np.isinf(x) & (x > 0)


def np_isneginf(x: Array) -> Array:
    """Infinite and negative."""
    return np.isinf(x) & (x < 0)


@quiet
def np_around(x: Array, *, decimals: int) -> Array:
    """Rounded to decimals; in float64, as tenths are too coarse below."""
    if x.dtype.kind in "iu" and decimals >= 0:
        return x.copy()
    return np.around(x.astype(np.float64), decimals).astype(x.dtype)


def np_nan_to_num(
    data: Array,
    *,
    copy: bool,  # the result is a new array in any case
    nan: float,
    posinf: float | None,
    neginf: float | None,
) -> Array:
    """Numbers in place of nan and infinity."""
    return np.asarray(np.nan_to_num(data, nan=nan, posinf=posinf, neginf=neginf))


def finite_mask(data: Array) -> Array:
    """1 where finite."""
    return np.isfinite(data).astype(data.dtype)
