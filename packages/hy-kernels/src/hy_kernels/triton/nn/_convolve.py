"""Ways to convolve, and to give back gradients: implicit GEMM by tiles, or channel by channel.

Images are views ``[N, C, D, H, W]``; missing spatial axes have one place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from typing import Any

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._formula import Formula, Reduction
from hy_kernels.triton._tiles import next_power
from hy_kernels.triton.device import conv as device
from hy_kernels.triton.linalg.tiles import WGMMA_ROWS, Tiles
from hy_kernels.triton.reduce.reductions import total_of
from hy_kernels.triton.runtime._launch import launch
from hy_kernels.triton.runtime._precision import convolution_precision as precision

__all__ = [
    "EXACT",
    "SPACE",
    "TILES",
    "Geometry",
    "Size",
    "by_channel",
    "by_channel_to_weight",
    "by_tiles",
    "by_tiles_to_weight",
    "tiles_for",
]

Size = tuple[int, ...]
SPACE = 3
"""Spatial axes of images as device parts see them."""
# As those of products; no larger ones, as places and taps take registers for their addresses.
TILES = (
    Tiles(64, 64, 32, 4, 4),
    Tiles(32, 64, 32, 4, 4),
    Tiles(128, 64, 32, 4, 4),
    Tiles(128, 128, 32, 8, 4),
    Tiles(128, 64, 64, 4, 3),
    Tiles(128, 128, 64, 8, 3),
)
EXACT = Tiles(32, 64, 32, 4, 4)
"""Tiles whose exact products of float32 fit registers."""

_BLOCK = 256  # elements of a program
_THREADS, _VECTOR = 128, 16  # of a program; bytes that a thread reads at once
_MANY = 1 << 30  # half of what 32 bits hold: parts may end behind the last row
_PROGRAMS = 512  # that keep a GPU busy
_SUM = Formula(1, (), (), Reduction("sum", 0))


def tiles_for(dtype: torch.dtype, rows: int) -> Mapping[str, Tiles]:
    """Tiles that fit a program's registers and shared memory, by name.

    Args:
        dtype: Of the images.
        rows: Of the product: places, or for the gradient of the weight filters.
    """
    return _tiles_for(dtype, precision(), rows >= WGMMA_ROWS)


@cache
def _tiles_for(dtype: torch.dtype, how: str, is_high: bool) -> Mapping[str, Tiles]:
    deepest, lowest = (32 if dtype is torch.float32 else 64), (WGMMA_ROWS if is_high else 0)
    fit = [each for each in TILES if each.inner <= deepest and each.rows >= lowest]
    if dtype is torch.float32 and how == "ieee":
        fit = [EXACT]
    return {each.name: each for each in fit}


@dataclass(frozen=True, eq=False)
class Geometry:
    """Windows along three axes; missing ones are first, and have one place.

    There is one object for each, so that it is found in a dictionary by its address.
    """

    kernel: Size
    stride: Size
    pad: Size
    dilate: Size
    groups: int

    @property
    def axes(self) -> tuple[Size, Size, Size, Size]:
        """Sizes, strides, paddings and dilations of windows."""
        return self.kernel, self.stride, self.pad, self.dilate

    def __str__(self) -> str:
        return str((*self.axes, self.groups))

    @classmethod
    def of(cls, weight: Tensor, stride: Size, dilate: Size, pad: Size, groups: int) -> "Geometry":
        """Build from a weight ``[O, I, *kernel]``, and an operator's parameters."""
        return _geometry(weight.shape[2:], tuple(stride), tuple(dilate), tuple(pad), groups)

    @property
    def how(self) -> dict[str, int]:
        """Constants of a launch."""
        return _constants(self)

    @lru_cache(maxsize=1024)  # noqa: B019  # tuples of numbers, which hold nothing
    def number(self, size: Size) -> Size:
        """Windows along each axis of images of a size."""
        each = zip(size, *self.axes, strict=True)
        return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in each)

    def is_by_channel(self, weight: Tensor) -> bool:
        """Return whether each result follows from one channel."""
        return self.groups > 1 and weight.shape[1] == 1


