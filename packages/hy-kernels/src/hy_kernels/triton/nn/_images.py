"""Convolution layers of one to three spatial axes: their views, and the choice of a kernel.

Triton's kernels are measured against the library's once for each class of shapes. What follows from
the types of operands is computed once and cached, so that a call looks up one object.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import prod
from typing import Any, TypeAlias

import torch

from hy_kernels.torch import table as torch_table
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton.linalg.tiles import Tiles
from hy_kernels.triton.nn._convolve import (
    SPACE,
    VECTOR,
    Convolution,
    Geometry,
    Size,
    Type,
    by_channel,
    by_channel_to_weight,
    by_tiles,
    by_tiles_to_weight,
    interned,
    tiles_for,
)
from hy_kernels.triton.runtime import _tune
from hy_kernels.triton.runtime._launch import device_check
from hy_kernels.triton.runtime._precision import convolution_precision as precision
from hy_kernels.triton.runtime._tune import choose

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_LIBRARY = "library"
_CHANNEL: Mapping[str, Tiles | None] = {"channel": None}


Calls: TypeAlias = Mapping[str, Callable[[], Tensor]]
"""Candidates by name; an alias, as annotations of inner functions are evaluated on each call."""


def _is_last(layout: str | None) -> bool:
    """Return whether the channels come after the spatial axes."""
    return layout is not None and layout[-1] == "C"


def images(data: Tensor, layout: str | None) -> Tensor:
    """Return a view ``[N, C, D, H, W]`` of images; missing spatial axes come first, with size 1."""
    return data.as_strided(*_as_images(data.shape, data.stride(), _is_last(layout)))


@lru_cache(maxsize=4096)
def _as_images(shape: Size, strides: Size, last: bool) -> Type:
    """Return the shape and strides of the view ``[N, C, D, H, W]`` of images."""
    order = (0, len(shape) - 1, *range(1, len(shape) - 1)) if last else range(len(shape))
    missing = 2 + SPACE - len(shape)
    sizes, steps = ([values[k] for k in order] for values in (shape, strides))
    return (*sizes[:2], *(1,) * missing, *sizes[2:]), (*steps[:2], *(0,) * missing, *steps[2:])


def size_of(shape: Size, layout: str | None) -> Size:
    """Return ``(N, C, D, H, W)`` for a shape in a layout."""
    return _as_images(tuple(shape), tuple(shape), _is_last(layout))[0]


def in_layout(y: Tensor, rank: int, layout: str | None) -> Tensor:
    """Return a view of ``rank`` axes in a layout: the inverse of :func:`images`."""
    for _ in range(2 + SPACE - rank):
        y = y.squeeze(2)
    return y.movedim(1, -1) if _is_last(layout) else y


def _memory(shape: Size, rank: int, last: bool) -> Size:
    """Return the shape in memory, of ``rank`` axes, of images of shape ``(N, C, D, H, W)``."""
    (samples, channels), space = shape[:2], shape[2 + 2 + SPACE - rank :]
    return (samples, *space, channels) if last else (samples, channels, *space)


@dataclass(frozen=True, eq=False)
class Problem:
    """A convolution's operand types, candidates and tuning key; interned, so hashed by address."""

    convolution: Convolution
    memory: Size
    """Shape of the result, in its layout; of a gradient to the weight ``[O, C, D, H, W]``."""
    choice: _tune.Problem
    tiles: Mapping[str, Tiles | None]
    """This table's candidates by name; None is the depthwise kernel."""
    is_apart: bool
    """Whether the channels of images are not contiguous."""
    copied: tuple[bool, bool] = (False, False)
    """Whether tiles take copies with the channels last, and zeros up to whole vectors of channels:
    of ``x``, and of the weight; for a gradient to the weight of ``x``, and of ``dy``."""
    layouts: tuple[bool, bool] = (False, False)
    """Whether the channels of these two operands are last, where there are copies."""


def problem_over(
    name: str,
    x: Tensor,
    weight: Tensor,
    shape: Size,
    geometry: Geometry,
    layouts: tuple[str | None, str | None],
    *,
    back: bool = False,
    by_channel: bool = True,
) -> Problem:
    """Return the cached problem of a convolution, or of the gradient to its data.

    Args:
        name: Name of the operator, part of the tuning key.
        x: The data, or if ``back`` the gradient of the result.
        weight: Weight of the convolution.
        shape: Shape of the result, ``[N, C, D, H, W]``.
        geometry: Kernel, stride, padding and dilation.
        layouts: Layouts of the images and of the weight.
        back: Whether the result is the gradient to the data.
        by_channel: Whether the depthwise kernel may be used.
    """
    dtype = x.dtype
    types = (x.shape, x.stride(), weight.shape, weight.stride(), dtype)
    return over(name, types, shape, geometry, layouts, back, by_channel, precision(dtype))


