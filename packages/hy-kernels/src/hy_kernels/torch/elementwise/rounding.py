"""Rounding to integers, element by element."""

import torch

from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import Out, Tensor, copied, is_integer, out_buffer
from hy_kernels.torch.elementwise.unary import sign

__all__ = ["ceil", "fix", "floor", "rint", "round", "round_ste", "sign_ste", "trunc"]


@kernel(pointwise=True)
def floor(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the largest integer that is not above each element."""
    return copied(data, out) if is_integer(data) else torch.floor(data, out=out_buffer(out))


@kernel(pointwise=True)
def ceil(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the smallest integer that is not below each element."""
    return copied(data, out) if is_integer(data) else torch.ceil(data, out=out_buffer(out))


@kernel(pointwise=True)
def trunc(data: Tensor, *, out: Out = None) -> Tensor:
    """Return each element without its fraction."""
    return copied(data, out) if is_integer(data) else torch.trunc(data, out=out_buffer(out))


fix = alias("fix", trunc)


@kernel(pointwise=True)
def rint(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the nearest integers, halves down."""
    if is_integer(data):
        return copied(data, out)
    # floor and a comparison: torch.round goes to even, MXNet's rint takes halves down.
    lower = torch.floor(data)
    lower += data - lower > 0.5
    return torch.copysign(lower, data, out=out_buffer(out))


@kernel(pointwise=True)
def round(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the nearest integers, halves away from 0."""
    if is_integer(data):
        return copied(data, out)
    size = torch.abs(data)
    # Away from 0, symmetric by the sign.
    lower = torch.floor(size)
    lower += size - lower >= 0.5
    return torch.copysign(lower, data, out=out_buffer(out))


round_ste = alias("round_ste", round)
sign_ste = alias("sign_ste", sign)
