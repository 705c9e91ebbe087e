"""Winograd convolution with the batch innermost; see :mod:`hy_kernels.winograd`.

The transforms of :mod:`._winograd` are applied with channels as its images, and images as its
channels.
"""

from collections.abc import Sequence

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._replay import Work
from hy_kernels.numpy.nn.convolution._chwn_shares import Share, blocks, multiply
from hy_kernels.numpy.nn.convolution._winograd import reach, restored, transformed
from hy_kernels.winograd import TILES

_TILE = TILES["winograd4"]
SIDE = _TILE.size
"""Rows, and columns, of the results of a tile."""
_PLANES = (SIDE + 2) ** 2


def convolve(
    data: Array, weight: Array, result: Array, share: Share, transposed: bool, work: Work
) -> None:
    """Compute the rows in ``share`` of the convolution of ``data [C, H, W, N]``.

    Args:
        data: The images.
        weight: ``[O, C, 3, 3]``; transposed, ``[C, O, 3, 3]`` with flipped kernels.
        result: ``[O, h, w, N]``.
        share: The rows to compute.
        transposed: Whether to compute the transposed convolution with that weight.
        work: Runs or records the calls.
    """
    kernels, back = _kernels(weight, transposed, work), _TILE.results.astype(data.dtype)
    for part in _blocks(data, len(result), share):
        planes = _elements(data, part, work)
        tiles = planes.shape[3:]
        products = work.workspace("products", (*planes.shape[:2], len(result), *tiles), data.dtype)
        factors = planes.reshape(_PLANES, len(data), -1)
        multiply(kernels, factors, products.reshape(_PLANES, len(result), -1), work)
        restored(products, back, result[:, part[2]], work)


def correlate(dy: Array, data: Array, total: Array, share: Share, work: Work) -> None:
    """Compute the part of the gradient to the weight that the rows in ``share`` contribute.

    It is written to ``total [O, C, 3, 3]``.
    """
    filters, channels = total.shape[:2]
    spread = _TILE.results.T.astype(dy.dtype)
    shape = (_PLANES, filters, channels)
    sums = work.workspace("sums", shape, dy.dtype)
    for k, part in enumerate(_blocks(data, filters, share)):
        planes = _elements(data, part, work)
        own = _padded_gradients(
            dy[:, part[2]], planes.shape[3] * SIDE, planes.shape[4] * SIDE, work
        )
        gradients = transformed(own, spread, SIDE, "spread", work)
        left = gradients.reshape(_PLANES, filters, -1)
        right = planes.reshape(_PLANES, channels, -1).swapaxes(1, 2)
        products = work.workspace("products", shape, dy.dtype) if k else sums
        np.matmul(left, right, products)
        if k:
            sums += products
    taps = np.matmul(sums.reshape(_PLANES, -1).T, _TILE.kernel.astype(dy.dtype))
    np.copyto(total, taps.reshape(total.shape))


def _kernels(weight: Array, transposed: bool, work: Work) -> Array:
    """Return the transformed kernels ``[36, O, C]`` of a weight."""
    matrix = _TILE.kernel.astype(weight.dtype)
    # The weight may be a slice of its second axis, which reshape would copy unrecorded.
    if not weight.flags.c_contiguous:
        some = work.workspace("taps", weight.shape, weight.dtype)
        work.do(np.copyto, some, weight)
        weight = some
    taps = weight.reshape(-1, 9)
    planes = work.workspace("kernels", (_PLANES, *weight.shape[:2]), weight.dtype)
    work.do(
        np.matmul,
        # G ⊗ G with its columns reversed transforms kernels flipped along both axes.
        matrix[:, ::-1].copy() if transposed else matrix,
        taps.T,
        planes.reshape(_PLANES, -1),
    )
    return planes.swapaxes(1, 2) if transposed else planes


def _blocks(data: Array, filters: int, share: Share) -> Sequence[Share]:
    tiles = -(-share[0].number[1] // SIDE) * data.shape[-1]
    each = _PLANES * tiles * max(len(data), filters)
    return blocks(share, max(1, COSTS.blocks.chwn_tiles // each) * SIDE)


def _elements(data: Array, share: Share, work: Work) -> Array:
    """Return the transformed tiles of the image rows of a share, ``[6, 6, C, h, w, N]``."""
    windows, elements, _ = share
    padded = windows.with_padding(data[:, elements], reach(windows, _TILE), work)
    return transformed(padded, _TILE.elements.astype(data.dtype), SIDE, "planes", work)


def _padded_gradients(dy: Array, height: int, width: int, work: Work) -> Array:
    """Return ``dy`` padded with zeros at the end, to ``[O, height, width, N]``."""
    if dy.shape[1:3] == (height, width):
        return dy
    padded = work.workspace("gradients", (len(dy), height, width, dy.shape[-1]), dy.dtype)
    down, right = dy.shape[1:3]
    for edge in (padded[:, down:], padded[:, :down, right:]):
        if edge.size:
            work.do(edge.fill, 0)
    work.do(np.copyto, padded[:, :down, :right], dy)
    return padded
