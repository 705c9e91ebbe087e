"""Trigonometric and hyperbolic functions, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, Out, pointwise, quiet
from hy_kernels.numpy._kernels import kernel

__all__ = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "cos",
    "cosh",
    "degrees",
    "radians",
    "sin",
    "sinh",
    "tan",
    "tanh",
]


@kernel(pointwise=True)
@quiet
def sin(data: Array, *, out: Out = None) -> Array:
    """Return the sine."""
    return pointwise(np.sin, data, out)


@kernel(pointwise=True)
@quiet
def cos(data: Array, *, out: Out = None) -> Array:
    """Return the cosine."""
    return pointwise(np.cos, data, out)


@kernel(pointwise=True)
@quiet
def tan(data: Array, *, out: Out = None) -> Array:
    """Return the tangent."""
    return pointwise(np.tan, data, out)


@kernel(pointwise=True)
@quiet
def arcsin(data: Array, *, out: Out = None) -> Array:
    """Return the inverse of the sine."""
    return pointwise(np.arcsin, data, out)


@kernel(pointwise=True)
@quiet
def arccos(data: Array, *, out: Out = None) -> Array:
    """Return the inverse of the cosine."""
    return pointwise(np.arccos, data, out)


@kernel(pointwise=True)
@quiet
def arctan(data: Array, *, out: Out = None) -> Array:
    """Return the inverse of the tangent."""
    return pointwise(np.arctan, data, out)


@kernel(pointwise=True)
@quiet
def sinh(data: Array, *, out: Out = None) -> Array:
    """Return the hyperbolic sine."""
    return pointwise(np.sinh, data, out)


@kernel(pointwise=True)
@quiet
def cosh(data: Array, *, out: Out = None) -> Array:
    """Return the hyperbolic cosine."""
    return pointwise(np.cosh, data, out)


@kernel(pointwise=True)
@quiet
def tanh(data: Array, *, out: Out = None) -> Array:
    """Return the hyperbolic tangent."""
    return pointwise(np.tanh, data, out)


@kernel(pointwise=True)
@quiet
def arcsinh(data: Array, *, out: Out = None) -> Array:
    """Return the inverse of the hyperbolic sine."""
    return pointwise(np.arcsinh, data, out)


@kernel(pointwise=True)
@quiet
def arccosh(data: Array, *, out: Out = None) -> Array:
    """Return the inverse of the hyperbolic cosine."""
    return pointwise(np.arccosh, data, out)


@kernel(pointwise=True)
@quiet
def arctanh(data: Array, *, out: Out = None) -> Array:
    """Return the inverse of the hyperbolic tangent."""
    return pointwise(np.arctanh, data, out)


@kernel(pointwise=True)
@quiet
def degrees(data: Array, *, out: Out = None) -> Array:
    """Convert radians to degrees."""
    return pointwise(np.degrees, data, out).astype(data.dtype, copy=False)


@kernel(pointwise=True)
@quiet
def radians(data: Array, *, out: Out = None) -> Array:
    """Convert degrees to radians."""
    return pointwise(np.radians, data, out).astype(data.dtype, copy=False)
