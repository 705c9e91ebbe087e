"""Launches of convolutions and their gradients: implicit GEMM by tiles, or depthwise.

Images are views ``[N, C, D, H, W]``; missing spatial axes have size 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import gcd, prod
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._formula import Formula, Reduction
from hy_kernels.triton._tiles import next_power
from hy_kernels.triton.device import conv as device
from hy_kernels.triton.linalg.tiles import WGMMA_ROWS, Tiles
from hy_kernels.triton.reduce.reductions import total_of
from hy_kernels.triton.runtime._launch import launch
from hy_kernels.triton.runtime._precision import convolution_precision as precision

Size: TypeAlias = tuple[int, ...]
Type: TypeAlias = tuple[Size, Size]
"""Shape and strides."""
SPACE = 3
"""Spatial axes of images in device code."""
# Those of matrix products, but no larger ones: the addresses of pixels and taps take registers too.
TILES = (
    Tiles(64, 64, 16, 4, 4),
    Tiles(128, 64, 16, 4, 4),
    Tiles(64, 64, 32, 4, 4),
    Tiles(32, 64, 32, 4, 4),
    Tiles(128, 64, 32, 4, 4),
    Tiles(128, 128, 32, 8, 4),
    Tiles(128, 64, 64, 4, 3),
    Tiles(128, 128, 64, 8, 3),
)
EXACT = Tiles(32, 64, 32, 4, 4)
"""Tiles whose exact products of float32 fit registers."""

_SHALLOW = 16  # channels that tensor cores sum at once
VECTOR = 8
"""Elements of 16 bits that are read at once."""
_BLOCK = 256  # elements of a program
_THREADS, _VECTOR = 128, 16  # of a program; bytes that a thread reads at once
_MAX_INT32_ELEMENTS = 1 << 30  # half of what 32 bits hold: parts may end behind the last row
_PROGRAMS = 512  # that keep a GPU busy
_SUM = Formula(1, (), (), Reduction("sum", 0))


def tiles_for(dtype: torch.dtype, rows: int, inner: int = 64) -> Mapping[str, Tiles]:
    """Return the tile sizes that fit registers and shared memory, by name.

    Args:
        dtype: Dtype of the images.
        rows: Rows of the product: output pixels, or filters for the gradient to the weight.
        inner: Input channels, which are summed for each tap; up to 16 take tiles that sum 16.
    """
    return _tiles_for(dtype, precision(dtype), rows >= WGMMA_ROWS, inner <= _SHALLOW)


@cache
def _tiles_for(
    dtype: torch.dtype, input_precision: str, is_high: bool, is_shallow: bool
) -> Mapping[str, Tiles]:
    deepest, lowest = (32 if dtype is torch.float32 else 64), (WGMMA_ROWS if is_high else 0)
    fit = [each for each in TILES if each.inner <= deepest and each.rows >= lowest]
    fit = [each for each in fit if (each.inner == _SHALLOW) == is_shallow]
    if dtype is torch.float32 and input_precision == "ieee":
        fit = [EXACT]
    return {each.name: each for each in fit}


@dataclass(frozen=True, eq=False)
class Geometry:
    """Kernel, stride, padding, dilation and groups along three axes; missing axes come first.

    Geometries are interned: equal ones are one object, which dictionaries hash by its address.
    """

    kernel: Size
    stride: Size
    pad: Size
    dilate: Size
    groups: int

    @property
    def axes(self) -> tuple[Size, Size, Size, Size]:
        """Kernel sizes, strides, paddings and dilations."""
        return self.kernel, self.stride, self.pad, self.dilate

    def __str__(self) -> str:
        return str((*self.axes, self.groups))

    @classmethod
    def of(cls, weight: Size, stride: Size, dilate: Size, pad: Size, groups: int) -> "Geometry":
        """Return the geometry of an operator's parameters and a weight ``[O, I, *kernel]``."""
        return _geometry(tuple(weight[2:]), tuple(stride), tuple(dilate), tuple(pad), groups)

    @property
    def constants(self) -> dict[str, int]:
        """Constants of a launch."""
        return _constants(self)

    @lru_cache(maxsize=1024)  # noqa: B019  # tuples of numbers, which hold nothing
    def number(self, size: Size) -> Size:
        """Return the number of windows along each axis of images of a size."""
        each = zip(size, *self.axes, strict=True)
        return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in each)


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


