"""Cases of im2col and col2im."""

from itertools import product
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _matrix(shape: Any, kernel: Any, **window: Any) -> Any:
    """Return ``im2col`` as a matrix on flat images, with entries [row, column, pixel]."""
    ones = (1,) * len(kernel)
    stride, dilate = window.get("stride", ones), window.get("dilate", ones)
    pad = window.get("pad", (0,) * len(kernel))
    sizes = zip(shape[2:], kernel, stride, dilate, pad, strict=True)
    counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, d, p in sizes]
    pixels = np.arange(np.prod(shape[1:])).reshape(shape[1:])
    rows = list(product(range(shape[1]), *map(range, kernel)))
    columns = list(product(*map(range, counts)))
    result = np.zeros((len(rows), len(columns), pixels.size))
    for i, (channel, *position) in enumerate(rows):
        for j, window_at in enumerate(columns):
            at = np.multiply(window_at, stride) + np.multiply(position, dilate) - pad
            if (at >= 0).all() and (at < shape[2:]).all():
                result[i, j, pixels[(channel, *at)]] = 1
    return result


def _im2col(data: Any, **window: Any) -> Any:
    flat = data.reshape(len(data), np.prod(data.shape[1:]))
    return np.einsum("ijp,np->nij", _matrix(data.shape, **window), flat)


def _im2col_backward(dy: Any, data: Any, **window: Any) -> Any:
    return np.einsum("ijp,nij->np", _matrix(data.shape, **window), dy).reshape(data.shape)


def _col2im(data: Any, output_size: Any, kernel: Any, **window: Any) -> Any:
    channels = data.shape[1] // int(np.prod(kernel))
    image = np.zeros((len(data), channels, *output_size))
    return _im2col_backward(data, image, kernel=kernel, **window)


_WINDOW = {"kernel": (3, 2), "stride": (2, 1), "dilate": (1, 2), "pad": (1, 1)}

CASES = (
    OpCase("im2col", ((2, 2, 5, 4),), _im2col, {"kernel": (3, 3)}),
    OpCase("im2col", ((1, 2, 6, 5),), _im2col, _WINDOW),
    OpCase("im2col", ((2, 1, 5),), _im2col, {"kernel": (2,), "stride": (2,)}),
    OpCase("im2col", ((0, 1, 3, 3),), _im2col, {"kernel": (1, 1)}),
    OpCase("_im2col_backward", ((1, 12, 15), (1, 2, 6, 5)), _im2col_backward, _WINDOW),
    OpCase("col2im", ((1, 8, 9),), _col2im, {"output_size": (4, 4), "kernel": (2, 2)}),
    OpCase("col2im", ((2, 12, 15),), _col2im, {"output_size": (6, 5), **_WINDOW}),
    OpCase("col2im", ((1, 3, 3),), _col2im, {"output_size": (5,), "kernel": (3,)}),
)
