"""Quantized layers: sums of integer products are exact, and returned as int32.

Dense layers use oneDNN if it sums int8 products exactly, else floats that hold the sums exactly.
"""

from functools import cache
from math import prod
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._rows import positions, taken
from hy_kernels.torch._tensor import Tensor, copied
from hy_kernels.torch.elementwise.quantization import (
    Quantized,
    end,
    levels_per_unit,
    magnitude,
    rounded,
    span,
    steps_per,
    unit,
)
from hy_kernels.torch.nn import pool
from hy_kernels.torch.nn._sums import Sums, convolved, magnitudes, multiplied
from hy_kernels.torch.nn._window import full, to_first, to_last

Size: TypeAlias = tuple[int, ...]
_SHIFT = 128  # from uint8 to int8
_INT32 = 2147483647.0  # its largest number
_BYTES = {torch.int8: 127.0, torch.uint8: 255.0}


# --- sums of products ----------------------------------------------------------------------------


@cache
def exact_products() -> bool:
    """Return whether oneDNN multiplies int8 matrices and sums exactly."""
    if not torch._C._has_mkldnn or not hasattr(torch, "_int_mm"):
        return False
    # The largest products: pairs of them summed in 16 bits would saturate.
    x = torch.full((16, 64), -128, dtype=torch.int8)
    y = torch._int_mm(x, torch.full((64, 16), -127, dtype=torch.int8))
    return bool((y == 64 * 128 * 127).all())


def _products(rows: Tensor, weight: Tensor) -> Tensor:
    """Return ``rows · weightᵀ``, int32, by oneDNN."""
    if rows.dtype is torch.int8:
        return torch._int_mm(rows, weight.t())
    # uint8 as int8 less 128; the filter's sum times 128 is added again.
    y = torch._int_mm((rows ^ _SHIFT).view(torch.int8), weight.t())
    return y.add_(weight.sum(1, dtype=torch.int32), alpha=_SHIFT)


def _in_one_range(y: Tensor, sums: Sums) -> Quantized:
    """Return sums ``[..., filters]`` as int32 with one scale, and their range."""
    limit = end(sums.largest, y)
    return sums.finished(y), -limit, limit


@kernel()
def quantized_fully_connected(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    min_data: Tensor | None = None,
    max_data: Tensor | None = None,
    min_weight: Tensor | None = None,
    max_weight: Tensor | None = None,
    min_bias: Tensor | None = None,
    max_bias: Tensor | None = None,
    *,
    num_hidden: int,  # follows from weight
    no_bias: bool,
    flatten: bool,
) -> Quantized:
    """Return ``data · weightᵀ + bias`` in ``int32``, and its range."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    sums = Sums(data.dtype, magnitudes(weight), bias, *ends)
    x = data.flatten(1) if flatten else data
    rows = x.reshape(prod(x.shape[:-1]), x.shape[-1])
    # torch 2.13 misreads a matrix of one column
    taken = data.is_cpu and data.numel() > 0 and weight.shape[1] > 1
    if taken and exact_products() and sums.below(1 << 31):
        y = _products(rows, weight)
    else:
        y = multiplied(rows, weight, sums)
    return _in_one_range(y.view(*x.shape[:-1], len(weight)), sums)


@kernel()
def quantized_conv(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    min_data: Tensor | None = None,
    max_data: Tensor | None = None,
    min_weight: Tensor | None = None,
    max_weight: Tensor | None = None,
    min_bias: Tensor | None = None,
    max_bias: Tensor | None = None,
    *,
    kernel: Size,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    layout: str | None,
    **_: Any,
) -> Quantized:
    """Return the convolution of data and weight, plus bias, in ``int32``, and its range."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    sums = Sums(data.dtype, magnitudes(weight), bias, *ends)
    rank = len(kernel)
    geometry = full(stride, rank, 1), full(pad, rank, 0), full(dilate, rank, 1)
    y = convolved(to_first(data, layout), to_first(weight, layout), geometry, num_group, sums)
    result, low, high = _in_one_range(y.movedim(1, -1), sums)
    return to_last(result.movedim(-1, 1), layout).contiguous(), low, high


@kernel()
def quantized_embedding(
    data: Tensor,
    weight: Tensor,
    min_weight: Tensor,
    max_weight: Tensor,
    *,
    input_dim: int,  # follows from weight
    output_dim: int,
    dtype: str,
    sparse_grad: bool,
) -> Quantized:
    """Return a row of ``weight`` for every index, in the weight's range."""
    rows = taken(weight, positions(data, len(weight), "clip"), 0)
    return rows, end(min_weight, data), end(max_weight, data)


# --- one result for each number or window --------------------------------------------------------


@kernel()
def quantized_pooling(
    data: Tensor, min_data: Tensor, max_data: Tensor, *, pool_type: str, **params: Any
) -> Quantized:
    """Return maxima, or averages rounded to the nearest integer; the range is that of the data."""
    y = pool.pooling(
        # Averages in float64, then rounded once.
        data if pool_type == "max" else data.to(widest(data.device)),
        pool_type=pool_type,
        **params,
    )
    y = y if pool_type == "max" else rounded(y, data.dtype)
    return y, end(min_data, data), end(max_data, data)


