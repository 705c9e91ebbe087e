"""Max pooling one axis at a time, by maxima of whole slices.

On CPUs this is ten times as fast as torch's own pooling, and twice for channels last.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple, TypeAlias

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn._pool_windows import PoolWindows

Index: TypeAlias = tuple[Any, ...]


def by_axis(planes: Tensor) -> bool:
    """Return whether planes are on a CPU and contiguous, channels first."""
    return bool(planes.is_cpu and planes.is_contiguous())


def supports_axes(planes: Tensor) -> bool:
    """Return whether :func:`maxima` is faster for these planes, in either layout."""
    if torch.compiler.is_compiling():  # traced: it writes to parts of its result, by the size
        return False
    return planes.is_cpu and supports_size(planes.numel(), is_last=not planes.is_contiguous())


def supports_size(count: int, *, is_last: bool) -> bool:
    """Return whether :func:`maxima` is faster on a CPU for planes of this many elements."""
    return count >= (COSTS.pool.axes_last if is_last else COSTS.pool.axes)


class _Slice(NamedTuple):
    """Indices of the elements at one offset of the windows along an axis."""

    of_windows: Index | None
    """Index of the windows whose element at this offset is inside the planes; None: all."""
    of_planes: Index | None
    """Index of these elements in the planes; None: all elements."""


def _slice(axis: int, begin: int, count: int, step: int) -> Index:
    return (*(slice(None),) * axis, slice(begin, begin + (count - 1) * step + 1, step))


def _slices(axis: int, size: int, kernel: int, stride: int, pad: int, number: int) -> list[_Slice]:
    """Return a slice for each offset within windows; those inside the data for all come first."""
    result = []
    for offset in range(kernel):
        first = max(-(-(pad - offset) // stride), 0)
        end = min((size - 1 + pad - offset) // stride + 1, number)
        count, begin = end - first, first * stride + offset - pad
        if count > 0:
            inside = None if count == size else _slice(axis, begin, count, stride)
            windows = None if count == number else _slice(axis, first, count, 1)
            result.append(_Slice(windows, inside))
    return sorted(result, key=lambda each: each.of_windows is not None)


@lru_cache(maxsize=1024)
def slices_of(windows: PoolWindows, axis: int = 2) -> tuple[list[_Slice], ...] | None:
    """Return the slices that :func:`largest` compares, for each spatial axis from ``axis`` on.

    None if for some axis no offset is inside the data for all windows.
    """
    each = zip(
        windows.size, windows.kernel, windows.stride, windows.pad, windows.number, strict=True
    )
    plan = tuple(_slices(i + axis, *one) for i, one in enumerate(each))
    return plan if all(one and one[0].of_windows is None for one in plan) else None


def _largest(data: Tensor, slices: Sequence[_Slice]) -> Tensor:
    """Return the maximum of each window along one axis; may be a view if windows have size 1."""
    (_, first), *others = slices
    best = data if first is None else data[first]
    # The first maximum allocates the result; a single slice is a view, copied before it is written.
    if others and others[0].of_windows is None:
        best = torch.maximum(best, data[others.pop(0).of_planes])
    elif others:
        best = best.clone()
    # Windows over a border lack this element and keep the maximum they have.
    for some, where in others:
        there = best if some is None else best[some]
        torch.maximum(there, data[where], out=there)
    return best


def maxima(planes: Tensor, windows: PoolWindows) -> Tensor:
    """Return the maximum of each window; padding counts as the lowest number."""
    plan = slices_of(windows)
    # No element is in all windows, so borders of -inf are made.
    if plan is None:
        padded = windows.with_borders()
        return maxima(padded.padded(planes, -inf), padded.inside())
    return largest(planes, plan)


def largest(data: Tensor, plan: Sequence[Sequence[_Slice]]) -> Tensor:
    """Return the maximum of each window; ``plan`` is the result of :func:`slices_of`."""
    best = data
    for slices in plan:
        best = _largest(best, slices)
    return best if max(map(len, plan)) > 1 else best.clone()  # never a view


class _Axis(NamedTuple):
    """Pooling windows along one axis, all of them inside the data."""

    axis: int
    kernel: int
    stride: int
    number: int

    def at(self, offset: int) -> tuple[Any, ...]:
        """Return the index of element ``offset`` of each window."""
        end = offset + (self.number - 1) * self.stride + 1
        return (*(slice(None),) * self.axis, slice(offset, end, self.stride))

    def largest(self, data: Tensor) -> Tensor:
        """Return the maximum of each window along the axis."""
        if self.kernel == 1:
            return data[self.at(0)]
        best = torch.maximum(data[self.at(0)], data[self.at(1)])
        for offset in range(2, self.kernel):
            torch.maximum(best, data[self.at(offset)], out=best)
        return best

    def give(self, dy: Tensor, data: Tensor, best: Tensor) -> Tensor:
        """Return the gradient along the axis: ``dy`` at each window's first element of ``best``."""
        result = dy.new_zeros(data.shape)
        # Two elements and no overlap: what the first one does not get, the second does.
        if self.kernel == 2 and self.stride >= 2:
            first = torch.mul(dy, data[self.at(0)] == best)
            result[self.at(0)] = first
            result[self.at(1)] = dy - first  # torch.compile takes no out= with gaps
            return result
        # Windows whose gradient has not been given yet; of equal elements the first gets it, as in
        # MXNet.
        left = torch.ones_like(best, dtype=torch.bool)
        for offset in range(self.kernel):
            hit = (data[self.at(offset)] == best).logical_and_(left)
            left.logical_xor_(hit)
            result[self.at(offset)] += dy * hit
        return result


def to_first_largest(dy: Tensor, padded: Tensor, windows: PoolWindows) -> Tensor:
    """Return the gradient of maxima: ``dy`` at the first maximum of each padded window."""
    each = zip(windows.kernel, windows.stride, windows.number, strict=True)
    axes = [_Axis(axis=i + 2, kernel=k, stride=s, number=n) for i, (k, s, n) in enumerate(each)]
    levels = [padded]
    for axis in reversed(axes):  # so that among equal elements the first one is found
        levels.append(axis.largest(levels[-1]))
    for axis, data, best in zip(axes, levels[-2::-1], levels[:0:-1], strict=True):
        dy = axis.give(dy, data, best)
    return dy
