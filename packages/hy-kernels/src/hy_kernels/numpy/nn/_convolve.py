"""Convolution as matrix products over columns, and its gradients.

Per group, the windows of an image are the columns of a matrix ``[C k, P]`` (``k`` elements of a
window, ``P`` windows), and the result is ``weight [O, C k]`` times that. The batch is taken in
blocks whose columns stay in the cache; where an image has few windows, those of a block are one
wide matrix. Depthwise convolution has matrices of its own, see :mod:`._depthwise`.

Everything here is in the order batch, channels, space, and in a dtype to compute in.
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn import _depthwise
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["backward_data", "backward_weight", "forward", "windows_of"]

_BLOCK = 1 << 20  # elements of the columns made at a time
_FEW = 256  # windows per image below which the images of a block share one product


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
    return Windows.of(data.shape[2:], weight.shape[2:], stride, dilate, pad)


class _Columns:
    """Makes the columns of blocks of images, in the same memory again and again."""

    def __init__(self, windows: Windows, data: Array, groups: int) -> None:
        n, c = data.shape[:2]
        self.windows = windows
        self.groups = groups
        self.number = prod(windows.number)
        self.rows = c * prod(windows.kernel) // groups
        self.step = min(n, max(1, _BLOCK // max(groups * self.rows * self.number, 1)))
        self.merged = self.number < _FEW and self.step > 1
        self._data = data
        self._padded = None
        if not windows.fits:
            self._padded = workspace("padded", (self.step, c, *windows.padded), data.dtype)
            self._padded[...] = 0

    def blocks(self) -> Iterator[slice]:
        """The batch, block by block."""
        for start in range(0, len(self._data), self.step):
            yield slice(start, min(start + self.step, len(self._data)))

    def of(self, block: slice) -> Array:
        """``[N, G, C k, P]``; merged: ``[G, C k, N P]``."""
        data = self._data[block]
        n = len(data)
        if self.windows.pointwise and not self.merged:
            return data.reshape(n, self.groups, self.rows, self.number)
        if self._padded is not None:
            data_padded = self._padded[:n]
            data_padded[(..., *self.windows.inside)] = data
            data = data_padded
        view = self.windows.view(data)
        if self.merged:
            view = np.moveaxis(view, 0, len(self.windows.kernel) + 1)
        columns = workspace("columns", view.shape, view.dtype)
        np.copyto(columns, view)
        if self.merged:
            return columns.reshape(self.groups, self.rows, n * self.number)
        return columns.reshape(n, self.groups, self.rows, self.number)

    def wide(self, images: Array) -> Array:
        """``[N, G R, *P]`` as the columns are: ``[N, G, R, P]``; merged: ``[G, R, N P]``."""
        n = len(images)
        split = images.reshape(n, self.groups, -1, self.number)
        if not self.merged:
            return split
        joined = split.transpose(1, 2, 0, 3)
        copy = workspace("wide", joined.shape, joined.dtype)
        np.copyto(copy, joined)
        return copy.reshape(self.groups, -1, n * self.number)

    def narrow(self, wide: Array, n: int) -> Array:
        """The inverse of :meth:`wide`, as ``[N, G, R, P]``."""
        if not self.merged:
            return wide
        return wide.reshape(self.groups, -1, n, self.number).transpose(2, 0, 1, 3)


def forward(
    data: Array, weight: Array, windows: Windows, groups: int, bias: Array | None = None
) -> Array:
    """The convolution of ``data [N, C, *size]``."""
    n, c = data.shape[:2]
    filters = len(weight)
    result = np.empty((n, filters, *windows.number), data.dtype)
    if not result.size or not weight.size:
        result[...] = 0
        return result
    if _depthwise.suits(c, groups, windows):
        _depthwise.forward(data, weight, windows, result)
        if bias is not None:
            result += bias.reshape(-1, *(1,) * len(windows.size))
        return result
    matrix = weight.reshape(groups, filters // groups, -1)
    columns = _Columns(windows, data, groups)
    for block in columns.blocks():
        y = result[block].reshape(-1, groups, filters // groups, columns.number)
        if columns.merged:
            y[...] = columns.narrow(np.matmul(matrix, columns.of(block)), len(y))
        else:
            np.matmul(matrix, columns.of(block), out=y)
        if bias is not None:
            y += bias.reshape(groups, -1, 1)
    return result


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> Array:
    """The gradient to the data, which fills ``result [N, C, *size]``."""
    c = result.shape[1]
    if not dy.size or not weight.size:
        result[...] = 0
    elif _depthwise.suits(c, groups, windows):
        _depthwise.backward_data(dy, weight, result, windows)
    elif windows.stride == (1,) * len(windows.stride) and len(weight) <= c:
        _correlate(dy, weight, result, windows, groups)
    else:
        _scatter(dy, weight, result, windows, groups)
    return result


def _correlate(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> None:
    """Where windows move by one element: the convolution of ``dy`` with the kernel turned round."""
    filters, each = weight.shape[:2]
    turned = weight.reshape(groups, filters // groups, each, *windows.kernel).swapaxes(1, 2)
    turned = np.flip(turned, tuple(range(3, turned.ndim)))
    turned = turned.reshape(groups * each, filters // groups, *windows.kernel)
    spans = [d * (k - 1) for d, k in zip(windows.dilate, windows.kernel, strict=True)]
    pad = tuple(span - p for span, p in zip(spans, windows.pad, strict=True))
    if min(pad) < 0:
        _scatter(dy, weight, result, windows, groups)
        return
    back = Windows(
        windows.number, windows.kernel, windows.stride, windows.dilate, pad, windows.size
    )
    result[...] = forward(dy, turned, back, groups)


def _scatter(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> None:
    """The gradients of all windows, each added where it lies."""
    c = result.shape[1]
    matrix = weight.reshape(groups, len(weight) // groups, -1).swapaxes(1, 2)
    columns = _Columns(windows, result, groups)
    space = len(windows.kernel)
    padded = None
    if not windows.pointwise:
        padded = workspace("padded", (columns.step, c, *windows.padded), result.dtype)
    for block in columns.blocks():
        n = block.stop - block.start
        images = columns.wide(dy[block])
        shape = (*images.shape[:-2], columns.rows, images.shape[-1])
        gradients = workspace("columns", shape, images.dtype)
        np.matmul(matrix, images, out=gradients)
        if padded is None:
            target = result[block].reshape(n, groups, -1, columns.number)
            target[...] = columns.narrow(gradients, n)
            continue
        if columns.merged:
            gradients = gradients.reshape(c, *windows.kernel, n, *windows.number)
            gradients = np.moveaxis(gradients, space + 1, 0)
        else:
            gradients = gradients.reshape(n, c, *windows.kernel, *windows.number)
        whole = padded[:n]
        whole[...] = 0
        for tap, where in windows.positions():
            whole[where] += gradients[tap]
        result[block] = whole[(..., *windows.inside)]


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows, groups: int) -> Array:
    """The gradient to the weight, which fills ``result [O, C / G, *kernel]``."""
    result[...] = 0
    if not dy.size or not data.size:
        return result
    if _depthwise.suits(data.shape[1], groups, windows):
        _depthwise.backward_weight(dy, data, result, windows)
        return result
    total = result.reshape(groups, len(result) // groups, -1)
    columns = _Columns(windows, data, groups)
    for block in columns.blocks():
        product = np.matmul(columns.wide(dy[block]), columns.of(block).swapaxes(-1, -2))
        total += product if columns.merged else product.sum(axis=0)
    return result
