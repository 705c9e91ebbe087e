"""Images: how layers of one to three spatial axes see tensors, and which way they are computed.

The ways are measured against the library's once for each class of shapes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from hy_kernels.torch import table as torch_table
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton.linalg.matmul import Tiles
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

Ways = dict[str, Callable[[], Tensor]]
_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_LIBRARY = "library"
_CHANNEL = "channel"


def _is_last(layout: str | None) -> bool:
    """Whether the channels are behind the space."""
    return layout is not None and layout[-1] == "C"


def images(data: Tensor, layout: str | None) -> Tensor:
    """A view ``[N, C, D, H, W]``; missing axes are first, and have one place."""
    # Views alone: kernels are told strides, so that both orders of axes are one code.
    first = data.movedim(-1, 1) if _is_last(layout) else data
    for _ in range(2 + SPACE - first.ndim):
        first = first.unsqueeze(2)
    return first


def in_layout(y: Tensor, rank: int, layout: str | None) -> Tensor:
    """The inverse of :func:`images`, of ``rank`` axes."""
    for _ in range(2 + SPACE - rank):
        y = y.squeeze(2)
    return y.movedim(1, -1) if _is_last(layout) else y


def empty_images(like: Tensor, shape: Size, layout: str | None) -> Tensor:
    """Memory for images ``[N, C, D, H, W]``, contiguous with the channels where they are to be."""
    order = torch.channels_last_3d if _is_last(layout) else torch.contiguous_format
    return torch.empty(shape, dtype=like.dtype, device=like.device, memory_format=order)


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

    ``empty`` makes memory for the result, which the library does itself.
    """
    if geometry.is_by_channel(weight):
        last = _is_last(layout)

        def channels() -> Tensor:
            return by_channel(x, weight, empty(), geometry, last=last, back=back, bias=bias)

        return {_CHANNEL: channels}

    places = x.numel() // x.shape[1]

    def over(tiles: Tiles) -> Tensor:
        return by_tiles(tiles, x, weight, empty(), geometry, back=back, bias=bias)

    return {each.name: partial(over, each) for each in tiles_for(x.dtype, places)}


def ways_to_weight(dy: Tensor, x: Tensor, weight: Tensor, geometry: Geometry) -> Ways:
    """Ways to the gradient of the weight, of which only the type matters."""
    if geometry.is_by_channel(weight):
        return {_CHANNEL: partial(by_channel_to_weight, dy, x, weight, geometry)}
    return {
        each.name: partial(by_tiles_to_weight, each, dy, x, weight, geometry)
        for each in tiles_for(x.dtype, weight.shape[0] // geometry.groups)
    }


def fastest(
    name: str,
    arrays: tuple[Tensor, ...],
    geometry: Geometry,
    ways: Callable[[], Ways],
    library: Callable[[], Tensor],
) -> Tensor:
    """The result of the way that is the fastest here.

    Args:
        name: What is computed.
        arrays: Operands, whose sizes and orders tell classes of calls apart.
        geometry: Where windows lie, which does as well.
        ways: Makes those of this table.
        library: Torch's way, which is taken unmeasured.
    """
    first = arrays[0]
    # Tiles of images whose channels are apart compile to loads of single elements, which cuDNN's
    # kernels for that order are faster than: they are neither compiled nor measured.
    if first.device.type == "cuda" and not all(_has_channels_side_by_side(x) for x in arrays):
        return library()
    sizes = tuple([n for x in arrays for n in x.shape])
    order = "".join(["n" if x.stride(1) == 1 else "c" for x in arrays])
    problem = (first.dtype, precision(), order, tuple(geometry))
    untuned = _LIBRARY if first.device.type == "cuda" else next(iter(ways()))

    def all_ways() -> Ways:
        return {**ways(), _LIBRARY: library}

    way = choose(name, problem, sizes, all_ways, untuned=untuned, device=first.device)
    return library() if way == _LIBRARY else ways()[way]()


def _has_channels_side_by_side(x: Tensor) -> bool:
    return bool(x.shape[1] == 1 or x.stride(1) == 1)


def theirs(name: str, *arrays: Tensor | None, **params: Any) -> Callable[[], Tensor]:
    """A call of the torch table's kernel."""
    record = torch_table().find(name)
    assert record is not None, name
    return partial(record.function, *arrays, **params)


def supports(*arrays: Tensor | None, num_group: int, **_: Any) -> bool:
    """Whether operands are images and weights that kernels here are made for."""
    operands = [x for x in arrays if x is not None]
    first, weight = operands[:2]
    is_standard = (
        all(x.dtype is first.dtype and x.numel() for x in operands) and first.dtype in _DTYPES
    )
    space = first.ndim == weight.ndim and 0 < first.ndim - 2 <= SPACE
    return is_standard and space and weight.shape[0] % num_group == 0 and runs_on(*operands)
