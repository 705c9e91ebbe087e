"""Convolution with 3 by 3 kernels by Winograd's F(4x4, 3x3); see :mod:`hy_kernels.winograd`.

The channels are the last axis of images. All planes of a tile lie side by side, ``[tiles, 36, C]``,
so that their products with those of the weight are one convolution with 1 by 1 kernels in 36
groups, which oneDNN computes at the processor's peak; the transforms are products of small
matrices.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._onednn import has_onednn
from hy_kernels.torch._scratch import scratch
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._layer_activation import activated
from hy_kernels.torch.nn._window import full, wide
from hy_kernels.winograd import TILES

__all__ = ["winograd_convolution", "winograd_weight"]

Size = tuple[int, ...]
_TILE = TILES["winograd4"]
_SIDE, _SPAN = _TILE.size, _TILE.size + 2
_PLANES = _SPAN**2
_BIASED = _SPAN + 1  # the plane that counts once in every result of its tile
_BLOCK = 1 << 19  # elements of the transformed tiles made at a time,
_LEAST = 64  # but of so many tiles that it is worth to read the weight
_onednn: Any = torch.ops.mkldnn


@lru_cache(maxsize=16)
def _matrices(dtype: torch.dtype, device: torch.device) -> Mapping[str, Tensor]:
    arrays = {"elements": _TILE.elements, "kernel": _TILE.kernel, "results": _TILE.results}
    return {name: torch.tensor(x, dtype=dtype, device=device) for name, x in arrays.items()}


def _block(size: Size, channels: int, pad: list[int]) -> tuple[int, int, int]:
    """Images that go through all of it at a time, and how many tiles they have down and across."""
    images, height, width = size
    down, across = (-(-(n + 2 * p - 2) // _SIDE) for n, p in zip((height, width), pad, strict=True))
    tiles = down * across
    most = max(_BLOCK // (_PLANES * channels * tiles), -(-_LEAST // tiles))
    return min(images, max(most, 1)), down, across


@kernel()
def winograd_weight(weight: Tensor, *, pad: Size, size: Size) -> Tensor:
    """``weight [O, C, 3, 3]`` transformed, ``[36 O, C, 1, 1]``, for images ``[N, C, H, W]``."""
    filters, channels = weight.shape[:2]
    taps = wide(weight).reshape(-1, 9)
    planes = torch.mm(_matrices(taps.dtype, taps.device)["kernel"], taps.t())
    plain = planes.to(weight.dtype).view(_PLANES * filters, channels, 1, 1)
    if not has_onednn(weight) or not weight.numel():
        return plain
    images, _, *space = size
    tiles = prod(_block((images, *space), max(channels, filters), full(pad, 2, 0)))
    how = [0, 0], [1, 1], [1, 1], _PLANES, [1, _PLANES * channels, tiles, 1]
    packed: Tensor = _onednn._reorder_convolution_weight(plain, *how)
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
    """The convolution of ``data [N, H, W, C]``, plus bias and addend, in an activation.

    ``weight`` is what :func:`winograd_weight` gave.
    """
    x, around = wide(data).contiguous(), full(pad, 2, 0)
    n, height, width, channels = x.shape
    filters = len(weight) // _PLANES
    if not weight.is_mkldnn:
        weight = weight.to(x.dtype)
    y = x.new_empty(n, height + 2 * around[0] - 2, width + 2 * around[1] - 2, filters)
    step, *tiles = _block((n, height, width), max(channels, filters), around)
    spread = None if bias is None else _spread(bias, x)
    for first in range(0, n, max(step, 1)):
        own = slice(first, first + step)
        planes = _transformed(x[own], around, tiles)
        results = _restored(_products(planes, weight, spread), filters)
        shaped = results.view(-1, *tiles, *results.shape[1:]).transpose(2, 3)
        _place(shaped, None if addend is None else addend[own], activation, y[own])
    if activation not in ("none", "relu"):
        y = activated(y, activation, scalars)
    return y.to(data.dtype)


def _spread(bias: Tensor, like: Tensor) -> Tensor:
    """The bias where it is added to each result once."""
    planes = like.new_zeros(_PLANES, len(bias))
    planes[_BIASED] = bias
    return planes.view(-1)


def _transformed(images: Tensor, pad: list[int], tiles: list[int]) -> Tensor:
    """``[1, tiles, 1, 36 C]``."""
    n, height, width, channels = images.shape
    down, across = tiles
    high, broad = _SIDE * down + 2, _SIDE * across + 2
    framed = scratch("framed", (n, high, broad, channels), images).zero_()
    framed[:, pad[0] : pad[0] + height, pad[1] : pad[1] + width] = images
    image, row, column, _ = framed.stride()
    strides = image, _SIDE * row, _SIDE * column, row, 1
    count, run = n * down * across, _SPAN * channels
    seen = framed.as_strided((n, down, across, _SPAN, run), strides)
    rows = scratch("one", seen.shape, images).copy_(seen).view(count, _SPAN, run)
    matrix = _matrices(images.dtype, images.device)["elements"]
    columns = _multiplied(matrix, rows, "other").view(-1, _SPAN, channels)
    return _multiplied(matrix, columns, "one").view(1, count, 1, _PLANES * channels)


def _multiplied(matrix: Tensor, factors: Tensor, name: str) -> Tensor:
    """``matrix · factors``, in memory of that name."""
    count, _, width = factors.shape
    out = scratch(name, (count, len(matrix), width), factors)
    return torch.bmm(matrix.expand(count, -1, -1), factors, out=out)


def _products(planes: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """``[1, tiles, 1, 36 O]``: of a row of tiles, for which oneDNN is fastest."""
    x, none, one = planes.permute(0, 3, 1, 2), [0, 0], [1, 1]
    if weight.is_mkldnn:
        how = none, one, one, _PLANES, "none", (), ""
        y = _onednn._convolution_pointwise.default(x, weight, bias, *how)
    else:
        y = torch.convolution(x, weight, bias, one, none, one, False, none, _PLANES)
    return y.permute(0, 2, 3, 1).contiguous()


def _restored(products: Tensor, filters: int) -> Tensor:
    """``[tiles, 4, 4, O]``."""
    matrix = _matrices(products.dtype, products.device)["results"]
    columns = products.view(-1, _SPAN, _SPAN * filters)
    rows = _multiplied(matrix, columns, "other").view(-1, _SPAN, filters)
    return _multiplied(matrix, rows, "one").view(-1, _SIDE, _SIDE, filters)


def _place(tiles: Tensor, addend: Tensor | None, activation: str, out: Tensor) -> None:
    """Fill some images with ``tiles [n, down, 4, across, 4, O]``, the ends of the last cut off."""
    n, down, _, across, _, filters = tiles.shape
    if out.shape[1:3] == (down * _SIDE, across * _SIDE):
        out = out.view(tiles.shape)
        addend = None if addend is None else addend.view(tiles.shape)
    else:
        tiles = tiles.reshape(n, down * _SIDE, across * _SIDE, filters)
        tiles = tiles[:, : out.shape[1], : out.shape[2]]
    if addend is not None:
        torch.add(tiles, addend, out=out)
        if activation == "relu":
            out.relu_()
    elif activation == "relu":
        torch.clamp_min(tiles, 0, out=out)
    else:
        out.copy_(tiles)
