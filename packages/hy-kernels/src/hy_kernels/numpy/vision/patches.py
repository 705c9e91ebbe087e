"""Kernels of the operators im2col and col2im."""

from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.windows import Sizes, geometry_by_axis, window_counts, window_offsets


@kernel(out="apart")
def im2col(
    data: Array, *, kernel: Sizes, stride: Sizes, dilate: Sizes, pad: Sizes, out: OutBuffers = None
) -> Array:
    """Return the windows of images as columns, ``[N, C k, windows]``, ``k`` kernel elements."""
    stride, dilate, pad = geometry_by_axis(len(kernel), stride, dilate, pad)
    counts = window_counts(data.shape[2:], kernel, stride, dilate, pad)
    padded = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in pad)]) if any(pad) else data
    batch, channels = data.shape[:2]
    columns = target(out, (batch, channels * prod(kernel), prod(counts)), data.dtype)
    y = columns.reshape(batch, channels, *kernel, *counts)
    for offset, key in window_offsets(kernel, stride, dilate, counts):
        # One strided copy per kernel element, of which there are few.
        y[offset] = padded[key]
    return columns


@kernel(out="apart")
def col2im(
    data: Array,
    *,
    output_size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    dilate: Sizes,
    pad: Sizes,
    out: OutBuffers = None,
) -> Array:
    """Return images ``[N, C, *output_size]``, the sums of columns at their windows' elements."""
    stride, dilate, pad = geometry_by_axis(len(kernel), stride, dilate, pad)
    counts = window_counts(output_size, kernel, stride, dilate, pad)
    batch, rows, _ = data.shape
    channels = rows // prod(kernel)
    parts = data.reshape(batch, channels, *kernel, *counts)
    padded = [n + 2 * p for n, p in zip(output_size, pad, strict=True)]
    y = np.zeros((batch, channels, *padded), accumulator(data.dtype))
    for offset, key in window_offsets(kernel, stride, dilate, counts):
        y[key] += parts[offset]
    inside = tuple(slice(p, p + n) for n, p in zip(output_size, pad, strict=True))
    return copied(y[(slice(None), slice(None), *inside)], out, dtype=data.dtype)
