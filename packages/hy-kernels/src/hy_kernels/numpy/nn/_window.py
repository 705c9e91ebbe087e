"""Sliding windows over the spatial axes of arrays: padding, strided views, columns."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hy_kernels.numpy._array import FLOAT32, Array, OutBuffers, converted, copied, out_buffer
from hy_kernels.numpy.nn._replay import NOW, Work
from hy_kernels.windows import Sizes, geometry_by_axis, window_counts

Index: TypeAlias = tuple[Any, ...]


def strided(
    array: Array,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """Return a view with the given shape and strides, beginning at the first element of ``array``.

    ``dtype`` reinterprets the memory of a contiguous array.
    """
    # The constructor takes a tenth of the time of as_strided, which is written in Python, but
    # accepts only contiguous memory.
    if array.flags.c_contiguous:
        return np.ndarray(shape, dtype or array.dtype, array, 0, strides)
    return np.asarray(as_strided(array, shape, strides))


def to_compute_dtype(array: Array) -> Array:
    """Convert 16-bit floats to float32, in which kernels compute; return other arrays as is."""
    dtype = array.dtype
    return converted(array, FLOAT32) if dtype.itemsize == 2 and dtype.kind in "fV" else array


def to_storage_dtype(array: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return the array converted to ``dtype``, or itself if it has that dtype."""
    return array if array.dtype == dtype else converted(array, dtype)


def to_first(array: Array, layout: str | None) -> Array:
    """Return a channels-first view ``[N, C, *size]`` of an array in ``layout``."""
    return np.moveaxis(array, -1, 1) if layout is not None and layout[-1] == "C" else array


def to_last(array: Array, layout: str | None, out: OutBuffers = None) -> Array:
    """Return a channels-first array in ``layout``, the inverse of :func:`to_first`.

    A channels-last result is a copy, in the out buffer if there is one.
    """
    if layout is None or layout[-1] != "C":
        return array
    moved = np.moveaxis(array, 1, -1)
    return np.ascontiguousarray(moved) if out_buffer(out) is None else copied(moved, out)


# Eager calls compute the same windows again and again.
_once = lru_cache(maxsize=1024)
"""Decorator that caches results by a few small tuples."""


