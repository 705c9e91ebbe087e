"""Convolution as matrix products over columns, and its gradients.

Per group, the windows of an image are the columns of a matrix ``[C k, P]`` (``k`` elements of a
window, ``P`` windows), and the result is ``weight [O, C k]`` times that. The batch is taken in
blocks whose columns stay in the cache. Depthwise convolution has no matrix to speak of: it goes
over the positions in the kernel instead.

Everything here is in the order batch, channels, space, and in a dtype to compute in.
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._window import Windows

__all__ = ["backward_data", "backward_weight", "forward", "windows_of"]

_BLOCK = 1 << 20  # elements of the columns made at a time
_FEW = 128  # windows per image below which the images of a block share one product


def _blocks(batch: int, each: int) -> Iterator[slice]:
    """The batch in blocks whose columns, ``each`` per image, have about ``_BLOCK`` elements."""
    step = max(1, _BLOCK // max(each, 1))
    for start in range(0, batch, step):
        yield slice(start, min(start + step, batch))


def _columns(windows: Windows, data: Array, groups: int) -> Array:
    """The windows of a block of images as matrices ``[N, G, C k, P]``."""
    n = len(data)
    if windows.pointwise:
        return data.reshape(n, groups, -1, prod(windows.number))
    view = windows.view(windows.pad_with(data))
    return np.ascontiguousarray(view).reshape(n, groups, -1, prod(windows.number))


def _merged(matrices: Array) -> Array:
    """``[N, G, R, P]`` as ``[G, R, N P]``: one matrix for all images."""
    n, g, r, p = matrices.shape
    return matrices.transpose(1, 2, 0, 3).reshape(g, r, n * p)


def _product(weight: Array, columns: Array) -> Array:
    """``weight [G, R, K]`` times ``columns [N, G, K, P]``: ``[N, G, R, P]``."""
    n, g, _, p = columns.shape
    if n == 1 or p >= _FEW:
        return np.asarray(np.matmul(weight, columns))
    merged: Array = np.matmul(weight, _merged(columns))
    return merged.reshape(g, -1, n, p).transpose(2, 0, 1, 3)


def forward(data: Array, weight: Array, windows: Windows, groups: int) -> Array:
    n, c = data.shape[:2]
    filters = len(weight)
    result = np.empty((n, filters, *windows.number), data.dtype)
    if not result.size or not weight.size:
        result[...] = 0
    elif groups == c and c > 1 and not windows.pointwise:
        _depthwise(data, weight, windows, result)
    else:
        matrix = weight.reshape(groups, filters // groups, -1)
        for block in _blocks(n, matrix.shape[-1] * groups * prod(windows.number)):
            y = _product(matrix, _columns(windows, data[block], groups))
            result[block] = y.reshape(-1, filters, *windows.number)
    return result


def _taps(weight: Array, windows: Windows, channels: int) -> Array:
    """The weight of a depthwise convolution as ``[C, M, *kernel]``, with ones behind."""
    ones = (1,) * len(windows.number)
    return weight.reshape(channels, -1, *windows.kernel, *ones)


def _depthwise(data: Array, weight: Array, windows: Windows, result: Array) -> None:
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


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows, groups: int) -> Array:
    """Fills ``result [N, C, *size]``."""
    n, c = result.shape[:2]
    if not dy.size or not weight.size:
        result[...] = 0
        return result
    if groups == c and c > 1 and not windows.pointwise:
        _depthwise_backward_data(dy, weight, result, windows)
        return result
    matrix = weight.reshape(groups, len(weight) // groups, -1).swapaxes(1, 2)
    for block in _blocks(n, matrix.shape[1] * groups * prod(windows.number)):
        grads = dy[block].reshape(-1, groups, matrix.shape[2], prod(windows.number))
        columns = _product(matrix, grads)
        if windows.pointwise:
            result[block] = columns.reshape(result[block].shape)
            continue
        columns = columns.reshape(-1, c, *windows.kernel, *windows.number)
        padded = np.zeros((len(columns), c, *windows.padded), result.dtype)
        for tap, where in windows.positions():
            padded[where] += columns[tap]
        result[block] = padded[(..., *windows.inside)]
    return result


def _depthwise_backward_data(dy: Array, weight: Array, result: Array, windows: Windows) -> None:
    n, c = result.shape[:2]
    taps = _taps(weight, windows, c)
    for block in _blocks(n, c * prod(windows.size)):
        grads = dy[block].reshape(-1, *taps.shape[:2], *windows.number)
        padded = np.zeros((len(grads), c, *windows.padded), result.dtype)
        for tap, where in windows.positions():
            product = grads * taps[tap]
            padded[where] += product[:, :, 0] if product.shape[2] == 1 else product.sum(2)
        result[block] = padded[(..., *windows.inside)]


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows, groups: int) -> Array:
    """Fills ``result [O, C / G, *kernel]``."""
    n, c = data.shape[:2]
    result[...] = 0
    if not dy.size or not data.size:
        return result
    if groups == c and c > 1 and not windows.pointwise:
        _depthwise_backward_weight(dy, data, result, windows)
        return result
    filters = len(result)
    total = result.reshape(groups, filters // groups, -1)
    for block in _blocks(n, total.shape[-1] * groups * prod(windows.number)):
        columns = _columns(windows, data[block], groups)
        grads = dy[block].reshape(len(columns), groups, -1, prod(windows.number))
        if columns.shape[-1] < _FEW:
            total += np.matmul(_merged(grads), _merged(columns).swapaxes(1, 2))
        else:
            total += np.matmul(grads, columns.swapaxes(2, 3)).sum(axis=0)
    return result


def _depthwise_backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    n, c = data.shape[:2]
    total = result.reshape(c, -1, *windows.kernel)
    space = "xyz"[: len(windows.number)]
    for block in _blocks(n, c * prod(windows.size)):
        padded = windows.pad_with(data[block])
        grads = dy[block].reshape(len(padded), c, -1, *windows.number)
        for tap, where in windows.positions():
            total[tap] += np.einsum(f"ncm{space},nc{space}->cm", grads, padded[where])


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