@lru_cache(maxsize=1024)
def _constants(geometry: Geometry) -> dict[str, int]:
    return {
        f"{name}{i}": n
        for name, values in zip("KSPD", geometry.axes, strict=True)
        for i, n in enumerate(values)
    }


@lru_cache(maxsize=1024)
def _geometry(kernel: Size, stride: Size, dilate: Size, pad: Size, groups: int) -> Geometry:
    sizes = ((stride, 1), (pad, 0), (dilate, 1))
    steps, pads, gaps = ((*(one,) * (SPACE - len(n)), *n) for n, one in sizes)
    return Geometry(tuple(kernel), steps, pads, gaps, groups)


def _is_wide(*tensors: Tensor) -> bool:
    """Return whether offsets need 64 bits; those of a view may be far beyond its elements."""
    return any(_is_far(x.shape, x.stride()) for x in tensors)


@lru_cache(maxsize=4096)
def _is_far(shape: Size, strides: Size) -> bool:
    reach = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    return max(prod(shape), reach) >= _MANY


def by_tiles(
    tiles: Tiles,
    x: Tensor,
    weight: Tensor,
    y: Tensor,
    geometry: Geometry,
    *,
    back: bool = False,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    activation: str = "none",
) -> Tensor:
    """Convolve, or give the gradient to the data, by implicit GEMM.

    Args:
        tiles: What a program makes.
        x: ``[N, C, D, H, W]``, the data, or if ``back`` the gradient of the result; of any strides.
        weight: ``[O, C / groups, *kernel]``, of any strides.
        y: Memory for the result, of any strides.
        geometry: Where the windows lie.
        back: Whether ``y`` is the gradient to the data.
        bias: ``[O]``, added to the result.
        addend: Of shape and strides of ``y``, added likewise.
        activation: Of the sum; one of :data:`hy_kernels.triton.linalg.matmul.ACTIVATIONS`.
    """
    types = (*_type(x), *_type(weight), *_type(y))
    grid, numbers, how = _launch_arguments(tiles, types, geometry, back)
    launch(
        device.convolved_tiles,
        grid,
        *(x, weight, x if bias is None else bias, x if addend is None else addend, y),
        *numbers,
        HAS_BIAS=bias is not None,
        HAS_ADDEND=addend is not None,
        ACTIVATION=activation,
        PRECISION=precision(),
        **how,
    )
    return y


def _type(x: Tensor) -> tuple[Size, Size]:
    return x.shape, x.stride()


