"""Gradients of convolution as matrix products with columns; see :mod:`._convolve`."""

from collections.abc import Callable
from functools import partial

import numpy as np

from hy_kernels.numpy._array import Array, aligned
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution import (
    _batch_last,
    _depthwise,
    _nchw_winograd,
    _phases,
    _planes,
)
from hy_kernels.numpy.nn.convolution._columns import Columns
from hy_kernels.numpy.nn.convolution._convolve import forward_transposed
from hy_kernels.numpy.nn.convolution._filters import is_transposed_gradient
from hy_kernels.numpy.nn.convolution._shares import by_filters, by_groups, by_images, of_groups
from hy_kernels.numpy.nn.convolution.select import (
    Algorithm,
    Problem,
    nchw,
    nchw_to_data,
    rows_of_strip,
)
from hy_kernels.numpy.runtime._pool import together


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> Array:
    """Compute the gradient to the data into ``result [N, C, *size]``, and return it."""
    if windows.selection is not None:
        some = aligned((*result.shape[:2], *windows.number), result.dtype)
        result[...] = 0
        result[windows.selection] = backward_data(dy, weight, some, windows.of_selection, groups)
        return result
    c, filters = result.shape[1], len(weight)
    if not dy.size or not weight.size:
        result[...] = 0
        return result
    back = transposed_windows(windows)
    algorithm = nchw_to_data(
        Problem(batch=len(dy), channels=c, filters=filters, groups=groups, windows=windows), back
    )
    if back is not None and algorithm == "transposed":
        return forward_transposed(dy, weight, back, groups, result)
    if back is not None and algorithm == "phases":
        _phases.backward_data(dy, weight, result, windows, back, groups)
    else:
        together(_backward_data_tasks(dy, weight, result, windows, groups, algorithm))
    return result


def _backward_data_tasks(
    dy: Array, weight: Array, result: Array, windows: Windows, groups: int, algorithm: Algorithm
) -> list[Callable[[], None]]:
    """Return the tasks of the gradient to the data, each of some channels, groups or images."""
    n = len(dy)
    fill = partial(_backward_data, windows=windows, is_batch_last=algorithm == "batch last")
    if some := by_filters(n, windows, weight.swapaxes(0, 1), groups):
        fill = partial(fill, dy, groups=groups)
        return [partial(fill, weight=weight[:, own], result=result[:, own]) for own in some]
    if some := by_groups(n, windows, weight, groups):
        return [
            partial(
                fill,
                of_groups(dy, groups, own, 1),
                weight=of_groups(weight, groups, own, 0),
                result=of_groups(result, groups, own, 1),
                groups=own.stop - own.start,
            )
            for own in some
        ]
    fill = partial(fill, weight=weight, groups=groups)
    images = by_images(n, windows, weight, algorithm)
    return [partial(fill, dy[some], result=result[some]) for some in images]


def _backward_data(
    dy: Array,
    *,
    weight: Array,
    windows: Windows,
    groups: int,
    result: Array,
    is_batch_last: bool,
) -> None:
    if is_batch_last:
        _batch_last.backward_data(dy, weight, result, windows)
        return
    n, c = result.shape[:2]
    algorithm = nchw(
        Problem(batch=n, channels=c, filters=len(weight), groups=groups, windows=windows),
        transforms=False,
    )
    rows = rows_of_strip(c, windows) if algorithm == "strips" else None
    if algorithm == "depthwise":
        _depthwise.backward_data(dy, weight, result, windows)
    elif rows is not None:
        result[...] = 0
        for part, elements, own in windows.strips(rows):
            some = aligned((*result.shape[:2], *part.size), result.dtype)
            _scatter(dy[:, :, own], weight, some, part, groups)
            result[:, :, elements] += some
    else:
        _scatter(dy, weight, result, windows, groups)


def transposed_windows(windows: Windows) -> Windows | None:
    """Return the windows of the convolution that computes the gradient to the data, or None."""
    if any(step != 1 for step in windows.stride):
        return _phases.phase_windows(windows)
    spans = [d * (k - 1) for d, k in zip(windows.dilate, windows.kernel, strict=True)]
    pad = tuple(span - p for span, p in zip(spans, windows.pad, strict=True))
    # Padding beyond the kernel would need a crop; for kernels of one element a plain product
    # computes the same.
    if min(pad) < 0 or windows.pointwise:
        return None
    return Windows(
        size=windows.number,
        kernel=windows.kernel,
        stride=windows.stride,
        dilate=windows.dilate,
        pad=pad,
        number=windows.size,
    )


