"""Quantized layers: sums of integer products are exact, and returned as int32.

Dense layers use oneDNN if it sums int8 products exactly, else floats that hold the sums exactly.
"""

from functools import cache
from math import prod
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.elementwise.quantization import (
    Quantized,
    end,
    levels_per_unit,
    magnitude,
    rounded,
)
from hy_kernels.torch.nn._sums import Sums, convolved, magnitudes, multiplied
from hy_kernels.torch.nn._window import to_first, to_last
from hy_kernels.windows import geometry_by_axis

Size: TypeAlias = tuple[int, ...]
_SHIFT = 128  # from uint8 to int8
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
    steps, gaps, edges = geometry_by_axis(len(kernel), stride, dilate, pad)
    x, filters = to_first(data, layout), to_first(weight, layout)
    y = convolved(x, filters, (steps, edges, gaps), num_group, sums)
    result, low, high = _in_one_range(y.movedim(1, -1), sums)
    return to_last(result.movedim(-1, 1), layout).contiguous(), low, high


# --- one result for each number or window --------------------------------------------------------


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
