"""Depthwise convolution: each channel by itself, with ``M`` kernels of its own."""

from collections.abc import Iterator
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._window import Windows

__all__ = ["backward_data", "backward_weight", "forward", "suits"]

_BLOCK = 1 << 16  # elements of the data taken at a time


def suits(channels: int, groups: int, windows: Windows) -> bool:
    """Whether a convolution is one of these."""
    return groups == channels > 1 and not windows.pointwise


def _blocks(batch: int, each: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(each, 1))
    for start in range(0, batch, step):
        yield slice(start, min(start + step, batch))


def _taps(weight: Array, windows: Windows, channels: int) -> Array:
    """The weight as ``[C, M, *kernel]``, with ones behind."""
    ones = (1,) * len(windows.number)
    return weight.reshape(channels, -1, *windows.kernel, *ones)


def forward(data: Array, weight: Array, windows: Windows, result: Array) -> None:
    """The convolution, which fills ``result [N, C M, *number]``."""
    n, c = data.shape[:2]
    taps = _taps(weight, windows, c)
    for block in _blocks(n, c * prod(windows.size)):
        padded = windows.pad_with(data[block])[:, :, None]
        y = result[block].reshape(-1, *taps.shape[:2], *windows.number)
        product = np.empty_like(y)
        for i, (tap, where) in enumerate(windows.positions()):
            np.multiply(padded[where], taps[tap], out=product if i else y)
            if i:
                y += product


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows) -> None:
    """The gradient to the data, which fills ``result [N, C, *size]``."""
    n, c = result.shape[:2]
    taps = _taps(weight, windows, c)
    for block in _blocks(n, c * prod(windows.size)):
        grads = dy[block].reshape(-1, *taps.shape[:2], *windows.number)
        padded = np.zeros((len(grads), c, *windows.padded), result.dtype)
        for tap, where in windows.positions():
            product = grads * taps[tap]
            padded[where] += product[:, :, 0] if product.shape[2] == 1 else product.sum(2)
        result[block] = padded[(..., *windows.inside)]


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """The gradient to the weight, added to ``result [C M, 1, *kernel]``."""
    n, c = data.shape[:2]
    total = result.reshape(c, -1, *windows.kernel)
    space = "xyz"[: len(windows.number)]
    for block in _blocks(n, c * prod(windows.size)):
        padded = windows.pad_with(data[block])
        grads = dy[block].reshape(len(padded), c, -1, *windows.number)
        for tap, where in windows.positions():
            total[tap] += np.einsum(f"ncm{space},nc{space}->cm", grads, padded[where])