@kernel()
def quantized_act(data: Tensor, min_data: Tensor, max_data: Tensor, *, act_type: str) -> Quantized:
    """Return the data with negative integers set to zero, in the same range."""
    if act_type != "relu":
        raise NotImplementedError(f"act_type is {act_type!r}; only 'relu' is quantized")
    return data.clamp(min=0), end(min_data, data), end(max_data, data)


@kernel()
def quantized_flatten(data: Tensor, min_data: Tensor, max_data: Tensor) -> Quantized:
    """Return the data with all axes but the first merged, in the same range."""
    rows = copied(data).view(len(data), prod(data.shape[1:]))
    return rows, end(min_data, data), end(max_data, data)


@kernel()
def quantized_concat(*data: Tensor, num_args: int, dim: int) -> Quantized:
    """Return the arrays concatenated, requantized to the range that holds all of theirs."""
    arrays = data[:num_args]
    lows, highs = (torch.cat([x.reshape(1) for x in data[num_args + k :: 2]]) for k in (0, 1))
    low, high = lows.amin(), highs.amax()
    # A negative number needs int8.
    dtype = torch.int8 if any(x.dtype is torch.int8 for x in arrays) else torch.uint8
    largest = magnitude(low, high)
    steps = levels_per_unit(_BYTES[dtype], largest)
    parts = []
    for array, own in zip(arrays, magnitude(lows, highs), strict=True):
        same = array.dtype is dtype
        if same and own.is_cpu and own == largest:  # elsewhere asking would wait
            parts.append(array)
            continue
        part = rounded(array * (steps * (own / _BYTES[array.dtype])), dtype)
        # Equal ranges keep their integers; computing them anew could round.
        parts.append(torch.where(own == largest, array, part) if same else part)
    return torch.cat(parts, dim), end(low, low), end(high, high)


@kernel()
def quantized_elemwise_add(
    lhs: Tensor,
    rhs: Tensor,
    lhs_min: Tensor,
    lhs_max: Tensor,
    rhs_min: Tensor,
    rhs_max: Tensor,
    *,
    min_calib_range: float | None,
    max_calib_range: float | None,
) -> Quantized:
    """Return the sum of two arrays requantized to one range."""
    left, right = magnitude(lhs_min, lhs_max), magnitude(rhs_min, rhs_max)
    if min_calib_range is not None and max_calib_range is not None:
        low, high = end(min_calib_range, lhs), end(max_calib_range, lhs)
        dtype = _of_both(lhs, rhs)
    else:
        high = end(left + right, lhs)
        low, dtype = -high, torch.int32
    step = unit(magnitude(low, high), dtype)
    one, other = (
        torch.where(step > 0, unit(own, x.dtype) / step, 0).reshape(())
        for own, x in ((left, lhs), (right, rhs))
    )
    # in float32 up to the end, in which the numbers of int32 are rounded too
    total = lhs.to(torch.float32) * one + rhs.to(torch.float32) * other
    return rounded(total.to(widest(lhs.device)), dtype), low, high


def _of_both(lhs: Tensor, rhs: Tensor) -> torch.dtype:
    """Return the dtype that represents the values of both operands."""
    return torch.uint8 if lhs.dtype is rhs.dtype is torch.uint8 else torch.int8


@kernel()
def quantized_elemwise_mul(
    lhs: Tensor,
    rhs: Tensor,
    lhs_min: Tensor,
    lhs_max: Tensor,
    rhs_min: Tensor,
    rhs_max: Tensor,
    *,
    min_calib_range: float | None,
    max_calib_range: float | None,
    enable_float_output: bool,
) -> Quantized | Tensor:
    """Return products and their range: int32, or requantized if calibrated; or real products."""
    left, right = magnitude(lhs_min, lhs_max), magnitude(rhs_min, rhs_max)
    y = lhs.to(torch.int32) * rhs
    step = (unit(left, lhs.dtype) * unit(right, rhs.dtype)).reshape(())
    if enable_float_output:
        return y.to(torch.float32) * step
    if min_calib_range is None or max_calib_range is None:
        limit = left / _BYTES[lhs.dtype] * (right / _BYTES[rhs.dtype])
        high = end(limit * _INT32, lhs)
        return y, -high, high
    dtype = _of_both(lhs, rhs)
    low, high = end(min_calib_range, lhs), end(max_calib_range, lhs)
    factor = step * steps_per(magnitude(low, high), dtype).reshape(())
    return rounded(y.to(widest(lhs.device)) * factor, dtype), low, high


@kernel()
def quantized_batch_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    min_data: Tensor,
    max_data: Tensor,
    *,
    eps: float,
    fix_gamma: bool,
    axis: int,
    min_calib_range: float | None,
    max_calib_range: float | None,
    **_: Any,
) -> Quantized:
    """Return quantized batch normalisation by the moving statistics, and its range."""
    shape = [1] * data.ndim
    shape[axis] = -1
    # In float64: factor and shift are rounded once, at the end.
    factor = (moving_var.to(widest(data.device)) + eps).rsqrt_()
    if not fix_gamma:
        factor *= gamma
    shift = beta - moving_mean * factor
    y = data * (factor * unit(magnitude(min_data, max_data), data.dtype)).reshape(shape)
    y += shift.reshape(shape)
    low, high = span(y, min_calib_range, max_calib_range)
    y *= steps_per(magnitude(low, high), torch.int8).reshape(())
    return rounded(y, torch.int8), low, high
