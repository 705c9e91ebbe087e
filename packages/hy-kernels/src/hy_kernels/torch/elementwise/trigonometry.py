"""Trigonometric and hyperbolic functions, element by element."""

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, pointwise

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
def sin(data: Tensor, *, out: Out = None) -> Tensor:
    """Sine."""
    return pointwise(torch.sin, data, out)


@kernel(pointwise=True)
def cos(data: Tensor, *, out: Out = None) -> Tensor:
    """Cosine."""
    return pointwise(torch.cos, data, out)


@kernel(pointwise=True)
def tan(data: Tensor, *, out: Out = None) -> Tensor:
    """Tangent."""
    return pointwise(torch.tan, data, out)


@kernel(pointwise=True)
def arcsin(data: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of the sine."""
    return pointwise(torch.arcsin, data, out)


@kernel(pointwise=True)
def arccos(data: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of the cosine."""
    return pointwise(torch.arccos, data, out)


@kernel(pointwise=True)
def arctan(data: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of the tangent."""
    return pointwise(torch.arctan, data, out)


@kernel(pointwise=True)
def sinh(data: Tensor, *, out: Out = None) -> Tensor:
    """Hyperbolic sine."""
    return pointwise(torch.sinh, data, out)


@kernel(pointwise=True)
def cosh(data: Tensor, *, out: Out = None) -> Tensor:
    """Hyperbolic cosine."""
    return pointwise(torch.cosh, data, out)


@kernel(pointwise=True)
def tanh(data: Tensor, *, out: Out = None) -> Tensor:
    """Hyperbolic tangent."""
    return pointwise(torch.tanh, data, out)


@kernel(pointwise=True)
def arcsinh(data: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of the hyperbolic sine."""
    return pointwise(torch.arcsinh, data, out)


@kernel(pointwise=True)
def arccosh(data: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of the hyperbolic cosine."""
    return pointwise(torch.arccosh, data, out)


@kernel(pointwise=True)
def arctanh(data: Tensor, *, out: Out = None) -> Tensor:
    """Inverse of the hyperbolic tangent."""
    return pointwise(torch.arctanh, data, out)


@kernel(pointwise=True)
def degrees(data: Tensor, *, out: Out = None) -> Tensor:
    """Radians to degrees."""
    return pointwise(torch.rad2deg, data, out)


@kernel(pointwise=True)
def radians(data: Tensor, *, out: Out = None) -> Tensor:
    """Degrees to radians."""
    return pointwise(torch.deg2rad, data, out)
