"""Convolution with the batch innermost: images that lie side by side, element by element.

So the columns of all images at once are copied in runs as long as the batch, however few channels
there are and however small the images.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from math import prod
from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, place, shaped, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._replay import NOW, Replay, Work
from hy_kernels.numpy.nn._window import Windows, narrow, strided, wide, windows_of
from hy_kernels.numpy.runtime._blas import SMALL
from hy_kernels.numpy.runtime._pool import num_chunks, split, together

__all__ = [
    "chwn_convolution",
    "chwn_convolution_backward_data",
    "chwn_convolution_backward_weight",
]

_BLOCK = 1 << 19  # elements of the columns made at a time
_LEAST = 1 << 25  # multiplications that are worth a thread: cut in rows, products are slower
_NARROW = 64
_WIDE = 1024  # columns of a factor that are multiplied at a time


@kernel(out="apart", threads=0)
def chwn_convolution(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    out: Places = None,
) -> Array:
    """The convolution of ``data [C, H, W, N]``, plus bias."""
    memory = place(out)
    replay = Replay(memory, (data, weight, bias))
    if memory is not None and replay.again():
        return memory
    windows = windows_of(data.shape[1:3], weight.shape[2:], stride, dilate, pad)
    dtype, n, filters = data.dtype, data.shape[-1], len(weight)
    data, weight = wide(data), wide(weight)
    result = target(out, (filters, *windows.number, n), data.dtype)
    made = result[...]
    matrix = weight.reshape(filters, -1)
    column = None if bias is None else wide(bias)[:, None]

    def fill(share: _Share, work: Work) -> None:
        for strip, columns in _strips(data, share, work):
            own = made[:, strip].reshape(filters, -1)
            _multiply(matrix, columns, own, work)
            if column is not None:
                work.do(np.add, own, column, own)

    replay.compute([partial(fill, share) for share in _shares(windows, n, weight)])
    return narrow(result, dtype)


@kernel(out="apart", threads=0)
def chwn_convolution_backward_data(
    dy: Array,
    weight: Array,
    data: Array,  # only its type matters
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    out: Places = None,
) -> Array:
    """The gradient of ``data [C, H, W, N]``."""
    dy, weight = wide(dy), wide(weight)
    if set(stride) == {1} and len(weight) <= 2 * len(data):
        around = [d * (k - 1) - p for d, k, p in zip(dilate, weight.shape[2:], pad, strict=True)]
        if min(around) >= 0:
            return narrow(_by_windows(dy, weight, dilate, tuple(around), out), data.dtype)
    windows = windows_of(data.shape[1:3], weight.shape[2:], stride, dilate, pad)
    return _by_places(dy, weight, data, windows, out)


def _by_windows(
    dy: Array, weight: Array, dilate: tuple[int, ...], pad: tuple[int, ...], out: Places
) -> Array:
    """The convolution of ``dy`` with the weight turned round, which reads each window once."""
    windows = windows_of(dy.shape[1:3], weight.shape[2:], (1, 1), dilate, pad)
    turned = weight[:, :, ::-1, ::-1].swapaxes(0, 1)
    channels, n = len(turned), dy.shape[-1]
    matrix = turned.reshape(channels, -1)
    result = target(out, (channels, *windows.number, n), dy.dtype)

    def fill(share: _Share) -> None:
        for strip, columns in _strips(dy, share, NOW):
            _multiply(matrix, columns, result[:, strip].reshape(channels, -1), NOW)

    together([partial(fill, share) for share in _shares(windows, n, weight)])
    return result


def _by_places(dy: Array, weight: Array, data: Array, windows: Windows, out: Places) -> Array:
    """Each window's gradient added to where the window lies."""
    channels, n = len(data), data.shape[-1]
    memory = out if windows.fits else None  # the gradients of the frame are cut off
    framed = target(memory, (channels, *windows.padded, n), dy.dtype)
    framed[...] = 0

    def fill(some: slice) -> None:
        matrix = weight[:, some].reshape(len(weight), -1).T
        own = framed[some]
        for strip in _blocks(windows, len(matrix) * n, slice(0, windows.number[0])):
            slopes = dy[:, strip].reshape(len(dy), -1)
            columns = NOW.workspace("columns", (len(matrix), slopes.shape[1]), dy.dtype)
            _multiply(matrix, slopes, columns, NOW)
            taps = columns.reshape(len(own), *windows.kernel, -1, windows.number[1], n)
            part = windows._replace(number=(taps.shape[3], windows.number[1]))
            top = strip.start * windows.stride[0]
            for tap, (down, right) in _positions(part, top):
                own[:, down, right] += taps[(slice(None), *tap)]

    parts = split(channels, len(_shares(windows, n, weight)))
    together([partial(fill, some) for some in parts])
    if windows.fits:
        return narrow(framed, data.dtype)
    return copied(framed[(slice(None), *windows.inside)], out, dtype=data.dtype)


