"""Images: how layers of one to three spatial axes see tensors, and which way they are computed.

The ways are measured against the library's once for each class of shapes.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

import torch

from hy_kernels.torch import table as torch_table
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton.linalg.tiles import Tiles
from hy_kernels.triton.nn._convolve import (
    SPACE,
    Geometry,
    Size,
    by_channel,
    by_channel_to_weight,
    by_tiles,
    by_tiles_to_weight,
    tiles_for,
)
from hy_kernels.triton.runtime._launch import runs_on
from hy_kernels.triton.runtime._precision import convolution_precision as precision
from hy_kernels.triton.runtime._tune import choose

__all__ = [
    "Ways",
    "empty_images",
    "fastest",
    "images",
    "in_layout",
    "supports",
    "theirs",
    "ways_over",
    "ways_to_weight",
]

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_LIBRARY = "library"
_CHANNEL: Mapping[str, Tiles | None] = {"channel": None}


Calls: TypeAlias = Mapping[str, Callable[[], Tensor]]
"""By name; a name of its own, as annotations of inner functions are evaluated at each call."""


class Ways(NamedTuple):
    """Ways of this table to compute something."""

    tiles: Mapping[str, Tiles | None]
    """By name; None where there are none."""
    run: Callable[[Any], Tensor]
    """Computes it by some of them."""


def _is_last(layout: str | None) -> bool:
    """Return whether the channels are behind the space."""
    return layout is not None and layout[-1] == "C"


def images(data: Tensor, layout: str | None) -> Tensor:
    """Return a view ``[N, C, D, H, W]``; missing axes are first, and have one place."""
    # Views alone: kernels are told strides, so that both orders of axes are one code. One call of
    # torch takes half the time of one for each axis that moves or is added.
    return data.as_strided(*_as_images(data.shape, data.stride(), _is_last(layout)))


@lru_cache(maxsize=4096)
def _as_images(shape: Size, strides: Size, last: bool) -> tuple[Size, Size]:
    """Return shape and strides of a view ``[N, C, D, H, W]``."""
    order = (0, len(shape) - 1, *range(1, len(shape) - 1)) if last else range(len(shape))
    missing = 2 + SPACE - len(shape)
    sizes, steps = ([values[k] for k in order] for values in (shape, strides))
    return (*sizes[:2], *(1,) * missing, *sizes[2:]), (*steps[:2], *(0,) * missing, *steps[2:])


def in_layout(y: Tensor, rank: int, layout: str | None) -> Tensor:
    """Return the inverse of :func:`images`, of ``rank`` axes."""
    for _ in range(2 + SPACE - rank):
        y = y.squeeze(2)
    return y.movedim(1, -1) if _is_last(layout) else y


def empty_images(like: Tensor, shape: Size, layout: str | None) -> Tensor:
    """Memory for images of a shape ``[N, C, D, H, W]``, in a layout and of the rank of others."""
    return like.new_empty(_in_layout(shape, like.ndim, _is_last(layout)))


@lru_cache(maxsize=4096)
def _in_layout(shape: Size, rank: int, last: bool) -> Size:
    (samples, channels), space = shape[:2], shape[2 + 2 + SPACE - rank :]
    return (samples, *space, channels) if last else (samples, channels, *space)


def ways_over(
    x: Tensor,
    weight: Tensor,
    empty: Callable[[], Tensor],
    geometry: Geometry,
    layout: str | None,
    *,
    back: bool = False,
    bias: Tensor | None = None,
) -> Ways:
    """Ways to convolve, or to spread; see :func:`hy_kernels.triton.nn._convolve.by_tiles`.

    ``empty`` makes memory for the result, in the layout, which the library does itself.
    """
    if geometry.is_by_channel(weight):
        last = _is_last(layout)

        def channels(_: None) -> Tensor:
            y = empty()
            by_channel(x, weight, images(y, layout), geometry, last=last, back=back, bias=bias)
            return y

        return Ways(_CHANNEL, channels)

    def over(tiles: Tiles) -> Tensor:
        y = empty()
        by_tiles(tiles, x, weight, images(y, layout), geometry, back=back, bias=bias)
        return y

    return Ways(tiles_for(x.dtype, x.numel() // x.shape[1]), over)


def ways_to_weight(dy: Tensor, x: Tensor, weight: Tensor, geometry: Geometry) -> Ways:
    """Ways to the gradient of the weight, of which only the type matters."""
    if geometry.is_by_channel(weight):
        return Ways(_CHANNEL, lambda _: by_channel_to_weight(dy, x, weight, geometry))
    tiles = tiles_for(x.dtype, weight.shape[0] // geometry.groups)
    return Ways(tiles, lambda each: by_tiles_to_weight(each, dy, x, weight, geometry))


def fastest(
    name: str,
    arrays: tuple[Tensor, ...],
    geometry: Geometry,
    ways: Ways,
    library: Callable[[], Tensor],
) -> Tensor:
    """Return the result, computed by the fastest way for these sizes.

    Args:
        name: What is computed.
        arrays: Operands, whose sizes and orders tell classes of calls apart.
        geometry: Where windows lie, which does as well.
        ways: Those of this table.
        library: Torch's way, which is taken unmeasured.
    """
    first = arrays[0]
    # Tiles of images whose channels are apart compile to loads of single elements, which cuDNN's
    # kernels for that order are faster than: they are neither compiled nor measured.
    on_gpu = first.device.type == "cuda"
    if on_gpu and not all([x.shape[1] == 1 or x.stride(1) == 1 for x in arrays]):  # noqa: C419  # a generator takes longer
        return library()
    sizes, order = _sizes_and_order(tuple([(x.shape, x.stride()) for x in arrays]))
    problem = (first.dtype, precision(), order, geometry)
    untuned = _LIBRARY if on_gpu else next(iter(ways.tiles))

    def all_ways() -> Calls:
        own = {way: partial(ways.run, tiles) for way, tiles in ways.tiles.items()}
        return {**own, _LIBRARY: library}

    way = choose(name, problem, sizes, all_ways, untuned=untuned, device=first.device)
    return library() if way == _LIBRARY else ways.run(ways.tiles[way])


@lru_cache(maxsize=4096)
def _sizes_and_order(types: tuple[tuple[Size, Size], ...]) -> tuple[Size, str]:
    """Return the sizes of all arrays, and of each whether its channels are side by side."""
    sizes = tuple([n for shape, _ in types for n in shape])
    return sizes, "".join(["n" if strides[1] == 1 else "c" for _, strides in types])


def theirs(name: str, *arrays: Tensor | None, **params: Any) -> Callable[[], Tensor]:
    """Return a call of the torch table's kernel."""
    record = torch_table().find(name)
    assert record is not None, name
    return partial(record.function, *arrays, **params)


def supports(*arrays: Tensor | None, num_group: int, **_: Any) -> bool:
    """Return whether operands are images and weights that kernels here are made for."""
    first, weight = arrays[:2]
    assert first is not None
    assert weight is not None
    dtype, rank = first.dtype, first.ndim
    if dtype not in _DTYPES or weight.ndim != rank or not 0 < rank - 2 <= SPACE:
        return False
    for x in arrays:
        if x is not None and (x.dtype is not dtype or not x.numel()):
            return False
    return weight.shape[0] % num_group == 0 and runs_on(*arrays)
