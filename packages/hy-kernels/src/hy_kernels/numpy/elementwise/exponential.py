"""Exponential functions and logarithms, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, Out, pointwise, quiet
from hy_kernels.numpy._kernels import kernel

__all__ = ["exp", "expm1", "log", "log1p", "log2", "log10"]


@kernel(pointwise=True)
@quiet
def exp(data: Array, *, out: Out = None) -> Array:
    """Return ``e`` to the power of ``data``."""
    return pointwise(np.exp, data, out)


@kernel(pointwise=True)
@quiet
def expm1(data: Array, *, out: Out = None) -> Array:
    """Return ``exp(data) - 1``."""
    return pointwise(np.expm1, data, out)


@kernel(pointwise=True)
@quiet
def log(data: Array, *, out: Out = None) -> Array:
    """Return the natural logarithm."""
    return pointwise(np.log, data, out)


@kernel(pointwise=True)
@quiet
def log2(data: Array, *, out: Out = None) -> Array:
    """Return the logarithm to base 2."""
    return pointwise(np.log2, data, out)


@kernel(pointwise=True)
@quiet
def log10(data: Array, *, out: Out = None) -> Array:
    """Return the logarithm to base 10."""
    return pointwise(np.log10, data, out)


@kernel(pointwise=True)
@quiet
def log1p(data: Array, *, out: Out = None) -> Array:
    """Return ``log(1 + data)``."""
    return pointwise(np.log1p, data, out)
