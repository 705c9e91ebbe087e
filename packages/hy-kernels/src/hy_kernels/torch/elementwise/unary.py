"""Absolute values, roots, squares, clipping and other pointwise functions."""

import math
from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import (
    Out,
    OutBuffers,
    Tensor,
    as_int,
    copied,
    fitting,
    in_float32,
    is_integer,
    out_buffer,
    pointwise,
    stored,
)
from hy_kernels.torch.elementwise._functions import of_one, register

_LARGEST = 3e38  # a number that float32 has
_HALF_DTYPES = (torch.float16, torch.bfloat16)


@kernel(pointwise=True)
def abs(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the absolute value."""
    if data.dtype is torch.bool:
        return copied(data, out)
    return torch.abs(data, out=out_buffer(out))


negative = of_one("negative", torch.neg)
sign = of_one("sign", torch.sign)
register({"reciprocal": torch.reciprocal, "sqrt": torch.sqrt})


@kernel(pointwise=True)
def square(data: Tensor, *, out: Out = None) -> Tensor:
    """Return ``data * data``."""
    return torch.mul(data, data, out=out_buffer(out))


def _fast_clip(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of clipping float32 to bounds that float32 represents exactly."""
    low, high = params["a_min"], params["a_max"]
    if not -_LARGEST < low <= high < _LARGEST:
        return None
    low, high = as_int(low), as_int(high)
    return lambda x: torch.clamp(x, low, high) if x.dtype is torch.float32 else general(x)


@kernel(pointwise=True, specialize=by_params(_fast_clip))
def clip(data: Tensor, *, a_min: float, a_max: float, out: Out = None) -> Tensor:
    """Return ``data`` clipped to ``[a_min, a_max]``."""
    if out is None and data.dtype is torch.float32 and -_LARGEST < a_min <= a_max < _LARGEST:
        # torch.clamp of plain ends: no dtype logic, the usual call.
        return torch.clamp(data, a_min, a_max)
    # Integers: the ends may be fractions, so it is computed in float64.
    if is_integer(data):
        return pointwise(lambda x: torch.clamp(x, a_min, a_max), data, out)
    low, high = fitting(a_min, data.dtype), fitting(a_max, data.dtype)
    return torch.clamp(data, low, high, out=out_buffer(out))


@kernel(pointwise=True)
def rsqrt(data: Tensor, *, out: Out = None) -> Tensor:
    """Return ``1 / sqrt(data)``."""
    # torch's CPU kernel rounds the root to 16 bits before it divides.
    if data.dtype in _HALF_DTYPES and data.is_cpu:
        return in_float32(torch.rsqrt, data, out)
    return pointwise(torch.rsqrt, data, out)


def _cbrt(data: Tensor) -> Tensor:
    """Return the cube root: a power, improved by one Newton step, since 1/3 is inexact."""
    # pow(x, 1/3) is off by an ulp because 1/3 is rounded; Newton's step corrects it.
    size = torch.abs(data)
    root = torch.pow(size, 1 / 3)
    better = root - (root - size / (root * root)) / 3
    is_standard = torch.isfinite(better) & (size != 0)
    return torch.copysign(torch.where(is_standard, better, root), data)


@kernel(pointwise=True)
def cbrt(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the cube root."""
    return in_float32(_cbrt, data, out)


@kernel(pointwise=True)
def rcbrt(data: Tensor, *, out: Out = None) -> Tensor:
    """Return ``1 / cbrt(data)``."""
    return in_float32(lambda x: _cbrt(x).reciprocal_(), data, out)


@kernel(pointwise=True)
def smooth_l1(data: Tensor, *, scalar: float, out: Out = None) -> Tensor:
    """Return the smooth L1 loss: ``(scalar data)² / 2`` around 0, linear outside."""
    scale = scalar * scalar
    limit = 1 / scale if scale else math.inf

    def value(x: Tensor) -> Tensor:
        size = torch.abs(x)
        parabola = torch.square(size).mul_(0.5 * scale)
        return torch.where(size >= limit, size - 0.5 * limit, parabola)

    return in_float32(value, data, out)


@kernel(out="apart")
def div_sqrt_dim(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``data`` over the square root of the size of its last axis."""
    factor = 1 / math.sqrt(max(data.shape[-1], 1) if data.ndim else 1)
    if data.dtype.is_floating_point:
        return torch.mul(data, factor, out=out_buffer(out))
    return stored(in_float32(lambda x: x * factor, data), out)
