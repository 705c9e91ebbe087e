"""Convolution as matrix products over columns, and its gradients.

Per group, the windows of an image are the columns of a matrix ``[C k, P]`` (``k`` elements of a
window, ``P`` windows), and the result is ``weight [O, C k]`` times that. The batch is taken in
blocks whose columns stay in the cache; where an image has few windows, those of a block are one
wide matrix. Depthwise convolution has matrices of its own, see :mod:`._depthwise`.

Everything here is in the order batch, channels, space, and in a dtype to compute in.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Places, aligned, target
from hy_kernels.numpy.nn._window import Windows, windows_of as known_windows
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution import _depthwise, _tiled
from hy_kernels.numpy.runtime._pool import num_chunks, split, together

__all__ = ["backward_data", "backward_weight", "forward", "windows_of"]

_BLOCK = 1 << 20  # elements of the columns made at a time
_LARGE = 1 << 22  # elements per image above which its rows are taken in strips
_LEAST = 1 << 22  # multiplications that are worth a thread
_OF_POINTS = 1 / 4  # of which one is worth less where threads share one image's filters,
_OF_GROUPS = 2  # and more in groups, most of all of one channel
_FEW = 100  # windows per image below which the images of a block share one product,
_FEW_POINTS, _SMALL = 50, 1 << 17  # of one element, and with a weight of so many,
_SHORT = 700, 32  # or below which they do so if the rows are short
_SKINNY = 32  # windows of a block up to which a product is turned round with a weight of at least
_HEAVY = 1 << 16  # elements


def windows_of(
    data: Array,
    weight: Array,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    groups: int,
) -> Windows:
    """The windows of a convolution; refuses a weight that does not fit."""
    if weight.shape[1] * groups != data.shape[1] or len(weight) % groups:
        raise ValueError(f"weight {weight.shape} does not fit data {data.shape}")
    return known_windows(data.shape[2:], weight.shape[2:], stride, dilate, pad)


class _Columns:
    """Makes the columns of blocks of images, in the same memory again and again.

    Merged, the images of a block are the innermost axis, ``[C, *size, N]``: then even small images
    are copied and added in long runs.
    """

    def __init__(self, windows: Windows, data: Array, groups: int, filters: int) -> None:
        n, c = data.shape[:2]
        self.windows = windows
        self.groups = groups
        self.number = prod(windows.number)
        self.rows = c * prod(windows.kernel) // groups
        self.step = min(n, max(1, _BLOCK // max(groups * self.rows * self.number, 1)))
        most, row = _SHORT
        short = self.number < most and windows.number[-1] < row and not windows.pointwise
        points = windows.pointwise and filters * self.rows <= _SMALL
        self.merged = self.step > 1 and (short or self.number < (_FEW_POINTS if points else _FEW))
        self._data = data

    def blocks(self) -> Iterator[slice]:
        """The batch, block by block."""
        for start in range(0, len(self._data), self.step):
            yield slice(start, min(start + self.step, len(self._data)))

    def of(self, block: slice) -> Array:
        """``[N, G, C k, P]``; merged: ``[G, C k, P N]``."""
        data = self._data[block]
        n = len(data)
        windows = self.windows
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

    def wide(self, images: Array) -> Array:
        """``[N, G R, *P]`` as the columns are: ``[N, G, R, P]``; merged: ``[G, R, P N]``."""
        n = len(images)
        split = images.reshape(n, self.groups, -1, self.number)
        if not self.merged:
            return split
        joined = _batch_last(split)
        copy = workspace("wide", joined.shape, joined.dtype)
        np.copyto(copy, joined)
        return copy.reshape(self.groups, -1, self.number * n)

    def narrow(self, wide: Array, n: int) -> Array:
        """The inverse of :meth:`wide`, as ``[N, G, R, P]``."""
        if not self.merged:
            return wide
        return np.moveaxis(wide.reshape(self.groups, -1, self.number, n), -1, 0)

    def scattered(self, columns: Array, n: int) -> Array:
        """``[N, C, *size]``: the columns, each added where its window lies."""
        windows = self.windows
        c = self.groups * self.rows // prod(windows.kernel)
        if self.merged:
            columns = columns.reshape(c, *windows.kernel, *windows.number, n)
            padded = workspace("padded", (c, *windows.padded, n), columns.dtype)
        else:
            columns = columns.reshape(n, c, *windows.kernel, *windows.number)
            padded = workspace("padded", (n, c, *windows.padded), columns.dtype)
        padded[...] = 0
        for tap, where in windows.positions():
            if self.merged:
                padded[(*where, slice(None))] += columns[tap[1:]]
            else:
                padded[where] += columns[tap]
        if self.merged:
            return np.moveaxis(padded[(..., *windows.inside, slice(None))], -1, 0)
        inside: Array = padded[(..., *windows.inside)]
        return inside


def _batch_last(array: Array) -> Array:
    return array.transpose(*range(1, array.ndim), 0)


def _strip(channels: int, groups: int, windows: Windows) -> int | None:
    """How many rows of windows to take at a time where those of a whole image are too many."""
    if windows.pointwise or _depthwise.suits(channels, groups, windows):
        return None
    each = channels * prod(windows.kernel) * prod(windows.number)
    rows = max(1, windows.number[0] * _BLOCK // max(each, 1))
    return rows if each > _LARGE and rows < windows.number[0] else None


def _parts(batch: int, windows: Windows, weight: Array) -> list[slice]:
    """Images for each of the threads that the work is worth."""
    return split(batch, min(batch, _threads(batch, windows, weight)))


def _threads(batch: int, windows: Windows, weight: Array, worth: float = 1) -> int:
    """How many threads the work is worth, where a multiplication is worth so many."""
    return num_chunks(int(batch * prod(windows.number) * weight.size * worth), _LEAST)


def _by_filters(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Filters for each of the threads, where that suits better than to share images; else none.

    Each thread makes the columns it needs, so there should be more filters than windows; or none
    to make, and few images.
    """
    filters, count = len(weight), _threads(batch, windows, weight)
    if groups > 1 or count == 1:
        return []
    if filters <= batch * prod(windows.number):
        count = _threads(batch, windows, weight, _OF_POINTS) if windows.pointwise else 1
        return split(filters, count) if batch < count else []
    return split(filters, count)


