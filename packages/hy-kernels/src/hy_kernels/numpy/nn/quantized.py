"""Quantized layers on 8-bit integers; sums of products are exact and returned as ``int32``."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.elementwise.quantization import (
    Quantized,
    end,
    levels_per_unit,
    magnitude,
    rounded,
)
from hy_kernels.numpy.nn import conv, dense
from hy_kernels.numpy.nn._sums import Sums, filter_magnitudes


@kernel()
def quantized_fully_connected(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    min_data: Array | None = None,
    max_data: Array | None = None,
    min_weight: Array | None = None,
    max_weight: Array | None = None,
    min_bias: Array | None = None,
    max_bias: Array | None = None,
    *,
    num_hidden: int,  # follows from weight
    no_bias: bool,
    flatten: bool,
) -> Quantized:
    """Return ``data · weightᵀ + bias`` as ``int32``, and the ends of its range."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    sums = Sums(data.dtype, filter_magnitudes(weight), bias, *ends)
    y = dense.project(data.astype(sums.dtype), weight.astype(sums.dtype), flatten=flatten)
    if sums.bias is not None:
        y += sums.bias.astype(sums.dtype)
    return sums.in_one_range(y, -1)


@kernel()
def quantized_conv(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    min_data: Array | None = None,
    max_data: Array | None = None,
    min_weight: Array | None = None,
    max_weight: Array | None = None,
    min_bias: Array | None = None,
    max_bias: Array | None = None,
    *,
    layout: str | None,
    **params: Any,
) -> Quantized:
    """Return the convolution of data and weight, plus bias, as ``int32``, and its range's ends."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    sums = Sums(data.dtype, filter_magnitudes(weight), bias, *ends)
    y = conv.exact(
        data.astype(sums.dtype),
        weight.astype(sums.dtype),
        None if sums.bias is None else sums.bias.astype(sums.dtype),
        layout=layout,
        **params,
    )
    return sums.in_one_range(y, -1 if layout is not None and layout[1] != "C" else 1)


@kernel()
def quantized_concat(*data: Array, num_args: int, dim: int) -> Quantized:
    """Return the arrays concatenated after requantization to a range that contains all ranges."""
    arrays, lows, highs = data[:num_args], data[num_args::2], data[num_args + 1 :: 2]
    low = min(np.float32(x.item()) for x in lows)
    high = max(np.float32(x.item()) for x in highs)
    signed = any(array.dtype == np.int8 for array in arrays)
    dtype, limit = ("int8", 127) if signed else ("uint8", 255)
    largest = magnitude(low, high)
    parts = []
    for array, own_low, own_high in zip(arrays, lows, highs, strict=True):
        own = magnitude(own_low, own_high)
        # An array that already has the common range is not rounded again.
        if own == largest and array.dtype == dtype:
            parts.append(array)
        else:
            levels = 127 if array.dtype == np.int8 else 255
            parts.append(rounded(array * (levels_per_unit(limit, largest) * (own / levels)), dtype))
    return np.concatenate(parts, axis=dim), end(low), end(high)
