"""Tasks for threads that compute a convolution with the batch innermost, or its gradients."""

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._replay import Task, Work
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution import _chwn_columns, _chwn_rows, _chwn_winograd, select
from hy_kernels.numpy.nn.convolution._chwn_shares import Share, shares
from hy_kernels.numpy.nn.convolution.select import Problem
from hy_kernels.numpy.runtime._blas import has_small_kernels
from hy_kernels.numpy.runtime._pool import is_pool_profitable, split


class _Method(NamedTuple):
    """The functions of an algorithm: convolution, and gradient to the weight."""

    convolve: Callable[[Array, Array, Array, Share, bool, Work], None]
    correlate: Callable[[Array, Array, Array, Share, Work], None]
    side: int = 1
    """Rows of results in a tile; shares consist of whole tiles."""


_METHODS: Mapping[str, _Method] = {
    "winograd4": _Method(_chwn_winograd.convolve, _chwn_winograd.correlate, _chwn_winograd.SIDE),
    "rows": _Method(_chwn_rows.convolve, _chwn_rows.correlate),
    "im2col": _Method(_chwn_columns.convolve, _chwn_columns.correlate),
}


def _filter_slices(filters: int, parts: int) -> list[slice]:
    """Return slices of filters, one for each of ``parts`` threads."""
    # Each thread makes all columns, so one slice is faster while the pool does not save time.
    # Rounding does not change if OpenBLAS has small kernels: they compute each filter by itself.
    return split(filters, 1 if has_small_kernels() and not is_pool_profitable() else parts)


def transposed_windows(windows: Windows, n: int, channels: int, filters: int) -> Windows | None:
    """Return the windows of the transposed convolution that computes the gradient to the data.

    None if there is no such convolution, or if col2im is faster.
    """
    around = [
        d * (k - 1) - p for d, k, p in zip(windows.dilate, windows.kernel, windows.pad, strict=True)
    ]
    if set(windows.stride) != {1} or min(around) < 0:
        return None
    back = windows._replace(size=windows.number, pad=tuple(around), number=windows.size)
    problem = Problem(batch=n, channels=channels, filters=filters, groups=1, windows=windows)
    return back if select.chwn_to_data(problem, back) == "transposed" else None


def convolution_tasks(
    data: Array,
    weight: Array,
    bias: Array | None,
    windows: Windows,
    result: Array,
    *,
    transposed: bool = False,
    concurrent: int = 1,
) -> list[Task]:
    """Return the tasks of a convolution of ``data [C, H, W, N]``, each of some rows or filters.

    Args:
        data: The images.
        weight: ``[O, C, kh, kw]``; transposed, ``[C, O, kh, kw]``.
        bias: ``[O]``.
        windows: The windows of the convolution.
        result: The output, ``[O, h, w, N]``.
        transposed: Whether to compute the transposed convolution, the gradient to data.
        concurrent: Number of computations that share the threads.
    """
    n, filters = data.shape[-1], len(result)
    algorithm = select.chwn(
        Problem(batch=n, channels=len(data), filters=filters, groups=1, windows=windows)
    )
    method = _METHODS[algorithm]

    def fill(share: Share, own: slice, work: Work) -> None:
        """Compute the rows in ``share`` of the filters in ``own``."""
        part = weight[:, own] if transposed else weight[own]
        method.convolve(data, part, result[own], share, transposed, work)
        if bias is not None:
            block = result[own, share[2]]
            work.do(np.add, block, bias[own, None, None, None], block)

    parts = shares(windows, n, weight, method.side, concurrent)
    # Threads with a share of the rows read the whole weight, threads with a share of the filters
    # read all images: the larger of both is divided. "rows" lays out image rows for all filters.
    tiles = n * prod(-(-size // method.side) for size in windows.number)
    if algorithm == "rows" or filters <= tiles:
        return [partial(fill, share, slice(0, filters)) for share in parts]
    (whole,) = windows.strips(windows.number[0])
    return [partial(fill, whole, own) for own in _filter_slices(filters, len(parts))]


class Gradient(NamedTuple):
    """Tasks for threads, and the function that then combines and returns their result."""

    tasks: list[Task]
    finish: Callable[[], Array]


def weight_gradient(
    dy: Array, data: Array, result: Array, windows: Windows, *, concurrent: int = 1
) -> Gradient:
    """Return the tasks that compute the gradient to the weight, in ``result [O, C, kh, kw]``."""
    filters, channels, n = *result.shape[:2], data.shape[-1]
    method = _METHODS[
        select.chwn(Problem(batch=n, channels=channels, filters=filters, groups=1, windows=windows))
    ]
    parts = shares(windows, n, result, method.side, concurrent)
    if COSTS.chwn.filters_shared * filters > prod(windows.number) * n:
        (whole,) = windows.strips(windows.number[0])
        some = _filter_slices(filters, len(parts))
        tasks: list[Task] = [
            partial(method.correlate, dy[own], data, result[own], whole) for own in some
        ]
        return Gradient(tasks, lambda: result)
    # Each share of rows has a sum of its own; these are added in order once all are done.
    totals = [result, *(np.empty_like(result) for _ in parts[1:])]
    each = zip(totals, parts, strict=True)

    def finish() -> Array:
        for total in totals[1:]:
            np.add(result, total, out=result)
        return result

    return Gradient(
        [partial(method.correlate, dy, data, total, part) for total, part in each], finish
    )
