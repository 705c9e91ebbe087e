"""Convolutions of small integers for prediction, by oneDNN: products of bytes, summed exactly.

They take weights that were packed before, and give their sums as ``float32``. Where those of a
filter could reach 2²⁴, the channels are summed in parts below that, as groups of one convolution.
Data of ``int8`` become ``uint8``, which alone it is fast for. Without oneDNN there are products of
floats instead.
"""

from functools import cache
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.elementwise.quantization import end
from hy_kernels.torch.nn._sums import Sums, convolved, magnitudes
from hy_kernels.torch.nn._window import full

Size: TypeAlias = tuple[int, ...]
Geometry: TypeAlias = tuple[list[int], list[int], list[int]]
"""Stride, pad and dilation."""
_onednn: Any = torch.ops.onednn

_EXACT = 1 << 24  # integers up to this are exact in float32
_SHIFT = 128  # from uint8 to int8


@cache
def exact_convolutions() -> bool:
    """Return whether oneDNN is available and sums products of bytes exactly.

    On CPUs without instructions for it (VNNI) it adds pairs of products in 16 bits.
    """
    if not torch._C._has_mkldnn or not hasattr(_onednn, "qconv2d_pointwise"):
        return False
    # The largest products: pairs of them summed in 16 bits would saturate.
    x = torch.full((1, 64, 4, 4), 255, dtype=torch.uint8)
    weight = torch.full((16, 64, 3, 3), 127, dtype=torch.int8)
    geometry: Geometry = ([1, 1], [0, 0], [1, 1])
    try:
        y = _convolved(x, _packed(weight, x.shape, geometry, 1, 0), geometry, 1, 0)
    except RuntimeError:  # a build without them
        return False
    return bool((y == 64 * 9 * 255 * 127).all())


def _geometry(stride: Size, pad: Size, dilate: Size) -> Geometry:
    return full(stride, 2, 1), full(pad, 2, 0), full(dilate, 2, 1)


def _packed(weight: Tensor, size: Size, geometry: Geometry, groups: int, zero: int) -> Tensor:
    scales = torch.ones(len(weight))
    packed: Tensor = _onednn.qconv_prepack(weight, scales, 1.0, zero, *geometry, groups, list(size))
    return packed


def _convolved(x: Tensor, weight: Tensor, geometry: Geometry, groups: int, zero: int) -> Tensor:
    """Return the sums as ``float32``, channels last."""
    count = len(weight)
    scales, zeros = torch.ones(count), torch.zeros(count, dtype=torch.int32)
    into: Any = (1.0, 0, torch.float32, "none", [], "")
    y: Tensor = _onednn.qconv2d_pointwise(
        x, 1.0, zero, weight, scales, zeros, None, *geometry, groups, *into
    )
    return y


@kernel()
def int8_magnitudes(weight: Tensor) -> Tensor:
    """Return the sum of the magnitudes of each filter's weights, in ``int32``."""
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
    """Return ``weight [O, C, *kernel]`` packed for convolutions of images of this size.

    Args:
        weight: The weight, ``int8``.
        stride: Stride of the windows, as pad and dilate.
        dilate: Between the elements of a window.
        pad: Zeros around an image.
        num_group: Groups of channels; 1 if there are ``parts``.
        size: Size of the images, ``(N, C, H, W)``.
        kind: Their dtype.
        parts: Into how many the channels are parted; the result is ``[parts * O, C / parts, ...]``.
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
    """Return the convolution plus ``bias``, in ``int32``.

    Args:
        data: ``[N, C, H, W]``, of ``int8`` or ``uint8``.
        weight: As `int8_filters` gives it.
        filters: As `int8_magnitudes` gives them.
        bias: The bias, ``int8``.
        min_data: The range of the data, as the others.
        max_data: Its end.
        min_weight: ``[1]``, or of each filter.
        max_weight: Its end.
        min_bias: ``[1]``.
        max_bias: Its end.
        stride: Stride of the windows.
        dilate: Between the elements of a window.
        pad: Zeros around an image.
        num_group: Groups of channels.
        parts: Into how many the channels are parted.
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
    """Return the real value of the largest ``int32`` of the sums, ``[1]``."""
    ends = (min_data, max_data, min_weight, max_weight, min_bias, max_bias)
    return end(Sums(data.dtype, filters, bias, *ends).largest, data)
