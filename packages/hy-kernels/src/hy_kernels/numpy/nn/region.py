"""Pooling of regions of interest, and correlation of two images."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, zeroed
from hy_kernels.numpy._einsum import einsum
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = [
    "correlation",
    "correlation_backward",
    "roi_pooling",
    "roi_pooling_backward",
    "roi_pooling_select",
]

Index: TypeAlias = tuple[Any, ...]


def _parts(start: int, stop: int, count: int, size: int) -> list[slice]:
    """An axis from ``start`` to ``stop`` cut into parts that may overlap, clipped to ``size``."""
    step = max(stop - start + 1, 1) / count
    at = np.arange(count)
    low = np.floor(at * step).astype(int) + start
    high = np.ceil((at + 1) * step).astype(int) + start
    low, high = np.clip(low, 0, size), np.clip(high, 0, size)
    return [slice(a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _maximum(image: Array, rows: list[slice], columns: list[slice]) -> tuple[Array, Array]:
    """Largest element of each part of ``image [C, H, W]`` and its place in ``H W``; -1 if empty."""
    channels, height, width = image.shape
    best = np.full((channels, height, len(columns)), -np.inf, image.dtype)
    where = np.zeros(best.shape, np.int64)
    for j, part in enumerate(columns):
        if part.stop > part.start:
            seen = image[:, :, part]
            place = seen.argmax(axis=2)
            best[:, :, j] = np.take_along_axis(seen, place[..., None], 2)[..., 0]
            where[:, :, j] = place + part.start
    values = np.zeros((channels, len(rows), len(columns)), image.dtype)
    places = np.full(values.shape, -1, np.int64)
    empty = np.array([part.stop <= part.start for part in columns])
    for i, part in enumerate(rows):
        if part.stop > part.start:
            row = best[:, part].argmax(axis=1)[:, None] + part.start
            values[:, i] = np.where(empty, 0, np.take_along_axis(best, row, 1)[:, 0])
            flat = row[:, 0] * width + np.take_along_axis(where, row, 1)[:, 0]
            places[:, i] = np.where(empty, -1, flat)
    return values, places


@kernel(out="apart")
def roi_pooling(
    data: Array,
    rois: Array,
    *,
    pooled_size: tuple[int, ...],
    spatial_scale: float,
    out: Places = None,
) -> tuple[Array, Array]:
    """The largest element of each part of each region, and its index in the flat data."""
    x = wide(data)
    n, channels, height, width = x.shape
    values = zeroed(out, (len(rois), channels, *pooled_size), x.dtype)
    places = np.full(values.shape, -1, np.int64)
    scaled = wide(rois)[:, 1:] * spatial_scale
    corners = (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(int).tolist()
    first = np.arange(channels)[:, None, None] * (height * width)
    for r, (left, top, right, bottom) in enumerate(corners):
        image = int(rois[r, 0])
        if not 0 <= image < n:
            continue
        rows = _parts(top, bottom, pooled_size[0], height)
        columns = _parts(left, right, pooled_size[1], width)
        values[r], place = _maximum(x[image], rows, columns)
        places[r] = np.where(place < 0, -1, place + first + image * channels * height * width)
    return narrow(values, data.dtype), places


@kernel(out="apart")
def roi_pooling_backward(dy: Array, index: Array, data: Array, *, out: Places = None) -> Array:
    """Each gradient added to the element at its index in the flat data."""
    kept = index >= 0
    total = np.bincount(index[kept], wide(dy)[kept], data.size)
    return copied(total.reshape(data.shape), out, dtype=data.dtype)


@kernel(out="apart")
def roi_pooling_select(data: Array, index: Array, *, out: Places = None) -> Array:
    """The elements at the indices in the flat data; zero where they are negative."""
    y = zeroed(out, index.shape, data.dtype)
    if data.size:
        np.copyto(y, data.reshape(-1)[np.maximum(index, 0)], where=index >= 0)
    return y


# --- correlation -----------------------------------------------------------------------------


class _Patches(NamedTuple):
    """The patches that are compared, in padded images."""

    kernel: int
    reach: int
    """How far patches of the second image are moved at most."""
    step: int
    """Distance of patches."""
    pad: int
    shape: tuple[int, int]
    """How many patches there are, down and across."""
    shifts: list[int]

    @classmethod
    def of(
        cls, shape: tuple[int, ...], kernel: int, reach: int, strides: tuple[int, int], pad: int
    ) -> "_Patches":
        """The patches in images of that shape."""
        border = reach + kernel // 2
        room = [n + 2 * pad - 2 * border for n in shape[2:]]
        if min(room) < 1 or kernel % 2 == 0:
            raise ValueError(f"no patch of {kernel} moves by {reach} within {shape}")
        around = reach // strides[1]
        shifts = [i * strides[1] for i in range(-around, around + 1)]
        rows, columns = (-(-n // strides[0]) for n in room)
        return cls(kernel, reach, strides[0], pad, (rows, columns), shifts)

    def padded(self, x: Array) -> Array:
        """The image with zeros around it."""
        around = (self.pad, self.pad)
        return np.pad(x, [(0, 0), (0, 0), around, around])

    def _at(self, top: int, left: int) -> Index:
        rows, columns = self.shape
        return (
            ...,
            slice(top, top + (rows - 1) * self.step + 1, self.step),
            slice(left, left + (columns - 1) * self.step + 1, self.step),
        )

    def pairs(self) -> Iterator[tuple[int, Index, Index]]:
        """Channel of the result, and the elements of both images that are compared for it."""
        for channel, (down, across) in enumerate(product(self.shifts, repeat=2)):
            for i, j in product(range(self.kernel), repeat=2):
                top, left = self.reach + i, self.reach + j
                yield channel, self._at(top, left), self._at(top + down, left + across)


@kernel(out="apart")
def correlation(
    data1: Array,
    data2: Array,
    *,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    pad_size: int,
    is_multiply: bool,
    out: Places = None,
) -> Array:
    """Mean product, or distance, of each patch with those around its place in the other image."""
    strides = (stride1, stride2)
    patches = _Patches.of(data1.shape, kernel_size, max_displacement, strides, pad_size)
    a, b = patches.padded(wide(data1)), patches.padded(wide(data2))
    y = zeroed(out, (len(a), len(patches.shifts) ** 2, *patches.shape), a.dtype)
    for channel, own, other in patches.pairs():
        if is_multiply:
            y[:, channel] += einsum("nchw,nchw->nhw", a[own], b[other])
        else:
            y[:, channel] += np.abs(a[own] - b[other]).sum(axis=1)
    y /= kernel_size**2 * a.shape[1]
    return narrow(y, data1.dtype)


@kernel(out="apart")
def correlation_backward(
    dy: Array,
    data1: Array,
    data2: Array,
    *,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    pad_size: int,
    is_multiply: bool,
    out: Places = None,
) -> tuple[Array, Array]:
    """Gradients to both images."""
    strides = (stride1, stride2)
    patches = _Patches.of(data1.shape, kernel_size, max_displacement, strides, pad_size)
    a, b = patches.padded(wide(data1)), patches.padded(wide(data2))
    to_a, to_b = np.zeros_like(a), np.zeros_like(b)
    g = wide(dy) / (kernel_size**2 * a.shape[1])
    for channel, own, other in patches.pairs():
        share = g[:, channel, None]
        if is_multiply:
            to_a[own] += share * b[other]
            to_b[other] += share * a[own]
        else:
            signed = np.where(a[own] < b[other], -share, share)  # of equal ones 1, as MXNet's
            to_a[own] += signed
            to_b[other] -= signed
    height, width = data1.shape[2:]
    inside = (..., slice(pad_size, pad_size + height), slice(pad_size, pad_size + width))
    dtype = data1.dtype
    return copied(to_a[inside], out, dtype=dtype), copied(to_b[inside], out, 1, dtype=dtype)
