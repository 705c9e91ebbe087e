"""Depthwise convolution: every channel is convolved with its own ``M`` kernels.

Matrix products would have ``M`` rows per channel. So each kernel element is multiplied with, and
added over, all images of a channel at once, see :mod:`._flat`. Small images are first transposed to
channels last, see :mod:`._depthwise_via_nhwc`.
"""

from collections.abc import Iterator

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution import _depthwise_via_nhwc
from hy_kernels.numpy.nn.convolution._flat import Flat, flat_of
from hy_kernels.numpy.nn.convolution.select import depthwise_order


def _blocks(flat: Flat, batch: int, channels: int) -> Iterator[tuple[slice, slice]]:
    """Yield slices of images and of channels that have about ``blocks.depthwise`` elements."""
    # As many images as possible: they form one run of memory, whereas channels are a loop.
    images = min(batch, max(1, COSTS.blocks.depthwise // flat.room))
    some = max(1, COSTS.blocks.depthwise // (images * flat.room))
    for n in range(0, batch, images):
        for c in range(0, channels, some):
            yield slice(n, n + images), slice(c, c + some)


@quiet
def forward(data: Array, weight: Array, windows: Windows, result: Array) -> None:
    """Compute the convolution into ``result [N, C M, *number]``."""
    n, c = data.shape[:2]
    if depthwise_order(len(weight) // c, windows, "result") == "last":
        _depthwise_via_nhwc.forward(data, weight, windows, result)
        return
    flat = flat_of(windows)
    kernels = weight.reshape(c, -1, 1, *windows.kernel)
    target = result.reshape(n, c, -1, *windows.number)
    for images, channels in _blocks(flat, n, c):
        block = data[images, channels]
        phases, own = flat.phases(block)[..., None, :], kernels[channels]
        y = flat.results(len(block), own, "result")
        part = flat.results(len(block), own, "part")
        for i, (tap, phase, start) in enumerate(flat.taps):
            # A kernel element multiplies the whole image, shifted by a constant.
            seen = phases[phase][..., start : start + y.shape[2]]
            np.multiply(seen, own[tap], out=part if i else y)
            if i:
                np.add(y, part, out=y)
        target[images, channels] = flat.cropped(y, len(block))


@quiet
def backward_data(dy: Array, weight: Array, result: Array, windows: Windows) -> None:
    """Compute the gradient to the data into ``result [N, C, *size]``, overwriting it."""
    n, c = result.shape[:2]
    if depthwise_order(len(weight) // c, windows, "data") == "last":
        _depthwise_via_nhwc.backward_data(dy, weight, result, windows)
        return
    flat = flat_of(windows)
    kernels = weight.reshape(c, -1, 1, *windows.kernel)
    gradients = dy.reshape(n, c, -1, *windows.number)
    for images, channels in _blocks(flat, n, c):
        block = gradients[images, channels]
        own = kernels[channels]
        dys = flat.embedded(block, own)
        part = flat.results(len(block), own, "part")
        phases = flat.empty(len(block), len(own), dy.dtype)
        for tap, phase, start in flat.taps:
            np.multiply(dys, own[tap], out=part)
            read = phases[(*phase, slice(None), slice(start, start + part.shape[2]))]
            read += part[:, 0] if part.shape[1] == 1 else part.sum(axis=1)
        flat.gather(phases, result[images, channels])


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """Add the gradient to the weight to ``result [C M, 1, *kernel]``."""
    n, c = data.shape[:2]
    if depthwise_order(len(result) // c, windows, "weight") == "last":
        _depthwise_via_nhwc.backward_weight(dy, data, result, windows)
        return
    flat = flat_of(windows)
    total = result.reshape(c, -1, *windows.kernel)
    gradients = dy.reshape(n, c, -1, *windows.number)
    for images, channels in _blocks(flat, n, c):
        own = total[channels]
        phases = flat.phases(data[images, channels])
        dys = flat.embedded(gradients[images, channels], own)
        for tap, phase, start in flat.taps:
            # ``dys`` is zero where flat rows extend beyond the result.
            own[tap] += np.vecdot(dys, phases[phase][:, None, start : start + dys.shape[2]])
