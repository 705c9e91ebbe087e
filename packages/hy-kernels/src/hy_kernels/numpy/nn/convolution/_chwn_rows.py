"""Convolution with the batch innermost by MEC, memory-efficient convolution.

Each image row is copied ``kw`` times, shifted by one element more each time: ``[H, kw, C, w N]``.
The rows of a window are then contiguous, and the columns ``[kh kw C, w N]`` of a row of windows are
a view that overlaps the next row's: ``kh`` times fewer elements are copied than by im2col.

Source: Cho and Brand, MEC: Memory-efficient Convolution for Deep Neural Network, 2017.
"""

from collections.abc import Sequence

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._replay import Work
from hy_kernels.numpy.nn._window import Windows, strided
from hy_kernels.numpy.nn.convolution._chwn_shares import (
    Share,
    blocks,
    multiply,
    oriented_weight,
    width_of,
)
from hy_kernels.numpy.runtime._blas import MAX_UNPACKED_PRODUCT, has_small_kernels

_REGISTER = 16
"""Elements of float32 in a vector register of the CPUs whose BLAS has small kernels."""


def convolve(
    data: Array, weight: Array, result: Array, share: Share, transposed: bool, work: Work
) -> None:
    """Compute the rows in ``share`` of ``result [O, h, w, N]`` from ``data [C, H, W, N]``.

    ``transposed`` is explained at :func:`.oriented_weight`.
    """
    weight, filters = oriented_weight(weight, transposed), len(result)
    matrix = work.workspace("matrix", (filters, weight[0].size), weight.dtype)
    work.do(np.copyto, _by_rows(matrix, weight), weight)
    for part in _blocks(data, share):
        own = result[:, part[2]]
        y = own.reshape(*own.shape[:2], -1).swapaxes(0, 1)
        multiply(matrix, _columns(data, part, work), y, work)


def correlate(dy: Array, data: Array, total: Array, share: Share, work: Work) -> None:
    """Compute the part of the gradient to the weight that the rows in ``share`` contribute.

    It is written to ``total [O, C, kh, kw]``.
    """
    filters, inner = len(total), total[0].size
    sums = work.workspace("sums", (inner, filters), dy.dtype)
    small = _columns_of_small_products(inner, filters)
    for k, part in enumerate(_blocks(data, share)):
        columns, own = _columns(data, part, work), dy[:, part[2]]
        rows, across = own.shape[1], own[0, 0].size
        width = width_of(across, small or COSTS.chwn.max_columns)
        cut = columns.reshape(rows, inner, -1, width).swapaxes(1, 2)
        gradients = own.reshape(filters, rows, -1, width).transpose(1, 2, 3, 0)
        # BLAS's small kernels do not pack; they would read a transposed factor with a stride.
        if width <= small:
            transposed = work.workspace("gradients", gradients.shape, dy.dtype)
            np.copyto(transposed, gradients)
            gradients = transposed
        products = work.workspace("products", (*cut.shape[:2], inner, filters), dy.dtype)
        np.matmul(cut, gradients, products)
        added = products.reshape(-1, inner, filters)
        if k:
            sums += added.sum(axis=0)
        else:
            np.add.reduce(added, axis=0, out=sums)
    np.copyto(total, _by_rows(sums.T, total))


def _columns_of_small_products(inner: int, filters: int) -> int:
    """Return how many columns a product multiplies by transposed gradients; 0 if not transposed."""
    costs = COSTS.chwn
    # A small product saves BLAS's copy of the windows, and costs a copy of the gradients.
    if not has_small_kernels() or inner < costs.rows_transposed * max(filters, _REGISTER):
        return 0
    small = MAX_UNPACKED_PRODUCT // (inner * filters)
    return min(costs.max_columns, small) if small >= costs.rows_summed else 0


def _by_rows(matrix: Array, weight: Array) -> Array:
    """Return ``matrix [O, kh kw C]`` as a view ``[O, C, kh, kw]``, the shape of ``weight``."""
    filters, channels, kh, kw = weight.shape
    step, one = matrix.strides
    strides = (step, one, one * kw * channels, one * channels)
    return np.lib.stride_tricks.as_strided(matrix, (filters, channels, kh, kw), strides)


def _blocks(data: Array, share: Share) -> Sequence[Share]:
    windows = share[0]
    each = len(data) * windows.kernel[1] * windows.number[1] * data.shape[-1] * windows.stride[0]
    return blocks(share, max(1, COSTS.blocks.chwn_rows // max(1, each)))


def _columns(data: Array, share: Share, work: Work) -> Array:
    """Return the columns ``[h, kh kw C, w N]`` of a share: a view whose rows of windows overlap."""
    windows, elements, _ = share
    rows = _row_windows(data[:, elements], windows, work)
    _, kw, channels, across, n = rows.shape
    step, _, plane, _, one = rows.strides
    shape = (windows.number[0], windows.kernel[0] * kw * channels, across * n)
    return strided(rows, shape, (step * windows.stride[0], plane, one))


def _row_windows(data: Array, windows: Windows, work: Work) -> Array:
    """Return image rows copied for each kernel column, ``[H, kw, C, w, N]``, zero in padding."""
    channels, height, width, n = data.shape
    (top, left), (down, right) = windows.pad, windows.stride
    across = windows.number[1]
    reach = (windows.number[0] - 1) * down + windows.kernel[0]
    shape = (reach, windows.kernel[1], channels, across, n)
    rows = work.workspace("rows", shape, data.dtype)
    bottom = min(top + height, reach)
    source = data[:, : bottom - top].swapaxes(0, 1)
    for edge in (rows[:top], rows[bottom:]):
        if edge.size:
            work.do(edge.fill, 0)
    for j in range(windows.kernel[1]):
        start = j * windows.dilate[1] - left
        first = min(max(0, -(start // right)), across)
        stop = max(first, min(across, (width - 1 - start) // right + 1))
        own = rows[top:bottom, j]
        for edge in (own[:, :, :first], own[:, :, stop:]):
            if edge.size:
                work.do(edge.fill, 0)
        if first < stop:
            seen = slice(first * right + start, (stop - 1) * right + start + 1, right)
            work.do(np.copyto, own[:, :, first:stop], source[:, :, seen])
    return rows
