"""Shares of a convolution for threads: slices of images, rows, filters or groups."""

from math import prod
from typing import TypeAlias

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution.select import Algorithm
from hy_kernels.numpy.runtime._pool import num_chunks, split

Rows: TypeAlias = tuple[slice, Windows, slice, slice]
"""A slice of images, the windows of some of their rows, the slice of image rows that these read,
and the slice of rows in the result."""


def by_images(
    batch: int, windows: Windows, weight: Array, algorithm: Algorithm | None = None
) -> list[slice]:
    """Return a slice of the images for each thread to use."""
    count = _threads(batch, windows, weight.size, _factor(algorithm))
    return split(batch, min(batch, count))


def by_rows(
    batch: int,
    windows: Windows,
    weight: int,
    side: int = 1,
    algorithm: Algorithm | None = None,
) -> list[Rows]:
    """Return a share of images, or of their rows, for each thread to use.

    If there are fewer images than threads, each image is cut into strips of whole tiles of ``side``
    rows. ``weight`` is the number of elements of the weight.
    """
    count = _threads(batch, windows, weight, _factor(algorithm))
    images = split(batch, min(batch, count))
    if batch >= count:
        return [(part, windows, slice(None), slice(None)) for part in images]
    rows = -(-windows.number[0] // (-(-count // batch) * side)) * side
    return [(part, *strip) for part in images for strip in windows.strips(rows)]


def _threads(batch: int, windows: Windows, weight: int, factor: float = 1) -> int:
    """Return the number of threads for a convolution whose multiplications cost ``factor`` each."""
    work = int(batch * prod(windows.number) * weight * factor)
    return num_chunks(work, COSTS.threads.convolution)


def _factor(algorithm: Algorithm | None) -> float:
    """Return the cost of a multiplication by an algorithm."""
    return COSTS.threads.batch_last if algorithm == "batch last" else 1


def by_filters(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Return a slice of filters for each thread; empty if sharing images is better."""
    filters, size = len(weight), weight.size
    count = _threads(batch, windows, size)
    if groups > 1 or count == 1:
        return []
    # Each thread copies all columns, which is cheaper than its products only with more filters than
    # windows; kernels of one element need no columns.
    if filters <= batch * prod(windows.number):
        count = (
            _threads(batch, windows, weight.size, COSTS.threads.points) if windows.pointwise else 1
        )
        return split(filters, count) if batch < count else []
    return split(filters, count)


def by_groups(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Return a slice of groups for each thread; empty if sharing images is better."""
    costs = COSTS.threads
    factor = costs.depthwise if weight.shape[1] == 1 else costs.groups
    count = _threads(batch, windows, weight.size, factor)
    return split(groups, count) if batch < count <= groups // 2 else []


def of_groups(array: Array, groups: int, own: slice, axis: int) -> Array:
    """Return a view of the channels or filters along ``axis`` that the groups in ``own`` have."""
    each = array.shape[axis] // groups
    part = slice(own.start * each, own.stop * each)
    return array[part] if axis == 0 else array[:, part]