@dataclass(frozen=True, eq=False)
class Convolution:
    """Operand types of a convolution, or of its gradient to the data.

    Interned: equal ones are one object, so that launch arguments are cached by its address. Types
    are those of views ``[N, C, D, H, W]``.
    """

    x: Type
    """Type of the data, or if ``back`` of the gradient of the result."""
    weight: Type
    """``[O, C / groups, *kernel]``, of any strides."""
    y: Type
    """Type of the result, or if ``back`` of the gradient to the data."""
    dtype: torch.dtype
    geometry: Geometry
    back: bool
    precision: str

    @classmethod
    def of(
        cls, x: Tensor, weight: Tensor, y: Tensor, geometry: Geometry, *, back: bool = False
    ) -> "Convolution":
        """Return the interned convolution of these tensors' types."""
        types = (x.shape, x.stride()), (weight.shape, weight.stride()), (y.shape, y.stride())
        return interned(*types, x.dtype, geometry, back, precision(x.dtype))

    @property
    def is_by_channel(self) -> bool:
        """Whether it is depthwise: each filter reads one channel."""
        return self.geometry.groups > 1 and self.weight[0][1] == 1

    @property
    def is_wide(self) -> bool:
        """Whether offsets into the images need 64 bits."""
        return _is_far(*self.x) or _is_far(*self.y)


@lru_cache(maxsize=4096)
def interned(
    x: Type,
    weight: Type,
    y: Type,
    dtype: torch.dtype,
    geometry: Geometry,
    back: bool,
    precision: str,
) -> Convolution:
    """Return the one :class:`Convolution` with these fields."""
    return Convolution(x, weight, y, dtype, geometry, back, precision)


@lru_cache(maxsize=4096)
def _is_far(shape: Size, strides: Size) -> bool:
    reach = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    return max(prod(shape), reach) >= _MAX_INT32_ELEMENTS


def by_tiles(
    tiles: Tiles,
    problem: Convolution,
    x: Tensor,
    weight: Tensor,
    y: Tensor,
    *,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    activation: str = "none",
) -> Tensor:
    """Compute a convolution, or its gradient to the data, by implicit GEMM; return ``y``.

    Args:
        tiles: Tile sizes of a program.
        problem: Types of the operands.
        x: The data, or the gradient of the result. Only the address counts, so that it need not be
            a view of five axes.
        weight: Weight of the convolution.
        y: Memory for the result.
        bias: ``[O]``, added to the result.
        addend: Added to the result; of the shape and strides of ``y``.
        activation: Activation of the sum, one of
            :data:`hy_kernels.triton.linalg.matmul.ACTIVATIONS`.
    """
    grid, numbers, constants = _launch_arguments(tiles, problem)
    launch(
        device.convolved_tiles,
        grid,
        *(x, weight, x if bias is None else bias, x if addend is None else addend, y),
        *numbers,
        HAS_BIAS=bias is not None,
        HAS_ADDEND=addend is not None,
        ACTIVATION=activation,
        **constants,
    )
    return y


