"""Products of filters with columns of windows, for convolution with the channels first.

OpenBLAS copies the factors of a large product into an order of its own, for each product anew.
Where the CPU has AVX-512 it computes small products without, so a large one is made of many small
ones of a few filters with a few columns; long filters are cut, too, and the parts added up.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS, Products
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.runtime._blas import MAX_UNPACKED_PRODUCT, has_small_kernels

__all__ = ["multiply"]


class _Cut(NamedTuple):
    """Sizes of the small products into which one product with filters is cut."""

    layers: int
    """Parts of the filters, whose products are added up."""
    filters: int
    columns: int


@lru_cache(maxsize=1024)
def _cut(costs: Products, filters: int, inner: int, columns: int) -> _Cut | None:
    """Return the cut of a product ``[filters, inner] · [inner, columns]``, None to leave it."""
    width = min(columns, costs.columns)
    if filters * inner * columns <= MAX_UNPACKED_PRODUCT or width < costs.min_columns:
        return None
    # With a single block of columns, each filter is read once: the more of them the better.
    fewest = costs.filters if width < columns else costs.filters_once
    for layers in range(1, costs.layers + 1):
        if inner % layers == 0:
            largest = min(costs.max_filters, MAX_UNPACKED_PRODUCT // (inner // layers * width))
            fitting = (n for n in range(largest, fewest - 1, -1) if filters % n == 0)
            if count := next(fitting, 0):
                return _Cut(layers, count, width)
    return None


def multiply(filters: Array, columns: Array, out: Array) -> None:
    """Compute ``out [*B, G, F, P] = filters [G, F, K] · columns [*B, G, K, P]``."""
    cut = None
    if has_small_kernels() and len(filters) == 1 and filters.flags.c_contiguous:
        cut = _cut(COSTS.products, *filters.shape[1:], columns.shape[-1])
    if cut is None:
        np.matmul(filters, columns, out=out)
        return
    layers, count, width = cut
    inner, number = columns.shape[-2:]
    whole = number // width * width
    cut_filters = filters.reshape(-1, 1, count, layers, inner // layers).transpose(3, 0, 1, 2, 4)
    for image in np.ndindex(columns.shape[:-2]):
        read, y = columns[image], out[image]
        blocks = read[:, :whole].reshape(layers, 1, inner // layers, -1, width)
        target = y[None] if layers == 1 else workspace("layers", (layers, *y.shape), y.dtype)
        parts = target[..., :whole].reshape(layers, -1, count, whole // width, width)
        np.matmul(cut_filters, blocks.swapaxes(2, 3), out=parts.swapaxes(2, 3))
        if layers > 1:
            np.add.reduce(target[..., :whole], axis=0, out=y[:, :whole])
        if whole < number:
            np.matmul(filters[0], read[:, whole:], out=y[:, whole:])
