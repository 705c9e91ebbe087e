"""Convolution as matrix products with columns, see :mod:`._columns`.

Per group, the result is ``weight [O, C k]`` times the columns ``[C k, P]``. Other algorithms, such
as depthwise convolution, are called from here. All arrays are channels-first and in a dtype to
compute in; gradients are in :mod:`._gradients`.
"""

from collections.abc import Mapping
from functools import partial
from types import ModuleType

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, target
from hy_kernels.numpy.nn._window import Windows, windows_of as known_windows
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution import _batch_last, _depthwise, _nchw_winograd, _planes
from hy_kernels.numpy.nn.convolution._columns import Columns
from hy_kernels.numpy.nn.convolution._filters import multiply
from hy_kernels.numpy.nn.convolution._shares import by_filters, by_groups, by_rows, of_groups
from hy_kernels.numpy.nn.convolution.select import Algorithm, Problem, nchw, rows_of_strip
from hy_kernels.numpy.runtime._pool import together

_METHODS: Mapping[str, ModuleType] = {
    "batch last": _batch_last,
    "depthwise": _depthwise,
    "planes": _planes,
}
"""Modules whose functions ``forward`` take images, by algorithm; others multiply columns."""


def windows_of(
    data: Array,
    weight: Array,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    groups: int,
) -> Windows:
    """Return the windows of a convolution of ``data [N, C, *size]``.

    Raises:
        ValueError: The channels of weight and data differ, or groups do not divide the filters.
    """
    if weight.shape[1] * groups != data.shape[1] or len(weight) % groups:
        raise ValueError(
            f"weight {weight.shape} in {groups} groups does not fit the channels of data "
            f"{data.shape}"
        )
    return known_windows(data.shape[2:], weight.shape[2:], stride, dilate, pad)


def forward(
    data: Array,
    weight: Array,
    windows: Windows,
    groups: int,
    bias: Array | None = None,
    out: OutBuffers = None,
    *,
    transforms: bool = True,
) -> Array:
    """Return the convolution of ``data [N, C, *size]``, plus bias.

    ``transforms=False`` excludes Winograd and another order of axes, so that results are plain sums
    of products: exact for integers.
    """
    # Strided kernels of one element read only some elements: convolve just these.
    if windows.selection is not None:
        data, windows = data[windows.selection], windows.of_selection
    n, c = data.shape[:2]
    result = target(out, (n, len(weight), *windows.number), data.dtype)
    if not result.size or not weight.size:
        result[...] = 0
        return _biased(result, bias)
    algorithm = nchw(
        Problem(batch=n, channels=c, filters=len(weight), groups=groups, windows=windows),
        transforms=transforms,
    )
    if algorithm == "winograd4":
        panels = _nchw_winograd.panels(weight, reused=True)  # which all images share
        return _forward_winograd(data, panels, windows, bias, result, weight.size)
    if filters := by_filters(n, windows, weight, groups):
        run = partial(_forward_filters, data, weight, windows, bias, result, algorithm)
        together([partial(run, own) for own in filters])
        return result
    if some := by_groups(n, windows, weight, groups):
        together(
            [
                partial(_forward_groups, data, weight, windows, bias, result, groups, own)
                for own in some
            ]
        )
        return result
    fill = partial(_forward, weight=weight, groups=groups, bias=bias, algorithm=algorithm)
    together(
        [
            partial(fill, data[some, :, read], windows=part, result=result[some, :, own])
            for some, part, read, own in by_rows(n, windows, weight.size, algorithm=algorithm)
        ]
    )
    return result


def forward_transposed(
    data: Array, weight: Array, windows: Windows, groups: int, result: Array
) -> Array:
    """Compute the transposed convolution by the weight of a convolution, and return ``result``.

    Args:
        data: ``[N, O, *size]``.
        weight: ``[O, C / G, *kernel]``.
        windows: Windows of the transposed convolution.
        groups: Number of groups.
        result: ``[N, C, *number]``.
    """
    batch, filters = result.shape[:2]
    problem = Problem(
        batch=batch, channels=data.shape[1], filters=filters, groups=groups, windows=windows
    )
    if nchw(problem) == "winograd4":
        panels = _nchw_winograd.panels(weight, transposed=True, reused=True)
        return _forward_winograd(data, panels, windows, None, result, weight.size)
    return forward(data, _flipped(weight, groups), windows, groups, out=(result,))


