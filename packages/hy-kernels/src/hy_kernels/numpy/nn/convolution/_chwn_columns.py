"""Convolution with the batch innermost by im2col, with columns ``[C kh kw, h w N]``."""

from collections.abc import Iterator
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._replay import Work
from hy_kernels.numpy.nn._window import Windows, strided
from hy_kernels.numpy.nn.convolution._chwn_shares import Share, multiply, oriented_weight, width_of


def rows_at_once(each: int, across: int) -> int:
    """Return the number of rows of windows whose columns fit in the cache together.

    Args:
        each: Elements of the columns of one window, over the batch.
        across: Windows in a row.
    """
    return max(1, COSTS.blocks.chwn_columns // max(1, each * across))


def convolve(
    data: Array, weight: Array, result: Array, share: Share, transposed: bool, work: Work
) -> None:
    """Compute the rows in ``share`` of ``result [O, h, w, N]`` from ``data [C, H, W, N]``.

    ``transposed`` is explained at :func:`.oriented_weight`.
    """
    weight = oriented_weight(weight, transposed)
    filters, matrix = len(weight), weight.reshape(len(weight), -1)
    # If reshape copies, the recorded calls would keep the old contents: so the copy is recorded.
    if not np.shares_memory(matrix, weight):
        matrix = work.workspace("matrix", matrix.shape, weight.dtype)
        work.do(np.copyto, matrix.reshape(weight.shape), weight)
    for own, columns in _strips(data, share, work):
        multiply(matrix, columns, result[:, own].reshape(filters, -1), work)


def correlate(dy: Array, data: Array, total: Array, share: Share, work: Work) -> None:
    """Compute the part of the gradient to the weight that the rows in ``share`` contribute.

    It is written to ``total [O, C, kh, kw]``.
    """
    filters = len(total)
    sums = total.reshape(filters, -1)
    for k, (own, columns) in enumerate(_strips(data, share, work)):
        gradients = dy[:, own].reshape(filters, -1)
        # The sum over all windows is cut into a stack of products of ``width``, then summed.
        width = width_of(columns.shape[1], COSTS.chwn.max_columns)
        if filters >= COSTS.chwn.columns_filters:
            left = gradients.reshape(filters, -1, width).swapaxes(0, 1)
            right = columns.reshape(len(columns), -1, width).transpose(1, 2, 0)
            if not k and len(left) == 1:
                np.matmul(left, right, out=sums[None])
                continue
            part = np.matmul(left, right).sum(axis=0)
        else:
            # With fewer filters the transposed product is faster; its sum is small.
            left = columns.reshape(len(columns), -1, width).swapaxes(0, 1)
            right = gradients.reshape(filters, -1, width).transpose(1, 2, 0)
            part = np.matmul(left, right).sum(axis=0).T
        if k:
            sums += part
        else:
            sums[...] = part


def _strips(data: Array, share: Share, work: Work) -> Iterator[tuple[slice, Array]]:
    """Yield strips of rows of windows: the slice of their rows, and their columns."""
    windows, elements, rows = share
    if windows.pointwise:
        yield rows, data[:, elements].reshape(len(data), -1)
        return
    padded = _with_padding(data[:, elements], windows, work)
    channels, _, _, n = padded.shape
    plane, down, right, one = padded.strides
    (kh, kw), (step, move), (dilate, skip) = windows.kernel, windows.stride, windows.dilate
    width = windows.number[1]
    # With a stride of 1, a row of windows over all images is one run of memory.
    run, inner = ((width * n,), (one,)) if move == 1 else ((width, n), (move * right, one))
    limit = rows_at_once(channels * prod(windows.kernel) * n, width)
    for first in range(0, windows.number[0], limit):
        height = min(limit, windows.number[0] - first)
        view = strided(
            padded[:, first * step :],
            (channels, kh, kw, height, *run),
            (plane, dilate * down, skip * right, step * down, *inner),
        )
        columns = work.workspace("columns", view.shape, view.dtype)
        work.do(np.copyto, columns, view)
        own = slice(rows.start + first, rows.start + first + height)
        yield own, columns.reshape(channels * kh * kw, -1)


def _with_padding(data: Array, windows: Windows, work: Work) -> Array:
    """Return images ``[C, H, W, N]`` padded with zeros, in scratch memory."""
    if windows.fits:
        return data
    padded = work.workspace("images", (len(data), *windows.padded, data.shape[-1]), data.dtype)
    down, right = windows.inside
    middle = padded[:, down]
    edges = padded[:, : down.start], padded[:, down.stop :]
    sides = middle[:, :, : right.start], middle[:, :, right.stop :]
    for edge in (*edges, *sides):
        if edge.size:
            work.do(edge.fill, 0)
    work.do(np.copyto, middle[:, :, right], data)
    return padded