@lru_cache(maxsize=4096)
def _launch_arguments(tiles: Tiles, problem: Convolution) -> tuple[Size, Size, dict[str, Any]]:
    """Return the grid, the sizes and strides, and the constants of a launch."""
    (x, x_strides), (y, y_strides), geometry = problem.x, problem.y, problem.geometry
    (filters, per_group, *_), (o, i, *taps) = problem.weight
    each = filters // geometry.groups
    inner, outer = (each, per_group) if problem.back else (per_group, each)
    rows = y[0] * prod(y[2:])
    grid = (-(-rows // tiles.rows), -(-outer // tiles.columns), geometry.groups)
    sizes = (rows, inner, outer, *x[2:], *y[2:])
    one, other = (o, i) if problem.back else (i, o)
    of_weight = (each * o, one, other, *taps)
    is_transposed = one != 1 and other == 1
    neighbours, rest = (outer, one) if is_transposed else (inner, other)
    is_close = other == 1 if is_transposed else one == 1
    x_align = _alignment(inner, x_strides)
    weight_align = gcd(8, neighbours, rest, each * o, *taps) if is_close else 1
    constants = {
        "warps": tiles.warps,
        "stages": tiles.stages,
        "BACK": problem.back,
        "X_ALIGN": x_align,
        "WEIGHT_ALIGN": weight_align,
        "TRANSPOSED": is_transposed,
        "PRECISION": problem.precision,
        "WIDE": problem.is_wide or _is_far(*problem.weight),
        "ROWS": tiles.rows,
        "COLUMNS": tiles.columns,
        "INNER": tiles.inner,
        **geometry.constants,
    }
    return grid, (*sizes, *x_strides, *of_weight, *y_strides), constants


def _alignment(channels: int, strides: Size) -> int:
    """Return a factor of the channels of a group and of the strides of images; of others 1."""
    return gcd(VECTOR, channels, strides[0], *strides[2:]) if strides[1] == 1 else 1


def by_channel(
    problem: Convolution, x: Tensor, weight: Tensor, y: Tensor, *, bias: Tensor | None = None
) -> Tensor:
    """Compute a depthwise convolution, or its gradient to the data; return ``y``.

    Args:
        problem: Types of the operands; ``y`` is contiguous, or has the channels last.
        x: The data, or the gradient of the result; only the address counts.
        weight: ``[O, 1, *kernel]``, in the axis order of its operator.
        y: Memory for the result.
        bias: ``[O]``, added to the result.
    """
    grid, numbers, constants = _channel_arguments(problem)
    # A weight with the channels last is contiguous as it is, and as ``[O, 1, *kernel]``.
    operands = (x, weight.contiguous(), x if bias is None else bias, y)
    launch(
        device.convolved_depthwise,
        grid,
        *operands,
        *numbers,
        HAS_BIAS=bias is not None,
        **constants,
    )
    return y


@lru_cache(maxsize=4096)
def _channel_arguments(problem: Convolution) -> tuple[Size, Size, dict[str, Any]]:
    """Return the grid, the sizes and strides, and the constants of a depthwise launch."""
    (x, x_strides), (y, y_strides), geometry = problem.x, problem.y, problem.geometry
    size, channels = prod(y), y[1]
    last = y_strides[1] == 1 and any(n != 1 for n in y[2:])
    # With the channels last a thread's elements are neighbours in x and y: enough for a vector.
    block = _THREADS * _VECTOR // problem.dtype.itemsize if last else _BLOCK
    constants = {
        "TIMES": problem.weight[0][0] // geometry.groups,
        "BACK": problem.back,
        "LAST": last,
        "WIDE": problem.is_wide,
        "BLOCK": block,
        **geometry.constants,
    }
    return (-(-size // block),), (size, channels, *x[2:], *y[2:], *x_strides), constants


def _parts(rows: int, tile: int, programs: int) -> tuple[int, int]:
    """Return the rows of a part and the number of parts that keep a GPU busy (split-K).

    Args:
        rows: Rows that are summed.
        tile: Rows that a program sums in one step.
        programs: Programs of one part.
    """
    # Parts of fewer than four steps would be loops that never fill their pipeline.
    parts = max(min(-(-rows // (4 * tile)), _PROGRAMS // max(programs, 1)), 1)
    part = -(-rows // (parts * tile)) * tile
    return part, -(-rows // part)


def _summed(parts: Tensor, x: Tensor) -> Tensor:
    """Return the sum of the parts along the first axis, in the dtype of ``x``."""
    dw = x.new_empty(parts.shape[1:])
    total_of(_SUM, [parts], [0], dw)
    return dw


def by_tiles_to_weight(tiles: Tiles, problem: Convolution, dy: Tensor, x: Tensor) -> Tensor:
    """Return the gradient to the weight by implicit GEMM over parts of the pixels, then summed.

    Args:
        tiles: Tile sizes of a program: filters, channels and pixels.
        problem: Types of the forward convolution of ``x``, whose result has the type of ``dy``.
        dy: The gradient of the result, with the strides in ``problem``; only the address counts.
        x: The data, likewise.
    """
    grid, parts, numbers, constants = _to_weight_arguments(tiles, problem)
    memory = dy.new_empty(parts, dtype=torch.float32)
    launch(device.convolved_weight_tiles, grid, dy, x, memory, *numbers, **constants)
    return _summed(memory, x)


@lru_cache(maxsize=4096)
def _to_weight_arguments(
    tiles: Tiles, problem: Convolution
) -> tuple[Size, Size, Size, dict[str, Any]]:
    """Return the grid, the shape of the parts, the sizes and strides, and the constants."""
    (x, x_strides), (dy, dy_strides), geometry = problem.x, problem.y, problem.geometry
    filters, inner, *kernel = problem.weight[0]
    outer, rows = filters // geometry.groups, dy[0] * prod(dy[2:])
    high, wide = -(-outer // tiles.rows), -(-inner // tiles.columns)
    taps = prod(geometry.kernel) * geometry.groups
    part, parts = _parts(rows, tiles.inner, high * wide * taps)
    size = filters * inner * prod(kernel)
    numbers = (rows, inner, outer, *x[2:], *dy[2:], part, size, *dy_strides, *x_strides)
    constants = {
        "warps": tiles.warps,
        "stages": tiles.stages,
        "DY_ALIGN": _alignment(outer, dy_strides),
        "X_ALIGN": _alignment(inner, x_strides),
        "PRECISION": problem.precision,
        "WIDE": problem.is_wide,
        "ROWS": tiles.rows,
        "COLUMNS": tiles.columns,
        "INNER": tiles.inner,
        **geometry.constants,
    }
    return (high * wide, taps, parts), (parts, *problem.weight[0]), numbers, constants


def by_channel_to_weight(problem: Convolution, dy: Tensor, x: Tensor) -> Tensor:
    """Return the gradient to a depthwise convolution's weight; see :func:`by_tiles_to_weight`."""
    grid, parts, numbers, constants = _channel_to_weight_arguments(problem)
    memory = dy.new_empty(parts, dtype=torch.float32)
    launch(device.convolved_depthwise_weight, grid, dy, x, memory, *numbers, **constants)
    return _summed(memory, x)


@lru_cache(maxsize=4096)
def _channel_to_weight_arguments(problem: Convolution) -> tuple[Size, Size, Size, dict[str, Any]]:
    """Return the launch arguments of a depthwise gradient, as :func:`_to_weight_arguments` does."""
    (x, x_strides), (dy, dy_strides), geometry = problem.x, problem.y, problem.geometry
    filters, rows = problem.weight[0][0], dy[0] * prod(dy[2:])
    wide = min(next_power(filters), 32)
    high = 1024 // wide
    blocks, taps = -(-filters // wide), prod(geometry.kernel)
    part, parts = _parts(rows, high, blocks * taps)
    numbers = (rows, filters, *x[2:], *dy[2:], part, *dy_strides, *x_strides)
    constants = {
        "TIMES": filters // geometry.groups,
        "WIDE": problem.is_wide,
        "ROWS": high,
        "COLUMNS": wide,
        **geometry.constants,
    }
    return (blocks, taps, parts), (parts, *problem.weight[0]), numbers, constants