@lru_cache(maxsize=4096)
def _launch_arguments(
    tiles: Tiles, types: tuple[Size, ...], geometry: Geometry, back: bool
) -> tuple[Size, Size, dict[str, Any]]:
    """Return the grid, the numbers and the constants of a launch, which follow from types.

    Args:
        tiles: As of :func:`by_tiles`.
        types: Shape and strides of images, weight and result.
        geometry: As there.
        back: As there.
    """
    x, x_strides, (filters, per_group, *_), (o, i, *taps), y, y_strides = types
    each = filters // geometry.groups
    inner, outer = (each, per_group) if back else (per_group, each)
    rows = y[0] * prod(y[2:])
    grid = (-(-rows // tiles.rows), -(-outer // tiles.columns), geometry.groups)
    sizes = (rows, inner, outer, *x[2:], *y[2:])
    of_weight = (each * o, *((o, i) if back else (i, o)), *taps)
    how = {
        "warps": tiles.warps,
        "stages": tiles.stages,
        "BACK": back,
        "WIDE": any(_is_far(*pair) for pair in (types[:2], types[2:4], types[4:])),
        "ROWS": tiles.rows,
        "COLUMNS": tiles.columns,
        "INNER": tiles.inner,
        **geometry.how,
    }
    return grid, (*sizes, *x_strides, *of_weight, *y_strides), how


def by_channel(
    x: Tensor,
    weight: Tensor,
    y: Tensor,
    geometry: Geometry,
    *,
    last: bool,
    back: bool = False,
    bias: Tensor | None = None,
) -> Tensor:
    """Compute like :func:`by_tiles` where each result follows from one channel.

    Args:
        x: As there.
        weight: ``[O, 1, *kernel]``.
        y: Memory for the result, contiguous, or with the channels last.
        geometry: As there.
        last: Whether the channels of ``y`` are last.
        back: As there.
        bias: As there.
    """
    # With the channels last a thread's elements are neighbours in x and y: enough for a vector.
    block = _THREADS * _VECTOR // y.itemsize if last else _BLOCK
    launch(
        device.convolved_depthwise,
        (-(-y.numel() // block),),
        *(x, weight.contiguous(), x if bias is None else bias, y, y.numel(), y.shape[1]),
        *(*x.shape[2:], *y.shape[2:], *x.stride()),
        TIMES=weight.shape[0] // geometry.groups,
        BACK=back,
        HAS_BIAS=bias is not None,
        LAST=last,
        WIDE=_is_wide(x, y),
        BLOCK=block,
        **geometry.how,
    )
    return y


def _parts(rows: int, tile: int, programs: int) -> tuple[int, int]:
    """Rows of a part, and how many parts there are, so that a GPU is busy."""
    # Parts of fewer than four steps would be loops that never fill their pipeline.
    parts = max(min(-(-rows // (4 * tile)), _PROGRAMS // max(programs, 1)), 1)
    part = -(-rows // (parts * tile)) * tile
    return part, -(-rows // part)


def _summed(parts: Tensor, weight: Tensor) -> Tensor:
    dw = torch.empty(weight.shape, dtype=weight.dtype, device=weight.device)
    total_of(_SUM, [parts], [0], dw)
    return dw


def by_tiles_to_weight(
    tiles: Tiles, dy: Tensor, x: Tensor, weight: Tensor, geometry: Geometry
) -> Tensor:
    """Return the gradient to the weight, by implicit GEMM over parts of the pixels, then added up.

    Args:
        tiles: What a program makes: of filters, channels, and places.
        dy: ``[N, O, *number]``, the gradient of the result, of any strides.
        x: ``[N, C, D, H, W]``, the data, of any strides.
        weight: ``[O, C / groups, *kernel]``, of which only the type matters.
        geometry: Where the windows lie.
    """
    filters, inner = weight.shape[:2]
    outer, rows = filters // geometry.groups, dy.shape[0] * prod(dy.shape[2:])
    high, wide = -(-outer // tiles.rows), -(-inner // tiles.columns)
    taps = prod(geometry.kernel) * geometry.groups
    part, parts = _parts(rows, tiles.inner, high * wide * taps)
    memory = dy.new_empty((parts, *weight.shape), dtype=torch.float32)
    launch(
        device.convolved_weight_tiles,
        (high * wide, taps, parts),
        *(dy, x, memory, rows, inner, outer, *x.shape[2:], *dy.shape[2:], part, weight.numel()),
        *(*dy.stride(), *x.stride()),
        warps=tiles.warps,
        stages=tiles.stages,
        PRECISION=precision(),
        WIDE=_is_wide(dy, x),
        ROWS=tiles.rows,
        COLUMNS=tiles.columns,
        INNER=tiles.inner,
        **geometry.how,
    )
    return _summed(memory, weight)


def by_channel_to_weight(dy: Tensor, x: Tensor, weight: Tensor, geometry: Geometry) -> Tensor:
    """Compute like :func:`by_tiles_to_weight` where each result follows from one channel."""
    filters, rows = len(weight), dy.shape[0] * prod(dy.shape[2:])
    wide = min(next_power(filters), 32)
    high = 1024 // wide
    blocks, taps = -(-filters // wide), prod(geometry.kernel)
    part, parts = _parts(rows, high, blocks * taps)
    memory = dy.new_empty((parts, *weight.shape), dtype=torch.float32)
    launch(
        device.convolved_depthwise_weight,
        (blocks, taps, parts),
        *(dy, x, memory, rows, filters, *x.shape[2:], *dy.shape[2:], part),
        *(*dy.stride(), *x.stride()),
        TIMES=filters // geometry.groups,
        WIDE=_is_wide(dy, x),
        ROWS=high,
        COLUMNS=wide,
        **geometry.how,
    )
    return _summed(memory, weight)
