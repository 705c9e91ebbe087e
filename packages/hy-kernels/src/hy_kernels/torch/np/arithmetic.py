"""Arithmetic and comparison of two tensors, with broadcasting and type promotion."""

from collections.abc import Callable

import torch

from hy_kernels.torch._dtypes import refuse_complex, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import Out, Tensor, is_integer, out_buffer, stored
from hy_kernels.torch.elementwise._functions import of_two
from hy_kernels.torch.elementwise.broadcast import (
    broadcast_add,
    broadcast_mod,
    broadcast_mul,
    broadcast_power,
    broadcast_sub,
)
from hy_kernels.torch.np._dtypes import common_dtype


def _compared(function: Callable[..., Tensor], lhs: Tensor, rhs: Tensor, out: Out) -> Tensor:
    """Return the comparison, computed in a dtype that represents both operands."""
    if lhs.dtype is not rhs.dtype:
        dtype = torch.promote_types(lhs.dtype, rhs.dtype)
        if is_integer(lhs) != is_integer(rhs):  # a 16-bit float lacks most integers
            dtype = widest(lhs.device)
        lhs, rhs = lhs.to(dtype), rhs.to(dtype)
    return function(lhs, rhs, out=out_buffer(out))


def _register_comparison(name: str, function: Callable[..., Tensor]) -> None:
    @kernel(f"np_{name}", pointwise=True)
    def compare(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
        return _compared(function, lhs, rhs, out)


_register_comparison("equal", torch.eq)
_register_comparison("not_equal", torch.ne)
_register_comparison("greater", torch.gt)
_register_comparison("greater_equal", torch.ge)
_register_comparison("less", torch.lt)
_register_comparison("less_equal", torch.le)


of_two("np_bitwise_and", torch.bitwise_and)
of_two("np_bitwise_or", torch.bitwise_or)
of_two("np_bitwise_xor", torch.bitwise_xor)


def _enter_promoted(name: str, function: Callable[..., Tensor]) -> None:
    """Register a kernel of two operands with type promotion."""

    @kernel(f"np_{name}", pointwise=True)
    def of_two(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
        if lhs.dtype is not rhs.dtype:
            dtype = common_dtype(lhs, rhs)
            lhs, rhs = lhs.to(dtype), rhs.to(dtype)
        return function(lhs, rhs, out=out)


_enter_promoted("add", broadcast_add)
_enter_promoted("subtract", broadcast_sub)
_enter_promoted("multiply", broadcast_mul)
_enter_promoted("mod", broadcast_mod)
_enter_promoted("power", broadcast_power)


@kernel(pointwise=True)
def np_true_divide(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return ``lhs / rhs``; integers give float32."""
    if is_integer(lhs) and is_integer(rhs):
        dtype = widest(lhs.device)
        return stored(torch.div(lhs.to(dtype), rhs.to(dtype)).to(torch.float32), out)
    dtype = common_dtype(lhs, rhs)
    return torch.div(lhs.to(dtype), rhs.to(dtype), out=out_buffer(out))


def _in_own_dtype(function: Callable[..., Tensor], lhs: Tensor, rhs: Tensor, out: Out) -> Tensor:
    """Return ``function(lhs, rhs)``, computed in floats, in the dtype of ``lhs``."""
    if lhs.dtype is rhs.dtype and lhs.dtype.is_floating_point:
        return function(lhs, rhs, out=out_buffer(out))
    refuse_complex(lhs.dtype)
    dtype = widest(lhs.device)
    return stored(function(lhs.to(dtype), rhs.to(dtype)).to(lhs.dtype), out)


@kernel(pointwise=True)
def np_arctan2(x1: Tensor, x2: Tensor, *, out: Out = None) -> Tensor:
    """Return the angle of the point ``(x2, x1)``."""
    return _in_own_dtype(torch.arctan2, x1, x2, out)


@kernel(pointwise=True)
def np_copysign(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return ``lhs`` with the sign of ``rhs``."""
    return _in_own_dtype(torch.copysign, lhs, rhs, out)


@kernel(pointwise=True)
def same_sign(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return 1 where the signs agree, -1 where they differ, 0 where ``lhs`` is 0.

    This is the gradient of ``copysign`` to ``lhs``.
    """
    sign = torch.sign(lhs)
    return _in_own_dtype(torch.copysign, sign, rhs, out).mul_(sign)


@kernel(pointwise=True)
def np_ldexp(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return ``lhs * 2 ** rhs`` in the dtype of ``lhs``; integers go through float64."""
    if is_integer(lhs):
        dtype = widest(lhs.device)
        # 2 ** rhs may be a fraction, which integers would cut off before the product.
        return stored(lhs.to(dtype).mul(torch.exp2(rhs.to(dtype))).to(lhs.dtype), out)
    power = torch.exp2(to_compute_dtype(rhs))
    return stored(power.mul(to_compute_dtype(lhs)).to(lhs.dtype), out)


@kernel()
def np_lcm(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Return the least common multiple."""
    # torch has no lcm of booleans.
    if lhs.dtype is torch.bool:
        return torch.logical_and(lhs, rhs)
    return torch.lcm(lhs, rhs)
