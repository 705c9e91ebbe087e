"""Convolution with 3 by 3 kernels by Winograd's F(4x4, 3x3), with products by BLAS.

The channels are the last axis of images. The planes of all tiles are outermost, ``[36, tiles, C]``:
their products with those of the weight are one batched product, and the transforms are products of
small matrices with very wide ones. Where oneDNN multiplies faster than torch's BLAS,
:mod:`.winograd` is faster.
"""

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
from hy_kernels.torch.runtime._scratch import scratch
from hy_kernels.windows import filled

Size = tuple[int, ...]


@kernel()
def planar_winograd_weight(weight: Tensor) -> Tensor:
    """Return ``weight [O, C, 3, 3]`` transformed, ``[36, C, O]``."""
    filters, channels = weight.shape[:2]
    taps = to_compute_dtype(weight).reshape(-1, 9)
    planes = torch.mm(matrices(taps.dtype, taps.device)["kernel"], taps.t())
    planes = planes.view(PLANES, filters, channels).transpose(1, 2)
    return planes.to(weight.dtype).contiguous()


@kernel()
def planar_winograd_convolution(
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

    ``weight`` is the result of :func:`planar_winograd_weight`.
    """
    x, around = to_compute_dtype(data).contiguous(), filled(pad, 0, 2)
    n, height, width, channels = x.shape
    planes = weight.to(x.dtype)
    filters = planes.shape[2]
    y = x.new_empty(n, height + 2 * around[0] - 2, width + 2 * around[1] - 2, filters)
    down, across = (-(-size // SIDE) for size in y.shape[1:3])
    # Blocks of equal numbers of images rather than a small last one.
    each = PLANES * down * across * max(channels, filters)
    limit = max(COSTS.blocks.winograd_planes // max(each, 1), 1)
    blocks = max(-(-n // limit), 1)
    step = max(-(-n // blocks), 1)
    for first in range(0, n, step):
        own = slice(first, first + step)
        factors = _transformed(x[own], around, (down, across))
        products = scratch("other", (PLANES, factors.shape[1], filters), x)
        torch.bmm(factors, planes, out=products)
        if bias is not None:
            products[BIASED] += bias
        tiles = _restored(products).view(SIDE, SIDE, -1, down, across, filters)
        added = None if addend is None else addend[own]
        write_tiles(tiles.permute(2, 3, 0, 4, 1, 5), added, activation == "relu", y[own])
    if activation not in ("none", "relu"):
        y = activated(y, activation, scalars)
    return y.to(data.dtype)


def _transformed(images: Tensor, pad: Size, tiles: tuple[int, int]) -> Tensor:
    """Return the transformed tiles of images, ``[36, tiles, C]``."""
    n, channels = len(images), images.shape[3]
    padded = _padded(images, pad, tiles)
    image, row, column, one = padded.stride()
    strides = row, column, image, SIDE * row, SIDE * column, one
    # Overlapping tiles as a view; one copy puts the planes in order.
    seen = padded.as_strided((SPAN, SPAN, n, *tiles, channels), strides)
    planes = scratch("one", seen.shape, images).copy_(seen)
    matrix = matrices(images.dtype, images.device)["elements"]
    columns = scratch("other", (SPAN, planes[0].numel()), images)
    # The transform along the rows of all tiles is one product with a very wide matrix.
    torch.mm(matrix, planes.view(SPAN, -1), out=columns)
    rows = planes.view(SPAN, SPAN, -1)
    torch.bmm(matrix.expand(SPAN, -1, -1), columns.view(rows.shape), out=rows)
    return planes.view(PLANES, -1, channels)


def _padded(images: Tensor, pad: Size, tiles: tuple[int, int]) -> Tensor:
    """Return the images padded with zeros to whole tiles."""
    n, height, width, channels = images.shape
    size = [SIDE * count + 2 for count in tiles]
    padded = scratch("padded", (n, *size, channels), images)
    rows, columns = slice(pad[0], pad[0] + height), slice(pad[1], pad[1] + width)
    # The borders alone are zeroed; the inside is overwritten.
    padded[:, : rows.start].zero_()
    padded[:, rows.stop :].zero_()
    padded[:, rows, : columns.start].zero_()
    padded[:, rows, columns.stop :].zero_()
    padded[:, rows, columns] = images
    return padded


def _restored(products: Tensor) -> Tensor:
    """Return products transformed back to results, ``[16, tiles * O]``."""
    # Both axes at once by the Kronecker product: 16 by 36, but one product.
    matrix = matrices(products.dtype, products.device)["both"]
    planes = products.view(PLANES, -1)
    out = scratch("one", (len(matrix), planes.shape[1]), products)
    return torch.mm(matrix, planes, out=out)
