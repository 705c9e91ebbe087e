"""Shares of a convolution for threads: images, filters or groups."""

from math import prod

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.runtime._pool import num_chunks, split

__all__ = ["by_filters", "by_groups", "by_images", "of_groups"]


def by_images(batch: int, windows: Windows, weight: Array) -> list[slice]:
    """Return a slice of the images for each thread to use."""
    return split(batch, min(batch, _threads(batch, windows, weight)))


def _threads(batch: int, windows: Windows, weight: Array, factor: float = 1) -> int:
    """Return the number of threads for a convolution, multiplications weighted by ``factor``."""
    work = int(batch * prod(windows.number) * weight.size * factor)
    return num_chunks(work, COSTS.threads.convolution)


def by_filters(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Return a slice of filters for each thread, or none where sharing images is better."""
    filters, count = len(weight), _threads(batch, windows, weight)
    if groups > 1 or count == 1:
        return []
    # Each thread makes all columns, which costs less than its products only with more filters than
    # windows; kernels of one element have no columns.
    if filters <= batch * prod(windows.number):
        count = _threads(batch, windows, weight, COSTS.threads.points) if windows.pointwise else 1
        return split(filters, count) if batch < count else []
    return split(filters, count)


def by_groups(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Return a slice of groups for each thread where there are fewer images, else none."""
    count = _threads(batch, windows, weight, COSTS.threads.groups)
    return split(groups, count) if batch < count <= groups // 2 else []


def of_groups(array: Array, groups: int, own: slice, axis: int) -> Array:
    """Return a view of the channels, or filters, of the groups in ``own``."""
    each = array.shape[axis] // groups
    part = slice(own.start * each, own.stop * each)
    return array[part] if axis == 0 else array[:, part]