def _by_groups(batch: int, windows: Windows, weight: Array, groups: int) -> list[slice]:
    """Groups for each of the threads, where there are more threads than images; else none."""
    count = _threads(batch, windows, weight, _OF_GROUPS)
    return split(groups, count) if batch < count <= groups // 2 else []


def _of_groups(array: Array, groups: int, own: slice, axis: int) -> Array:
    """The channels or filters of some groups."""
    each = array.shape[axis] // groups
    part = slice(own.start * each, own.stop * each)
    return array[part] if axis == 0 else array[:, part]


def forward(
    data: Array,
    weight: Array,
    windows: Windows,
    groups: int,
    bias: Array | None = None,
    out: Places = None,
    *,
    transforms: bool = True,
) -> Array:
    """The convolution of ``data [N, C, *size]``.

    Without ``transforms``, results are sums of products of elements and of nothing else.
    """
    if windows.chosen is not None:
        data, windows = data[windows.chosen], windows.among_chosen
    n, c = data.shape[:2]
    result = target(out, (n, len(weight), *windows.number), data.dtype)
    if not result.size or not weight.size:
        result[...] = 0
        return _biased(result, bias)
    fill = partial(_forward, weight=weight, windows=windows, groups=groups, bias=bias)
    if transforms and _tiled.suits(n, c, len(weight), groups, windows):
        (panels,) = together([partial(_tiled.panels, weight)])
        fill = partial(_filtered, panels=panels, windows=windows, bias=bias)
    elif filters := _by_filters(n, windows, weight, groups):
        together([partial(_some, data, weight, windows, bias, result, own) for own in filters])
        return result
    elif some := _by_groups(n, windows, weight, groups):
        together(
            [partial(_groups, data, weight, windows, bias, result, groups, own) for own in some]
        )
        return result
    parts = _parts(n, windows, weight)
    together([partial(fill, data[part], result=result[part]) for part in parts])
    return result


def _groups(
    data: Array,
    weight: Array,
    windows: Windows,
    bias: Array | None,
    result: Array,
    groups: int,
    own: slice,
) -> None:
    """The convolution in some groups."""
    _forward(
        _of_groups(data, groups, own, 1),
        weight=_of_groups(weight, groups, own, 0),
        windows=windows,
        groups=own.stop - own.start,
        bias=None if bias is None else _of_groups(bias, groups, own, 0),
        result=_of_groups(result, groups, own, 1),
    )


def _some(
    data: Array, weight: Array, windows: Windows, bias: Array | None, result: Array, own: slice
) -> None:
    """The convolution with some filters."""
    some = None if bias is None else bias[own]
    _forward(data, weight=weight[own], windows=windows, groups=1, bias=some, result=result[:, own])


