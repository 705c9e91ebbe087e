"""Axis: the pooling windows along one axis."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, aligned
from hy_kernels.numpy.nn._replay import NOW, Work
from hy_kernels.numpy.runtime._pool import split
from hy_kernels.windows import filled, pooled_length

Index: TypeAlias = tuple[Any, ...]


class Axis(NamedTuple):
    """The pooling windows along one axis: window ``i`` starts at element ``i stride - pad``."""

    axis: int
    size: int
    kernel: int
    stride: int
    pad: int
    number: int

    @lru_cache(maxsize=1024)  # noqa: B019  # of small tuples, not of objects
    def at(self, offset: int) -> tuple[Index, Index]:
        """Return the index of windows whose element at ``offset`` is data, and of these elements.

        Windows whose element is padding are excluded.
        """
        start = offset - self.pad
        first = max(0, -(start // self.stride))
        stop = min(self.number, (self.size - 1 - start) // self.stride + 1)
        stop = max(stop, first)
        front = (slice(None),) * self.axis
        begin = first * self.stride + start
        end = max(begin + (stop - first - 1) * self.stride + 1, begin)
        return (*front, slice(first, stop)), (*front, slice(begin, end, self.stride))

    @property
    def common_offsets(self) -> list[int]:
        """Return the offsets in a window at which every window reads data, not padding."""
        last = (self.number - 1) * self.stride - self.pad
        return [k for k in range(self.pad, self.kernel) if last + k < self.size]

    def reduce(
        self,
        data: Array,
        combine: Callable[..., Any],
        outside: Any,
        result: Array | None = None,
        work: Work = NOW,
    ) -> Array:
        """Return the elements of each window reduced by ``combine``.

        Args:
            data: The array to reduce along the axis.
            combine: A ufunc of two operands, such as ``numpy.maximum``.
            outside: Its neutral element, the result of a window without data.
            result: The array to write to; None: scratch memory.
            work: Runs or records the calls.
        """
        if result is None:
            shape = list(data.shape)
            shape[self.axis] = self.number
            result = work.workspace(f"reduced {self.axis}", tuple(shape), data.dtype)
        # The first two elements that all windows have are combined into the result, which saves a
        # pass to initialize it.
        common_offsets = self.common_offsets
        if len(common_offsets) > 1:
            first, second = (data[self.at(offset)[1]] for offset in common_offsets[:2])
            work.do(combine, first, second, out=result)
        else:
            work.do(
                np.copyto,
                result,
                data[self.at(common_offsets[0])[1]] if common_offsets else outside,
            )
        done = common_offsets[:2]
        rest = [offset for offset in range(self.kernel) if offset not in done]
        is_flat = bool(rest) and self._is_flat(data, result)
        for offset in rest:
            if is_flat:
                _combine_shifted(combine, result, data, offset - self.pad, self.stride)
            else:
                windows, elements = self.at(offset)
                own = result[windows]
                work.do(combine, own, data[elements], out=own)
        return result

    def strips(self, count: int) -> Iterator[tuple["Axis", slice, slice]]:
        """Yield at most ``count`` parts of the axis, with slices of their elements and windows."""
        for own in split(self.number, count):
            start, stop = (k * self.stride - self.pad for k in (own.start, own.stop - 1))
            low, high = max(start, 0), min(stop + self.kernel, self.size)
            number = own.stop - own.start
            part = self._replace(size=high - low, pad=low - start, number=number)
            yield part, slice(low, high), own

    def gradient_of_sum(self, dy: Array, result: Array | None = None) -> Array:
        """Return the gradient of sums: for each element, ``dy`` summed over its windows."""
        if result is None:
            shape = list(dy.shape)
            shape[self.axis] = self.size
            result = aligned(tuple(shape), dy.dtype)
        result[...] = 0
        for offset in range(self.kernel):
            if self.stride == 1 and self._is_flat(dy, result):
                _combine_shifted(np.add, result, dy, self.pad - offset)
            else:
                windows, elements = self.at(offset)
                result[elements] += dy[windows]
        return result

    def _is_flat(self, *arrays: Array) -> bool:
        """Return whether windows and elements of all rows are equally far apart in memory."""
        is_last = self.axis == arrays[0].ndim - 1 and all(x.flags.c_contiguous for x in arrays)
        return is_last and self.number * self.stride == self.size >= self.kernel

    @property
    def halves(self) -> bool:
        """Return whether windows are non-overlapping pairs of elements."""
        return self.kernel == 2 and self.stride >= 2 and len(self.common_offsets) == 2

    @property
    def covers(self) -> bool:
        """Return whether windows are non-overlapping pairs that cover every element."""
        return self.halves and self.stride == 2 and self.size == 2 * self.number

    def first(self, data: Array, best: Array) -> Iterator[tuple[Index, Index, Array]]:
        """Yield, for each offset in a window, the windows, their elements at it, and a mask.

        The mask is True where the element is the first of its window that equals ``best``. Windows
        and elements are indices.
        """
        left = np.ones(best.shape, bool)
        for offset in range(self.kernel):
            windows, elements = self.at(offset)
            hit = data[elements] == best[windows]
            hit &= left[windows]
            left[windows] ^= hit
            yield windows, elements, hit

    def give(self, dy: Array, data: Array, best: Array, result: Array | None = None) -> Array:
        """Return the gradient of maxima: ``dy`` at each window's first maximum, ``best``."""
        if result is None:
            result = aligned(data.shape, dy.dtype)
        if not self.covers:
            result[...] = 0
        # An element gets what earlier ones of its window did not, so that a tie counts once; the
        # last one gets the rest without a comparison.
        if self.halves:
            one, other = self.at(0)[1], self.at(1)[1]
            np.multiply(dy, data[one] == best, out=result[one])
            np.subtract(dy, result[one], out=result[other])
            return result
        left = dy.copy()
        for offset in range(self.kernel):
            windows, elements = self.at(offset)
            own, to = left[windows], result[elements]
            if offset == self.kernel - 1:
                to += own
                break
            hit = data[elements] == best[windows]
            if offset < self.stride:  # no other window has given to these elements
                share = np.multiply(own, hit, out=to)
            else:
                share = own * hit
                to += share
            own -= share
        return result


