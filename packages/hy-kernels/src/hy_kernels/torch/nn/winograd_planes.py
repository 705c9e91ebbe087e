"""Convolution with 3 by 3 kernels by Winograd's F(4x4, 3x3), as products that the BLAS computes.

The channels are the last axis of images. The planes of the tiles lie one behind the other,
``[36, tiles, C]``: their products with those of the weight are one batched product, and the
transforms are products of small matrices and very wide ones. Where oneDNN multiplies faster than
the BLAS that torch has, :mod:`.winograd` is faster.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._scratch import scratch
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._layer_activation import activated
from hy_kernels.torch.nn._window import full, wide
from hy_kernels.winograd import TILES

__all__ = ["planar_winograd_convolution", "planar_winograd_weight"]

Size = tuple[int, ...]
_TILE = TILES["winograd4"]
_SIDE, _SPAN = _TILE.size, _TILE.size + 2
_PLANES = _SPAN**2
_BIASED = _SPAN + 1  # the plane that counts once in every result of its tile
_BLOCK = 3 << 20  # elements of the transformed tiles made at a time


@lru_cache(maxsize=16)
def _matrices(dtype: torch.dtype, device: torch.device) -> Mapping[str, Tensor]:
    results = np.kron(_TILE.results, _TILE.results)
    arrays = {"elements": _TILE.elements, "kernel": _TILE.kernel, "results": results}
    return {name: torch.tensor(x, dtype=dtype, device=device) for name, x in arrays.items()}


@kernel()
def planar_winograd_weight(weight: Tensor) -> Tensor:
    """``weight [O, C, 3, 3]`` transformed: ``[36, C, O]``."""
    filters, channels = weight.shape[:2]
    taps = wide(weight).reshape(-1, 9)
    planes = torch.mm(_matrices(taps.dtype, taps.device)["kernel"], taps.t())
    planes = planes.view(_PLANES, filters, channels).transpose(1, 2)
    return planes.to(weight.dtype, memory_format=torch.contiguous_format).contiguous()


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
    """The convolution of ``data [N, H, W, C]``, plus bias and addend, in an activation.

    ``weight`` is what :func:`planar_winograd_weight` gave.
    """
    x, around = wide(data).contiguous(), full(pad, 2, 0)
    n, height, width, channels = x.shape
    planes = weight.to(x.dtype)
    filters = planes.shape[2]
    y = x.new_empty(n, height + 2 * around[0] - 2, width + 2 * around[1] - 2, filters)
    down, across = (-(-size // _SIDE) for size in y.shape[1:3])
    step = _step(n, _PLANES * down * across * max(channels, filters))
    for first in range(0, n, step):
        own = slice(first, first + step)
        factors = _transformed(x[own], around, (down, across))
        products = scratch("other", (_PLANES, factors.shape[1], filters), x)
        torch.bmm(factors, planes, out=products)
        if bias is not None:
            products[_BIASED] += bias
        tiles = _restored(products).view(_SIDE, _SIDE, -1, down, across, filters)
        added = None if addend is None else addend[own]
        _place(tiles.permute(2, 3, 0, 4, 1, 5), added, activation == "relu", y[own])
    if activation not in ("none", "relu"):
        y = activated(y, activation, scalars)
    return y.to(data.dtype)


def _step(images: int, each: int) -> int:
    """How many images go through all of it at a time."""
    most = max(_BLOCK // max(each, 1), 1)
    blocks = max(-(-images // most), 1)
    return max(-(-images // blocks), 1)


def _transformed(images: Tensor, pad: list[int], tiles: tuple[int, int]) -> Tensor:
    """``[36, tiles, C]``."""
    n, channels = len(images), images.shape[3]
    framed = _framed(images, pad, tiles)
    image, row, column, one = framed.stride()
    strides = row, column, image, _SIDE * row, _SIDE * column, one
    seen = framed.as_strided((_SPAN, _SPAN, n, *tiles, channels), strides)
    planes = scratch("one", seen.shape, images).copy_(seen)
    matrix = _matrices(images.dtype, images.device)["elements"]
    columns = scratch("other", (_SPAN, planes[0].numel()), images)
    torch.mm(matrix, planes.view(_SPAN, -1), out=columns)
    rows = planes.view(_SPAN, _SPAN, -1)
    torch.bmm(matrix.expand(_SPAN, -1, -1), columns.view(rows.shape), out=rows)
    return planes.view(_PLANES, -1, channels)


def _framed(images: Tensor, pad: list[int], tiles: tuple[int, int]) -> Tensor:
    """The images with zeros around them, as far as tiles reach."""
    n, height, width, channels = images.shape
    size = [_SIDE * count + 2 for count in tiles]
    framed = scratch("framed", (n, *size, channels), images)
    rows, columns = slice(pad[0], pad[0] + height), slice(pad[1], pad[1] + width)
    framed[:, : rows.start].zero_()
    framed[:, rows.stop :].zero_()
    framed[:, rows, : columns.start].zero_()
    framed[:, rows, columns.stop :].zero_()
    framed[:, rows, columns] = images
    return framed


def _restored(products: Tensor) -> Tensor:
    """``[16, tiles * O]``."""
    matrix = _matrices(products.dtype, products.device)["results"]
    planes = products.view(_PLANES, -1)
    out = scratch("one", (len(matrix), planes.shape[1]), products)
    return torch.mm(matrix, planes, out=out)


def _place(tiles: Tensor, addend: Tensor | None, with_relu: bool, out: Tensor) -> None:
    """Fill some images with ``tiles [n, down, 4, across, 4, O]``, the ends of the last cut off."""
    for rows, down, high in _parts(out.shape[1]):
        for columns, across, broad in _parts(out.shape[2]):
            own = out[:, rows, columns].unflatten(1, (-1, high)).unflatten(3, (-1, broad))
            part = tiles[:, down, :high, across, :broad]
            if addend is not None:
                more = addend[:, rows, columns].reshape(own.shape)
                torch.add(part, more, out=own)
                if with_relu:
                    own.relu_()
            elif with_relu:
                torch.clamp_min(part, 0, out=own)
            else:
                own.copy_(part)


def _parts(size: int) -> Iterator[tuple[slice, slice, int]]:
    """Along an axis whole tiles and the last one: its elements, the tiles, how long one is."""
    whole, rest = divmod(size, _SIDE)
    if whole:
        yield slice(0, whole * _SIDE), slice(0, whole), _SIDE
    if rest:
        yield slice(whole * _SIDE, size), slice(whole, whole + 1), rest
