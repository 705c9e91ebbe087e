"""Rounding to integers, element by element."""

from collections.abc import Callable

import torch

from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import Out, Tensor, copied, is_integer, out_buffer
from hy_kernels.torch.elementwise.unary import sign


def _enter(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @kernel(name, pointwise=True)
    def rounded(data: Tensor, *, out: Out = None) -> Tensor:
        return copied(data, out) if is_integer(data) else function(data, out=out_buffer(out))

    return rounded


_enter("floor", torch.floor)
_enter("ceil", torch.ceil)
alias("fix", _enter("trunc", torch.trunc))


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