def _flipped(weight: Array, groups: int) -> Array:
    """Return the weight of the transposed convolution: swapped filters and channels, flipped."""
    filters, each = weight.shape[:2]
    split = weight.reshape(groups, filters // groups, each, *weight.shape[2:]).swapaxes(1, 2)
    transposed = np.flip(split, tuple(range(3, split.ndim)))
    return transposed.reshape(groups * each, filters // groups, *weight.shape[2:])


def forward_packed(data: Array, panels: Array, windows: Windows, bias: Array | None) -> Array:
    """Return the convolution by a weight that :func:`_nchw_winograd.panels` transformed.

    As :func:`forward` computes it with the algorithm ``"winograd4"``.
    """
    *_, layers, columns, rows, width = panels.shape
    filters, channels = columns * width, layers * rows
    result = target(None, (len(data), filters, *windows.number), data.dtype)
    return _forward_winograd(data, panels, windows, bias, result, 9 * channels * filters)


def _forward_winograd(
    data: Array,
    panels: Array,
    windows: Windows,
    bias: Array | None,
    result: Array,
    weight: int,
) -> Array:
    """Compute ``result`` by images or strips of these; ``weight`` is the weight's size."""

    def fill(some: slice, part: Windows, read: slice, own: slice) -> None:
        y = result[some, :, own]
        _nchw_winograd.forward(data[some, :, read], panels, part, y)
        _biased(y, bias)

    shares = by_rows(len(data), windows, weight, _nchw_winograd.SIDE)
    together([partial(fill, *share) for share in shares])
    return result


def _forward_groups(
    data: Array,
    weight: Array,
    windows: Windows,
    bias: Array | None,
    result: Array,
    groups: int,
    own: slice,
) -> None:
    """Compute the convolution of the groups in ``own``."""
    x, w = of_groups(data, groups, own, 1), of_groups(weight, groups, own, 0)
    count = own.stop - own.start
    problem = Problem(
        batch=len(x), channels=x.shape[1], filters=len(w), groups=count, windows=windows
    )
    _forward(
        x,
        weight=w,
        windows=windows,
        groups=count,
        algorithm=nchw(problem, transforms=False),
        bias=None if bias is None else of_groups(bias, groups, own, 0),
        result=of_groups(result, groups, own, 1),
    )


def _forward_filters(
    data: Array,
    weight: Array,
    windows: Windows,
    bias: Array | None,
    result: Array,
    algorithm: Algorithm,
    own: slice,
) -> None:
    """Compute the convolution with the filters in ``own``."""
    _forward(
        data,
        weight=weight[own],
        windows=windows,
        groups=1,
        algorithm=algorithm,
        bias=None if bias is None else bias[own],
        result=result[:, own],
    )


def _biased(result: Array, bias: Array | None) -> Array:
    if bias is not None:
        result += bias.reshape(-1, *(1,) * (result.ndim - 2))
    return result


def _forward(
    data: Array,
    *,
    weight: Array,
    windows: Windows,
    groups: int,
    bias: Array | None,
    result: Array,
    algorithm: Algorithm,
) -> None:
    rows = rows_of_strip(data.shape[1], windows) if algorithm == "strips" else None
    if rows is not None:
        # The columns of a whole image would not fit in the cache.
        for part, elements, own in windows.strips(rows):
            _gather(data[:, :, elements], weight, result[:, :, own], part, groups, bias)
    elif algorithm in _METHODS:
        _METHODS[algorithm].forward(data, weight, windows, result)
        _biased(result, bias)
    else:
        _gather(data, weight, result, windows, groups, bias)


def _gather(
    data: Array, weight: Array, result: Array, windows: Windows, groups: int, bias: Array | None
) -> None:
    """Compute the convolution as products of the weight with columns, block by block."""
    filters = len(weight) // groups
    matrix = weight.reshape(groups, filters, -1)
    columns = Columns(windows, data, groups, len(weight))
    for block in columns.blocks():
        # Also a view if ``result`` is a strip of rows.
        y = result[block].reshape(-1, groups, filters, columns.number)
        if columns.merged:
            block_columns = columns.of(block)
            parts = workspace("products", (groups, filters, block_columns.shape[-1]), y.dtype)
            multiply(matrix, block_columns, parts)
            y[...] = columns.from_columns(parts, len(y))
        else:
            multiply(matrix, columns.of(block), y)
        if bias is not None:
            y += bias.reshape(groups, -1, 1)