@kernel(out="apart", threads=0)
def chwn_convolution_backward_weight(
    dy: Array,
    data: Array,
    weight: Array,  # only its type matters
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    out: Places = None,
) -> Array:
    """Windows of ``data`` times the gradients of the results they gave."""
    windows = windows_of(data.shape[1:3], weight.shape[2:], stride, dilate, pad)
    dy, x = wide(dy), wide(data)

    def total(share: _Share) -> Array:
        found = np.zeros((prod(weight.shape[1:]), len(weight)), dy.dtype)
        for strip, columns in _strips(x, share, NOW):
            found += _correlated(columns, dy[:, strip].reshape(len(weight), -1))
        return found

    totals = together([partial(total, each) for each in _shares(windows, x.shape[-1], weight)])
    gradient = sum(totals[1:], totals[0]).T
    own = shaped(out, gradient.shape)
    return copied(gradient, own, dtype=weight.dtype).reshape(weight.shape)


_Share: TypeAlias = tuple[Windows, slice, slice]
"""Some rows of windows: as windows in the rows of elements that they need, those, and which."""


def _shares(windows: Windows, n: int, weight: Array) -> list[_Share]:
    """One for each of the threads that the work is worth."""
    work = prod(windows.number) * n * weight.size
    return list(windows.strips(-(-windows.number[0] // num_chunks(work, _LEAST))))


def _framed(data: Array, windows: Windows, work: Work) -> Array:
    """The images ``[C, H, W, N]`` with zeros around them."""
    if windows.fits:
        return data
    framed = work.workspace("framed", (len(data), *windows.padded, data.shape[-1]), data.dtype)
    down, right = windows.inside
    middle = framed[:, down]
    edges = framed[:, : down.start], framed[:, down.stop :]
    sides = middle[:, :, : right.start], middle[:, :, right.stop :]
    for edge in (*edges, *sides):
        if edge.size:
            work.do(edge.fill, 0)
    work.do(np.copyto, middle[:, :, right], data)
    return framed


def _blocks(windows: Windows, each: int, rows: slice) -> Iterator[slice]:
    """The rows in strips, ``each`` elements of columns to a window."""
    step = max(1, _BLOCK // max(1, each * windows.number[1]))
    for start in range(rows.start, rows.stop, step):
        yield slice(start, min(start + step, rows.stop))


def _strips(data: Array, share: _Share, work: Work) -> Iterator[tuple[slice, Array]]:
    """Strips of rows of windows, and their columns ``[C kh kw, h w N]``."""
    windows, elements, rows = share
    framed = _framed(data[:, elements], windows, work)
    channels, _, _, n = framed.shape
    each = channels * prod(windows.kernel) * n
    plane, down, right, one = framed.strides
    (high, wide), (step, move), (dilate, skip) = windows.kernel, windows.stride, windows.dilate
    width = windows.number[1]
    run, inner = ((width * n,), (one,)) if move == 1 else ((width, n), (move * right, one))
    for strip in _blocks(windows, each, slice(0, windows.number[0])):
        height = strip.stop - strip.start
        view = strided(
            framed[:, strip.start * step :],
            (channels, high, wide, height, *run),
            (plane, dilate * down, skip * right, step * down, *inner),
        )
        columns = work.workspace("columns", view.shape, view.dtype)
        work.do(np.copyto, columns, view)
        own = slice(rows.start + strip.start, rows.start + strip.stop)
        yield own, columns.reshape(channels * high * wide, -1)


def _positions(windows: Windows, top: int) -> Iterator[tuple[tuple[int, int], tuple[slice, slice]]]:
    """Each element of a window, and where the first of these windows and the others have it."""
    (high, wide), (step, move) = windows.kernel, windows.stride
    (dilate, skip), (height, width) = windows.dilate, windows.number
    for i in range(high):
        first = top + i * dilate
        down = slice(first, first + (height - 1) * step + 1, step)
        for j in range(wide):
            right = slice(j * skip, j * skip + (width - 1) * move + 1, move)
            yield (i, j), (down, right)


@lru_cache(maxsize=1024)
def _width(length: int, widest: int) -> int:
    """The largest divisor up to ``widest``, if it is not small; else the whole length."""
    return next((w for w in range(widest, _NARROW - 1, -1) if length % w == 0), length)


def _multiply(matrix: Array, columns: Array, out: Array, work: Work) -> None:
    """``out = matrix · columns``, in small products where the columns can be cut evenly."""
    length = columns.shape[1]
    width = _width(length, min(_WIDE, SMALL // max(matrix.size, 1)))
    if width == length:
        work.do(np.matmul, matrix, columns, out)
        return
    cut = columns.reshape(len(columns), -1, width).swapaxes(0, 1)
    work.do(np.matmul, matrix, cut, out.reshape(len(out), -1, width).swapaxes(0, 1))


def _correlated(columns: Array, slopes: Array) -> Array:
    """``columns · slopesᵀ``, summed over blocks of columns."""
    length = columns.shape[1]
    width = _width(length, _WIDE)
    left = columns.reshape(len(columns), -1, width).swapaxes(0, 1)
    right = slopes.reshape(len(slopes), -1, width).transpose(1, 2, 0)
    return np.asarray(np.matmul(left, right).sum(axis=0))