def _scatter(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> None:
    """Compute the gradient to the data as a product with the weight followed by col2im."""
    matrix = weight.reshape(groups, len(weight) // groups, -1)
    columns = Columns(windows=windows, data=result, groups=groups, filters=len(weight))
    for block in columns.blocks():
        n = block.stop - block.start
        images = columns.to_columns(dy[block])
        shape = (*images.shape[:-2], columns.rows, images.shape[-1])
        gradients = workspace("columns", shape, images.dtype)
        _back_through(matrix, images, gradients)
        if windows.pointwise:
            own = result[block].reshape(n, groups, -1, columns.number)
            own[...] = columns.from_columns(gradients, n)
        else:
            result[block] = columns.scattered(gradients, n)


def _back_through(matrix: Array, images: Array, out: Array) -> None:
    """Compute ``out [..., C k, P] = matrixᵀ · images``, with ``matrix [G, O, C k]``."""
    # With few windows BLAS is faster with a large matrix untransposed, as the right factor.
    if (
        images.shape[-1] > COSTS.convolution.block_windows
        or matrix.size < COSTS.convolution.back_weight
    ):
        np.matmul(matrix.swapaxes(1, 2), images, out=out)
        return
    shape = (*out.shape[:-2], out.shape[-1], out.shape[-2])
    transposed = workspace("transposed gradients", shape, out.dtype)
    np.matmul(images.swapaxes(-1, -2), matrix, out=transposed)
    np.copyto(out, transposed.swapaxes(-1, -2))


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows, groups: int) -> Array:
    """Compute the gradient to the weight into ``result [O, C / G, *kernel]``, and return it."""
    if not dy.size or not data.size:
        result[...] = 0
        return result
    if windows.selection is not None:
        data, windows = data[windows.selection], windows.of_selection
    n, c = data.shape[:2]
    algorithm = nchw(
        Problem(batch=n, channels=c, filters=len(result), groups=groups, windows=windows)
    )
    fill = partial(_backward_weight, windows=windows, groups=groups, algorithm=algorithm)
    if algorithm == "winograd4":
        fill = partial(_nchw_winograd.backward_weight, windows=windows)
    elif filters := by_filters(n, windows, result, groups):
        together([partial(fill, dy[:, own], data, result[own]) for own in filters])
        return result
    elif some := by_groups(n, windows, result, groups):
        together(
            [
                partial(
                    _backward_weight,
                    of_groups(dy, groups, own, 1),
                    of_groups(data, groups, own, 1),
                    of_groups(result, groups, own, 0),
                    windows=windows,
                    groups=own.stop - own.start,
                )
                for own in some
            ]
        )
        return result
    start, *others = by_images(n, windows, result, algorithm)
    # Each thread sums some images into a weight of its own; these are added in order, so that
    # rounding does not depend on which thread ends first.
    totals = [result, *(np.empty_like(result) for _ in others)]
    tasks = [
        partial(fill, dy[part], data[part], total)
        for part, total in zip((start, *others), totals, strict=True)
    ]
    together(tasks)
    for total in totals[1:]:
        result += total
    return result


def _backward_weight(
    dy: Array,
    data: Array,
    result: Array,
    *,
    windows: Windows,
    groups: int,
    algorithm: Algorithm | None = None,
) -> None:
    n, c = data.shape[:2]
    # In a task of some groups, the algorithm is selected for these.
    if algorithm is None:
        algorithm = nchw(
            Problem(batch=n, channels=c, filters=len(result), groups=groups, windows=windows),
            transforms=False,
        )
    rows = rows_of_strip(c, windows) if algorithm == "strips" else None
    if rows is not None:
        result[...] = 0
        some = np.empty_like(result)
        for part, elements, own in windows.strips(rows):
            _correlate(dy[:, :, own], data[:, :, elements], some, part, groups)
            result += some
    elif algorithm == "batch last":
        _batch_last.backward_weight(dy, data, result, windows)
    elif algorithm == "depthwise":
        result[...] = 0
        _depthwise.backward_weight(dy, data, result, windows)
    elif algorithm == "planes":
        _planes.backward_weight(dy, data, result, windows)
    else:
        _correlate(dy, data, result, windows, groups)


def _correlate(dy: Array, data: Array, result: Array, windows: Windows, groups: int) -> None:
    """Compute the gradient to the weight as products of ``dy`` with columns, block by block."""
    total = result.reshape(groups, len(result) // groups, -1)
    columns = Columns(windows, data, groups, len(result))
    weight, transposed = total, is_transposed_gradient(*total.shape[1:])
    if transposed:
        total = np.empty_like(total.swapaxes(1, 2), order="C")
    for block in columns.blocks():
        is_first = block.start == 0
        left, right = columns.to_columns(dy[block]), columns.of(block)
        if transposed:
            left, right = right, left
        right = right.swapaxes(-1, -2)
        # The first product, if it is a single one, is written directly to the total.
        if is_first and (columns.merged or len(left) == 1):
            np.matmul(left, right, out=total if columns.merged else total[None])
            continue
        product = np.matmul(left, right)
        if not columns.merged:
            product = product[0] if len(product) == 1 else product.sum(axis=0)
        if is_first:
            total[...] = product
        else:
            total += product
    if transposed:
        weight[...] = total.swapaxes(1, 2)
