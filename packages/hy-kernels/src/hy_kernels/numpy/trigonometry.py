"""Trigonometric and hyperbolic functions, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, pointwise, quiet

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


@quiet
def sin(data: Array) -> Array:
    """Sine."""
    return pointwise(np.sin, data)


@quiet
def cos(data: Array) -> Array:
    """Cosine."""
    return pointwise(np.cos, data)


@quiet
def tan(data: Array) -> Array:
    """Tangent."""
    return pointwise(np.tan, data)


@quiet
def arcsin(data: Array) -> Array:
    """Inverse of the sine."""
    return pointwise(np.arcsin, data)


@quiet
def arccos(data: Array) -> Array:
    """Inverse of the cosine."""
    return pointwise(np.arccos, data)


@quiet
def arctan(data: Array) -> Array:
    """Inverse of the tangent."""
    return pointwise(np.arctan, data)


@quiet
def sinh(data: Array) -> Array:
    """Hyperbolic sine."""
    return pointwise(np.sinh, data)


@quiet
def cosh(data: Array) -> Array:
    """Hyperbolic cosine."""
    return pointwise(np.cosh, data)


@quiet
def tanh(data: Array) -> Array:
    """Hyperbolic tangent."""
    return pointwise(np.tanh, data)


@quiet
def arcsinh(data: Array) -> Array:
    """Inverse of the hyperbolic sine."""
    return pointwise(np.arcsinh, data)


@quiet
def arccosh(data: Array) -> Array:
    """Inverse of the hyperbolic cosine."""
    return pointwise(np.arccosh, data)


@quiet
def arctanh(data: Array) -> Array:
    """Inverse of the hyperbolic tangent."""
    return pointwise(np.arctanh, data)


@quiet
def degrees(data: Array) -> Array:
    """Radians to degrees."""
    return pointwise(np.degrees, data).astype(data.dtype, copy=False)


@quiet
def radians(data: Array) -> Array:
    """Degrees to radians."""
    return pointwise(np.radians, data)
