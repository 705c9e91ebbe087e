"""Helpers of convolutions on ``[C, H, W, N]``: shares for threads, products with long rows."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._replay import Work
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.runtime._blas import MAX_UNPACKED_PRODUCT, has_small_kernels
from hy_kernels.numpy.runtime._pool import num_chunks

Share: TypeAlias = tuple[Windows, slice, slice]
"""Some rows of windows: as windows over the image rows that they read, the slice of these image
rows, and the slice of the rows in the result."""


def is_shared(result: Array, weight: Array) -> bool:
    """Return whether computing two convolutions of these sizes in parallel saves time."""
    return num_chunks(2 * result[0].size * weight.size, COSTS.threads.chwn) > 1


def shares(
    windows: Windows, n: int, weight: Array, side: int = 1, concurrent: int = 1
) -> Sequence[Share]:
    """Return one share of the rows for each thread to use, in whole tiles of ``side`` rows.

    ``concurrent`` is the number of computations that run at the same time and share the threads.
    """
    count = -(-num_chunks(prod(windows.number) * n * weight.size, COSTS.threads.chwn) // concurrent)
    return _strips(windows, -(-windows.number[0] // (count * side)) * side)


def blocks(share: Share, rows: int) -> Sequence[Share]:
    """Return a share cut into parts of at most ``rows`` rows of windows."""
    windows, elements, own = share
    if rows >= windows.number[0]:
        return (share,)
    return [
        (
            part,
            slice(elements.start + read.start, elements.start + read.stop),
            slice(own.start + written.start, own.start + written.stop),
        )
        for part, read, written in _strips(windows, rows)
    ]


@lru_cache(maxsize=1024)
def _strips(windows: Windows, rows: int) -> tuple[Share, ...]:
    return tuple(windows.strips(rows))


def oriented_weight(weight: Array, transposed: bool) -> Array:
    """Return ``weight``, or a view of it as the weight of the transposed convolution.

    For the latter, filters and channels are swapped and kernels are flipped.
    """
    return weight[:, :, ::-1, ::-1].swapaxes(0, 1) if transposed else weight


def width_of(length: int, max_columns: int) -> int:
    """Return the largest divisor of ``length`` from ``COSTS.chwn.min_columns`` to ``max_columns``.

    Without one, return ``length``.
    """
    return _width_of(length, max_columns, COSTS.chwn.min_columns)


@lru_cache(maxsize=1024)
def _width_of(length: int, max_columns: int, min_columns: int) -> int:
    return next((w for w in range(max_columns, min_columns - 1, -1) if length % w == 0), length)


def multiply(matrix: Array, columns: Array, out: Array, work: Work) -> None:
    """Compute ``out = matrix · columns``, stacks of matrices, as small products if sizes divide."""
    rows, inner = matrix.shape[-2:]
    length = columns.shape[-1]
    height = rows
    # The rows of a transposed view cannot be cut into contiguous blocks.
    if has_small_kernels() and matrix.strides[-1] == matrix.itemsize:
        height = width_of(
            rows,
            min(
                COSTS.chwn.max_rows, MAX_UNPACKED_PRODUCT // max(inner * COSTS.chwn.min_columns, 1)
            ),
        )
    width = width_of(
        length, min(COSTS.chwn.max_columns, MAX_UNPACKED_PRODUCT // max(height * inner, 1))
    )
    # Rows of columns start pages apart: a small product, which reads a part of each row, touches as
    # many pages as there are rows. With this many it is faster to let BLAS pack them.
    is_paged = columns.ndim == 2 and inner >= COSTS.chwn.pages
    if (
        is_paged
        or height * inner * width > MAX_UNPACKED_PRODUCT
        or (height == rows and width == length)
    ):
        work.do(np.matmul, matrix, columns, out)
        return
    stacked = matrix.reshape(*matrix.shape[:-2], -1, 1, height, inner)
    cut = columns.reshape(*columns.shape[:-1], -1, width).swapaxes(-3, -2)
    parts = out.reshape(*out.shape[:-2], -1, height, length // width, width).swapaxes(-3, -2)
    work.do(np.matmul, stacked, cut[..., None, :, :, :], parts)
