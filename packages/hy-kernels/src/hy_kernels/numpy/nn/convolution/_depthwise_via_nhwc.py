"""Depthwise convolution of few or small images, transposed to channels last and back.

If a channel is a short run of memory, NumPy's overhead per channel exceeds the multiplications.
With channels innermost, each kernel element reads a row of windows as one run of memory, and
``einsum`` multiplies and adds in one pass.
"""

from collections.abc import Iterator

import numpy as np

from hy_kernels.numpy._array import CACHE_LINE, Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._replay import NOW
from hy_kernels.numpy.nn._window import Windows, strided
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution._depthwise_nhwc import convolve


def forward(data: Array, weight: Array, windows: Windows, result: Array) -> None:
    """Compute the convolution into ``result [N, C, *number]``."""
    for images, channels in _blocks(data, windows):
        kernels = np.ascontiguousarray(weight[channels, 0].transpose(1, 2, 0))
        y = _memory("turned", result[images, channels])
        convolve(data[images, channels].transpose(0, 2, 3, 1), kernels, windows, y, NOW)
        result[images, channels] = y.transpose(0, 3, 1, 2)


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows) -> None:
    """Compute the gradient to the data into ``result [N, C, *size]``."""
    # A transposed convolution: gradients, with zeros inserted for the stride, are convolved with
    # flipped kernels.
    # The distance between the first and last element of a kernel.
    spans = [d * (k - 1) for d, k in zip(windows.dilate, windows.kernel, strict=True)]
    sizes = tuple(span + n for span, n in zip(spans, windows.size, strict=True))
    back = windows._replace(size=sizes, stride=(1, 1), pad=(0, 0), number=windows.size)
    top, left = (span - p for span, p in zip(spans, windows.pad, strict=True))
    (step, move), (height, width) = windows.stride, windows.number
    where = (
        slice(None),
        slice(top, top + (height - 1) * step + 1, step),
        slice(left, left + (width - 1) * move + 1, move),
    )
    for images, channels in _blocks(result, windows):
        gradients = dy[images, channels].transpose(0, 2, 3, 1)
        padded = workspace("images", (len(gradients), *sizes, gradients.shape[-1]), gradients.dtype)
        padded.fill(0)
        padded[where] = gradients
        y = _memory("turned", result[images, channels])
        kernels = np.ascontiguousarray(weight[channels, 0, ::-1, ::-1].transpose(1, 2, 0))
        convolve(padded, kernels, back, y, NOW)
        result[images, channels] = y.transpose(0, 3, 1, 2)


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """Add the gradient to the weight to ``result [C, 1, *kernel]``."""
    (kh, kw), (height, width) = windows.kernel, windows.number
    for images, channels in _blocks(data, windows):
        padded = windows.with_padding(data[images, channels].transpose(0, 2, 3, 1), windows.padded)
        gradients = _memory("turned", dy[images, channels])
        np.copyto(gradients, dy[images, channels].transpose(0, 2, 3, 1))
        n, c = len(gradients), gradients.shape[-1]
        if windows.stride[1] > 1:
            sums = np.einsum("nhwijc,nhwc->ijc", _window_view(padded, windows), gradients)
        else:
            rows = gradients.reshape(n, height, width * c)
            # Summed in two steps: over images and rows of windows in long runs, then over the
            # windows of a row.
            of_rows = np.einsum("nhijx,nhx->ijx", _row_view(padded, windows), rows)
            sums = of_rows.reshape(kh, kw, width, c).sum(axis=2)
        result[channels, 0] += sums.transpose(2, 0, 1)


def _blocks(data: Array, windows: Windows) -> Iterator[tuple[slice, slice]]:
    """Yield slices of images and of channels of about ``blocks.depthwise_via_nhwc`` elements."""
    n, c = data.shape[:2]
    pixels = windows.padded[0] * windows.padded[1]
    # As many channels as possible, because they are the innermost axis.
    some = min(c, max(1, COSTS.blocks.depthwise_via_nhwc // pixels))
    line = CACHE_LINE // data.itemsize
    if some % (COSTS.blocks.lines_apart * line) == 0:
        some = -(-some // 2)
    # An odd number of cache lines per pixel: with a multiple of a large power of two, the elements
    # of a channel would evict each other when the result is transposed back.
    some = min(c, (some // line // 2 * 2 + 1) * line) if some > line else some
    images = max(1, COSTS.blocks.depthwise_via_nhwc // (some * pixels))
    for first in range(0, n, images):
        for channel in range(0, c, some):
            yield slice(first, min(first + images, n)), slice(channel, channel + some)


def _memory(name: str, images: Array) -> Array:
    """Return channels-last scratch memory ``[N, H, W, C]`` for ``images [N, C, H, W]``."""
    n, c, height, width = images.shape
    return workspace(name, (n, height, width, c), images.dtype)


def _window_view(padded: Array, windows: Windows) -> Array:
    """Return the windows of padded images as a view ``[N, height, width, *kernel, C]``."""
    batch, down, right, one = padded.strides
    (step, move), (dilate, skip) = windows.stride, windows.dilate
    shape = (len(padded), *windows.number, *windows.kernel, padded.shape[-1])
    strides = (batch, step * down, move * right, dilate * down, skip * right, one)
    return strided(padded, shape, strides)


def _row_view(padded: Array, windows: Windows) -> Array:
    """Return rows of windows with stride 1 as a view ``[N, height, *kernel, width C]``."""
    batch, down, right, one = padded.strides
    dilate, skip = windows.dilate
    height, width = windows.number
    shape = (len(padded), height, *windows.kernel, width * padded.shape[-1])
    strides = (batch, windows.stride[0] * down, dilate * down, skip * right, one)
    return strided(padded, shape, strides)
