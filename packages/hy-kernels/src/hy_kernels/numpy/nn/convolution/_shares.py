"""Shares of a convolution for threads: images, filters or groups."""

from math import prod

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.runtime._pool import num_chunks, split

__all__ = ["by_filters", "by_groups", "by_images", "of_groups"]


def by_images(batch: int, windows: Windows, weight: Array) -> list[slice]:
    """Images for each of the threads that the work is worth."""
    return split(batch, min(batch, _threads(batch, windows, weight)))


def _threads(batch: int, windows: Windows, weight: Array, is_profitable: float = 1) -> int:
    """Return the number of threads that pay, where a multiplication counts so many."""
    work = int(batch * prod(windows.number) * weight.size * is_profitable)
    return num_chunks(work, COSTS.threads.convolution)


def by_filters(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Filters for each of the threads, where that suits better than to share images; else none.

    Each thread makes the columns it needs, so there should be more filters than windows; or none
    to make, and few images.
    """
    filters, count = len(weight), _threads(batch, windows, weight)
    if groups > 1 or count == 1:
        return []
    if filters <= batch * prod(windows.number):
        count = _threads(batch, windows, weight, COSTS.threads.points) if windows.pointwise else 1
        return split(filters, count) if batch < count else []
    return split(filters, count)


def by_groups(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Groups for each of the threads, where there are more threads than images; else none."""
    count = _threads(batch, windows, weight, COSTS.threads.groups)
    return split(groups, count) if batch < count <= groups // 2 else []


def of_groups(array: Array, groups: int, own: slice, axis: int) -> Array:
    """The channels or filters of some groups."""
    each = array.shape[axis] // groups
    part = slice(own.start * each, own.stop * each)
    return array[part] if axis == 0 else array[:, part]
