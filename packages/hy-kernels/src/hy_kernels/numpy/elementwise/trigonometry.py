"""Trigonometric and hyperbolic functions, element by element."""

import numpy as np

from hy_kernels.numpy._array import Array, Out, pointwise, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.elementwise._functions import register

register(
    {
        "arccos": np.arccos,
        "arccosh": np.arccosh,
        "arcsin": np.arcsin,
        "arcsinh": np.arcsinh,
        "arctan": np.arctan,
        "arctanh": np.arctanh,
        "cos": np.cos,
        "cosh": np.cosh,
        "sin": np.sin,
        "sinh": np.sinh,
        "tan": np.tan,
        "tanh": np.tanh,
    }
)


@kernel(pointwise=True)
@quiet
def degrees(data: Array, *, out: Out = None) -> Array:
    """Return ``data``, in radians, converted to degrees."""
    return pointwise(np.degrees, data, out).astype(data.dtype, copy=False)


@kernel(pointwise=True)
@quiet
def radians(data: Array, *, out: Out = None) -> Array:
    """Return ``data``, in degrees, converted to radians."""
    return pointwise(np.radians, data, out).astype(data.dtype, copy=False)
