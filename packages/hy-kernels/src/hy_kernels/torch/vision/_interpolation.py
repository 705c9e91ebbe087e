"""Resizing of images with the same results as OpenCV; see the numpy table's module."""

from typing import TypeAlias

import numpy as np
import torch

from hy_kernels.numpy.vision._interpolation import METHODS, ONE, nearest, shares, taps
from hy_kernels.torch._constants import on_device
from hy_kernels.torch._dtypes import NAMES, accumulator, widest
from hy_kernels.torch._tensor import Tensor, is_integer

Taps: TypeAlias = tuple[Tensor, Tensor]


# Cached by size: weights of interpolation follow from sizes alone.
@on_device
def _nearest(size: int, new_size: int, device: torch.device) -> Tensor:
    return torch.from_numpy(nearest(size, new_size)).to(device)


@on_device
def _taps(size: int, new_size: int, name: str, level: bool, device: torch.device) -> Taps:
    """Return ``[T, new_size]`` each: the source pixels of each result pixel, and their weights."""
    index, weights = taps(size, new_size, name, level=level)
    return torch.from_numpy(index).to(device), torch.from_numpy(weights).to(device)


@on_device
def _interpolation_matrix(size: int, new_size: int, dtype: str, device: torch.device) -> Tensor:
    return torch.from_numpy(shares(size, new_size, np.dtype(dtype))).to(device)


def resized(images: Tensor, height: int, width: int, method: int) -> Tensor:
    """Return images ``[N, H, W, C]`` resized.

    Args:
        images: Any dtype; interpolation of integers is rounded.
        height: Rows of the result.
        width: Columns of the result.
        method: Index into ``METHODS``.
    """
    rows, columns = images.shape[1:3]
    device = images.device
    if (rows, columns) == (height, width):
        # The same size is a copy, as MXNet's.
        return images.clone(memory_format=torch.contiguous_format)
    name = METHODS[method]
    if name == "nearest":
        y, x = _nearest(rows, height, device), _nearest(columns, width, device)
        return images.index_select(1, y).index_select(2, x).contiguous()
    # OpenCV's area mode is a mean only where both axes shrink; else it is linear.
    shrinks = rows >= height and columns >= width
    halves = name == "linear" and (rows, columns) == (2 * height, 2 * width)
    if halves or (name == "area" and shrinks):
        return _area(images, height, width)
    down = _taps(rows, height, name, False, device)
    right = _taps(columns, width, name, True, device)
    if images.dtype is torch.uint8:
        return _integer(images, down, right)
    # Weighted sums of columns, then of rows.
    y = _interpolate_axis(_interpolate_axis(images.to(_working(images)), 2, right), 1, down)
    return _saturated(y, images.dtype)


def _working(images: Tensor) -> torch.dtype:
    """Return the dtype to interpolate in."""
    dtype = images.dtype
    if is_integer(images):
        # Integers of up to 16 bits are exact in float32.
        return torch.float32 if dtype.itemsize <= 2 else widest(images.device)
    return accumulator(dtype)


def _saturated(y: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype.is_floating_point or dtype is torch.bool:
        return y.to(dtype)
    limits = torch.iinfo(dtype)
    # Rounded to even and saturated, as OpenCV casts.
    return y.round_().clamp_(limits.min, limits.max).to(dtype)


def _interpolate_axis(images: Tensor, axis: int, selected: Taps) -> Tensor:
    shape = (-1, *(1,) * (3 - axis))
    y: Tensor | None = None
    for index, weight in zip(*selected, strict=True):
        part = images.index_select(axis, index).mul_(weight.to(images.dtype).reshape(shape))
        y = part if y is None else y.add_(part)
    assert y is not None
    return y


def _integer(images: Tensor, down: Taps, right: Taps) -> Tensor:
    """Return uint8 images interpolated in fixed point, bit for bit as OpenCV does."""
    # OpenCV's fixed-point interpolation of bytes: weights of 11 bits, so that results are equal bit
    # for bit.
    whole = [(index, weights.mul(ONE).round().to(torch.int32)) for index, weights in (down, right)]
    across = _interpolate_axis(images.to(torch.int32), 2, whole[1])
    index, weights = whole[0]
    # The linear case shifts between the axes, as OpenCV's vertical pass does, to stay within 32
    # bits.
    if len(index) == 2:  # linear
        across >>= 4
        rows = weights[:, :, None, None]
        upper = (across.index_select(1, index[0]) * rows[0]) >> 16
        lower = (across.index_select(1, index[1]) * rows[1]) >> 16
        return ((upper + lower + 2) >> 2).to(torch.uint8)
    # 22 bits: 11 of each axis; 1 << 21 rounds.
    y = (_interpolate_axis(across, 1, whole[0]) + (1 << 21)) >> 22
    return y.clamp_(0, 255).to(torch.uint8)


def _area(images: Tensor, height: int, width: int) -> Tensor:
    """Return means over the area that each pixel of the result covers."""
    n, rows, columns, channels = images.shape
    dtype = _working(images)
    # Whole blocks are a plain mean; of 2 x 2 bytes OpenCV rounds half up in integers.
    if rows % height == 0 and columns % width == 0:
        blocks = images.reshape(n, height, rows // height, width, columns // width, channels)
        if images.dtype is torch.uint8 and blocks.shape[2] == blocks.shape[4] == 2:
            return ((blocks.sum((2, 4), dtype=torch.int32) + 2) >> 2).to(torch.uint8)
        return _saturated(blocks.to(dtype).mean((2, 4)), images.dtype)
    down = _interpolation_matrix(rows, height, NAMES[dtype], images.device)
    right = _interpolation_matrix(columns, width, NAMES[dtype], images.device)
    # Else each pixel of the result is a weighted mean, so two products with sparse weights do.
    flat = images.to(dtype).permute(0, 3, 1, 2)
    y = down @ (flat @ right.T)
    return _saturated(y.permute(0, 2, 3, 1).contiguous(), images.dtype)
