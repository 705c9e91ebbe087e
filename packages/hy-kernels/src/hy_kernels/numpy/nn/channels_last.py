"""Convolution for prediction, over images whose channels are the innermost axis.

So a window's elements are long runs of memory: its columns are copied as fast as memory goes, and
the product ``[windows, elements] @ [elements, filters]`` is laid out as the next layer wants it.
Weights are prepared once by :func:`channels_last_weight`, for the method that suits the sizes; what
follows a convolution in a net (bias, sum, rectifier) is done while the result is in the cache.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn import _minimal_filtering as minimal
from hy_kernels.numpy.nn._window import Windows, narrow, wide
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["channels_last_convolution", "channels_last_weight"]

_BLOCK = 1 << 18  # elements of columns made at a time
_IMAGES = 1 << 19  # elements of the images that go through all of it at a time


def channels_last_weight(weight: Array, *, method: str) -> Array:
    """``weight [O, C, *kernel]`` as the method wants it."""
    if method == "direct":
        return np.ascontiguousarray(weight.transpose(2, 3, 1, 0).reshape(-1, len(weight)))
    if method == "depthwise":
        return np.ascontiguousarray(weight[:, 0].transpose(1, 2, 0))
    return minimal.transformed_weight(weight, minimal.TILES[method])


def channels_last_convolution(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    addend: Array | None = None,
    *,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    method: str,
    with_bias: bool,
    with_addend: bool,
    rectify: bool,
) -> Array:
    """The convolution of ``data [N, H, W, C]``, plus bias and addend, rectified."""
    dtype = data.dtype
    data, weight = wide(data), wide(weight)
    bias, addend = None if bias is None else wide(bias), None if addend is None else wide(addend)
    windows = Windows.of(data.shape[1:3], kernel, stride, dilate, pad)
    result = np.empty((len(data), *windows.number, weight.shape[-1]), data.dtype)
    row = None if bias is None else np.tile(bias, windows.number[1])
    each = max(prod(data.shape[1:]), prod(result.shape[1:]), 1)
    images = max(1, _IMAGES // each)
    for start in range(0, len(data), images):
        block = slice(start, start + images)
        own = result[block]
        after = _After(row, None if addend is None else addend[block], rectify)
        if not own.size or not data.size:
            own[...] = 0
            after.finish(own)
        elif method == "direct":
            _direct(data[block], weight, windows, own, after)
        elif method == "depthwise":
            _depthwise(data[block], weight, windows, own, after)
        else:
            tile = minimal.TILES[method]
            framed = windows.framed(data[block], minimal.reach(windows, tile))
            minimal.convolve(framed, weight, tile, own, bias)
            after._replace(bias=None).finish(own)
    return narrow(result, dtype)


class _After(NamedTuple):
    """What follows the products, by rows of the image: a loop over a few channels is slow."""

    bias: Array | None
    """As often as there are windows in a row."""
    addend: Array | None
    rectify: bool

    def finish(self, y: Array, where: tuple[slice, ...] = ()) -> None:
        """Do it to whole rows of the result, which lie in it at ``where``."""
        if self.bias is not None:
            rows = y.reshape(-1, len(self.bias))
            rows += self.bias
        if self.addend is not None:
            y += self.addend[where]
        if self.rectify:
            np.maximum(y, 0, out=y)


def _direct(data: Array, weight: Array, windows: Windows, result: Array, after: _After) -> None:
    """Columns of as many windows as stay in the cache, times the weight."""
    if windows.pointwise:
        rows, columns = weight.shape
        np.matmul(data.reshape(-1, rows), weight, out=result.reshape(-1, columns))
        after.finish(result)
        return
    view = _view(windows.framed(data, windows.padded), windows)
    (n, height, width), each = view.shape[:3], prod(view.shape[3:])
    rows = max(1, _BLOCK // (width * each))
    images = max(1, rows // height)
    for image in range(0, n, images):
        for row in range(0, height, rows):
            where = slice(image, image + images), slice(row, row + rows)
            part = view[where]
            columns = workspace("columns", part.shape, part.dtype)
            np.copyto(columns, part)
            own = result[where]
            np.matmul(columns.reshape(-1, each), weight, out=own.reshape(-1, weight.shape[1]))
            after.finish(own, where)


def _view(padded: Array, windows: Windows) -> Array:
    """Each window as ``[rows, run]``, where a run is as much memory as lies in one piece."""
    batch, down, right, one = padded.strides
    n, c = len(padded), padded.shape[-1]
    (high, wide), (step, move), (dilate, skip) = windows.kernel, windows.stride, windows.dilate
    front = (batch, step * down, move * right, dilate * down)
    if skip == 1 and padded.flags.c_contiguous:
        return as_strided(padded, (n, *windows.number, high, wide * c), (*front, one))
    shape = (n, *windows.number, high, wide, c)
    return as_strided(padded, shape, (*front, skip * right, one))


def _depthwise(data: Array, weight: Array, windows: Windows, result: Array, after: _After) -> None:
    """Sums over the kernel; ``einsum`` multiplies and adds in one pass over the data."""
    padded = windows.framed(data, windows.padded)
    batch, down, right, one = padded.strides
    (high, wide), (height, width), channels = windows.kernel, windows.number, data.shape[-1]
    (step, move), (dilate, skip) = windows.stride, windows.dilate
    taps = (dilate * down, skip * right)
    n = len(data)
    if move > 1:
        shape = (n, height, width, high, wide, channels)
        seen = as_strided(padded, shape, (batch, step * down, move * right, *taps, one))
        np.einsum("nhwijc,ijc->nhwc", seen, weight, out=result)
    else:  # a row of windows is one run of memory
        run = width * channels
        rows = as_strided(padded, (n, height, high, wide, run), (batch, step * down, *taps, one))
        kernel = np.tile(weight, (1, 1, width))
        np.einsum("nhijx,ijx->nhx", rows, kernel, out=result.reshape(n, height, run))
    after.finish(result)
