"""RoI max pooling, and correlation of two images."""

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, flattened, quiet, target, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.linalg._einsum import einsum
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.windows import Patches

Index: TypeAlias = tuple[Any, ...]


class _Rectangles(NamedTuple):
    """The rectangles of pixels of all parts of all regions, as flat arrays."""

    first: Array
    """The upper left pixel, an index into the rows of ``[N H W, C]``."""
    width: Array
    """Width in pixels."""
    area: Array
    """Number of pixels; 0 for an empty part, or an image index out of range."""


def _part_edges(start: Array, stop: Array, count: int, size: int) -> tuple[Array, Array]:
    """Return starts and ends of ``count`` parts of each region along an axis, clipped to ``size``.

    Parts may overlap.
    """
    # Regions include their last pixel, and have at least one.
    step = np.maximum(stop - start + 1, 1)[:, None] / count
    at = np.arange(count)
    low = np.floor(at * step).astype(np.int64) + start[:, None]
    high = np.ceil((at + 1) * step).astype(np.int64) + start[:, None]
    return np.clip(low, 0, size), np.clip(high, 0, size)


def _rectangles(
    rois: Array, pooled: tuple[int, ...], scale: float, shape: tuple[int, ...]
) -> _Rectangles:
    """Return the parts of the regions ``rois`` in images of ``shape``."""
    n, _, height, width = shape
    image = rois[:, 0].astype(np.int64)[:, None, None]
    scaled = rois[:, 1:] * scale
    # Rounded with halves away from zero, as in C; NumPy rounds halves to even.
    corners = (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(np.int64).T
    left, right = _part_edges(corners[0], corners[2], pooled[1], width)
    top, bottom = _part_edges(corners[1], corners[3], pooled[0], height)
    widths = np.maximum(right - left, 0)[:, None, :]
    area = widths * np.maximum(bottom - top, 0)[:, :, None]
    area *= (image >= 0) & (image < n)
    first = (image * height + top[:, :, None]) * width + left[:, None, :]
    # 32-bit indices, if they suffice, halve the memory to read.
    index = np.int32 if n * height * width < 1 << 31 else np.int64
    widths = np.broadcast_to(widths, area.shape)
    return _Rectangles(*(x.reshape(-1).astype(index) for x in (first, widths, area)))


def _maxima(pixels: Array, parts: _Rectangles, width: int) -> tuple[Array, Array]:
    """Return the maximum of each part and channel, and its pixel, ``[parts, C]`` each.

    Empty parts have 0 and -1. The first pixels of many parts are compared at once, then the second
    pixels of parts with at least two, and so on; parts are sorted by size for this.

    Args:
        pixels: ``[N H W, C]``.
        parts: The parts.
        width: Width of the images.
    """
    count, channels = len(parts.area), pixels.shape[1]
    values = np.zeros((count, channels), pixels.dtype)
    indices = np.full((count, channels), -1, parts.first.dtype)
    order = np.argsort(-parts.area, kind="stable")[: np.count_nonzero(parts.area)]
    # The first nan is the maximum, but comparisons with nan are false: it is handled separately.
    has_nan = pixels.size > 0 and bool(np.isnan(pixels.max()))
    step = max(COSTS.blocks.rows // max(channels, 1), 1)
    for start in range(0, len(order), step):
        own = order[start : start + step]
        first, across, area = (x.take(own) for x in parts)
        best = pixels.take(first, axis=0)
        where = np.broadcast_to(first[:, None], best.shape).copy()
        counts = np.searchsorted(-area, -np.arange(1, area[0]))  # of parts with a pixel k
        for k, live in enumerate(counts.tolist(), 1):
            down, right = np.divmod(k, across[:live])
            pixel = first[:live] + down * width + right
            seen = pixels.take(pixel, axis=0)
            larger = seen > best[:live]
            if has_nan:
                larger |= np.isnan(seen) & ~np.isnan(best[:live])
            np.copyto(where[:live], pixel[:, None], where=larger)
            np.maximum(best[:live], seen, out=best[:live])
        values[own], indices[own] = best, where
    return values, indices


@kernel(out="apart")
def roi_pooling(
    data: Array,
    rois: Array,
    *,
    pooled_size: tuple[int, ...],
    spatial_scale: float,
    out: OutBuffers = None,
) -> tuple[Array, Array]:
    """Return the maximum of each part of each region, and its index into the flattened data."""
    x = to_compute_dtype(data)
    channels, height, width = x.shape[1:]
    parts = _rectangles(to_compute_dtype(rois), pooled_size, spatial_scale, x.shape)
    # With channels last, a pixel's channels are contiguous and compared together.
    pixels = np.ascontiguousarray(flattened(x, 2).transpose(0, 2, 1))
    best, where = _maxima(flattened(pixels, 0, 2), parts, width)
    by_part = (len(rois), prod(pooled_size), channels)
    shape = (len(rois), channels, *pooled_size)
    values = target(out, shape, x.dtype)
    flattened(values, 2)[...] = best.reshape(by_part).swapaxes(1, 2)
    # Pixel p of image i has index p + i (C - 1) H W in the flattened data, in the first channel.
    size = height * width
    index = where.reshape(by_part).swapaxes(1, 2).astype(np.int64, order="C")
    first = rois[:, 0].astype(np.int64)[:, None] * ((channels - 1) * size)
    first = first + np.arange(channels) * size
    np.add(index, first[:, :, None], out=index, where=index >= 0)
    return to_storage_dtype(values, data.dtype), index.reshape(shape)


@kernel(out="apart")
def roi_pooling_backward(dy: Array, index: Array, data: Array, *, out: OutBuffers = None) -> Array:
    """Return the gradient of ``roi_pooling`` to the data: ``dy`` added at ``index``."""
    # Gradients without an index are added to an extra element.
    indices = np.where(index < 0, data.size, index).reshape(-1)
    total = np.bincount(indices, to_compute_dtype(dy).reshape(-1), data.size + 1)
    return copied(total[:-1].reshape(data.shape), out, dtype=data.dtype)


@kernel(out="apart")
def roi_pooling_select(data: Array, index: Array, *, out: OutBuffers = None) -> Array:
    """Return the elements of the flattened data at ``index``; zero where it is negative."""
    y = zeroed(out, index.shape, data.dtype)
    if data.size:
        np.copyto(y, data.reshape(-1)[np.maximum(index, 0)], where=index >= 0)
    return y


# --- correlation -----------------------------------------------------------------------------


def _padded(patches: Patches, x: Array) -> Array:
    """Return the images padded with zeros."""
    around = (patches.pad, patches.pad)
    return np.pad(to_compute_dtype(x), [(0, 0), (0, 0), around, around])


def _pairs(patches: Patches) -> Iterator[tuple[int, Index, Index]]:
    """Yield the index of a result channel, and the slices of both images compared for it."""
    rows, columns = ((n - 1) * patches.step + 1 for n in patches.shape)

    def at(top: int, left: int) -> Index:
        down = slice(top, top + rows, patches.step)
        return (..., down, slice(left, left + columns, patches.step))

    for channel, (down, across) in enumerate(patches.shifts):
        for i, j in product(range(patches.kernel), repeat=2):
            top, left = patches.reach + i, patches.reach + j
            yield channel, at(top, left), at(top + down, left + across)


@kernel(out="apart")
@quiet
def correlation(
    data1: Array, data2: Array, *, is_multiply: bool, out: OutBuffers = None, **params: Any
) -> Array:
    """Return the correlation of patches of ``data1`` with displaced patches of ``data2``.

    It is the mean product or, if not ``is_multiply``, the mean absolute difference, with a channel
    for each displacement (Dosovitskiy et al., FlowNet, 2015).
    """
    patches = Patches.of(data1.shape, params)
    a, b = _padded(patches, data1), _padded(patches, data2)
    y = zeroed(out, (len(a), len(patches.shifts), *patches.shape), a.dtype)
    for channel, own, other in _pairs(patches):
        if is_multiply:
            y[:, channel] += einsum("nchw,nchw->nhw", a[own], b[other])
        else:
            y[:, channel] += np.abs(a[own] - b[other]).sum(axis=1)
    y /= patches.kernel**2 * a.shape[1]
    return to_storage_dtype(y, data1.dtype)


@kernel(out="apart")
@quiet
def correlation_backward(
    dy: Array,
    data1: Array,
    data2: Array,
    *,
    is_multiply: bool,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Array, Array]:
    """Return the gradients of ``correlation`` to both images."""
    patches = Patches.of(data1.shape, params)
    a, b = _padded(patches, data1), _padded(patches, data2)
    to_a, to_b = np.zeros_like(a), np.zeros_like(b)
    g = to_compute_dtype(dy) / (patches.kernel**2 * a.shape[1])
    for channel, own, other in _pairs(patches):
        share = g[:, channel, None]
        if is_multiply:
            to_a[own] += share * b[other]
            to_b[other] += share * a[own]
        else:
            # The sign for equal values is the one of MXNet's kernel.
            signed = np.where(a[own] < b[other], -share, share)
            to_a[own] += signed
            to_b[other] -= signed
    inside: Index = (..., *(slice(patches.pad, patches.pad + n) for n in data1.shape[2:]))
    dtype = data1.dtype
    return copied(to_a[inside], out, dtype=dtype), copied(to_b[inside], out, 1, dtype=dtype)
