"""Columns: im2col and col2im for blocks of images.

Per group, the windows of an image are the columns of a matrix ``[C k, P]``, with ``k`` elements per
window and ``P`` windows. The batch is processed in blocks whose columns fit in the cache; if an
image has few windows, the columns of a block are merged into one wide matrix.
"""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._copying import assign
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution.select import is_merged


class Columns:
    """The columns of images in a convolution, computed block by block in the same scratch memory.

    If merged, the images of a block are the innermost axis, ``[C, *size, N]``, so that even small
    images are copied and added in long runs.
    """

    def __init__(self, windows: Windows, data: Array, groups: int, filters: int) -> None:
        n, c = data.shape[:2]
        self.windows = windows
        self.groups = groups
        self.number = prod(windows.number)
        self.rows = c * prod(windows.kernel) // groups
        # As many images as have blocks.columns elements of columns: the product reads them from the
        # cache.
        self.step = min(n, max(1, COSTS.blocks.columns // max(groups * self.rows * self.number, 1)))
        self.merged = is_merged(windows, filters * self.rows, self.step)
        self._data = data

    def blocks(self) -> Iterator[slice]:
        """Yield slices of the batch, one for each block."""
        for start in range(0, len(self._data), self.step):
            yield slice(start, min(start + self.step, len(self._data)))

    def of(self, block: slice) -> Array:
        """Return the columns of a block, ``[N, G, C k, P]``, or merged ``[G, C k, P N]``."""
        data = self._data[block]
        n = len(data)
        windows = self.windows
        # Windows of one element are the image itself: a view, no copy.
        if windows.pointwise and not self.merged:
            return data.reshape(n, self.groups, self.rows, self.number)
        padded = self._padded(data)
        if windows.pointwise:
            return padded.reshape(self.groups, self.rows, -1)
        view = windows.view(padded, last=1 if self.merged else 0)
        columns = workspace("columns", view.shape, view.dtype)
        np.copyto(columns, view)
        if self.merged:
            return columns.reshape(self.groups, self.rows, -1)
        return columns.reshape(n, self.groups, self.rows, self.number)

    def _padded(self, data: Array) -> Array:
        windows = self.windows
        if windows.fits and not self.merged:
            return data
        inside: tuple[Any, ...] = (..., *windows.inside)
        shape = (*data.shape[:2], *windows.padded)
        if self.merged:
            data, inside = _batch_last(data), (*inside, slice(None))
            shape = (*shape[1:], shape[0])
        padded = workspace("padded", shape, data.dtype)
        if not windows.fits:
            padded[...] = 0
        padded[inside] = data
        return padded

    def to_columns(self, images: Array) -> Array:
        """Return ``images [N, G R, *P]`` in the shape of columns: ``[N, G, R, P]``, or merged.

        Merged, the shape is ``[G, R, P N]``.
        """
        n = len(images)
        split = images.reshape(n, self.groups, -1, self.number)
        if not self.merged:
            return split
        joined = _batch_last(split)
        copy = workspace("wide", joined.shape, joined.dtype)
        assign(copy, joined)
        return copy.reshape(self.groups, -1, self.number * n)

    def from_columns(self, columns: Array, n: int) -> Array:
        """Return columns of ``n`` images as a view ``[N, G, R, P]``, also if they are merged."""
        if not self.merged:
            return columns
        return np.moveaxis(columns.reshape(self.groups, -1, self.number, n), -1, 0)

    def scattered(self, columns: Array, n: int) -> Array:
        """Return images ``[N, C, *size]``: columns added at their windows' elements (col2im)."""
        windows = self.windows
        c = self.groups * self.rows // prod(windows.kernel)
        if self.merged:
            columns = columns.reshape(c, *windows.kernel, *windows.number, n)
            padded = workspace("padded", (c, *windows.padded, n), columns.dtype)
        else:
            columns = columns.reshape(n, c, *windows.kernel, *windows.number)
            padded = workspace("padded", (n, c, *windows.padded), columns.dtype)
        padded[...] = 0
        # One strided addition per kernel element, for all windows at once: windows overlap, but a
        # kernel element reads a different element in each window.
        for tap, where in windows.positions():
            if self.merged:
                padded[(*where, slice(None))] += columns[tap[1:]]
            else:
                padded[where] += columns[tap]
        if self.merged:
            return np.moveaxis(padded[(..., *windows.inside, slice(None))], -1, 0)
        return padded[(..., *windows.inside)]


def _batch_last(array: Array) -> Array:
    return array.transpose(*range(1, array.ndim), 0)