def _filtered(
    data: Array, *, panels: Array, windows: Windows, bias: Array | None, result: Array
) -> None:
    _tiled.forward(data, panels, windows, result)
    _biased(result, bias)


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
) -> None:
    rows = _strip(data.shape[1], groups, windows)
    if rows is not None:
        for part, elements, own in windows.strips(rows):
            y = aligned((*result.shape[:2], *part.number), result.dtype)
            _gather(data[:, :, elements], weight, y, part, groups, bias)
            result[:, :, own] = y
    elif _depthwise.suits(data.shape[1], groups, windows):
        _depthwise.forward(data, weight, windows, result)
        _biased(result, bias)
    else:
        _gather(data, weight, result, windows, groups, bias)


def _gather(
    data: Array, weight: Array, result: Array, windows: Windows, groups: int, bias: Array | None
) -> None:
    """Products of the weight with the columns."""
    filters = len(weight) // groups
    matrix = weight.reshape(groups, filters, -1)
    columns = _Columns(windows, data, groups, len(weight))
    for block in columns.blocks():
        y = result[block].reshape(-1, groups, filters, columns.number)
        if columns.merged:
            y[...] = columns.narrow(np.matmul(matrix, columns.of(block)), len(y))
        else:
            np.matmul(matrix, columns.of(block), out=y)
        if bias is not None:
            y += bias.reshape(groups, -1, 1)


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> Array:
    """The gradient to the data, which fills ``result [N, C, *size]``."""
    if windows.chosen is not None:
        some = aligned((*result.shape[:2], *windows.number), result.dtype)
        result[...] = 0
        result[windows.chosen] = backward_data(dy, weight, some, windows.among_chosen, groups)
        return result
    c, filters = result.shape[1], len(weight)
    back = _back(windows)
    if not dy.size or not weight.size:
        result[...] = 0
    elif (
        not _depthwise.suits(c, groups, windows)
        and back is not None
        and _pays(dy, filters, c, groups, back)
    ):
        return forward(dy, _turned(weight, groups), back, groups, out=(result,))
    else:
        together(_backward_data_tasks(dy, weight, result, windows, groups))
    return result


def _backward_data_tasks(
    dy: Array, weight: Array, result: Array, windows: Windows, groups: int
) -> list[Callable[[], None]]:
    """For each thread channels, groups or images."""
    n, fill = len(dy), partial(_backward_data, windows=windows)
    if some := _by_filters(n, windows, weight.swapaxes(0, 1), groups):
        fill = partial(fill, dy, groups=groups)
        return [partial(fill, weight=weight[:, own], result=result[:, own]) for own in some]
    if some := _by_groups(n, windows, weight, groups):
        return [
            partial(
                fill,
                _of_groups(dy, groups, own, 1),
                weight=_of_groups(weight, groups, own, 0),
                result=_of_groups(result, groups, own, 1),
                groups=own.stop - own.start,
            )
            for own in some
        ]
    fill = partial(fill, weight=weight, groups=groups)
    return [partial(fill, dy[x], result=result[x]) for x in _parts(n, windows, weight)]


def _backward_data(
    dy: Array, *, weight: Array, windows: Windows, groups: int, result: Array
) -> None:
    rows = _strip(result.shape[1], groups, windows)
    if _depthwise.suits(result.shape[1], groups, windows):
        _depthwise.backward_data(dy, weight, result, windows)
    elif rows is not None:
        result[...] = 0
        for part, elements, own in windows.strips(rows):
            some = aligned((*result.shape[:2], *part.size), result.dtype)
            _scatter(dy[:, :, own], weight, some, part, groups)
            result[:, :, elements] += some
    else:
        _scatter(dy, weight, result, windows, groups)


def _pays(dy: Array, filters: int, channels: int, groups: int, back: Windows) -> bool:
    """Whether a convolution of the gradient costs less than to add the gradients of all windows.

    It takes a turned copy of the weight, which is larger than those where there are few windows.
    """
    if filters > len(dy) * prod(back.size):
        return False
    return filters <= channels or _tiled.suits(len(dy), filters, channels, groups, back)


def _back(windows: Windows) -> Windows | None:
    """Where windows move by one element: those of a convolution of the gradient."""
    spans = [d * (k - 1) for d, k in zip(windows.dilate, windows.kernel, strict=True)]
    pad = tuple(span - p for span, p in zip(spans, windows.pad, strict=True))
    if min(pad) < 0 or windows.pointwise or any(step != 1 for step in windows.stride):
        return None
    return Windows(
        windows.number, windows.kernel, windows.stride, windows.dilate, pad, windows.size
    )


