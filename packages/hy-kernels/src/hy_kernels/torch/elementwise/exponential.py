"""Exponential functions and logarithms, element by element."""

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, pointwise

__all__ = ["exp", "expm1", "log", "log1p", "log2", "log10"]


@kernel(pointwise=True)
def exp(data: Tensor, *, out: Out = None) -> Tensor:
    """``e`` to the power of ``data``."""
    return pointwise(torch.exp, data, out)


@kernel(pointwise=True)
def expm1(data: Tensor, *, out: Out = None) -> Tensor:
    """``exp(data) - 1``."""
    return pointwise(torch.expm1, data, out)


@kernel(pointwise=True)
def log(data: Tensor, *, out: Out = None) -> Tensor:
    """Natural logarithm."""
    return pointwise(torch.log, data, out)


@kernel(pointwise=True)
def log2(data: Tensor, *, out: Out = None) -> Tensor:
    """Logarithm to base 2."""
    return pointwise(torch.log2, data, out)


@kernel(pointwise=True)
def log10(data: Tensor, *, out: Out = None) -> Tensor:
    """Logarithm to base 10."""
    return pointwise(torch.log10, data, out)


@kernel(pointwise=True)
def log1p(data: Tensor, *, out: Out = None) -> Tensor:
    """``log(1 + data)``."""
    return pointwise(torch.log1p, data, out)