def _combine_shifted(
    combine: Callable[..., Any], result: Array, data: Array, shift: int, stride: int = 1
) -> None:
    """Combine result ``i`` of each row with element ``i stride + shift`` of its row, if it has it.

    Rows of ``data`` are ``stride`` times as long.
    """
    before, after = max(-(shift // stride), 0), max(shift // stride, 0)
    # NumPy's overhead for a row is the time of many elements, so rows are combined as one. The ends
    # of rows meet elements of another row, and are restored.
    ends = result[..., :before] if before else result[..., result.shape[-1] - after :]
    values = ends.copy()
    own = result.reshape(-1)[before : result.size - after]
    start = before * stride + shift
    others = data.reshape(-1)[start : start + (own.size - 1) * stride + 1 : stride]
    combine(own, others, out=own)
    ends[...] = values


def axes_of(size: tuple[int, ...], *windows: Any) -> list[Axis]:
    """Return the :class:`Axis` of each spatial axis of arrays ``[planes, *size]``."""
    return list(_axes_of(size, *windows))


@lru_cache(maxsize=1024)
def _axes_of(
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    global_pool: bool,
    convention: str,
) -> list[Axis]:
    if global_pool:
        return [
            Axis(axis=i + 1, size=n, kernel=n, stride=1, pad=0, number=1)
            for i, n in enumerate(size)
        ]
    rank = len(size)  # further values are ignored
    steps, edges = filled(stride[:rank], 1, rank), filled(pad[:rank], 0, rank)
    each = zip(size, kernel, steps, edges, strict=True)
    return [
        Axis(
            axis=i + 1,
            size=n,
            kernel=k,
            stride=s,
            pad=p,
            number=pooled_length(n, k, s, p, convention),
        )
        for i, (n, k, s, p) in enumerate(each)
    ]
