"""Winograd convolution where channels are the innermost axis; see :mod:`hy_kernels.winograd`.

Each transform, first down all columns of a row of tiles and then across each tile, is a small
matrix product that reads and writes runs of memory where they lie.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, aligned, contiguous
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._replay import NOW, Work
from hy_kernels.numpy.nn._window import Windows, strided
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution._panels import multiply, to_panels
from hy_kernels.numpy.runtime._pool import num_chunks, split, together
from hy_kernels.winograd import Tile

__all__ = ["convolve", "correlate", "reach", "restored", "transformed", "transformed_weight"]


def transformed_weight(weight: Array, tile: Tile, *, reused: bool = False) -> Array:
    """Return ``weight [O, C, 3, 3]`` transformed, ``[(m + 2)², C, O]`` in panels.

    ``reused``: Whether the result is scratch memory, which the next call overwrites.
    """
    # Fresh memory of some megabytes costs more than the transform: the system zeroes its pages.
    memory = workspace if reused else _fresh
    # G ⊗ G of G g Gᵀ as one matrix: the transform of all kernels is one product.
    both = tile.kernel.astype(weight.dtype)
    filters, channels = weight.shape[:2]
    # The kernels are transposed, not the planes, which are two to four times as large. Numpy copies
    # elements one by one; of a void dtype as long as a kernel, that is one memcpy.
    kernel = np.dtype((np.void, 9 * weight.itemsize))
    kernels = contiguous(weight).reshape(filters, channels * 9).view(kernel)
    taps = memory("taps", (channels, filters * 9), weight.dtype)
    planes = memory("kernels", (len(both), channels * filters), weight.dtype)

    def transform(own: slice) -> None:
        np.copyto(taps[own].view(kernel), kernels[:, own].T)
        part = planes[:, own.start * filters : own.stop * filters]
        np.matmul(both, taps[own].reshape(-1, 9).T, out=part)

    parts = split(channels, num_chunks(planes.size, COSTS.threads.winograd_weight))
    together([partial(transform, part) for part in parts])
    matrices = planes.reshape(-1, channels, filters)
    return to_panels(matrices, memory("panels", matrices.shape, weight.dtype))


def _fresh(_: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return aligned(shape, dtype)


def reach(windows: Windows, tile: Tile) -> tuple[int, ...]:
    """Return the sizes of the padded image that whole tiles read."""
    return tuple(-(-n // tile.size) * tile.size + 2 for n in windows.number)


def _blocks(n: int, down: int, right: int, planes: int) -> Iterator[tuple[slice, slice]]:
    """Yield slices of images and of their rows of tiles, whose planes stay in the cache."""
    rows = max(1, COSTS.blocks.winograd // (planes * right))
    images = max(1, rows // down)
    for image in range(0, n, images):
        for first in range(0, down, rows):
            yield slice(image, image + images), slice(first, min(first + rows, down))


def convolve(
    padded: Array,
    panels: Array,
    tile: Tile,
    result: Array,
    bias: Array | None = None,
    work: Work = NOW,
    cuts: Sequence[slice] = (),
) -> None:
    """Convolve ``padded [N, H, W, C]`` into ``result [N, h, w, O]``.

    ``panels`` are the transformed weight's, and ``cuts`` those multiplied together.
    """
    n, height, width, channels = padded.shape
    (h, w, filters), m = result.shape[1:], tile.size
    down, right, span = (height - 2) // m, (width - 2) // m, m + 2
    elements, back = tile.elements.astype(padded.dtype), tile.results.astype(padded.dtype)
    each = span * span * max(channels, filters)
    for images, rows in _blocks(n, down, right, each):
        part = padded[images, rows.start * m : rows.stop * m + 2]
        planes = transformed(part, elements, m, "planes", work)
        products = work.workspace("products", (*planes.shape[:-1], filters), padded.dtype)
        tiles = span * span, -1
        left, right = planes.reshape(*tiles, channels), products.reshape(*tiles, filters)
        multiply(left, panels, right, work, cuts)
        if bias is not None:
            # The transform back adds this plane to every result of its tile with the factor 1:
            # the bias is added once a tile and not once a result.
            once = products[1, 1]
            work.do(np.add, once, bias, once)
        own = result[images, rows.start * m : min(rows.stop * m, h), :w]
        restored(products, back, own, work)


def correlate(padded: Array, dy: Array, tile: Tile) -> Array:
    """Return the transformed gradient of a weight, ``[(m + 2)², C, O]``.

    The weight's gradient is the transposed transform of that: where the convolution multiplies
    transformed tiles with the kernel, this one does with the transformed gradients ``A dy Aᵀ``.
    """
    n, height, width, channels = padded.shape
    filters, m = dy.shape[-1], tile.size
    down, right, span = (height - 2) // m, (width - 2) // m, m + 2
    elements, spread = tile.elements.astype(dy.dtype), tile.results.T.astype(dy.dtype)
    padded_dy = NOW.workspace("gradients", (n, down * m, right * m, filters), dy.dtype)
    padded_dy[:, dy.shape[1] :] = 0
    padded_dy[:, : dy.shape[1], dy.shape[2] :] = 0
    padded_dy[:, : dy.shape[1], : dy.shape[2]] = dy
    total = np.zeros((span * span, channels, filters), dy.dtype)
    for images, rows in _blocks(n, down, right, span * span * max(channels, filters)):
        part = padded[images, rows.start * m : rows.stop * m + 2]
        planes = transformed(part, elements, m, "planes")
        gradients = transformed(
            padded_dy[images, rows.start * m : rows.stop * m], spread, m, "spread"
        )
        left = planes.reshape(span * span, -1, channels).swapaxes(1, 2)
        total += np.matmul(left, gradients.reshape(span * span, -1, filters))
    return total


def transformed(images: Array, matrix: Array, step: int, name: str, work: Work = NOW) -> Array:
    """Return ``matrix · tile · matrixᵀ`` of all tiles of ``images [n, H, W, C]``.

    Tiles have as many rows as the matrix has columns, and start ``step`` apart; the result is
    ``[K, K, n, h, w, C]``.
    """
    planes, size = matrix.shape
    n, height, width, channels = images.shape
    down, right = (height - size) // step + 1, (width - size) // step + 1
    image, row, _, one = images.strides
    # First all columns of a row of tiles at once, in runs as long as a row of the image. Tiles
    # overlap by two elements: transformed here, these are computed once for both.
    strips = strided(images, (n, down, size, width * channels), (image, step * row, row, one))
    columns = work.workspace("columns down", (n, down, planes, width * channels), images.dtype)
    work.do(np.matmul, matrix, strips, columns)
    front, (pixel, one) = columns.strides[:3], images.strides[2:]
    tiles = strided(
        columns,
        (n, down, planes, right, size, channels),
        (*front, step * pixel, pixel, one),
    )
    # Written plane by plane: plane (i, j) of all tiles is one factor of a matrix product.
    result = work.workspace(name, (planes, planes, n, down, right, channels), images.dtype)
    work.do(np.matmul, matrix, tiles, result.transpose(2, 3, 0, 4, 1, 5))
    return result


def restored(products: Array, back: Array, result: Array, work: Work) -> None:
    """Transform products ``[K, K, n, h, w, O]`` back into ``result [n, H, W, O]``."""
    m = len(back)
    span, _, n, down, right, filters = products.shape
    height, width = result.shape[1:3]
    across = work.workspace("results across", (n, down, span, right, m, filters), products.dtype)
    work.do(np.matmul, back, products.transpose(2, 3, 0, 4, 1, 5), across)
    columns = across.reshape(n, down, span, -1)[..., : width * filters]
    rows = result.reshape(n, height, -1)
    whole = height // m
    if whole:
        tiles = rows[:, : whole * m].reshape(n, whole, m, -1)
        work.do(np.matmul, back, columns[:, :whole], tiles)
    # Of the last row of tiles only the rows that the result has are computed.
    if whole < down:
        last = back[: height - whole * m]
        work.do(np.matmul, last, columns[:, whole], rows[:, whole * m :])
