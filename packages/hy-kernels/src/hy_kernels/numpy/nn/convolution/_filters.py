"""Products of filters with columns, for convolution with channels first.

OpenBLAS packs the factors of every large product. With AVX-512 it computes small products without
packing, so a large product is cut into many small ones of a few filters and columns; long filters
are cut, too, and the parts summed. If there are few columns, which would leave vector registers
partly empty, the product is transposed, so that filters fill them.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS, Products
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.runtime._blas import MAX_UNPACKED_PRODUCT, has_small_kernels
from hy_kernels.numpy.runtime._product import by_panels


class _Cut(NamedTuple):
    """Sizes of the small products into which a large one is cut."""

    layers: int
    """Parts into which each filter is cut; their products are summed."""
    filters: int
    columns: int


@lru_cache(maxsize=1024)
def _cut(costs: Products, filters: int, inner: int, columns: int) -> _Cut | None:
    """Return the cut of a product ``[filters, inner] · [inner, columns]``; None: do not cut."""
    width = min(columns, costs.columns)
    # With a single block of columns each filter is read only once, so more filters are better.
    fewest = costs.filters if width < columns else costs.filters_once
    for layers in range(1, costs.layers + 1):
        if inner % layers == 0:
            largest = min(costs.max_filters, MAX_UNPACKED_PRODUCT // (inner // layers * width))
            fitting = (n for n in range(largest, fewest - 1, -1) if filters % n == 0)
            if count := next(fitting, 0):
                return _Cut(layers=layers, filters=count, columns=width)
    return None


def is_cut(filters: int, inner: int, columns: int) -> bool:
    """Return whether :func:`multiply` cuts or transposes a product of these sizes."""
    if filters * inner * columns <= MAX_UNPACKED_PRODUCT or not has_small_kernels():
        return False
    if columns < COSTS.products.min_columns:
        return True
    return _cut(COSTS.products, filters, inner, columns) is not None


def is_transposed_gradient(filters: int, inner: int) -> bool:
    """Return whether BLAS computes a gradient ``[filters, inner]`` faster transposed.

    It is ``dy · columnsᵀ``: of the two the transpose of a few filters is the better right factor.
    """
    return filters <= COSTS.convolution.transposed_filters and 2 * filters <= inner


def multiply(filters: Array, columns: Array, out: Array) -> None:
    """Compute ``out [*B, G, F, P] = filters [G, F, K] · columns [*B, G, K, P]``."""
    groups, count, inner = filters.shape
    number = columns.shape[-1]
    if groups > 1 or not filters.flags.c_contiguous or not is_cut(count, inner, number):
        np.matmul(filters, columns, out=out)
        return
    costs = COSTS.products
    is_transposed = number < costs.min_columns
    cut = None if is_transposed else _cut(costs, count, inner, number)
    for image in np.ndindex(columns.shape[:-2]):
        if cut is None:
            _multiply_transposed(filters[0], columns[image], out[image])
        else:
            _multiply_cut(filters[0], columns[image], out[image], cut)


def _multiply_transposed(filters: Array, columns: Array, out: Array) -> None:
    """Compute ``out = filters · columns`` as the transpose of ``columnsᵀ · filtersᵀ``."""
    left = workspace("transposed", columns.shape[::-1], columns.dtype)
    result = workspace("transposed product", out.shape[::-1], out.dtype)
    np.copyto(left, columns.T)
    np.copyto(out, by_panels(left, filters.T, result, COSTS.products.panel).T)


def _multiply_cut(filters: Array, columns: Array, out: Array, cut: _Cut) -> None:
    """Compute ``out = filters · columns`` as a stack of small products."""
    layers, count, width = cut
    inner, number = columns.shape
    whole = number // width * width
    cut_filters = filters.reshape(-1, 1, count, layers, inner // layers).transpose(3, 0, 1, 2, 4)
    blocks = columns[:, :whole].reshape(layers, 1, inner // layers, -1, width)
    target = out[None] if layers == 1 else workspace("layers", (layers, *out.shape), out.dtype)
    parts = target[..., :whole].reshape(layers, -1, count, whole // width, width)
    np.matmul(cut_filters, blocks.swapaxes(2, 3), out=parts.swapaxes(2, 3))
    if layers > 1:
        np.add.reduce(target[..., :whole], axis=0, out=out[:, :whole])
    if whole < number:
        np.matmul(filters, columns[:, whole:], out=out[:, whole:])