def _turned(weight: Array, groups: int) -> Array:
    """The weight for the way back: filters and channels exchanged, the kernels turned round."""
    filters, each = weight.shape[:2]
    split = weight.reshape(groups, filters // groups, each, *weight.shape[2:]).swapaxes(1, 2)
    turned = np.flip(split, tuple(range(3, split.ndim)))
    return turned.reshape(groups * each, filters // groups, *weight.shape[2:])


def _scatter(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> None:
    """The gradients of all windows, each added where it lies."""
    matrix = weight.reshape(groups, len(weight) // groups, -1)
    columns = _Columns(windows, result, groups, len(weight))
    for block in columns.blocks():
        n = block.stop - block.start
        images = columns.wide(dy[block])
        shape = (*images.shape[:-2], columns.rows, images.shape[-1])
        gradients = workspace("columns", shape, images.dtype)
        _back_through(matrix, images, gradients)
        if windows.pointwise:
            own = result[block].reshape(n, groups, -1, columns.number)
            own[...] = columns.narrow(gradients, n)
        else:
            result[block] = columns.scattered(gradients, n)


def _back_through(matrix: Array, images: Array, out: Array) -> None:
    """Fill ``out [..., C k, P]`` with ``matrixᵀ · images``, a ``matrix [G, O, C k]``.

    Where there are few windows, BLAS reads a large matrix faster as the factor on the right.
    """
    if images.shape[-1] > _SKINNY or matrix.size < _HEAVY:
        np.matmul(matrix.swapaxes(1, 2), images, out=out)
        return
    shape = (*out.shape[:-2], out.shape[-1], out.shape[-2])
    turned = workspace("turned gradients", shape, out.dtype)
    np.matmul(images.swapaxes(-1, -2), matrix, out=turned)
    np.copyto(out, turned.swapaxes(-1, -2))


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows, groups: int) -> Array:
    """The gradient to the weight, which fills ``result [O, C / G, *kernel]``."""
    if not dy.size or not data.size:
        result[...] = 0
        return result
    if windows.chosen is not None:
        data, windows = data[windows.chosen], windows.among_chosen
    n, c = data.shape[:2]
    fill = partial(_backward_weight, windows=windows, groups=groups)
    if _tiled.suits(n, c, len(result), groups, windows):
        fill = partial(_tiled.backward_weight, windows=windows)
    elif filters := _by_filters(n, windows, result, groups):
        together([partial(fill, dy[:, own], data, result[own]) for own in filters])
        return result
    elif some := _by_groups(n, windows, result, groups):
        together(
            [
                partial(
                    _backward_weight,
                    _of_groups(dy, groups, own, 1),
                    _of_groups(data, groups, own, 1),
                    _of_groups(result, groups, own, 0),
                    windows=windows,
                    groups=own.stop - own.start,
                )
                for own in some
            ]
        )
        return result
    first, *others = _parts(n, windows, result)
    totals = [result, *(np.empty_like(result) for _ in others)]
    tasks = [
        partial(fill, dy[part], data[part], total)
        for part, total in zip((first, *others), totals, strict=True)
    ]
    together(tasks)
    for total in totals[1:]:
        result += total
    return result


def _backward_weight(
    dy: Array, data: Array, result: Array, *, windows: Windows, groups: int
) -> None:
    rows = _strip(data.shape[1], groups, windows)
    if rows is not None:
        result[...] = 0
        some = np.empty_like(result)
        for part, elements, own in windows.strips(rows):
            _correlate(dy[:, :, own], data[:, :, elements], some, part, groups)
            result += some
    elif _depthwise.suits(data.shape[1], groups, windows):
        result[...] = 0
        _depthwise.backward_weight(dy, data, result, windows)
    else:
        _correlate(dy, data, result, windows, groups)


def _correlate(dy: Array, data: Array, result: Array, windows: Windows, groups: int) -> None:
    """Products of the gradients with the columns, summed over the blocks."""
    total = result.reshape(groups, len(result) // groups, -1)
    columns = _Columns(windows, data, groups, len(result))
    for block in columns.blocks():
        first = block.start == 0
        left, right = columns.wide(dy[block]), columns.of(block).swapaxes(-1, -2)
        if first and (columns.merged or len(left) == 1):
            np.matmul(left, right, out=total if columns.merged else total[None])
            continue
        product = np.matmul(left, right)
        if not columns.merged:
            product = product[0] if len(product) == 1 else product.sum(axis=0)
        if first:
            total[...] = product
        else:
            total += product
