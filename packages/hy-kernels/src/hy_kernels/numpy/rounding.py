"""Rounding to integers, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.elementwise import sign

__all__ = ["ceil", "fix", "floor", "rint", "round", "round_ste", "sign_ste", "trunc"]


def floor(data: Array) -> Array:
    """Down."""
    return np.floor(data).astype(data.dtype, copy=False)


def ceil(data: Array) -> Array:
    """Up."""
    return np.ceil(data).astype(data.dtype, copy=False)


def trunc(data: Array) -> Array:
    """Towards 0."""
    return np.trunc(data).astype(data.dtype, copy=False)


fix = trunc


@quiet
def rint(data: Array) -> Array:
    """To the nearest integer, halves down."""
    if data.dtype.kind in "biu":
        return data.copy()
    lower = np.floor(data)
    return np.where(data - lower > 0.5, np.ceil(data), lower)


@quiet
def round(data: Array) -> Array:
    """To the nearest integer, halves away from 0."""
    if data.dtype.kind in "biu":
        return data.copy()
    size = np.abs(data)
    lower = np.floor(size)
    lower += size - lower >= 0.5
    return np.copysign(lower, data)


round_ste = round
sign_ste = sign
