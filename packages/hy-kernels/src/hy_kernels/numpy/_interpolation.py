"""Images made larger and smaller, with the numbers OpenCV has.

OpenCV computes on 8-bit images with integers: weights are multiples of 1/2048, and sums are cut off
or rounded at fixed places. The functions here do the same, so that models see the pixels they were
trained on.
"""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

__all__ = ["METHODS", "ONE", "nearest", "resized", "shares", "taps"]

METHODS = ("nearest", "linear", "cubic", "area", "lanczos")
"""By OpenCV's numbers."""
ONE = 2048
"""The weight 1 in integers."""
_BLOCK = 1 << 16  # elements of the result made at a time


def resized(images: Array, height: int, width: int, method: int) -> Array:
    """Images ``[N, H, W, C]`` in another size.

    Args:
        images: Any dtype; interpolation of integers is rounded.
        height: Rows of the result.
        width: Columns of the result.
        method: Index into ``METHODS``.
    """
    rows, columns = images.shape[1:3]
    if (rows, columns) == (height, width):
        return images.copy()
    name = METHODS[method]
    if name == "nearest":
        y, x = nearest(rows, height), nearest(columns, width)
        return np.ascontiguousarray(images[:, y[:, None], x])
    shrinks = rows >= height and columns >= width
    halves = name == "linear" and (rows, columns) == (2 * height, 2 * width)
    if halves or (name == "area" and shrinks):
        return _area(images, height, width)
    down, right = taps(rows, height, name), taps(columns, width, name, level=True)
    if images.dtype == np.uint8:
        return _integer(images, down, right, linear=len(down[0]) == 2)
    dtype = _working(images.dtype)
    return _stored(_floating(images.astype(dtype, copy=False), down, right), images.dtype)


