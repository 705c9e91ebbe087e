"""Windows of images as columns (im2col), and columns added up to images (col2im)."""

from collections.abc import Sequence
from math import prod

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, target
from hy_kernels.windows import Key, Sizes, geometry_by_axis, window_counts, window_offsets


def _inner_index(sizes: Sequence[int], pad: Sizes) -> Key:
    """Return the index of the unpadded images in padded ones."""
    inner = (slice(p, p + n) for n, p in zip(sizes, pad, strict=True))
    return slice(None), slice(None), *inner


def _zeros(
    front: Sequence[int], sizes: Sequence[int], pad: Sizes, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Return zeros in the shape of padded images."""
    padded = [n + 2 * p for n, p in zip(sizes, pad, strict=True)]
    return torch.zeros((*front, *padded), dtype=dtype, device=device)


@kernel(out="apart")
def im2col(
    data: Tensor, *, kernel: Sizes, stride: Sizes, dilate: Sizes, pad: Sizes, out: OutBuffers = None
) -> Tensor:
    """Return the windows as columns."""
    stride, dilate, pad = geometry_by_axis(len(kernel), stride, dilate, pad)
    counts = window_counts(data.shape[2:], kernel, stride, dilate, pad)
    # Padded once; copies of the border would need conditions at each element.
    padded = data
    if any(pad):
        padded = _zeros(data.shape[:2], data.shape[2:], pad, data.dtype, data.device)
        padded[_inner_index(data.shape[2:], pad)] = data
    batch, channels = data.shape[:2]
    shape = (batch, channels * prod(kernel), prod(counts))
    columns = target(out, shape, data.dtype, data.device)
    y = columns.view((batch, channels, *kernel, *counts))
    for offset, key in window_offsets(kernel, stride, dilate, counts):
        y[offset] = padded[key]
    return columns


@kernel(out="apart")
def col2im(
    data: Tensor,
    *,
    output_size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    dilate: Sizes,
    pad: Sizes,
    out: OutBuffers = None,
) -> Tensor:
    """Return images with each column added to the pixels of its window."""
    stride, dilate, pad = geometry_by_axis(len(kernel), stride, dilate, pad)
    counts = window_counts(output_size, kernel, stride, dilate, pad)
    batch, rows, _ = data.shape
    channels = rows // prod(kernel)
    parts = data.reshape((batch, channels, *kernel, *counts))
    # In float32: overlapping windows add up.
    y = _zeros((batch, channels), output_size, pad, accumulator(data.dtype), data.device)
    for offset, key in window_offsets(kernel, stride, dilate, counts):
        y[key] += parts[offset]
    return copied(y[_inner_index(output_size, pad)], out, dtype=data.dtype)
