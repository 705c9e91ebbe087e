"""Quantized layers on 8-bit integers; sums of products are exact and returned as ``int32``."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import integers
from hy_kernels.numpy.elementwise.quantization import (
    Quantized,
    end,
    levels_per_unit,
    magnitude,
    rounded,
    span,
    steps_per,
    unit,
)
from hy_kernels.numpy.nn import conv, dense, pool
from hy_kernels.numpy.nn._sums import Sums, filter_magnitudes

_INT8 = 127.0  # the largest int8
_INT32 = 2147483647.0  # the largest int32


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
def quantized_pooling(
    data: Array, min_data: Array, max_data: Array, *, pool_type: str, **params: Any
) -> Quantized:
    """Return maxima or rounded means of windows, in the range of the data."""
    y = pool.pooling(
        # Sums of a window would overflow small integers.
        data if pool_type == "max" else data.astype(np.float64),
        pool_type=pool_type,
        **params,
    )
    y = y if pool_type == "max" else rounded(y, data.dtype.name)
    return y, end(min_data), end(max_data)


@kernel()
def quantized_act(data: Array, min_data: Array, max_data: Array, *, act_type: str) -> Quantized:
    """Return ``max(data, 0)``, in the range of the data."""
    if act_type != "relu":
        raise NotImplementedError(f"act_type is {act_type!r}; only 'relu' is quantized")
    return np.maximum(data, 0), end(min_data), end(max_data)


@kernel()
def quantized_flatten(data: Array, min_data: Array, max_data: Array) -> Quantized:
    """Return the data as a matrix ``[N, rest]``, in the same range."""
    columns = int(np.prod(data.shape[1:], dtype=np.int64))
    return np.array(data).reshape(len(data), columns), end(min_data), end(max_data)


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


@kernel()
def quantized_elemwise_add(
    lhs: Array,
    rhs: Array,
    lhs_min: Array,
    lhs_max: Array,
    rhs_min: Array,
    rhs_max: Array,
    *,
    min_calib_range: float | None,
    max_calib_range: float | None,
) -> Quantized:
    """Return the sum of two quantized arrays, quantized, and the ends of its range."""
    left, right = magnitude(lhs_min, lhs_max), magnitude(rhs_min, rhs_max)
    low, high = -float(left + right), float(left + right)
    dtype = "int32"
    if min_calib_range is not None and max_calib_range is not None:
        low, high = min_calib_range, max_calib_range
        dtype = "uint8" if lhs.dtype == rhs.dtype == np.uint8 else "int8"
    step = unit(magnitude(low, high), np.dtype(dtype))
    scales = (unit(left, lhs.dtype), unit(right, rhs.dtype))
    one, other = (s / step if step else np.float32(0) for s in scales)
    # In float32 as in MXNet, although that rounds large int32 numbers.
    total = lhs.astype(np.float32) * one + rhs.astype(np.float32) * other
    return rounded(total.astype(np.float64), dtype), end(low), end(high)


@kernel()
def quantized_elemwise_mul(
    lhs: Array,
    rhs: Array,
    lhs_min: Array,
    lhs_max: Array,
    rhs_min: Array,
    rhs_max: Array,
    *,
    min_calib_range: float | None,
    max_calib_range: float | None,
    enable_float_output: bool,
) -> Quantized | Array:
    """Return the elementwise product, quantized with its range's ends, or as real numbers."""
    left, right = magnitude(lhs_min, lhs_max), magnitude(rhs_min, rhs_max)
    y = lhs.astype(np.int32) * rhs
    step = unit(left, lhs.dtype) * unit(right, rhs.dtype)
    if enable_float_output:
        return y.astype(np.float32) * step
    if min_calib_range is None or max_calib_range is None:
        levels = [255.0 if x.dtype == np.uint8 else _INT8 for x in (lhs, rhs)]
        limit = np.float32(left / np.float32(levels[0]) * (right / np.float32(levels[1])))
        return y, end(-limit * np.float32(_INT32)), end(limit * np.float32(_INT32))
    dtype = "uint8" if lhs.dtype == rhs.dtype == np.uint8 else "int8"
    steps = steps_per(magnitude(min_calib_range, max_calib_range), np.dtype(dtype))
    return rounded(y * (step * steps), dtype), end(min_calib_range), end(max_calib_range)


@kernel()
def quantized_batch_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    min_data: Array,
    max_data: Array,
    *,
    eps: float,
    fix_gamma: bool,
    axis: int,
    min_calib_range: float | None,
    max_calib_range: float | None,
    **_: Any,
) -> Quantized:
    """Return batch normalisation by the moving statistics, as int8, and its range's ends."""
    shape = [1] * data.ndim
    shape[axis] = -1
    factor = (1.0 if fix_gamma else gamma) / np.sqrt(moving_var.astype(np.float64) + eps)
    shift = beta - moving_mean * factor
    y = data * (factor * unit(magnitude(min_data, max_data), data.dtype)).reshape(shape)
    y += shift.reshape(shape)
    low, high = span(y, min_calib_range, max_calib_range)
    y *= steps_per(magnitude(low, high), np.dtype(np.int8))
    return rounded(y, "int8"), end(low), end(high)


@kernel()
def quantized_embedding(
    data: Array,
    weight: Array,
    min_weight: Array,
    max_weight: Array,
    *,
    input_dim: int,  # follows from weight
    output_dim: int,
    dtype: str,
    sparse_grad: bool,
) -> Quantized:
    """Return the row of ``weight`` at each index, in the weight's range."""
    rows = np.take(weight, integers(data), axis=0, mode="clip")
    return rows, end(min_weight), end(max_weight)