def _working(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What images of ``dtype`` are computed in."""
    if dtype.kind in "iub":
        return np.dtype(np.float32 if dtype.itemsize <= 2 else np.float64)
    return accumulator(dtype)


def _stored(y: Array, dtype: np.dtype[Any]) -> Array:
    if dtype.kind not in "iu":
        return y.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(y, out=y), limits.min, limits.max, out=y).astype(dtype)


def nearest(size: int, wanted: int) -> Array:
    """The pixels that are taken."""
    index: Array = np.floor(np.arange(wanted) * (size / wanted)).astype(np.intp)
    np.minimum(index, size - 1, out=index)
    return index


def taps(size: int, wanted: int, name: str, *, level: bool = False) -> tuple[Array, Array]:
    """``[T, wanted]``: the pixels that make up a pixel of the result, and their weights.

    Beyond the edges the pixel at the edge counts. Where linear interpolation meets only that one,
    OpenCV gives it the whole weight along rows (``level``), but two weights along columns.
    """
    scale = size / wanted
    if name == "area":  # of which one axis grows
        first = np.floor(np.arange(wanted) * scale)
        part = (np.arange(wanted) + 1) - (first + 1) * (wanted / size)
        part = np.where(part <= 0, 0, part - np.floor(part)).astype(np.float32)
    else:
        place = ((np.arange(wanted) + 0.5) * scale - 0.5).astype(np.float32)
        first = np.floor(place)
        part = place - first
    if name in ("linear", "area"):
        if level:
            part = np.where((first < 0) | (first >= size - 1), np.float32(0), part)
        weights = np.stack([1 - part, part])
    elif name == "cubic":
        weights = _cubic(part)
    else:
        weights = _lanczos(part)
    count = len(weights)
    index = first.astype(np.intp) + (np.arange(count) - (count // 2 - 1))[:, None]
    return np.clip(index, 0, size - 1), weights.astype(np.float32)


def _cubic(x: Array) -> Array:
    """Weights of four pixels, the place being ``x`` behind the second."""
    a = np.float32(-0.75)
    one = np.float32(1)
    before = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    second = ((a + 2) * x - (a + 3)) * x * x + one
    third = ((a + 2) * (one - x) - (a + 3)) * (one - x) * (one - x) + one
    return np.stack([before, second, third, one - before - second - third])


def _lanczos(x: Array) -> Array:
    """Weights of eight pixels, the place being ``x`` behind the fourth."""
    distance = x - np.arange(-3, 5, dtype=np.float64)[:, None]
    weights = np.sinc(distance) * np.sinc(distance / 4)
    return np.asarray(weights / weights.sum(axis=0))


def _floating(images: Array, down: tuple[Array, Array], right: tuple[Array, Array]) -> Array:
    index, weights = right
    across = images[:, :, index[0]] * weights[0][:, None].astype(images.dtype)
    for i, w in zip(index[1:], weights[1:], strict=True):
        across += images[:, :, i] * w[:, None].astype(images.dtype)
    index, weights = down
    y = across[:, index[0]] * weights[0][:, None, None].astype(images.dtype)
    for i, w in zip(index[1:], weights[1:], strict=True):
        y += across[:, i] * w[:, None, None].astype(images.dtype)
    return np.asarray(y)


def _integer(
    images: Array, down: tuple[Array, Array], right: tuple[Array, Array], *, linear: bool
) -> Array:
    """Interpolation of 8-bit images."""
    index, weights = right[0], np.rint(right[1] * ONE).astype(np.int32)
    source = images.astype(np.int32)
    across = source.take(index[0], axis=2)
    across *= weights[0][:, None]
    for i, w in zip(index[1:], weights[1:], strict=True):
        part = source.take(i, axis=2)
        part *= w[:, None]
        across += part
    if linear:
        across >>= 4
    index, weights = down[0], np.rint(down[1] * ONE).astype(np.int32)
    n, count, (columns, channels) = len(images), index.shape[1], across.shape[2:]
    y = np.empty((n, count, columns, channels), np.uint8)
    step = max(_BLOCK // max(columns * channels, 1), 1)
    for image in range(n):
        for start in range(0, count, step):
            rows = slice(start, start + step)
            own = index[:, rows], weights[:, rows, None, None]
            y[image, rows] = _blended(across[image], *own, linear=linear)
    return y


def _blended(across: Array, index: Array, weights: Array, *, linear: bool) -> Array:
    """Rows of the result: sums of rows times weights, cut off or rounded as OpenCV's are."""
    total = across.take(index[0], axis=0)
    total *= weights[0]
    if linear:
        total >>= 16
    for i, w in zip(index[1:], weights[1:], strict=True):
        part = across.take(i, axis=0)
        part *= w
        if linear:
            part >>= 16
        total += part
    if linear:
        total += 2
        total >>= 2
        return np.asarray(total)
    total += 1 << 21
    total >>= 22
    return np.asarray(np.clip(total, 0, 255, out=total))


def _area(images: Array, height: int, width: int) -> Array:
    """Means over the area that a pixel of the result covers."""
    n, rows, columns, channels = images.shape
    dtype = _working(images.dtype)
    if rows % height == 0 and columns % width == 0:
        blocks = images.reshape(n, height, rows // height, width, columns // width, channels)
        if images.dtype == np.uint8 and blocks.shape[2] == blocks.shape[4] == 2:
            pairs = np.add(blocks[:, :, 0], blocks[:, :, 1], dtype=np.uint16)
            total = pairs[:, :, :, 0] + pairs[:, :, :, 1]
            total += 2
            total >>= 2
            return total.astype(np.uint8)
        return _stored(blocks.mean(axis=(2, 4), dtype=dtype), images.dtype)
    down, right = shares(rows, height, dtype), shares(columns, width, dtype)
    flat = images.astype(dtype, copy=False).transpose(0, 3, 1, 2)
    y = down @ (flat @ right.T)
    return _stored(np.ascontiguousarray(y.transpose(0, 2, 3, 1)), images.dtype)


def shares(size: int, wanted: int, dtype: np.dtype[Any]) -> Array:
    """``[wanted, size]``: which part of each pixel of the result a pixel covers."""
    scale = size / wanted
    start = np.arange(wanted)[:, None] * scale
    pixel = np.arange(size)
    covered = np.minimum(pixel + 1, start + scale) - np.maximum(pixel, start)
    shares = np.where(covered > 1e-3, covered, 0)
    return np.asarray(shares / np.minimum(scale, size - start)).astype(dtype)