@lru_cache(maxsize=4096)
def over(
    name: str,
    types: tuple[Any, ...],
    shape: Size,
    geometry: Geometry,
    layouts: tuple[str | None, str | None],
    back: bool,
    by_channel: bool,
    input_precision: str,
) -> Problem:
    """Return what :func:`problem_over` returns, from shapes, strides and dtype of its operands."""
    x, x_strides, weight, weight_strides, dtype = types
    last, last_of_weight = map(_is_last, layouts)
    memory = _memory(shape, len(x), last)
    strides = tuple([prod(memory[k + 1 :]) for k in range(len(memory))])
    source, result = _as_images(x, x_strides, last), _as_images(memory, strides, last)
    filters = _as_images(weight, weight_strides, last_of_weight)
    call = interned(source, filters, result, dtype, geometry, back, input_precision)
    if by_channel and call.is_by_channel:
        return _problem(name, call, memory, _CHANNEL)
    (samples, channels, *space), axis = source[0], 0 if back else 1
    tiles = tiles_for(dtype, samples * prod(space), channels // geometry.groups)
    problem = _problem(name, call, memory, tiles)
    more = _missing(channels, dtype, geometry)
    # A weight whose channels are apart is small beside images: tiles are worth a copy of it.
    copied = (more > 0, more > 0 or _is_apart(filters))
    if problem.is_apart or not any(copied):
        return problem
    if more:
        source = _wider(source[0], 1, more)
    call = interned(
        source, _wider(filters[0], axis, more), result, dtype, geometry, back, input_precision
    )
    order = (last, last_of_weight)
    return replace(problem, convolution=call, copied=copied, layouts=order)


def _missing(channels: int, dtype: torch.dtype, geometry: Geometry) -> int:
    """Return how many channels of zeros images are padded with for tiles."""
    # Pixels of an odd number of 16-bit channels begin anywhere: tiles would read them one by one,
    # each for all taps, where a copy with zeros to a whole vector reads them once. cuDNN's way is
    # given the images as they are.
    return 0 if dtype is torch.float32 or geometry.groups > 1 else -channels % VECTOR


def _is_apart(images: Type) -> bool:
    """Return whether channels are not contiguous."""
    shape, strides = images
    # Channels of one have any stride, and are read like those side by side.
    return shape[1] != 1 and strides[1] != 1


def _wider(shape: Size, axis: int, more: int) -> Type:
    """Return the type of :func:`_padded` images of a shape with ``more`` elements along an axis."""
    sizes = tuple([n + more * (k == axis) for k, n in enumerate(shape)])
    n, c, *space = sizes
    stored = (n, *space, c)
    steps = [prod(stored[k + 1 :]) for k in range(len(stored))]
    return sizes, (steps[0], 1, *steps[1:-1])


def _padded(x: Tensor, last: bool, shape: Size) -> Tensor:
    """Return a channels-last copy with the shape ``[N, C, D, H, W]``, zero-padded at the ends."""
    n, c, *space = shape
    result = x.new_zeros((n, *space, c)).movedim(-1, 1)
    view = x.as_strided(*_as_images(x.shape, x.stride(), last))
    result[: view.shape[0], : view.shape[1]].copy_(view)
    return result


def problem_to_weight(
    name: str,
    dy: Tensor,
    x: Tensor,
    weight: Tensor,
    geometry: Geometry,
    layouts: tuple[str | None, str | None],
) -> Problem:
    """Return the cached problem of the gradient to ``weight``, of which only the type is used.

    Args:
        name: Name of the operator, part of the tuning key.
        dy: Gradient of the result.
        x: The data.
        weight: Weight of the convolution.
        geometry: Kernel, stride, padding and dilation.
        layouts: Layouts of the images and of the weight.
    """
    dtype, order = x.dtype, (_is_last(layouts[0]), _is_last(layouts[1]))
    types = [(each.shape, each.stride()) for each in (x, weight, dy)]
    return _to_weight(name, tuple(types), dtype, geometry, order, precision(dtype))


@lru_cache(maxsize=4096)
def _to_weight(
    name: str,
    types: tuple[Type, ...],
    dtype: torch.dtype,
    geometry: Geometry,
    order: tuple[bool, bool],
    input_precision: str,
) -> Problem:
    last, last_of_weight = order
    x, dy = (_as_images(*types[k], last) for k in (0, 2))
    weight = _as_images(*types[1], last_of_weight)
    call = interned(x, weight, dy, dtype, geometry, False, input_precision)
    if call.is_by_channel:
        return _problem(name, call, weight[0], _CHANNEL)
    problem = _problem(name, call, weight[0], tiles_for(dtype, weight[0][0] // geometry.groups))
    more = [_missing(shape[1], dtype, geometry) for shape, _ in (x, dy)]
    if problem.is_apart or not any(more):
        return problem
    wide = [_wider(own[0], 1, n) if n else own for own, n in zip((x, dy), more, strict=True)]
    filters, channels, *kernel = weight[0]
    size = (filters + more[1], channels + more[0], *kernel)
    padded = interned(wide[0], _wider(size, 1, 0), wide[1], dtype, geometry, False, input_precision)
    copied = (more[0] > 0, more[1] > 0)
    return replace(problem, convolution=padded, copied=copied, layouts=(last, last))


def _problem(
    name: str, call: Convolution, memory: Size, tiles: Mapping[str, Tiles | None]
) -> Problem:
    is_apart = _is_apart(call.x) or _is_apart(call.y)
    types = (call.x, call.weight, call.y)
    order = "".join(["n" if strides[1] == 1 else "c" for _, strides in types])
    words = (call.dtype, call.precision, order, call.geometry)
    choice = _tune.Problem.of(name, words, (*call.x[0], *call.weight[0]))
    return Problem(call, memory, choice, tiles, is_apart)


def convolved(
    problem: Problem,
    x: Tensor,
    weight: Tensor,
    library: Callable[[], Tensor],
    *,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    activation: str = "none",
) -> Tensor:
    """Return the convolution, or the gradient to its data, by the fastest candidate.

    Args:
        problem: Result of :func:`problem_over`.
        x: The data, or the gradient of the result.
        weight: Weight of the convolution.
        library: Call of torch's kernel, the untuned default.
        bias: ``[O]``, contiguous, added to the result.
        addend: Added to the result by tiles; of the shape and strides of the result.
        activation: Activation of the sum, by tiles.
    """

    def run(tiles: Tiles | None) -> Tensor:
        y = x.new_empty(problem.memory)
        if tiles is None:
            return by_channel(problem.convolution, x, weight, y, bias=bias)
        call = problem.convolution
        one, other = _copies(problem, (x, weight), (call.x, call.weight))
        more: dict[str, Any] = {"bias": bias, "addend": addend, "activation": activation}
        return by_tiles(tiles, call, one, other, y, **more)

    return _fastest(problem, x, run, library)


def _copies(
    problem: Problem, operands: tuple[Tensor, Tensor], types: tuple[Type, Type]
) -> tuple[Tensor, Tensor]:
    """Return the operands of tiles: copies of types where the problem says so."""
    if not any(problem.copied):
        return operands
    every = zip(operands, problem.copied, problem.layouts, types, strict=True)
    x, other = [_padded(x, last, type_[0]) if copy else x for x, copy, last, type_ in every]
    return x, other


def weight_gradient(
    problem: Problem, dy: Tensor, x: Tensor, library: Callable[[], Tensor]
) -> Tensor:
    """Return the gradient to the weight ``[O, C, D, H, W]`` by the fastest candidate.

    Args:
        problem: Result of :func:`problem_to_weight`.
        dy: Gradient of the result.
        x: The data.
        library: Call of torch's kernel, the untuned default.
    """

    def run(tiles: Tiles | None) -> Tensor:
        if tiles is None:
            return by_channel_to_weight(problem.convolution, dy, x)
        call = problem.convolution
        data, slope = _copies(problem, (x, dy), (call.x, call.y))
        result = by_tiles_to_weight(tiles, call, slope, data)
        filters, channels = problem.memory[:2]
        return result[:filters, :channels]

    return _fastest(problem, x, run, library)


def _fastest(
    problem: Problem, x: Tensor, run: Callable[[Any], Tensor], library: Callable[[], Tensor]
) -> Tensor:
    # Tiles of images whose channels are not contiguous compile to loads of single elements, and
    # cuDNN's kernels for that layout are faster: the tiles are neither compiled nor measured.
    on_gpu = x.is_cuda
    if on_gpu and problem.is_apart:
        return library()

    def candidates() -> Calls:
        own = {way: partial(run, tiles) for way, tiles in problem.tiles.items()}
        return {**own, _LIBRARY: library}

    untuned = _LIBRARY if on_gpu else next(iter(problem.tiles))
    way = choose(problem.choice, candidates, untuned=untuned, device=x.device)
    return library() if way == _LIBRARY else run(problem.tiles[way])


def theirs(name: str, *arrays: Tensor | None, **params: Any) -> Callable[[], Tensor]:
    """Return a call of the torch table's kernel of that name."""
    record = torch_table().find(name)
    assert record is not None, name
    return partial(record.function, *arrays, **params)


def supports(*arrays: Tensor | None, num_group: int, **_: Any) -> bool:
    """Return whether these kernels support the operands: images, weight, and optional ones."""
    first, weight = arrays[:2]
    assert first is not None
    assert weight is not None
    dtype, rank = first.dtype, first.ndim
    if dtype not in _DTYPES or weight.ndim != rank or not 0 < rank - 2 <= SPACE:
        return False
    is_there = device_check()
    for x in arrays:
        if x is not None and (x.dtype is not dtype or not x.numel() or not is_there(x)):
            return False
    return bool(weight.shape[0] % num_group == 0)
