"""Resizing of images with results identical to OpenCV's.

For 8-bit images OpenCV computes in fixed point: weights are multiples of 1/2048, and sums are
truncated or rounded at certain points. The functions here do the same, so that models see the
pixels they were trained on.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, accumulator
from hy_kernels.numpy.nn._workspace import workspace

METHODS = ("nearest", "linear", "cubic", "area", "lanczos")
"""Interpolation methods, indexed by OpenCV's flags."""
ONE = 2048
"""The weight 1 in fixed point."""
_COVERED = "covered"
"""The name of averages of the areas that pixels of the result cover."""
_MIN_COVERED = 1e-3
"""Covered fraction of a pixel up to which the pixel is ignored."""
_BLOCK = 1 << 17  # elements of the result per block


def sizes_of(shape: Sequence[int], size: tuple[int, ...], keep_ratio: bool) -> tuple[int, int]:
    """Return the rows and columns of a resized image.

    ``size`` is width and height, or one number: both sides or, if ``keep_ratio``, the shorter one.
    """
    rows, columns = shape[-3:-1]
    if len(size) == 2:
        return size[1], size[0]
    (short,) = size
    if not keep_ratio:
        return short, short
    if rows > columns:
        return int(rows * short / columns), short
    return short, int(columns * short / rows)


def resized(images: Array, height: int, width: int, method: int) -> Array:
    """Return images ``[N, H, W, C]`` resized to ``height`` and ``width``.

    Args:
        images: Images of any dtype; interpolated integers are rounded.
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
        seen = images.reshape(len(images), rows, -1).take(y, axis=1)
        y_shape = (len(images), height, width, images.shape[3])
        taken = seen.take(_element_indices(x[None], images.shape[3])[0], axis=2)
        return np.asarray(taken.reshape(y_shape))
    shrinks = rows >= height and columns >= width
    halves = name == "linear" and (rows, columns) == (2 * height, 2 * width)
    if halves or (name == "area" and shrinks):
        return _area(images, height, width)
    dtype = np.dtype(np.int32) if images.dtype == np.uint8 else _working(images.dtype)
    return _interpolated(images, height, width, name, dtype)


def _working(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the floating dtype in which images of ``dtype`` are interpolated."""
    if dtype.kind in "iub":
        return np.dtype(np.float32 if dtype.itemsize <= 2 else np.float64)
    return accumulator(dtype)


def _stored(y: Array, dtype: np.dtype[Any]) -> Array:
    if dtype.kind not in "iu":
        return y.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(y, out=y), limits.min, limits.max, out=y).astype(dtype)


def nearest(size: int, new_size: int) -> Array:
    """Return ``[new_size]``, the source indices of nearest-neighbour resizing along an axis."""
    index: Array = np.floor(np.arange(new_size) * (size / new_size)).astype(np.intp)
    np.minimum(index, size - 1, out=index)
    return index


def taps(size: int, new_size: int, name: str, *, level: bool = False) -> tuple[Array, Array]:
    """Return the source pixels ``[T, new_size]`` of each result pixel along an axis, and weights.

    Indices beyond the edges are clipped. If linear interpolation then reads only the edge pixel,
    OpenCV gives it the whole weight along rows (``level``), but splits it along columns.
    """
    scale = size / new_size
    if name == "area":  # with at least one axis enlarged
        first = np.floor(np.arange(new_size) * scale)
        part = (np.arange(new_size) + 1) - (first + 1) * (new_size / size)
        part = np.where(part <= 0, 0, part - np.floor(part)).astype(np.float32)
    else:
        positions = ((np.arange(new_size) + 0.5) * scale - 0.5).astype(np.float32)
        first = np.floor(positions)
        part = positions - first
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
    """Return bicubic weights ``[4, …]``, for positions ``x`` in [0, 1) after the second pixel."""
    # OpenCV's parameter of cubic convolution (Keys, 1981); others, as Pillow, use -0.5.
    a = np.float32(-0.75)
    one = np.float32(1)
    before = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    second = ((a + 2) * x - (a + 3)) * x * x + one
    third = ((a + 2) * (one - x) - (a + 3)) * (one - x) * (one - x) + one
    return np.stack([before, second, third, one - before - second - third])


def _lanczos(x: Array) -> Array:
    """Return Lanczos weights ``[8, …]``, for positions ``x`` in [0, 1) after the fourth pixel."""
    distance = x - np.arange(-3, 5, dtype=np.float64)[:, None]
    weights = np.sinc(distance) * np.sinc(distance / 4)
    return np.asarray(weights / weights.sum(axis=0))


class _Sum(NamedTuple):
    """Weighted sums of rows, or of columns, of a matrix."""

    taps: Array
    """``[T, new_size]``, the indices of the terms."""
    weights: Array
    axis: int
    shift: int
    """Number of bits by which each product is shifted right."""

    def rows(self, part: slice) -> tuple["_Sum", int, int]:
        """Return the sums in ``part``, and the range of rows ``low``, ``high`` that they read.

        The indices of the result are relative to ``low``.
        """
        index = self.taps[:, part]
        low, high = int(index.min()), int(index.max()) + 1
        return self._replace(taps=index - low, weights=self.weights[:, part]), low, high

    def of(self, matrix: Array, name: str) -> Array:
        """Return the sums of ``matrix``, in scratch memory called ``name``."""
        shape = list(matrix.shape)
        shape[self.axis] = self.taps.shape[1]
        total, product = (workspace(f"{name} {k}", tuple(shape), matrix.dtype) for k in range(2))
        weights = np.expand_dims(self.weights, 2 - self.axis)
        for k, (index, weight) in enumerate(zip(self.taps, weights, strict=True)):
            part = product if k else total
            np.take(matrix, index, self.axis, part, "clip")
            part *= weight
            if self.shift:
                part >>= self.shift
            if k:
                total += part
        return total


