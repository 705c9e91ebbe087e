"""Convolution with 3 by 3 kernels that move by one, by Winograd's minimal filtering F(2x2, 3x3).

Results are computed in tiles of 2 by 2, each from 4 by 4 elements. Both those and the kernels are
transformed so that a product of 16 pairs of numbers takes the place of 36 products; summed over the
channels that is 16 matrix products, with 4 / 9 of the work. The transforms add and subtract whole
images, see :mod:`._flat`: a tile is a window of 4 that moves by 2, an image its 2 by 2 phases.

Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015.
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._flat import Flat
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["backward_weight", "forward", "room", "suits"]

_BLOCK = 1 << 20  # elements of the transformed data and result made at a time
_LEAST = 64  # channels below which the transforms cost more than they save
_GAIN = 1.5  # how many times fewer products there must be


def suits(channels: int, filters: int, groups: int, windows: Windows) -> bool:
    """Whether the products saved are worth the transforms."""
    ones = (1, 1)
    if groups != 1 or min(channels, filters) < _LEAST or windows.kernel != (3, 3):
        return False
    if windows.stride != ones or windows.dilate != ones:
        return False
    tiles = [(n + 1) // 2 + 1 for n in windows.number]
    return 9 * prod(windows.number) >= _GAIN * 16 * prod(tiles)


def room(channels: int, filters: int, windows: Windows) -> int:
    """How many numbers an image is transformed into, and its result from."""
    tiles = [(n + 1) // 2 + 1 for n in windows.number]
    return 16 * (channels + filters) * prod(tiles)


def _tiles(windows: Windows) -> Flat:
    """The tiles as windows of the image."""
    number = tuple((n + 1) // 2 for n in windows.number)
    return Flat(Windows(windows.size, (4, 4), (2, 2), (1, 1), windows.pad, number))


def _blocks(flat: Flat, batch: int, planes: int) -> Iterator[slice]:
    step = max(1, _BLOCK // (16 * planes * flat.room))
    for start in range(0, batch, step):
        yield slice(start, min(start + step, batch))


def _transformed(flat: Flat, images: Array) -> Array:
    """``[4, 4, C, flat]``: ``Bᵀ d B`` of the 4 by 4 elements ``d`` of each tile."""
    phases = flat.phases(images)
    c, length = images.shape[1], len(images) * flat.room
    right, down = 1, flat.size[1]
    # Along rows first, for both phases of rows; the slack behind serves the step down.
    whole = phases.shape[-1] - right
    rows = workspace("rows", (2, 4, c, whole), images.dtype)
    for own, (even, odd) in zip(rows, phases, strict=True):
        here, there = slice(0, whole), slice(right, whole + right)
        np.subtract(even[:, here], even[:, there], out=own[0])
        np.add(odd[:, here], even[:, there], out=own[1])
        np.subtract(even[:, there], odd[:, here], out=own[2])
        np.subtract(odd[:, here], odd[:, there], out=own[3])
    result = workspace("tiles", (4, 4, c, length), images.dtype)
    even, odd = rows
    here, there = slice(0, length), slice(down, down + length)
    np.subtract(even[..., here], even[..., there], out=result[0])
    np.add(odd[..., here], even[..., there], out=result[1])
    np.subtract(even[..., there], odd[..., here], out=result[2])
    np.subtract(odd[..., here], odd[..., there], out=result[3])
    return result


def _kernels(weight: Array) -> Array:
    """``[4, 4, O, C]``: ``G g Gᵀ`` of each kernel ``g``."""
    half = weight.dtype.type(0.5)
    g = np.ascontiguousarray(np.moveaxis(weight, (2, 3), (0, 1)))
    rows = np.empty((4, *g.shape[1:]), g.dtype)
    rows[0], rows[3] = g[0], g[2]
    outer = (g[0] + g[2]) * half
    middle = g[1] * half
    np.add(outer, middle, out=rows[1])
    np.subtract(outer, middle, out=rows[2])
    result = np.empty((4, 4, *g.shape[2:]), g.dtype)
    result[:, 0], result[:, 3] = rows[:, 0], rows[:, 2]
    outer = (rows[:, 0] + rows[:, 2]) * half
    middle = rows[:, 1] * half
    np.add(outer, middle, out=result[:, 1])
    np.subtract(outer, middle, out=result[:, 2])
    return result


def _untransformed(m: Array) -> Array:
    """``[2, 2, O, flat]``: ``Aᵀ m A`` of the products ``m [4, 4, O, flat]``, which are used up."""
    for axis in (m, m.swapaxes(0, 1)[:, :2]):
        total, difference = axis[1], axis[2]
        axis[0] += total
        axis[0] += difference
        np.subtract(total, difference, out=total)
        total -= axis[3]
    return m[:2, :2]


def forward(data: Array, weight: Array, windows: Windows, result: Array) -> None:
    """The convolution, which fills ``result [N, O, *number]``."""
    n, c = data.shape[:2]
    filters = len(weight)
    flat = _tiles(windows)
    kernels = _kernels(weight)
    for block in _blocks(flat, n, c + filters):
        images = block.stop - block.start
        tiles = _transformed(flat, data[block])
        m = workspace("products", (4, 4, filters, images * flat.room), data.dtype)
        np.matmul(kernels, tiles, out=m)
        y = _untransformed(m)
        for i in range(2):
            for j in range(2):
                target = result[block, :, i::2, j::2]
                rows, columns = target.shape[2:]
                whole = y[i, j].reshape(filters, images, *flat.size)
                target[...] = whole[:, :, :rows, :columns].swapaxes(0, 1)


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """The gradient to the weight, which fills ``result [O, C, 3, 3]``."""
    n, c = data.shape[:2]
    filters = len(result)
    flat = _tiles(windows)
    total = np.zeros((4, 4, filters, c), dy.dtype)
    for block in _blocks(flat, n, c + filters):
        tiles = _transformed(flat, data[block])
        spread = _spread(flat, dy[block])
        total += np.matmul(spread, tiles.swapaxes(2, 3))
    half = dy.dtype.type(0.5)
    for axis in (total, total[:3].swapaxes(0, 1)):  # Gᵀ u G
        outer = (axis[1] + axis[2]) * half
        axis[0] += outer
        outer += axis[3]
        np.subtract(axis[1], axis[2], out=axis[1])
        axis[1] *= half
        axis[2] = outer
    result[...] = np.moveaxis(total[:3, :3], (0, 1), (2, 3))


def _spread(flat: Flat, dy: Array) -> Array:
    """``[4, 4, O, flat]``: ``A g Aᵀ`` of the gradients ``g`` of each tile; zeros behind them."""
    images, filters = dy.shape[:2]
    result = workspace("products", (4, 4, filters, images * flat.room), dy.dtype)
    result[:2, :2] = 0
    for i in range(2):
        for j in range(2):
            source = dy[:, :, i::2, j::2]
            rows, columns = source.shape[2:]
            whole = result[i, j].reshape(filters, images, *flat.size)
            whole[:, :, :rows, :columns] = source.swapaxes(0, 1)
    for axis in (result[:, :2], result.swapaxes(0, 1)):
        np.negative(axis[1], out=axis[3])
        np.subtract(axis[0], axis[1], out=axis[2])
        np.add(axis[0], axis[1], out=axis[1])
    return result
