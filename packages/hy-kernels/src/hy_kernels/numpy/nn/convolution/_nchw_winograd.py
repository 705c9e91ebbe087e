"""Winograd convolution of channels-first images, transposed to channels last block by block.

The transforms are those of :mod:`._winograd`.
"""

from math import prod

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution import _winograd
from hy_kernels.numpy.nn.convolution._panels import as_panels
from hy_kernels.winograd import TILES

_TILE = TILES["winograd4"]
SIDE = _TILE.size
"""Rows and columns of the results of a tile."""


def _blocks(data: Array, filters: int) -> list[slice]:
    each = max(data.shape[1], filters) * prod(data.shape[2:])
    step = max(1, COSTS.blocks.tiled_images // each)
    return [slice(start, start + step) for start in range(0, len(data), step)]


def panels(weight: Array, *, transposed: bool = False, reused: bool = False) -> Array:
    """Return ``weight [O, C, 3, 3]`` transformed and laid out in panels, for :func:`forward`.

    Args:
        weight: The weight.
        transposed: Whether it is for the transposed convolution, the gradient to the data.
        reused: Whether the result is scratch memory of this thread.
    """
    planes = _winograd.transformed_weight(weight, _TILE, transposed=transposed, reused=reused)
    return as_panels(planes)


def forward(data: Array, panels: Array, windows: Windows, result: Array) -> None:
    """Compute the convolution of ``data [N, C, H, W]`` into ``result [N, O, *number]``."""
    tile, filters = _TILE, result.shape[1]
    for block in _blocks(data, filters):
        images = data[block].transpose(0, 2, 3, 1)
        padded = windows.with_padding(images, _winograd.reach(windows, tile))
        shape = (len(images), *windows.number, filters)
        y = workspace("transposed", shape, data.dtype)
        _winograd.convolve(padded, panels, tile, y)
        result[block] = y.transpose(0, 3, 1, 2)


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """Compute the gradient to the weight into ``result [O, C, 3, 3]``."""
    tile = _TILE
    total: Array | None = None
    for block in _blocks(data, len(result)):
        images, gradients = (x[block].transpose(0, 2, 3, 1) for x in (data, dy))
        padded = windows.with_padding(images, _winograd.reach(windows, tile))
        part = _winograd.correlate(padded, gradients, tile)
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    # The transform is linear, so it is undone once, for the sum over all blocks.
    kernels = np.matmul(tile.kernel.T.astype(dy.dtype), total.reshape(len(total), -1))
    channels, filters = data.shape[1], len(result)
    result[...] = kernels.reshape(3, 3, channels, filters).transpose(3, 2, 0, 1)
