"""Layers on small integers by oneDNN: products of bytes, summed exactly in ``int32``.

Its convolutions take weights that were packed before, and give their sums as ``float32``. Where
those of a filter could reach 2²⁴, the channels are summed in parts below that, as groups of one
convolution. Data of ``int8`` become ``uint8``, which alone it is fast for.
"""

from functools import cache
from typing import Any, TypeAlias

import numpy as np
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.numpy.nn._sums import Sums
from hy_kernels.torch._host import host_array, on_host
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._window import full

__all__ = [
    "int8_convolution",
    "int8_convolution_range",
    "int8_filters",
    "int8_magnitudes",
    "quantized_fully_connected",
]

Size: TypeAlias = tuple[int, ...]
Geometry: TypeAlias = tuple[list[int], list[int], list[int]]
"""Stride, pad and dilation."""
_onednn: Any = torch.ops.onednn

_EXACT = 1 << 24
_SHIFT = 128
_MOST = (1 << 31) - 1


@cache
def exact_convolutions() -> bool:
    """Whether oneDNN is there, and sums products of bytes exactly.

    On CPUs without instructions for it (VNNI) it adds pairs of products in 16 bits.
    """
    if not torch._C._has_mkldnn or not hasattr(_onednn, "qconv2d_pointwise"):
        return False
    x = torch.full((1, 64, 4, 4), 255, dtype=torch.uint8)
    weight = torch.full((16, 64, 3, 3), 127, dtype=torch.int8)
    how: Geometry = ([1, 1], [0, 0], [1, 1])
    try:
        y = _convolved(x, _packed(weight, x.shape, how, 1, 0), how, 1, 0)
    except RuntimeError:  # a build without them
        return False
    return bool((y == 64 * 9 * 255 * 127).all())


@cache
def exact_products() -> bool:
    """Whether products of matrices of bytes are summed exactly, and by oneDNN."""
    if not torch._C._has_mkldnn or not hasattr(torch, "_int_mm"):
        return False
    x = torch.full((16, 64), -128, dtype=torch.int8)
    y = torch._int_mm(x, torch.full((64, 16), -127, dtype=torch.int8))
    return bool((y == 64 * 128 * 127).all())


def magnitudes(weight: Tensor) -> Tensor:
    """The sum of the magnitudes of each filter's weights, in ``int32``."""
    return weight.flatten(1).abs().view(torch.uint8).sum(1, dtype=torch.int32)


def _sums(
    name: str, data: Tensor, filters: Tensor, bias: Tensor | None, *ends: Tensor | None
) -> Sums:
    kind = np.dtype(np.uint8 if data.dtype is torch.uint8 else np.int8)
    b, *limits = [None if x is None else host_array(x, name) for x in (bias, *ends)]
    return Sums(kind, host_array(filters, name).astype(np.float64), b, *limits)


def _finished(y: Tensor, sums: Sums) -> Tensor:
    """Whole sums ``[..., filters]`` with the bias, as ``int32`` in one range."""
    factors = sums.factors
    if factors is None and sums.bound <= _MOST:
        return y if sums.bias is None else y + torch.from_numpy(sums.bias).to(torch.int32)
    wide = y.to(torch.float64)
    if sums.bias is not None:
        wide += torch.from_numpy(sums.bias).to(torch.float64)
    if factors is not None:
        wide *= torch.from_numpy(factors)
    return wide.round_().clamp_(-_MOST - 1, _MOST).to(torch.int32)


def _end(value: np.float32) -> Tensor:
    return torch.full((1,), float(value), dtype=torch.float32)


# --- dense layers -------------------------------------------------------------------------------

_dense_record = numpy_table().find("quantized_fully_connected")
assert _dense_record is not None
_dense_on_host = on_host(_dense_record)


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
    num_hidden: int,
    no_bias: bool,
    flatten: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """``data · weightᵀ + bias`` in ``int32``."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    x = data.flatten(1) if flatten else data
    rows = x.shape[:-1]
    # torch 2.13 misreads a matrix of one column
    taken = data.device.type == "cpu" and data.numel() > 0 and weight.shape[1] > 1
    if taken and exact_products():
        sums = _sums("quantized_fully_connected", data, magnitudes(weight), bias, *ends)
        if sums.bound <= _MOST:
            y = _products(x.reshape(-1, x.shape[-1]), weight)
            most = sums.largest
            return _finished(y, sums).view(*rows, len(weight)), _end(-most), _end(most)
    how = {"num_hidden": num_hidden, "no_bias": no_bias, "flatten": flatten}
    found: tuple[Tensor, Tensor, Tensor] = _dense_on_host(data, weight, bias, *ends, **how)
    return found


def _products(rows: Tensor, weight: Tensor) -> Tensor:
    """``rows · weightᵀ`` in ``int32``."""
    if rows.dtype is torch.int8:
        return torch._int_mm(rows, weight.t())
    y = torch._int_mm((rows ^ _SHIFT).view(torch.int8), weight.t())
    return y.add_(weight.sum(1, dtype=torch.int32), alpha=_SHIFT)


# --- convolutions, on prepared weights ----------------------------------------------------------


def _geometry(stride: Size, pad: Size, dilate: Size) -> Geometry:
    return full(stride, 2, 1), full(pad, 2, 0), full(dilate, 2, 1)


def _packed(weight: Tensor, size: Size, how: Geometry, groups: int, zero: int) -> Tensor:
    scales = torch.ones(len(weight))
    packed: Tensor = _onednn.qconv_prepack(weight, scales, 1.0, zero, *how, groups, list(size))
    return packed


def _convolved(x: Tensor, weight: Tensor, how: Geometry, groups: int, zero: int) -> Tensor:
    """Sums as ``float32`` in the order of the channels-last."""
    count = len(weight)
    scales, zeros = torch.ones(count), torch.zeros(count, dtype=torch.int32)
    into: Any = (1.0, 0, torch.float32, "none", [], "")
    y: Tensor = _onednn.qconv2d_pointwise(
        x, 1.0, zero, weight, scales, zeros, None, *how, groups, *into
    )
    return y


@kernel()
def int8_magnitudes(weight: Tensor) -> Tensor:
    """The sum of the magnitudes of each filter's weights, in ``int32``."""
    return magnitudes(weight)


