"""Layers on small integers; products are summed exactly and given as ``int32``."""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import integers
from hy_kernels.numpy.nn import conv, dense, pool
from hy_kernels.numpy.quantization import (
    Quantized,
    end,
    magnitude,
    per,
    rounded,
    span,
    steps_per,
    unit,
)

__all__ = [
    "quantized_act",
    "quantized_batch_norm",
    "quantized_concat",
    "quantized_conv",
    "quantized_elemwise_add",
    "quantized_elemwise_mul",
    "quantized_embedding",
    "quantized_flatten",
    "quantized_fully_connected",
    "quantized_pooling",
]

_INT8 = 127.0
_INT32 = 2147483647.0
_EXACT = 2.0**24
"""Below it float32 holds every integer."""


def _largest(low: Array | None, high: Array | None) -> np.float32:
    assert low is not None
    assert high is not None
    return magnitude(low, high)


def _products(data: np.float32, levels: float, weight: np.float32) -> np.float32:
    """The largest magnitude of ``int32`` sums of products."""
    largest = np.float32(data / np.float32(levels) * (weight / np.float32(_INT8)))
    return np.float32(largest * np.float32(_INT32))


def _magnitudes(low: Array, high: Array) -> Array:
    """The largest magnitude of each range, ``[1]`` or ``[filters]``."""
    return np.atleast_1d(np.maximum(np.abs(low), np.abs(high)).astype(np.float32))


