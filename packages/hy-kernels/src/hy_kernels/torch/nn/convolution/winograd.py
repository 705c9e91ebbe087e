"""Convolution with 3 by 3 kernels by Winograd's F(4x4, 3x3), with products by oneDNN.

See :mod:`hy_kernels.winograd`. The channels are the last axis of images. The planes of a tile are
contiguous, ``[tiles, 36, C]``, so that their products with those of the weight are one 1 by 1
convolution in 36 groups, which oneDNN computes at peak speed; the transforms are products of small
matrices.
"""

from math import prod
from typing import Any

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn._layer_activation import activated
from hy_kernels.torch.nn._window import to_compute_dtype
from hy_kernels.torch.nn.convolution._winograd_tiles import (
    BIASED,
    PLANES,
    SIDE,
    SPAN,
    matrices,
    write_tiles,
)
from hy_kernels.torch.runtime._onednn import has_onednn
from hy_kernels.torch.runtime._scratch import scratch
from hy_kernels.windows import filled

Size = tuple[int, ...]
_onednn: Any = torch.ops.mkldnn


def _block(size: Size, channels: int, pad: Size) -> tuple[int, int, int]:
    """Return the number of images to process at a time, and their tiles down and across."""
    images, height, width = size
    down, across = (-(-(n + 2 * p - 2) // SIDE) for n, p in zip((height, width), pad, strict=True))
    tiles = down * across
    # The transformed tiles stay within a size, unless so few tiles were not worth reading the
    # weight.
    limit = max(
        COSTS.blocks.winograd // (PLANES * channels * tiles),
        -(-COSTS.convolution.min_tiled // tiles),
    )
    return min(images, max(limit, 1)), down, across


@kernel()
def winograd_weight(weight: Tensor, *, pad: Size, size: Size) -> Tensor:
    """Return ``weight [O, C, 3, 3]`` transformed, ``[36 O, C, 1, 1]``, for images of a size."""
    filters, channels = weight.shape[:2]
    taps = to_compute_dtype(weight).reshape(-1, 9)
    planes = torch.mm(matrices(taps.dtype, taps.device)["kernel"], taps.t())
    plain = planes.to(weight.dtype).view(PLANES * filters, channels, 1, 1)
    if not has_onednn(weight) or not weight.numel():
        return plain
    images, _, *space = size
    tiles = prod(_block((images, *space), max(channels, filters), filled(pad, 0, 2)))
    geometry = [0, 0], [1, 1], [1, 1], PLANES, [1, PLANES * channels, tiles, 1]
    packed: Tensor = _onednn._reorder_convolution_weight(plain, *geometry)
    return packed


@kernel()
def winograd_convolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    pad: Size,
    activation: str,
    scalars: tuple[float, ...],
    with_bias: bool,
    with_addend: bool,
) -> Tensor:
    """Return the convolution of ``data [N, H, W, C]`` plus bias and addend, with an activation.

    ``weight`` is the result of :func:`winograd_weight`.
    """
    x, around = to_compute_dtype(data).contiguous(), filled(pad, 0, 2)
    n, height, width, channels = x.shape
    filters = len(weight) // PLANES
    if not weight.is_mkldnn:
        weight = weight.to(x.dtype)
    y = x.new_empty(n, height + 2 * around[0] - 2, width + 2 * around[1] - 2, filters)
    step, *tiles = _block((n, height, width), max(channels, filters), around)
    bias_planes = None
    if bias is not None:
        # A constant in one plane of the transform is that constant in each result of the tile.
        bias_planes = x.new_zeros(PLANES, len(bias))
        bias_planes[BIASED] = bias
        bias_planes = bias_planes.view(-1)
    for first in range(0, n, max(step, 1)):
        own = slice(first, first + step)
        planes = _transformed(x[own], around, tiles)
        results = _restored(_products(planes, weight, bias_planes), filters)
        shaped = results.view(-1, *tiles, *results.shape[1:]).transpose(2, 3)
        added = None if addend is None else addend[own]
        write_tiles(shaped, added, activation == "relu", y[own])
    if activation not in ("none", "relu"):
        y = activated(y, activation, scalars)
    return y.to(data.dtype)


def _transformed(images: Tensor, pad: Size, tiles: list[int]) -> Tensor:
    """Return the transformed tiles of images, ``[1, tiles, 1, 36 C]``."""
    n, height, width, channels = images.shape
    down, across = tiles
    padded_size = SIDE * down + 2, SIDE * across + 2
    # Padded in reused memory: the last tiles may reach beyond the padded image.
    padded = scratch("padded", (n, *padded_size, channels), images).zero_()
    padded[:, pad[0] : pad[0] + height, pad[1] : pad[1] + width] = images
    image, row, column, _ = padded.stride()
    strides = image, SIDE * row, SIDE * column, row, 1
    count, run = n * down * across, SPAN * channels
    # Overlapping tiles as a view: six rows of six pixels, which lie side by side with the channels.
    seen = padded.as_strided((n, down, across, SPAN, run), strides)
    rows = scratch("one", seen.shape, images).copy_(seen).view(count, SPAN, run)
    # One axis after the other, by the same small matrix.
    matrix = matrices(images.dtype, images.device)["elements"]
    columns = _multiplied(matrix, rows, "other").view(-1, SPAN, channels)
    return _multiplied(matrix, columns, "one").view(1, count, 1, PLANES * channels)


def _multiplied(matrix: Tensor, factors: Tensor, name: str) -> Tensor:
    """Return ``matrix · factors`` in the scratch memory ``name``."""
    count, _, width = factors.shape
    out = scratch(name, (count, len(matrix), width), factors)
    return torch.bmm(matrix.expand(count, -1, -1), factors, out=out)


def _products(planes: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return the products of transformed tiles and weight, ``[1, tiles, 1, 36 O]``."""
    x, none, one = planes.permute(0, 3, 1, 2), [0, 0], [1, 1]
    if weight.is_mkldnn:
        geometry = none, one, one, PLANES, "none", (), ""
        y = _onednn._convolution_pointwise.default(x, weight, bias, *geometry)
    else:
        y = torch.convolution(x, weight, bias, one, none, one, False, none, PLANES)
    return y.permute(0, 2, 3, 1).contiguous()


def _restored(products: Tensor, filters: int) -> Tensor:
    """Return products transformed back to results, ``[tiles, 4, 4, O]``."""
    matrix = matrices(products.dtype, products.device)["results"]
    columns = products.view(-1, SPAN, SPAN * filters)
    rows = _multiplied(matrix, columns, "other").view(-1, SPAN, filters)
    return _multiplied(matrix, rows, "one").view(-1, SIDE, SIDE, filters)
