"""Quantized convolutions for prediction, by oneDNN: int8 products, summed exactly.

Weights are packed in advance, and sums are float32. If the sums of a filter could reach 2²⁴, the
channels are split into parts that stay below, as groups of one convolution. Data of int8 become
uint8, for which alone oneDNN is fast. Without oneDNN products of floats are used instead.
"""

from functools import cache
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.elementwise.quantization import end
from hy_kernels.torch.nn._sums import Geometry, Sums, convolved, magnitudes
from hy_kernels.windows import geometry_by_axis

Size: TypeAlias = tuple[int, ...]
_onednn: Any = torch.ops.onednn

_EXACT = 1 << 24  # integers up to this are exact in float32
_SHIFT = 128  # from uint8 to int8


@cache
def exact_convolutions() -> bool:
    """Return whether oneDNN is available and sums int8 products exactly.

    On CPUs without VNNI instructions it adds pairs of products in 16 bits, which saturate.
    """
    if not torch._C._has_mkldnn or not hasattr(_onednn, "qconv2d_pointwise"):
        return False
    # The largest products: pairs of them summed in 16 bits would saturate.
    x = torch.full((1, 64, 4, 4), 255, dtype=torch.uint8)
    weight = torch.full((16, 64, 3, 3), 127, dtype=torch.int8)
    geometry: Geometry = ((1, 1), (0, 0), (1, 1))
    try:
        y = _convolved(x, _packed(weight, x.shape, geometry, 1, 0), geometry, 1, 0)
    except RuntimeError:  # a build without them
        return False
    return bool((y == 64 * 9 * 255 * 127).all())


def _geometry(stride: Size, pad: Size, dilate: Size) -> Geometry:
    stride, dilate, pad = geometry_by_axis(2, stride, dilate, pad)
    return stride, pad, dilate


def _packed(weight: Tensor, size: Size, geometry: Geometry, groups: int, zero: int) -> Tensor:
    scales = torch.ones(len(weight))
    packed: Tensor = _onednn.qconv_prepack(weight, scales, 1.0, zero, *geometry, groups, list(size))
    return packed


def _convolved(x: Tensor, weight: Tensor, geometry: Geometry, groups: int, zero: int) -> Tensor:
    """Return the sums of products by oneDNN, float32, channels last."""
    count = len(weight)
    scales, zeros = torch.ones(count), torch.zeros(count, dtype=torch.int32)
    into: Any = (1.0, 0, torch.float32, "none", [], "")
    y: Tensor = _onednn.qconv2d_pointwise(
        x, 1.0, zero, weight, scales, zeros, None, *geometry, groups, *into
    )
    return y


@kernel()
def int8_magnitudes(weight: Tensor) -> Tensor:
    """Return the sum of the absolute values of each filter's weights, int32."""
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
    """Return ``weight [O, C, *kernel]`` packed by oneDNN for images of a size, or a plain copy.

    Args:
        weight: The weight, int8.
        stride: Stride of the windows.
        dilate: Dilation of the windows.
        pad: Zero padding of the images.
        num_group: Number of groups; 1 if there are ``parts``.
        size: Size of the images, ``(N, C, H, W)``.
        kind: Dtype of the images.
        parts: Number of parts that the channels are split into; the result is
            ``[parts * O, C / parts, ...]``.
    """
    filters, channels = weight.shape[:2]
    parted = weight.reshape(filters, parts, channels // parts, *weight.shape[2:])
    result = parted.transpose(0, 1).reshape(parts * filters, channels // parts, *weight.shape[2:])
    if not weight.is_cpu or not exact_convolutions():
        return result.clone()
    largest = int(magnitudes(result).max()) * (256 if kind == "uint8" else _SHIFT)
    # oneDNN's sums are float32, in which larger ones are rounded.
    if largest >= _EXACT:
        return result.clone()
    zero = 0 if kind == "uint8" else _SHIFT
    return _packed(result, size, _geometry(stride, pad, dilate), num_group * parts, zero)


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
    """Return the convolution plus ``bias``, int32.

    Args:
        data: ``[N, C, H, W]``, int8 or uint8.
        weight: Result of :func:`int8_filters`.
        filters: Result of :func:`int8_magnitudes`.
        bias: The bias, int8.
        min_data: Minimum of the data, ``[1]``.
        max_data: Maximum of the data.
        min_weight: Minimum of the weight, ``[1]`` or per filter.
        max_weight: Maximum of the weight.
        min_bias: Minimum of the bias, ``[1]``.
        max_bias: Maximum of the bias.
        stride: Stride of the windows.
        dilate: Dilation of the windows.
        pad: Zero padding of the images.
        num_group: Number of groups.
        parts: Number of parts that the channels are split into.
        no_bias: Whether there is no bias.
    """
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    sums = Sums(data.dtype, filters, bias, *ends)
    geometry, groups = _geometry(stride, pad, dilate), num_group * parts
    if weight.is_mkldnn and data.numel():
        signed = data.dtype is torch.int8
        # x ^ 128 on the bits of int8 is x + 128 as uint8; the zero point takes it back.
        x = data.view(torch.uint8) ^ _SHIFT if signed else data
        x = x.contiguous(memory_format=torch.channels_last)
        y = _convolved(x, weight, geometry, groups, _SHIFT if signed else 0)
    else:
        plain = weight.to_dense() if weight.is_mkldnn else weight
        y = convolved(data, plain, geometry, groups, sums)
    last = y.permute(0, 2, 3, 1)
    if parts > 1:
        last = sums.whole(last.unflatten(3, (parts, -1))).sum(3)
    return sums.finished(last).permute(0, 3, 1, 2).contiguous()


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
    """Return ``[1]``: the real value of the largest int32 in :func:`int8_convolution`'s unit."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    return end(Sums(data.dtype, filters, bias, *ends).largest, data)
