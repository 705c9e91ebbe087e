"""Convolution for prediction, over images whose channels are the innermost axis.

So a window's elements are long runs of memory: its columns are copied as fast as memory goes, and
the product ``[windows, elements] @ [elements, filters]`` is laid out as the next layer wants it.
Weights are prepared once by :func:`channels_last_weight`, for the method that suits the sizes; what
follows a convolution in a net (bias, sum, rectifier) is done while the result is in the cache.
"""

from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn import _minimal_filtering as minimal
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["channels_last_convolution", "channels_last_weight"]

_BLOCK = 1 << 18  # elements of columns made at a time
_STRIP = 1 << 14  # elements of a depthwise result worked on at a time


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
    windows = Windows.of(data.shape[1:3], kernel, stride, dilate, pad)
    result = np.empty((len(data), *windows.number, weight.shape[-1]), data.dtype)
    if not result.size or not data.size:
        result[...] = 0
        _finish(result, bias, addend, rectify)
    elif method == "direct":
        _direct(data, weight, windows, result, bias, addend, rectify)
    elif method == "depthwise":
        _depthwise(data, weight, windows, result, bias, addend, rectify)
    else:
        tile = minimal.TILES[method]
        padded = _padded(data, windows, minimal.reach(windows, tile))
        minimal.convolve(padded, weight, tile, result, bias)
        _finish(result, None, addend, rectify)
    return result


def _finish(y: Array, bias: Array | None, addend: Array | None, rectify: bool) -> None:
    if bias is not None:
        y += bias
    if addend is not None:
        y += addend
    if rectify:
        np.maximum(y, 0, out=y)


def _padded(data: Array, windows: Windows, sizes: tuple[int, ...]) -> Array:
    """The images between zeros, ``[N, *sizes, C]``; what lies outside of ``sizes`` is cut off."""
    if windows.pad == (0, 0) and sizes == windows.size:
        return data
    n, (height, width), c = len(data), sizes, data.shape[-1]
    padded = workspace("padded", (n, height, width, c), data.dtype)
    top, left = windows.pad
    bottom, right = (
        min(p + s, all_) for p, s, all_ in zip(windows.pad, windows.size, sizes, strict=True)
    )
    padded[:, :top] = 0
    padded[:, bottom:] = 0
    padded[:, top:bottom, :left] = 0
    padded[:, top:bottom, right:] = 0
    padded[:, top:bottom, left:right] = data[:, : bottom - top, : right - left]
    return padded


def _direct(
    data: Array,
    weight: Array,
    windows: Windows,
    result: Array,
    bias: Array | None,
    addend: Array | None,
    rectify: bool,
) -> None:
    """Columns of as many windows as stay in the cache, times the weight."""
    flat = result.reshape(-1, result.shape[-1])
    others = None if addend is None else addend.reshape(flat.shape)
    if windows.pointwise:
        np.matmul(data.reshape(-1, data.shape[-1]), weight, out=flat)
        _finish(flat, bias, others, rectify)
        return
    view = _view(_padded(data, windows, windows.padded), windows)
    (n, height, width), each = view.shape[:3], prod(view.shape[3:])
    rows = max(1, _BLOCK // (width * each))
    images = max(1, rows // height)
    for image in range(0, n, images):
        for row in range(0, height, rows):
            part = view[image : image + images, row : row + rows]
            columns = workspace("columns", part.shape, part.dtype)
            np.copyto(columns, part)
            start = (image * height + row) * width
            own = slice(start, start + prod(part.shape[:3]))
            np.matmul(columns.reshape(-1, each), weight, out=flat[own])
            _finish(flat[own], bias, None if others is None else others[own], rectify)


def _view(padded: Array, windows: Windows) -> Array:
    """Each window as ``[rows, run]``, where a run is as much memory as lies in one piece."""
    batch, down, right, one = padded.strides
    n, c = len(padded), padded.shape[-1]
    (high, wide), (step, move), (dilate, skip) = windows.kernel, windows.stride, windows.dilate
    front = (batch, step * down, move * right, dilate * down)
    if skip == 1 and padded.flags.c_contiguous:
        return as_strided(padded, (n, *windows.number, high, wide * c), (*front, one))
    return as_strided(padded, (n, *windows.number, high, wide, c), (*front, skip * right, one))


def _depthwise(
    data: Array,
    weight: Array,
    windows: Windows,
    result: Array,
    bias: Array | None,
    addend: Array | None,
    rectify: bool,
) -> None:
    """One product and one sum for each element of the kernel, in strips that stay in the cache."""
    padded = _padded(data, windows, windows.padded)
    height, width = windows.number
    channels = data.shape[-1]
    (step, move), (down, right) = windows.stride, windows.dilate
    kernel = weight
    if move == 1:  # rows are one piece: let them be one axis
        kernel = workspace("kernel", (*weight.shape[:2], width * channels), weight.dtype)
        kernel.reshape(*weight.shape[:2], width, channels)[...] = weight[:, :, None]
    rows = max(1, _STRIP // (width * channels))
    part = workspace("part", (min(rows, height), width, channels), data.dtype)
    for image, target in zip(padded, result, strict=True):
        for row in range(0, height, rows):
            y = target[row : row + rows]
            more = part[: len(y)]
            if move == 1:
                y, more = y.reshape(len(y), -1), more.reshape(len(y), -1)
            for i in range(weight.shape[0]):
                top = row * step + i * down
                lines = image[top : top + (len(y) - 1) * step + 1 : step]
                for j in range(weight.shape[1]):
                    left = j * right
                    seen = lines[:, left : left + (width - 1) * move + 1 : move]
                    if move == 1:
                        seen = as_strided(seen, y.shape, (seen.strides[0], seen.itemsize))
                    np.multiply(seen, kernel[i, j], out=more if i + j else y)
                    if i + j:
                        np.add(y, more, out=y)
            done = target[row : row + rows]
            _finish(done, bias, None, rectify and addend is None)
    if addend is not None:
        _finish(result, None, addend, rectify)