class Windows(NamedTuple):
    """Sliding windows over spatial axes: along each, window ``i`` starts at ``i stride - pad``."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilate: tuple[int, ...]
    pad: tuple[int, ...]
    number: tuple[int, ...]
    """The number of windows along each axis."""

    @classmethod
    def of(
        cls,
        size: Sizes,
        kernel: Sizes,
        stride: Sizes,
        dilate: Sizes,
        pad: Sizes,
    ) -> "Windows":
        """Return the windows for an operator's parameters; empty tuples stand for defaults."""
        s, d, p = geometry_by_axis(len(kernel), stride, dilate, pad)
        number = window_counts(size, kernel, s, d, p)
        return cls(size=tuple(size), kernel=tuple(kernel), stride=s, dilate=d, pad=p, number=number)

    @property
    @_once
    def padded(self) -> tuple[int, ...]:
        """Return the spatial sizes of the padded array, which contains every window."""
        return tuple(
            max((n - 1) * s + d * (k - 1) + 1, p + size)
            for size, k, s, d, p, n in zip(*self, strict=True)
        )

    @property
    @_once
    def inside(self) -> Index:
        """Return the slices of the padded array that hold the original array."""
        return tuple(slice(p, p + n) for p, n in zip(self.pad, self.size, strict=True))

    @property
    @_once
    def fits(self) -> bool:
        """Return whether no window reads padding."""
        return self.padded == self.size

    @property
    @_once
    def pointwise(self) -> bool:
        """Return whether each window is one element: kernel 1, stride 1, no padding."""
        ones = (1,) * len(self.size)
        return self.kernel == ones and self.stride == ones and self.size == self.padded

    @property
    @_once
    def selection(self) -> Index | None:
        """Return the index of the elements that windows of one element with a stride read.

        None if windows have several elements, stride 1 or padding.
        """
        ones = (1,) * len(self.size)
        if self.kernel != ones or self.stride == ones or any(self.pad):
            return None
        steps = zip(self.number, self.stride, strict=True)
        return (..., *(slice(0, (n - 1) * step + 1, step) for n, step in steps))

    @property
    @_once
    def of_selection(self) -> "Windows":
        """Return the windows over an array that holds only the elements at :attr:`selection`."""
        return self._replace(size=self.number, stride=(1,) * len(self.size))

    def strips(self, rows: int) -> Iterator[tuple["Windows", slice, slice]]:
        """Yield strips of at most ``rows`` windows along the first spatial axis.

        Yields:
            The windows of a strip, relative to the elements it reads; the slice of these elements;
            and the slice of the windows.
        """
        kernel, stride, dilate, pad = (
            each[0] for each in (self.kernel, self.stride, self.dilate, self.pad)
        )
        for first in range(0, self.number[0], rows):
            stop = min(first + rows, self.number[0])
            start = first * stride - pad
            end = (stop - 1) * stride - pad + dilate * (kernel - 1) + 1
            low, high = max(start, 0), max(min(end, self.size[0]), start, 0)
            part = self._replace(
                size=(high - low, *self.size[1:]),
                pad=(low - start, *self.pad[1:]),
                number=(stop - first, *self.number[1:]),
            )
            yield part, slice(low, high), slice(first, stop)

    def with_padding(self, images: Array, sizes: tuple[int, ...], work: Work = NOW) -> Array:
        """Return images ``[N, H, W, C]`` padded with zeros, or cropped, to ``[N, *sizes, C]``.

        The result is scratch memory, which the next call in this thread overwrites.
        """
        if self.pad == (0, 0) and sizes == self.size and images.flags.c_contiguous:
            return images
        (top, left), (height, width) = self.pad, self.size
        padded = work.workspace("images", (len(images), *sizes, images.shape[-1]), images.dtype)
        bottom, right = min(top + height, sizes[0]), min(left + width, sizes[1])
        middle = padded[:, top:bottom]
        # Only the border is zeroed: the middle is written next.
        for edge in (
            padded[:, :top],
            padded[:, bottom:],
            middle[:, :, :left],
            middle[:, :, right:],
        ):
            if edge.size:
                work.do(edge.fill, 0)
        work.do(np.copyto, middle[:, :, left:right], images[:, : bottom - top, : right - left])
        return padded

    def view(self, padded: Array, last: int = 0) -> Array:
        """Return a view ``[N, C, *kernel, *number]`` of the padded array ``[N, C, *size]``.

        With ``last=1``, a view ``[C, *kernel, *number, N]`` of ``[C, *size, N]``.
        """
        front = 2 - last
        rank = len(self.kernel)
        steps = padded.strides[front : front + rank]
        strides = (
            *padded.strides[:front],
            *(step * d for step, d in zip(steps, self.dilate, strict=True)),
            *(step * s for step, s in zip(steps, self.stride, strict=True)),
            *padded.strides[front + rank :],
        )
        shape = (*padded.shape[:front], *self.kernel, *self.number, *padded.shape[front + rank :])
        return strided(padded, shape, strides)

    def positions(self) -> Iterator[tuple[Index, Index]]:
        """Yield the index of each kernel element, and that of the padded elements it reads."""
        for position in product(*map(range, self.kernel)):
            each = zip(position, self.dilate, self.stride, self.number, strict=True)
            where = [slice(i * d, i * d + (n - 1) * s + 1, s) for i, d, s, n in each]
            yield (slice(None), slice(None), *position), (..., *where)


windows_of = lru_cache(maxsize=1024)(Windows.of)
""":meth:`Windows.of` with cached results, for arguments that are tuples."""