class _Sums:
    """How sums of products of integers are made, and what they stand for.

    BLAS has no product of bytes. Products of floats are as good where every partial sum, in
    whatever order, is an integer that the floats can hold: below 2²⁴ in float32, which is twice as
    fast as float64. No partial sum is above the magnitudes of a filter times the largest of the
    data.
    """

    def __init__(self, data: Array, weight: Array, bias: Array | None, *ends: Array | None) -> None:
        min_data, max_data, min_weight, max_weight, min_bias, max_bias = ends
        assert min_weight is not None
        assert max_weight is not None
        self._data = _largest(min_data, max_data)
        self._weights = _magnitudes(min_weight, max_weight)
        self._levels = 255.0 if data.dtype == np.uint8 else _INT8
        filters = np.abs(weight.astype(np.float32).reshape(len(weight), -1))
        largest = filters.sum(axis=1, dtype=np.float64).max(initial=0)
        self._bound = float(largest) * (self._levels + 1)
        self.bias = None if bias is None else self._of_bias(data, bias, min_bias, max_bias)
        if self.bias is not None:
            self._bound += float(np.abs(self.bias).max(initial=0))
        self.dtype = np.float32 if self._bound < _EXACT else np.float64

    def _of_bias(self, data: Array, bias: Array, low: Array | None, high: Array | None) -> Array:
        """The bias in the unit of each filter's sums."""
        by_weight = np.array([steps_per(w, np.dtype(np.int8)) for w in self._weights])
        steps = steps_per(self._data, data.dtype) * by_weight.astype(np.float32)
        return np.trunc(bias.astype(np.float32) * (steps * unit(_largest(low, high), bias.dtype)))

    def in_one_range(self, sums: Array, axis: int) -> Quantized:
        """The sums as ``int32``, and the range that all of them have."""
        largest = np.float32(self._weights.max(initial=0))
        scale = 1.0
        if self._weights.size > 1:  # as fine as int32 can tell, so that no filter loses digits
            scale = 2.0 ** np.floor(np.log2(_INT32 / max(self._bound, 1.0)))
            shape = [1] * sums.ndim
            shape[axis] = -1
            factors = scale * self._weights / np.float64(largest or 1)
            sums = sums * factors.reshape(shape)
        most = np.float32(_products(self._data, self._levels, largest) / scale)
        whole = sums.astype(np.int32) if sums.dtype == np.float32 else rounded(sums, "int32")
        return whole, end(-most), end(most)


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
    num_hidden: int,  # weight tells
    no_bias: bool,
    flatten: bool,
) -> Quantized:
    """``data · weightᵀ + bias`` in ``int32``."""
    sums = _Sums(data, weight, bias, min_data, max_data, min_weight, max_weight, min_bias, max_bias)
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
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    num_filter: int,
    num_group: int,
    workspace: int,
    no_bias: bool,
    cudnn_tune: str | None,
    cudnn_off: bool,
    layout: str | None,
) -> Quantized:
    """Windows of ``data`` times ``weight``, plus ``bias``, in ``int32``."""
    sums = _Sums(data, weight, bias, min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    y = conv.exact(
        data.astype(sums.dtype),
        weight.astype(sums.dtype),
        None if sums.bias is None else sums.bias.astype(sums.dtype),
        kernel=kernel,
        num_filter=num_filter,
        stride=stride,
        dilate=dilate,
        pad=pad,
        num_group=num_group,
        layout=layout,
    )
    return sums.in_one_range(y, -1 if layout is not None and layout[1] != "C" else 1)


@kernel()
def quantized_pooling(
    data: Array,
    min_data: Array,
    max_data: Array,
    *,
    kernel: tuple[int, ...],
    pool_type: str,
    global_pool: bool,
    cudnn_off: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    p_value: int | None,
    count_include_pad: bool | None,
    layout: str | None,
) -> Quantized:
    """Maxima, or averages rounded to the nearest integer."""
    y = pool.pooling(
        data if pool_type == "max" else data.astype(np.float64),
        kernel=kernel,
        pool_type=pool_type,
        global_pool=global_pool,
        cudnn_off=cudnn_off,
        pooling_convention=pooling_convention,
        stride=stride,
        pad=pad,
        p_value=p_value,
        count_include_pad=count_include_pad,
        layout=layout,
    )
    y = y if pool_type == "max" else rounded(y, data.dtype.name)
    return y, end(min_data), end(max_data)


@kernel()
def quantized_act(data: Array, min_data: Array, max_data: Array, *, act_type: str) -> Quantized:
    """Negative integers set to zero."""
    if act_type != "relu":
        raise NotImplementedError(f"act_type={act_type!r}")
    return np.maximum(data, 0), end(min_data), end(max_data)


@kernel()
def quantized_flatten(data: Array, min_data: Array, max_data: Array) -> Quantized:
    """All axes but the first as one."""
    columns = int(np.prod(data.shape[1:], dtype=np.int64))
    return np.array(data).reshape(len(data), columns), end(min_data), end(max_data)


@kernel()
def quantized_concat(*data: Array, num_args: int, dim: int) -> Quantized:
    """The arrays in the range that holds all of theirs, one behind the other."""
    arrays, lows, highs = data[:num_args], data[num_args::2], data[num_args + 1 :: 2]
    low = min(np.float32(x.item()) for x in lows)
    high = max(np.float32(x.item()) for x in highs)
    signed = any(array.dtype == np.int8 for array in arrays)
    dtype, most = ("int8", 127) if signed else ("uint8", 255)
    largest = magnitude(low, high)
    parts = []
    for array, own_low, own_high in zip(arrays, lows, highs, strict=True):
        own = magnitude(own_low, own_high)
        if own == largest and array.dtype == dtype:
            parts.append(array)
        else:
            levels = 127 if array.dtype == np.int8 else 255
            parts.append(rounded(array * (per(most, largest) * (own / levels)), dtype))
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
    """Sums in one range."""
    left, right = magnitude(lhs_min, lhs_max), magnitude(rhs_min, rhs_max)
    low, high = -float(left + right), float(left + right)
    dtype = "int32"
    if min_calib_range is not None and max_calib_range is not None:
        low, high = min_calib_range, max_calib_range
        dtype = "uint8" if lhs.dtype == rhs.dtype == np.uint8 else "int8"
    step = unit(magnitude(low, high), np.dtype(dtype))
    scales = (unit(left, lhs.dtype), unit(right, rhs.dtype))
    one, other = (s / step if step else np.float32(0) for s in scales)
    # in float32 up to the end, in which the numbers of int32 are rounded too
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
    """Products in one range, or the numbers they stand for."""
    left, right = magnitude(lhs_min, lhs_max), magnitude(rhs_min, rhs_max)
    y = lhs.astype(np.int32) * rhs
    step = unit(left, lhs.dtype) * unit(right, rhs.dtype)
    if enable_float_output:
        return y.astype(np.float32) * step
    if min_calib_range is None or max_calib_range is None:
        levels = [255.0 if x.dtype == np.uint8 else _INT8 for x in (lhs, rhs)]
        most = np.float32(left / np.float32(levels[0]) * (right / np.float32(levels[1])))
        return y, end(-most * np.float32(_INT32)), end(most * np.float32(_INT32))
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
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    output_mean_var: bool,
    axis: int,
    cudnn_off: bool,
    min_calib_range: float | None,
    max_calib_range: float | None,
) -> Quantized:
    """One factor and one summand for each channel."""
    shape = [1] * data.ndim
    shape[axis] = -1
    slope = (1.0 if fix_gamma else gamma) / np.sqrt(moving_var.astype(np.float64) + eps)
    shift = beta - moving_mean * slope
    y = data * (slope * unit(magnitude(min_data, max_data), data.dtype)).reshape(shape)
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
    input_dim: int,  # weight tells
    output_dim: int,
    dtype: str,
    sparse_grad: bool,
) -> Quantized:
    """A row of ``weight`` for every index."""
    rows = np.take(weight, integers(data), axis=0, mode="clip")
    return rows, end(min_weight), end(max_weight)
