"""Winograd convolution with channels innermost; see :mod:`hy_kernels.winograd`.

Each transform is two small matrix products, first down all columns of a row of tiles and then
across each tile, which read and write runs of memory in place.
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
from hy_kernels.numpy.nn.convolution._panels import as_panels, empty_panels, multiply
from hy_kernels.numpy.runtime._pool import num_chunks, split, together
from hy_kernels.winograd import Tile


def transformed_weight(
    weight: Array, tile: Tile, *, transposed: bool = False, reused: bool = False
) -> Array:
    """Return ``weight [O, C, 3, 3]`` transformed, ``[(m + 2)², C, O]`` in the order of panels.

    Args:
        weight: The weight.
        tile: The matrices of the transforms.
        transposed: Whether to transform for the transposed convolution, ``[(m + 2)², O, C]``.
        reused: Whether the result is scratch memory, which the next call overwrites.
    """
    # G g Gᵀ is the matrix G ⊗ G times the flattened g: one product transforms all kernels. With its
    # columns reversed, it transforms kernels that are flipped along both axes.
    both = tile.kernel.astype(weight.dtype)
    filters, channels = weight.shape[:2]
    inner, outer = (filters, channels) if transposed else (channels, filters)

    def memory(name: str, shape: tuple[int, ...]) -> Array:
        # New memory of some megabytes takes longer than the transform: the system zeroes its pages.
        return (workspace if reused else _fresh)(name, shape, weight.dtype)

    result = empty_panels((len(both),), inner, outer, partial(memory, "panels"))
    panels = as_panels(result)
    _, layers, columns, long, width = panels.shape
    flat = contiguous(weight).reshape(filters, channels * 9)
    if transposed:
        both = both[:, ::-1].copy()
        taps, kernels = flat.reshape(layers, long, channels * 9), None
    else:
        # The kernels are transposed, not the planes, which are two to four times as large. NumPy
        # copies element by element; with a void dtype of the size of a kernel, each is one memcpy.
        kernel = np.dtype((np.void, 9 * weight.itemsize))
        taps = memory("taps", (layers, long, filters * 9))
        kernels = flat.view(kernel).T.reshape(layers, long, filters)

    def transform(part: slice) -> None:
        rows = taps[:, part]
        if kernels is not None:
            np.copyto(rows.view(kernels.dtype), kernels[:, part])
        number = part.stop - part.start
        factors = rows.reshape(layers, number, columns, width, 9).transpose(0, 2, 1, 4, 3)
        # Straight to the panels: if another thread laid out the planes, it would wait for the cache
        # of this one.
        target = panels[:, :, :, part].transpose(1, 2, 3, 0, 4)
        if target.strides[-1] == target.itemsize:
            np.matmul(both, factors, out=target)
        else:  # BLAS writes no columns
            target[...] = np.matmul(both, factors)

    parts = split(long, num_chunks(panels.size, COSTS.threads.winograd_weight))
    together([partial(transform, part) for part in parts])
    return result


def _fresh(_: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return aligned(shape, dtype)


def reach(windows: Windows, tile: Tile) -> tuple[int, ...]:
    """Return the spatial sizes of the padded image that whole tiles read."""
    return tuple(-(-n // tile.size) * tile.size + 2 for n in windows.number)


def _blocks(n: int, down: int, right: int, planes: int) -> Iterator[tuple[slice, slice]]:
    """Yield slices of images and of their rows of tiles, whose planes fit in the cache."""
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

    ``panels`` is the transformed weight in panels; for ``cuts`` see :func:`._panels.multiply`.
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
            # The inverse transform adds this plane to every result of its tile with factor 1, so
            # the bias is added once per tile instead of once per result.
            once = products[1, 1]
            work.do(np.add, once, bias, once)
        own = result[images, rows.start * m : min(rows.stop * m, h), :w]
        restored(products, back, own, work)


def correlate(padded: Array, dy: Array, tile: Tile) -> Array:
    """Return the gradient to the transformed weight, ``[(m + 2)², C, O]``.

    It is the product of the transformed tiles of the images with those of ``dy``, ``A dy Aᵀ``. The
    transposed kernel transform turns it into the gradient to the weight.
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
    """Return ``matrix · tile · matrixᵀ`` for all tiles of ``images [n, H, W, C]``.

    For ``matrix [K, S]``, tiles are ``S`` by ``S`` pixels and start ``step`` apart; the result is
    ``[K, K, n, h, w, C]``.
    """
    planes, size = matrix.shape
    n, height, width, channels = images.shape
    down, right = (height - size) // step + 1, (width - size) // step + 1
    image, row, _, one = images.strides
    # First all columns of a row of tiles at once, in runs as long as an image row. Columns in
    # which two tiles overlap are transformed once for both.
    strips = strided(images, (n, down, size, width * channels), (image, step * row, row, one))
    columns = work.workspace("columns down", (n, down, planes, width * channels), images.dtype)
    work.do(np.matmul, matrix, strips, columns)
    front, (pixel, one) = columns.strides[:3], images.strides[2:]
    tiles = strided(
        columns,
        (n, down, planes, right, size, channels),
        (*front, step * pixel, pixel, one),
    )
    # Written plane by plane: plane (i, j) of all tiles is a factor of one matrix product.
    result = work.workspace(name, (planes, planes, n, down, right, channels), images.dtype)
    work.do(np.matmul, matrix, tiles, result.transpose(2, 3, 0, 4, 1, 5))
    return result


def restored(products: Array, back: Array, result: Array, work: Work) -> None:
    """Transform ``products [K, K, n, h, w, O]`` back, into ``result [n, H, W, O]``."""
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
    # For the last row of tiles, only rows inside the result are computed.
    if whole < down:
        last = back[: height - whole * m]
        work.do(np.matmul, last, columns[:, whole], rows[:, whole * m :])
