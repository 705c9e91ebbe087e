"""Convolution with the batch innermost: images that lie side by side, element by element.

So the windows of all images at once are copied in runs as long as the batch, however few channels
there are and however small the images.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, place, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._replay import NOW, Replay, Task, Work
from hy_kernels.numpy.nn._window import Windows, narrow, wide, windows_of
from hy_kernels.numpy.nn.convolution import _columns_last, _rows_last, _winograd_last
from hy_kernels.numpy.nn.convolution._batch_last import Share, multiply, shares
from hy_kernels.numpy.runtime._pool import help_pays, split, together

__all__ = [
    "chwn_convolution",
    "chwn_convolution_backward_data",
    "chwn_convolution_backward_weight",
]

_FEW = 64  # windows to a filter below which threads share the filters of a gradient
_MORE = 4  # times as many filters as channels, up to which the way back is a convolution,
_LIGHT = 4  # if there are so many times as many windows: it takes a turned copy of the weight


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
    x, w, added = wide(data), wide(weight), None if bias is None else wide(bias)
    result = target(out, (len(w), *windows.number, x.shape[-1]), x.dtype)
    replay.compute(_tasks(x, w, added, windows, result[...]))
    return narrow(result, data.dtype)


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
    memory = place(out)
    replay = Replay(memory, (dy, weight))
    if memory is not None and replay.again():
        return memory
    g, w = wide(dy), wide(weight)
    windows = windows_of(data.shape[1:3], w.shape[2:], stride, dilate, pad)
    back = _back(windows, data.shape[-1], *w.shape[:2])
    if back is None:
        return _by_places(g, w, data, windows, out)
    result = target(out, data.shape, g.dtype)
    replay.compute(_tasks(g, w, None, back, result[...], turned=True))
    return narrow(result, data.dtype)


def _back(windows: Windows, n: int, filters: int, channels: int) -> Windows | None:
    """The windows of the convolution that is the way back, where it is one that pays."""
    around = [
        d * (k - 1) - p
        for d, k, p in zip(windows.dilate, windows.kernel, windows.pad, strict=True)
    ]
    if set(windows.stride) != {1} or min(around) < 0:
        return None
    back = windows._replace(size=windows.number, pad=tuple(around), number=windows.size)
    many = filters > _MORE * channels or _LIGHT * filters > n * prod(windows.size)
    return None if many and _method(back, n, channels, filters) is not _BY_TILES else back


class _Method(NamedTuple):
    """A way to compute a convolution and the gradient of its weight."""

    convolve: Callable[[Array, Array, Array, Share, bool, Work], None]
    correlate: Callable[[Array, Array, Array, Share, Work], None]
    unit: int = 1
    """The side of the tiles that are multiplied at once."""


_BY_TILES = _Method(_winograd_last.convolve, _winograd_last.correlate, _winograd_last.SIDE)
_BY_ROWS = _Method(_rows_last.convolve, _rows_last.correlate)
_BY_COLUMNS = _Method(_columns_last.convolve, _columns_last.correlate)


def _method(windows: Windows, n: int, filters: int, channels: int) -> _Method:
    """What suits the sizes."""
    if _winograd_last.suits(windows, n, filters, channels):
        return _BY_TILES
    return _BY_ROWS if _rows_last.suits(windows, n, filters) else _BY_COLUMNS


def _tasks(
    data: Array,
    weight: Array,
    bias: Array | None,
    windows: Windows,
    result: Array,
    *,
    turned: bool = False,
) -> list[Task]:
    """What fills the result, for each thread; turned, by the way back through that weight."""
    n, filters = data.shape[-1], len(result)
    method = _method(windows, n, filters, len(data))

    def fill(share: Share, own: slice, work: Work) -> None:
        """Some rows, or some filters."""
        part = weight[:, own] if turned else weight[own]
        method.convolve(data, part, result[own], share, turned, work)
        if bias is not None:
            made = result[own, share[2]]
            work.do(np.add, made, bias[own, None, None, None], made)

    parts = shares(windows, n, weight, method.unit)
    every = slice(0, filters)
    places = n * prod(-(-size // method.unit) for size in windows.number)
    if method is _BY_ROWS or filters <= places:
        return [partial(fill, share, every) for share in parts]
    (whole,) = windows.strips(windows.number[0])
    return [partial(fill, whole, own) for own in _some(filters, len(parts))]


def _some(filters: int, parts: int) -> list[slice]:
    """Filters for each thread; all of them, where no thread helps, as each makes the same factor."""
    return split(filters, parts if help_pays() else 1)


def _by_places(dy: Array, weight: Array, data: Array, windows: Windows, out: Places) -> Array:
    """Each window's gradient added to where the window lies."""
    channels, n = len(data), data.shape[-1]
    memory = out if windows.fits else None  # the gradients of the frame are cut off
    framed = target(memory, (channels, *windows.padded, n), dy.dtype)
    framed[...] = 0

    def fill(some: slice) -> None:
        matrix = weight[:, some].reshape(len(weight), -1).T
        own = framed[some]
        step = _columns_last.rows_at_once(len(matrix) * n, windows.number[1])
        for strip in (slice(k, k + step) for k in range(0, windows.number[0], step)):
            slopes = dy[:, strip].reshape(len(dy), -1)
            columns = NOW.workspace("columns", (len(matrix), slopes.shape[1]), dy.dtype)
            multiply(matrix, slopes, columns, NOW)
            taps = columns.reshape(len(own), *windows.kernel, -1, windows.number[1], n)
            part = windows._replace(number=(taps.shape[3], windows.number[1]))
            top = strip.start * windows.stride[0]
            for tap, (down, right) in _positions(part, top):
                own[:, down, right] += taps[(slice(None), *tap)]

    parts = split(channels, len(shares(windows, n, weight)))
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
    g, x = wide(dy), wide(data)
    result = target(out, weight.shape, g.dtype)
    filters, channels, n = *weight.shape[:2], x.shape[-1]
    method = _method(windows, n, filters, channels)
    parts = shares(windows, n, weight, method.unit)
    if _FEW * filters > prod(windows.number) * n:
        (whole,) = windows.strips(windows.number[0])
        some = _some(filters, len(parts))
        tasks = [partial(method.correlate, g[own], x, result[own], whole, NOW) for own in some]
        together(tasks)
        return narrow(result, weight.dtype)
    totals = [result, *(np.empty_like(result) for _ in parts[1:])]
    each = zip(totals, parts, strict=True)
    together([partial(method.correlate, g, x, total, part, NOW) for total, part in each])
    for total in totals[1:]:
        result += total
    return narrow(result, weight.dtype)


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