@kernel()
def int8_filters(
    weight: Tensor,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    size: Size,
    kind: str,
    parts: int,
) -> Tensor:
    """``weight [O, C, *kernel]`` as convolutions of such images want it.

    Args:
        weight: Of ``int8``.
        stride: Of the windows, as the others.
        dilate: Between the elements of a window.
        pad: Zeros around an image.
        num_group: Groups of channels; 1 if there are ``parts``.
        size: Of the images, ``(N, C, H, W)``.
        kind: Their dtype.
        parts: Into how many the channels are parted; the result is ``[parts * O, C / parts, ...]``.
    """
    filters, channels = weight.shape[:2]
    parted = weight.reshape(filters, parts, channels // parts, *weight.shape[2:])
    made = parted.transpose(0, 1).reshape(parts * filters, channels // parts, *weight.shape[2:])
    largest = int(magnitudes(made).max()) * (256 if kind == "uint8" else _SHIFT)
    if weight.device.type != "cpu" or largest >= _EXACT or not exact_convolutions():
        return made.clone()
    zero = 0 if kind == "uint8" else _SHIFT
    return _packed(made, size, _geometry(stride, pad, dilate), num_group * parts, zero)


@kernel()
def int8_convolution(
    data: Tensor,
    weight: Tensor,
    filters: Tensor,
    bias: Tensor | None = None,
    min_data: Tensor | None = None,
    max_data: Tensor | None = None,
    min_weight: Tensor | None = None,
    max_weight: Tensor | None = None,
    min_bias: Tensor | None = None,
    max_bias: Tensor | None = None,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    parts: int,
    no_bias: bool,
) -> Tensor:
    """Windows of ``data`` times ``weight``, plus ``bias``, in ``int32``.

    Args:
        data: ``[N, C, H, W]``, of ``int8`` or ``uint8``.
        weight: As `int8_filters` gives it.
        filters: As `int8_magnitudes` gives them.
        bias: Of ``int8``.
        min_data: The range of the data, as the others.
        max_data: Its end.
        min_weight: ``[1]``, or of each filter.
        max_weight: Its end.
        min_bias: ``[1]``.
        max_bias: Its end.
        stride: Of the windows.
        dilate: Between the elements of a window.
        pad: Zeros around an image.
        num_group: Groups of channels.
        parts: Into how many the channels are parted.
        no_bias: Whether there is no bias.
    """
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    sums = _sums("quantized_conv", data, filters, bias, *ends)
    how, groups = _geometry(stride, pad, dilate), num_group * parts
    if weight.is_mkldnn and data.numel():
        signed = data.dtype is torch.int8
        x = data.view(torch.uint8) ^ _SHIFT if signed else data
        x = x.contiguous(memory_format=torch.channels_last)
        y = _convolved(x, weight, how, groups, _SHIFT if signed else 0)
    else:
        plain = weight.to_dense() if weight.is_mkldnn else weight
        y = torch.convolution(*(data.double(), plain.double(), None), *how, False, [0, 0], groups)
    last = y.permute(0, 2, 3, 1)
    kind = torch.int32 if sums.bound <= _MOST else torch.float64
    if parts == 1:
        whole = last.to(kind)
    else:
        whole = last.unflatten(3, (parts, -1)).to(kind).sum(3, dtype=kind)
    return _finished(whole, sums).permute(0, 3, 1, 2).contiguous()


@kernel()
def int8_convolution_range(
    data: Tensor,  # only its type matters
    filters: Tensor,
    bias: Tensor | None = None,
    min_data: Tensor | None = None,
    max_data: Tensor | None = None,
    min_weight: Tensor | None = None,
    max_weight: Tensor | None = None,
    min_bias: Tensor | None = None,
    max_bias: Tensor | None = None,
    *,
    no_bias: bool,
) -> Tensor:
    """What the largest ``int32`` of the sums stands for, ``[1]``."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    return _end(_sums("quantized_conv", data, filters, bias, *ends).largest)
