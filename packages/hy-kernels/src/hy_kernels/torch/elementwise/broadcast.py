"""Binary arithmetic with broadcasting, and broadcasting itself."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from hy_kernels.record import Function, Type, by_types
from hy_kernels.torch._dtypes import accumulator, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import (
    PLAIN,
    PLAIN_NAMES,
    Out,
    OutBuffers,
    Tensor,
    copied,
    is_integer,
    out_buffer,
    stored,
)
from hy_kernels.torch.elementwise._functions import of_two

broadcast_add = of_two("broadcast_add", torch.add)
broadcast_sub = of_two("broadcast_sub", torch.sub)
broadcast_mul = of_two("broadcast_mul", torch.mul)
broadcast_maximum = of_two("broadcast_maximum", torch.maximum)
broadcast_minimum = of_two("broadcast_minimum", torch.minimum)


def _whole_quotient(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Return integer quotients truncated towards zero; 0 where the divisor is 0, as in numpy."""
    if lhs.dtype is torch.bool:
        if rhs.dtype is torch.bool:
            return lhs & rhs
        return _whole_quotient(lhs.to(rhs.dtype), rhs).to(torch.bool)
    # C leaves division by 0 and of the lowest integer by -1 undefined: the process dies of SIGFPE.
    quotient = torch.div(lhs, rhs.masked_fill(_dangerous(rhs), 1), rounding_mode="trunc")
    if lhs.dtype is not torch.uint8:
        quotient = torch.where(rhs == -1, -lhs, quotient)
    return torch.where(rhs == 0, 0, quotient)


def _dangerous(divisor: Tensor) -> Tensor:
    """Return a mask of divisors that may crash the process: 0, and -1 for signed integers."""
    zero = divisor == 0
    return zero if divisor.dtype is torch.uint8 else zero | (divisor == -1)


@kernel(pointwise=True)
def broadcast_div(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return ``lhs / rhs``, of integers truncated towards zero."""
    if is_integer(lhs):
        return stored(_whole_quotient(lhs, rhs), out)
    return torch.div(lhs, rhs, out=None if out is None else out[0])


@kernel(pointwise=True)
def broadcast_mod(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return the remainder with the sign of ``rhs``; 0 where ``rhs`` is 0."""
    if lhs.dtype is torch.bool:
        return stored(torch.zeros_like(lhs & rhs), out)
    # The remainder by 0 and by -1 is 0, as by 1, so those divisors become 1.
    if is_integer(lhs):
        return torch.remainder(lhs, rhs.masked_fill(_dangerous(rhs), 1), out=out_buffer(out))
    zero = rhs == 0
    result = torch.remainder(lhs, rhs, out=out_buffer(out))
    # torch's remainder 0 has the sign of lhs; numpy's and MXNet's that of the divisor.
    return result.copysign_(rhs).masked_fill_(zero, 0)


def _whole_power(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Return powers of integers, by way of float64 for booleans and negative exponents."""
    compute_dtype = widest(lhs.device)
    if lhs.dtype is torch.bool:
        return torch.pow(lhs.to(compute_dtype), rhs.to(compute_dtype)).to(lhs.dtype)
    if lhs.dtype is torch.uint8:
        return torch.pow(lhs, rhs)
    # Negative exponents give fractions, cut off to 0, 1 or -1; the integer power is for the others.
    fraction = torch.pow(lhs.to(compute_dtype), rhs.to(compute_dtype)).to(lhs.dtype)
    return torch.where(rhs < 0, fraction, torch.pow(lhs, torch.clamp_min(rhs, 0)))


@kernel(pointwise=True)
def broadcast_power(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return ``lhs ** rhs``, of integers truncated towards zero."""
    if is_integer(lhs):
        return stored(_whole_power(lhs, rhs), out)
    return torch.pow(lhs, rhs, out=out_buffer(out))


@kernel(pointwise=True)
def broadcast_hypot(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return ``sqrt(lhs² + rhs²)`` without overflow."""
    if is_integer(lhs):
        compute_dtype = widest(lhs.device)
        return stored(torch.hypot(lhs.to(compute_dtype), rhs.to(compute_dtype)).to(lhs.dtype), out)
    return torch.hypot(lhs, rhs, out=out_buffer(out))


def _sum_along(types: Sequence[Type | None], _: Mapping[str, Any]) -> Function | None:
    """Return ``sum_like`` specialised for sums over leading axes only; None for others."""
    data, like = types
    if data is None or like is None or data[1] not in PLAIN_NAMES:
        return None
    extra = len(data[0]) - len(like[0])
    # Only leading axes: those sums need no keepdims and no reshape.
    if extra < 1 or data[0][extra:] != like[0]:
        return None
    axes = 0 if extra == 1 else tuple(range(extra))

    def total(data: Tensor, _: Tensor, out: OutBuffers = None) -> Tensor:
        return torch.sum(data, axes, out=out_buffer(out))

    return total


@kernel(out="apart", specialize=by_types(_sum_along))
def sum_like(data: Tensor, like: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``data`` summed to the shape of ``like``: the gradient of broadcasting."""
    if data.shape == like.shape:
        return data if out is None else copied(data, out)
    extra = data.ndim - like.ndim
    axes = tuple(
        i for i, n in enumerate(data.shape) if i < extra or (like.shape[i - extra] == 1 and n != 1)
    )
    if data.dtype in PLAIN and len(axes) == extra:
        return torch.sum(data, axes, out=out_buffer(out))
    total = torch.sum(data, axes, keepdim=True, dtype=accumulator(data.dtype))
    return stored(total.reshape(like.shape).to(data.dtype), out)


@kernel(out="apart")
def like_of(data: Tensor, like: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``data`` broadcast to the shape of ``like``."""
    return copied(data.broadcast_to(like.shape), out)
