"""Convolution kernels for prediction on channels-last images, ``[N, H, W, C]``.

The elements of a window form long runs of memory, so that columns are copied at memory bandwidth,
and the product ``[windows, elements] @ [elements, filters]`` has the layout of the next layer.
Weights are prepared once by :func:`nhwc_weight`, for the fastest method for the sizes; bias, sum
and ReLU or clip are applied while the result is in the cache.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from math import prod
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, aligned, between, copied, out_buffer, target
from hy_kernels.numpy._bounds import Bounds
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS, Nhwc
from hy_kernels.numpy.nn._replay import NOW, Replay, Work
from hy_kernels.numpy.nn._window import (
    Windows,
    strided,
    to_compute_dtype,
    to_storage_dtype,
    windows_of,
)
from hy_kernels.numpy.nn.convolution import _depthwise_nhwc, _winograd
from hy_kernels.numpy.nn.convolution._depthwise_nhwc import in_row
from hy_kernels.numpy.nn.convolution._panels import as_panels, filters_to_panels, multiply
from hy_kernels.numpy.runtime._pool import is_pool_profitable, num_chunks, split
from hy_kernels.record import Params, Types
from hy_kernels.winograd import TILES


@kernel()
def nhwc_weight(weight: Array, *, method: str) -> Array:
    """Return ``weight [O, C, *kernel]`` in the layout that ``method`` reads."""
    if method == "depthwise":
        return copied(weight[:, 0].transpose(1, 2, 0))
    if method == "direct":
        return filters_to_panels(weight.transpose(0, 2, 3, 1))
    return _winograd.transformed_weight(weight, TILES[method])


def _algorithm(_: Types, params: Params) -> str:
    """Return the name of the algorithm; the method "direct" is either "product" or "im2col"."""
    if params["method"] != "direct":
        return str(params["method"])
    ones = all(n == 1 for name in ("kernel", "stride") for n in params[name])
    return "product" if ones and not any(params["pad"]) else "im2col"


@kernel(out="apart", threads=0, algorithm=_algorithm)
def nhwc_convolution(
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
    bounds: Bounds,
    out: OutBuffers = None,
) -> Array:
    """Return the convolution of ``data [N, H, W, C]``, fused with bias, addend and clipping.

    ``bounds`` are the least and greatest value, ``(0, inf)`` of ReLU, or None.
    """
    memory = out_buffer(out)
    replay = Replay(memory, (data, bias, addend), (weight,))
    if memory is not None and replay.again():
        return memory
    windows = windows_of(data.shape[1:3], kernel, stride, dilate, pad)
    layer = _new_layer(
        method, windows, to_compute_dtype(data), weight, bias, addend, bounds, len(data), out
    )
    _compute(layer, replay)
    return _to_memory(layer.result, memory, data.dtype)


@kernel(out="apart", threads=0, algorithm=_algorithm)
def nhwc_pair(
    data: Array,
    weight: Array,
    bias: Array,
    then_weight: Array,
    then_bias: Array,
    addend: Array | None = None,
    *,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    method: str,
    bounds_between: Bounds,
    with_addend: bool,
    bounds: Bounds,
    out: OutBuffers = None,
) -> Array:
    """Return a convolution followed by a 1 by 1 convolution, both computed block by block."""
    memory = out_buffer(out)
    replay = Replay(memory, (data, bias, then_bias, addend), (weight, then_weight))
    if memory is not None and replay.again():
        return memory
    windows = windows_of(data.shape[1:3], kernel, stride, dilate, pad)
    points = windows_of(windows.number, (1, 1), (), (), ())
    x, n = to_compute_dtype(data), len(data)
    first = _new_layer(method, windows, x, weight, bias, None, bounds_between, 0)
    second = _new_layer(
        "direct", points, first.result, then_weight, then_bias, addend, bounds, n, out
    )
    count = _num_threads(first, n, then_weight.size)
    shares = _shares(method, windows, n, first.weight.shape, count)
    # If threads share filters, the second layer needs the results of all threads: the layers are
    # then computed one after the other, with the first result in memory.
    if not x.size or shares[0].panels is not None:
        middle = aligned((n, *first.result.shape[1:]), x.dtype)
        _compute(first._replace(result=middle))
        _compute(second._replace(data=middle))
    else:
        replay.compute([partial(_run_pair, first, second, share) for share in shares])
    return _to_memory(second.result, memory, data.dtype)


def _to_memory(result: Array, memory: Array | None, dtype: np.dtype[np.generic]) -> Array:
    """Return ``memory`` if ``result`` is a view of it, else ``result`` converted to ``dtype``."""
    if memory is not None and np.shares_memory(result, memory):
        return memory
    return to_storage_dtype(result, dtype)


def _new_layer(
    method: str,
    windows: Windows,
    data: Array,
    weight: Array,
    bias: Array | None,
    addend: Array | None,
    bounds: Bounds,
    n: int,
    out: OutBuffers = None,
) -> "_Layer":
    """Return a layer, with an array for the result of ``n`` images."""
    shape = (n, *windows.number, weight.shape[-1])
    weight = to_compute_dtype(weight)
    return _Layer(
        method=method,
        windows=windows,
        data=data,
        weight=weight if method == "depthwise" else as_panels(weight),
        # A view, so that recorded calls do not keep the array object itself alive.
        result=target(out, shape, data.dtype)[...],
        bias=None if bias is None else to_compute_dtype(bias),
        addend=None if addend is None else to_compute_dtype(addend),
        bounds=bounds,
    )


def _compute(layer: "_Layer", replay: Replay | None = None) -> None:
    """Compute the result of a whole layer."""
    if not layer.result.size or not layer.data.size:
        layer.result[...] = 0
        layer.finish(layer.result, NOW)
        return
    n = len(layer.data)
    shares = _shares(layer.method, layer.windows, n, layer.weight.shape, _num_threads(layer, n))
    if n == 1 and shares[0].panels is not None and not is_pool_profitable():
        # The pool does not save time at present: one share, in which columns are computed once.
        # The cuts keep the products, and thereby the rounding, the same as with threads.
        layer = layer._replace(cuts=tuple(share.panels for share in shares if share.panels))
        shares = [shares[0]._replace(panels=None)]
    (replay or Replay(None, ())).compute([partial(_run, layer, share) for share in shares])


def _num_threads(layer: "_Layer", n: int, more: int = 0) -> int:
    """Return the number of threads for ``n`` images, with ``more`` multiplications per window."""
    # The cost of an element of the weight per window, in multiplications of a product.
    cost = 1.0 if layer.method == "direct" else getattr(COSTS.threads, f"nhwc_{layer.method}")
    each = layer.weight.size * cost + more
    return num_chunks(int(n * prod(layer.windows.number) * each), COSTS.threads.nhwc)


class _Share(NamedTuple):
    """The part of a layer that a thread computes."""

    windows: Windows
    images: slice
    elements: slice
    """Rows of the images to read."""
    rows: slice
    """Rows of the result to write."""
    panels: slice | None = None
    """Panels of the weight, for a share of the filters; None: all."""


def _shares(
    method: str, windows: Windows, n: int, weight: tuple[int, ...], count: int
) -> Sequence[_Share]:
    """Return at most ``count`` shares of a layer: slices of filters, images or their rows."""
    return _shares_by(COSTS.nhwc, method, windows, n, weight, count)


@lru_cache(maxsize=1024)
def _shares_by(
    costs: Nhwc, method: str, windows: Windows, n: int, weight: tuple[int, ...], count: int
) -> Sequence[_Share]:
    height, width = windows.number
    images = slice(0, n)
    whole = _Share(windows=windows, images=images, elements=slice(None), rows=slice(None))
    if count == 1:
        return [whole]
    if method != "depthwise":
        panels, _, filters = weight[-3:]
        moved = costs.column if method == "direct" else costs.tile
        # Threads that share filters each copy all columns, threads that share windows each read
        # the whole weight: the cheaper way.
        if n * height * width * moved < panels * filters:
            return [whole._replace(panels=part) for part in split(panels, count)]
    if n >= count:
        return [whole._replace(images=part) for part in split(n, count)]
    side = TILES[method].size if method in TILES else 1
    strips = windows.strips(-(-height // (count * side)) * side)
    return [_Share(part, images, elements, rows) for part, elements, rows in strips]


class _Layer(NamedTuple):
    """A convolution with its fused bias, addend and bounds, or a part of it."""

    method: str
    windows: Windows
    data: Array
    weight: Array
    """In panels, or ``[kh, kw, C]`` for depthwise convolution."""
    result: Array
    bias: Array | None
    """``[C]``, or ``[W C]`` from :meth:`repeated`."""
    addend: Array | None
    bounds: Bounds
    cuts: tuple[slice, ...] = ()
    """Slices of the panels, each multiplied in one product; empty: all panels in one."""

    def repeated(self, work: Work) -> "_Layer":
        """Return the layer with its bias repeated for each window in a row, ``[W C]``."""
        if self.bias is None:
            return self
        return self._replace(bias=in_row(self.bias, self.windows, "bias", work))

    def finish(self, y: Array, work: Work, where: tuple[slice, ...] = ()) -> None:
        """Apply bias, addend and bounds in place to ``y``, the part of the result at ``where``.

        ``y`` consists of whole rows.
        """
        if self.bias is not None:
            rows = y.reshape(-1, len(self.bias))
            work.do(np.add, rows, self.bias, rows)
        if self.addend is not None:
            work.do(np.add, y, self.addend[where], y)
        if self.bounds is not None:
            work.do(between, y, *self.bounds, y)

    def multiply(self, rows: Array, out: Array, work: Work) -> None:
        """Compute ``out = rows · weight``."""
        multiply(rows, self.weight, out, work, self.cuts)

    def share(self, share: _Share) -> "_Layer":
        """Return the part of the layer that computes the images and rows of ``share``."""
        return self._replace(
            windows=share.windows,
            data=self.data[share.images, share.elements],
            result=self.result[share.images, share.rows],
            addend=None if self.addend is None else self.addend[share.images, share.rows],
        )

    def panels(self, which: slice, work: Work) -> "_Layer":
        """Return the part of the layer that computes the filters in the panels ``which``.

        Its result is scratch memory, which has to be copied.
        """
        width = self.weight.shape[-1]
        own = slice(which.start * width, which.stop * width)
        result = self.result[..., own]
        return self._replace(
            weight=self.weight[..., which, :, :],
            result=work.workspace("panels", result.shape, result.dtype),
            bias=None if self.bias is None else self.bias[own],
            addend=None if self.addend is None else self.addend[..., own],
        )


def _run(layer: _Layer, share: _Share, work: Work) -> None:
    """Compute a share of a layer's result, in blocks of images that fit in the cache."""
    if share.panels is not None:
        part = layer.panels(share.panels, work)
        _run(part, share._replace(panels=None), work)
        first = share.panels.start * layer.weight.shape[-1]
        own = layer.result[..., first : first + part.result.shape[-1]]
        work.do(np.copyto, own, part.result)
        return
    part = layer.share(share)
    n, method = len(part.data), _METHODS[layer.method]
    blocks = -(-max(part.data.size, part.result.size) // COSTS.blocks.nhwc_images)
    if blocks == 1:
        method(part, work)
        return
    every = slice(None)
    for images in split(n, blocks):
        method(
            part.share(_Share(windows=part.windows, images=images, elements=every, rows=every)),
            work,
        )


def _run_pair(first: _Layer, second: _Layer, share: _Share, work: Work) -> None:
    """Compute a share of two layers in blocks; the result of the first is scratch memory."""
    n = len(first.data[share.images])
    height, width, channels = share.windows.number[0], *first.result.shape[2:]
    limit = max(1, COSTS.blocks.nhwc_images // max(first.data[0].size, height * width * channels))
    for images in split(n, -(-n // limit)):
        own = slice(share.images.start + images.start, share.images.start + images.stop)
        shape = (images.stop - images.start, height, width, channels)
        middle = work.workspace("middle", shape, first.data.dtype)
        seen = first.data[own, share.elements]
        part = first._replace(windows=share.windows, data=seen, result=middle)
        _METHODS[first.method](part, work)
        result = second.result[own, share.rows]
        addend = None if second.addend is None else second.addend[own, share.rows]
        points = second.windows._replace(size=middle.shape[1:3], number=middle.shape[1:3])
        then = second._replace(windows=points, data=middle, result=result, addend=addend)
        _direct(then, work)


def _winograd_product(layer: _Layer, work: Work) -> None:
    tile, windows = TILES[layer.method], layer.windows
    padded = windows.with_padding(layer.data, _winograd.reach(windows, tile), work)
    result, bias = layer.result, layer.bias
    _winograd.convolve(padded, layer.weight, tile, result, bias, work, layer.cuts)
    layer._replace(bias=None).finish(layer.result, work)


def _direct(layer: _Layer, work: Work) -> None:
    """Compute a layer as products of columns with the weight (im2col), block by block."""
    layer = layer.repeated(work)
    windows, result = layer.windows, layer.result
    each, filters = layer.weight.shape[-4] * layer.weight.shape[-2], result.shape[-1]
    if windows.pointwise:
        if layer.data.flags.c_contiguous and result.flags.c_contiguous:
            data = layer.data.reshape(-1, each)
            layer.multiply(data, result.reshape(-1, filters), work)
        else:
            for x, y in zip(layer.data, result, strict=True):
                layer.multiply(x.reshape(-1, each), y.reshape(-1, filters), work)
        layer.finish(result, work)
        return
    view = _view(windows.with_padding(layer.data, windows.padded, work), windows)
    n, height, width = view.shape[:3]
    # Columns, product and epilogue of a block are computed while it is in the cache.
    rows = max(1, COSTS.blocks.nhwc_columns // (width * each))
    images = max(1, rows // height)
    for image in range(0, n, images):
        for row in range(0, height, rows):
            where = slice(image, image + images), slice(row, row + rows)
            own, part = result[where], view[where]
            columns = work.workspace("columns", (*own.shape[:3], each), own.dtype)
            work.do(np.copyto, columns.reshape(-1).view(view.dtype).reshape(part.shape), part)
            layer.multiply(columns.reshape(-1, each), own.reshape(-1, filters), work)
            layer.finish(own, work, where)


def _view(padded: Array, windows: Windows) -> Array:
    """Return a view ``[n, h, w, kh, run]`` of all windows; a run is contiguous memory if possible.

    Short runs are single elements of a void dtype; with a dilation, runs are ``[kw, c]``.
    """
    batch, down, right, one = padded.strides
    n, c = len(padded), padded.shape[-1]
    (kh, kw), (step, move), (dilate, skip) = windows.kernel, windows.stride, windows.dilate
    front = (batch, step * down, move * right, dilate * down)
    shape: tuple[int, ...] = (n, *windows.number, kh)
    if skip == 1 and padded.flags.c_contiguous:
        run = kw * c
        # NumPy copies element by element; with a void dtype as long as a run, each is one memcpy.
        if run * one <= COSTS.nhwc.void_run:
            return strided(padded, shape, front, np.dtype((np.void, run * one)))
        return strided(padded, (*shape, run), (*front, one))
    return strided(padded, (*shape, kw, c), (*front, skip * right, one))


def _depthwise(layer: _Layer, work: Work) -> None:
    """Compute a depthwise layer as sums over the kernel elements."""
    layer = layer.repeated(work)
    _depthwise_nhwc.convolve(layer.data, layer.weight, layer.windows, layer.result, work)
    layer.finish(layer.result, work)


_METHODS = {
    "depthwise": _depthwise,
    "direct": _direct,
    "winograd2": _winograd_product,
    "winograd4": _winograd_product,
}
