"""Windows of images as columns (im2col), and columns summed to images (col2im)."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, target

__all__ = ["col2im", "im2col", "im2col_backward"]

Sizes = tuple[int, ...]
Key = tuple[int | slice, ...]


def _counts(sizes: Sizes, kernel: Sizes, stride: Sizes, dilate: Sizes, pad: Sizes) -> Sizes:
    """Return the number of windows along each axis."""
    # The first window's positions plus strides, as slices: no index tensors.
    counts = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, d, p in zip(sizes, kernel, stride, dilate, pad, strict=True)
    )
    if min(counts, default=1) < 1:
        raise ValueError(
            f"a kernel of {tuple(kernel)} dilated by {tuple(dilate)} is larger than {tuple(sizes)} "
            f"padded by {tuple(pad)}"
        )
    return counts


def _window_elements(
    kernel: Sizes, stride: Sizes, dilate: Sizes, counts: Sizes
) -> Iterator[tuple[Key, Key]]:
    """Yield for each element of the window its index in the columns, and in the padded image."""
    # One strided copy for each element of the window: k*k calls however large the image is.
    for offset in product(*map(range, kernel)):
        key = tuple(
            slice(i * d, i * d + s * (count - 1) + 1, s)
            for i, s, d, count in zip(offset, stride, dilate, counts, strict=True)
        )
        yield (slice(None), slice(None), *offset), (slice(None), slice(None), *key)


def _or(sizes: Sizes, default: int, rank: int) -> Sizes:
    return sizes or (default,) * rank


def _inner_index(sizes: Sequence[int], pad: Sizes) -> Key:
    """Return the index of the images in padded ones."""
    inner = (slice(p, p + n) for n, p in zip(sizes, pad, strict=True))
    return slice(None), slice(None), *inner


def _zeros(
    front: Sequence[int],
    sizes: Sequence[int],
    pad: Sizes,
    dtype: torch.dtype,
    device: torch.device,
) -> Tensor:
    """Return padded images of zeros."""
    padded = [n + 2 * p for n, p in zip(sizes, pad, strict=True)]
    return torch.zeros((*front, *padded), dtype=dtype, device=device)


@kernel(out="apart")
def im2col(
    data: Tensor,
    *,
    kernel: Sizes,
    stride: Sizes,
    dilate: Sizes,
    pad: Sizes,
    out: OutBuffers = None,
) -> Tensor:
    """Return the windows as columns."""
    rank = len(kernel)
    if data.ndim != rank + 2:
        raise ValueError(
            f"data {tuple(data.shape)} must be (N, C) and an axis for each of kernel {kernel}"
        )
    stride, dilate, pad = _or(stride, 1, rank), _or(dilate, 1, rank), _or(pad, 0, rank)
    counts = _counts(data.shape[2:], kernel, stride, dilate, pad)
    # Padded once; copies of the border would need conditions at each element.
    padded = data
    if any(pad):
        padded = _zeros(data.shape[:2], data.shape[2:], pad, data.dtype, data.device)
        padded[_inner_index(data.shape[2:], pad)] = data
    batch, channels = data.shape[:2]
    shape = (batch, channels * prod(kernel), prod(counts))
    columns = target(out, shape, data.dtype, data.device)
    y = columns.view((batch, channels, *kernel, *counts))
    for offset, key in _window_elements(kernel, stride, dilate, counts):
        y[offset] = padded[key]
    return columns


def _add_columns(
    columns: Tensor,
    sizes: Sequence[int],
    kernel: Sizes,
    stride: Sizes,
    dilate: Sizes,
    pad: Sizes,
    out: OutBuffers,
) -> Tensor:
    """Return images of ``sizes``, to whose elements columns are added."""
    rank, sizes = len(kernel), tuple(sizes)
    stride, dilate, pad = _or(stride, 1, rank), _or(dilate, 1, rank), _or(pad, 0, rank)
    counts = _counts(sizes, kernel, stride, dilate, pad)
    batch, rows, windows = columns.shape
    if windows != prod(counts) or rows % prod(kernel):
        raise ValueError(
            f"columns {tuple(columns.shape)} do not fit {prod(counts)} windows of kernel "
            f"{tuple(kernel)}"
        )
    channels = rows // prod(kernel)
    parts = columns.reshape((batch, channels, *kernel, *counts))
    # In float32: overlapping windows add up.
    y = _zeros((batch, channels), sizes, pad, accumulator(columns.dtype), columns.device)
    for offset, key in _window_elements(kernel, stride, dilate, counts):
        y[key] += parts[offset]
    return copied(y[_inner_index(sizes, pad)], out, dtype=columns.dtype)


@kernel(out="apart")
def im2col_backward(
    dy: Tensor,
    data: Tensor,
    *,
    kernel: Sizes,
    stride: Sizes,
    dilate: Sizes,
    pad: Sizes,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of ``im2col``: its columns added to images."""
    return _add_columns(dy, data.shape[2:], kernel, stride, dilate, pad, out)


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
    """Return images to whose elements the columns are added."""
    return _add_columns(data, output_size, kernel, stride, dilate, pad, out)
