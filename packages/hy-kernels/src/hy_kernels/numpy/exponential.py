"""Exponential functions and logarithms, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, pointwise, quiet

__all__ = ["exp", "expm1", "log", "log1p", "log2", "log10"]


@quiet
def exp(data: Array) -> Array:
    """``e`` to the power of ``data``."""
    return pointwise(np.exp, data)


@quiet
def expm1(data: Array) -> Array:
    """``exp(data) - 1``."""
    return pointwise(np.expm1, data)


@quiet
def log(data: Array) -> Array:
    """Natural logarithm."""
    return pointwise(np.log, data)


@quiet
def log2(data: Array) -> Array:
    """Logarithm to base 2."""
    return pointwise(np.log2, data)


@quiet
def log10(data: Array) -> Array:
    """Logarithm to base 10."""
    return pointwise(np.log10, data)


@quiet
def log1p(data: Array) -> Array:
    """``log(1 + data)``."""
    return pointwise(np.log1p, data)