def _element_indices(index: Array, channels: int) -> Array:
    """Convert pixel indices ``[T, W]`` to element indices ``[T, W C]`` of interleaved channels."""
    return (index[:, :, None] * channels + np.arange(channels)).reshape(len(index), -1)


@lru_cache(maxsize=64)
def _sums(
    down: tuple[int, int], right: tuple[int, int], channels: int, name: str, dtype: np.dtype[Any]
) -> tuple[_Sum, _Sum]:
    """Return the sums of rows and of columns that resize images.

    Args:
        down: The number of rows, and that of the result.
        right: The number of columns, and that of the result.
        channels: The number of channels.
        name: The method, or ``_COVERED``.
        dtype: The dtype of the sums; int32: fixed point, as OpenCV's for 8-bit images.
    """
    if name == _COVERED:
        along_rows, along_columns = _covered(*down, dtype), _covered(*right, dtype)
    else:
        along_rows, along_columns = taps(*down, name), taps(*right, name, level=True)
    whole = dtype.kind == "i"
    linear = whole and len(along_rows[0]) == 2
    rows, columns = (
        (np.rint(w * ONE) if whole else w).astype(dtype) for _, w in (along_rows, along_columns)
    )
    vertical = _Sum(taps=along_rows[0], weights=rows, axis=0, shift=16 if linear else 0)
    horizontal = _Sum(
        taps=_element_indices(along_columns[0], channels),
        weights=columns.repeat(channels, axis=1),
        axis=1,
        shift=0,
    )
    return vertical, horizontal


def _interpolated(
    images: Array, count: int, new_size: int, name: str, dtype: np.dtype[Any]
) -> Array:
    """Return images interpolated along rows, then along columns, in blocks of rows.

    Args:
        images: ``[N, H, W, C]``.
        count: Rows of the result.
        new_size: Columns of the result.
        name: The method, or ``_COVERED``.
        dtype: The dtype of the sums; see :func:`_sums`.
    """
    n, height, width, channels = images.shape
    vertical, horizontal = _sums((height, count), (width, new_size), channels, name, dtype)
    whole, linear = dtype.kind == "i", bool(vertical.shift)
    y = np.empty((n, count, new_size * channels), images.dtype)
    step = max(_BLOCK // max(new_size * channels, 1), 1)
    for image in range(n):
        for start in range(0, count, step):
            part = slice(start, start + step)
            own, low, high = vertical.rows(part)
            seen = images[image, low:high].reshape(high - low, width * channels)
            across = horizontal.of(seen.astype(dtype, copy=False), "across")
            # OpenCV drops 4 bits after the first pass and 16 after each product of the second, so
            # that 16-bit registers suffice; the last 2 are rounded in _rounded.
            if linear:
                across >>= 4
            total = own.of(across, "down")
            y[image, part] = _rounded(total, linear) if whole else _stored(total, y.dtype)
    return y.reshape(n, count, new_size, channels)


def _rounded(total: Array, linear: bool) -> Array:
    """Convert fixed-point sums to pixel values, truncated or rounded as in OpenCV."""
    if linear:
        total += 2
        total >>= 2
        return total
    # Both weights have 11 fractional bits, so 22 are rounded off.
    total += 1 << 21
    total >>= 22
    return np.asarray(np.clip(total, 0, 255, out=total))


def _area(images: Array, height: int, width: int) -> Array:
    """Return images shrunk by averaging the area that each result pixel covers."""
    n, rows, columns, channels = images.shape
    dtype = _working(images.dtype)
    if rows % height == 0 and columns % width == 0:
        blocks = images.reshape(n, height, rows // height, width, columns // width, channels)
        if images.dtype == np.uint8 and blocks.shape[2] == blocks.shape[4] == 2:
            # OpenCV's special case, uint8 halved along both axes: integers, rounded half up.
            pairs = np.add(blocks[:, :, 0], blocks[:, :, 1], dtype=np.uint16)
            total = pairs[:, :, :, 0] + pairs[:, :, :, 1]
            total += 2
            total >>= 2
            return total.astype(np.uint8)
        return _stored(blocks.mean(axis=(2, 4), dtype=dtype), images.dtype)
    return _interpolated(images, height, width, _COVERED, dtype)


def _covered(size: int, new_size: int, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return the source pixels ``[T, new_size]`` that each result pixel covers, and weights."""
    scale = size / new_size
    start = np.arange(new_size) * scale
    pixel = start.astype(np.intp) + np.arange(int(np.ceil(scale)) + 1)[:, None]
    covered = np.minimum(pixel + 1, start + scale) - np.maximum(pixel, start)
    weights = np.where((covered > _MIN_COVERED) & (pixel < size), covered, 0)
    weights /= np.minimum(scale, size - start)
    used = weights.any(axis=1)
    return np.minimum(pixel[used], size - 1), weights[used].astype(dtype)


def shares(size: int, new_size: int, dtype: np.dtype[Any]) -> Array:
    """Return the matrix ``[new_size, size]`` that averages covered areas along an axis."""
    scale = size / new_size
    start = np.arange(new_size)[:, None] * scale
    pixel = np.arange(size)
    covered = np.minimum(pixel + 1, start + scale) - np.maximum(pixel, start)
    shares = np.where(covered > _MIN_COVERED, covered, 0)
    return np.asarray(shares / np.minimum(scale, size - start)).astype(dtype)
