"""Convolution of images and its gradients: implicit GEMM, a kernel for each channel, or cuDNN.

Which is taken is measured once for each class of shapes (:mod:`hy_kernels.triton._tune`). Axes are
read where they lie, best with the channels last. Sums are float32. Products of float32 are tf32
where ``torch.backends.cudnn.allow_tf32`` says so, as it does by default, else exact; float16 and
bfloat16 have one rounding, behind bias, addend and activation.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from hy_kernels.torch import table as torch_table
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._convolve import (
    Geometry,
    Size,
    by_channel,
    by_channel_to_weight,
    by_tiles,
    by_tiles_to_weight,
    precision,
    tiles_for,
)
from hy_kernels.triton._launch import runs_on
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tune import choose, shape_class
from hy_kernels.triton.matmul import ACTIVATIONS

__all__ = [
    "channels_last_convolution",
    "convolution",
    "convolution_backward_data",
    "convolution_backward_weight",
    "convolution_project",
]

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_LIBRARY = "library"
_CHANNEL = "channel"
_IMAGE = 4  # axes


def _images(data: Tensor, layout: str | None) -> Tensor:
    """A view ``[N, C, H, W]``."""
    first = data.movedim(-1, 1) if layout is not None and layout[-1] == "C" else data
    return first if first.ndim == _IMAGE else first.unsqueeze(2)


def _as_given(y: Tensor, rank: int, layout: str | None) -> Tensor:
    """The inverse of :func:`_images`."""
    y = y if rank == _IMAGE else y.squeeze(2)
    return y.movedim(1, -1) if layout is not None and layout[-1] == "C" else y


def _is_last(layout: str | None) -> bool:
    return layout is not None and layout[-1] == "C"


def _empty(like: Tensor, shape: Size, last: bool) -> Tensor:
    """Memory for images ``[N, C, H, W]``, contiguous with the channels where they are to be."""
    order = torch.channels_last if last else torch.contiguous_format
    return torch.empty(shape, dtype=like.dtype, device=like.device, memory_format=order)


def _fastest(
    name: str,
    arrays: tuple[Tensor, ...],
    geometry: Geometry,
    ways: dict[str, Callable[[], Tensor]],
    library: Callable[[], Tensor],
) -> Tensor:
    """The result of the way that is the fastest here."""
    first = arrays[0]
    ways = {**ways, _LIBRARY: library}
    sizes = shape_class(*(n for x in arrays for n in x.shape))
    order = "".join("n" if x.stride(1) == 1 else "c" for x in arrays)
    key = f"{first.dtype} {precision()} {order} {tuple(geometry)} {sizes}"
    untuned = _LIBRARY if first.device.type == "cuda" else next(iter(ways))
    return ways[choose(name, key, ways, untuned=untuned, device=first.device)]()


def _theirs(name: str, *arrays: Tensor | None, **params: Any) -> Callable[[], Tensor]:
    record = torch_table().find(name)
    assert record is not None, name
    return partial(record.function, *arrays, **params)


def _suits(*arrays: Tensor | None, layout: str | None = None, num_group: int, **_: Any) -> bool:
    given = [x for x in arrays if x is not None]
    first, weight = given[:2]
    usual = all(x.dtype is first.dtype and x.numel() for x in given) and first.dtype in _DTYPES
    plane = first.ndim == weight.ndim and first.ndim in (_IMAGE - 1, _IMAGE)
    return usual and plane and len(weight) % num_group == 0 and runs_on(*given)


@overlay("convolution", "convolution_v1", suits=_suits)
def convolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    layout: str | None,
    **_: Any,
) -> Tensor:
    """Windows of ``data`` times ``weight``, plus ``bias``."""
    how = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group, "layout": layout}
    last = _is_last(layout)
    geometry = Geometry.of(weight, stride, dilate, pad, num_group, last)
    x, w, rank = _images(data, layout), _images(weight, layout), data.ndim
    shape = (len(x), len(w), *geometry.number(tuple(x.shape[2:])))
    y = _empty(data, shape, last)
    b = None if bias is None else bias.contiguous()
    ways: dict[str, Callable[[], Tensor]] = {}
    if geometry.is_by_channel(w):
        ways[_CHANNEL] = partial(by_channel, x, w, y, geometry, last=last, bias=b)
    else:
        ways = {
            each.name: partial(by_tiles, each, x, w, y, geometry, bias=b)
            for each in tiles_for(data.dtype)
        }

    def library() -> Tensor:
        found = _theirs("convolution_project", data, weight, **how)()
        if b is not None:
            found += b if last else b.reshape(-1, *[1] * (rank - 2))
        return _images(found, layout)

    if y.numel() == 0:
        return _as_given(y, rank, layout)
    return _as_given(_fastest("convolution", (x, w), geometry, ways, library), rank, layout)


@overlay(suits=_suits)
def convolution_project(data: Tensor, weight: Tensor, **params: Any) -> Tensor:
    """Convolution without bias."""
    return convolution(data, weight, **params)


def _suits_backward(dy: Tensor, *arrays: Tensor, **params: Any) -> bool:
    return dy.ndim == arrays[0].ndim and _suits(dy, *arrays, **params)


@overlay(suits=_suits_backward)
def convolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,  # only its type matters
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    layout: str | None,
) -> Tensor:
    """Each window's gradient added to where the window lies."""
    how = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group, "layout": layout}
    last = _is_last(layout)
    geometry = Geometry.of(weight, stride, dilate, pad, num_group, last)
    g, w, x = (_images(each, layout) for each in (dy, weight, data))
    dx = _empty(data, tuple(x.shape), last)
    ways: dict[str, Callable[[], Tensor]] = {}
    if geometry.is_by_channel(w):
        ways[_CHANNEL] = partial(by_channel, g, w, dx, geometry, last=last, back=True)
    else:
        ways = {
            each.name: partial(by_tiles, each, g, w, dx, geometry, back=True)
            for each in tiles_for(data.dtype)
        }

    def library() -> Tensor:
        return _images(_theirs("convolution_backward_data", dy, weight, data, **how)(), layout)

    found = _fastest("convolution_backward_data", (g, w), geometry, ways, library)
    return _as_given(found, data.ndim, layout)


def _suits_backward_weight(dy: Tensor, data: Tensor, weight: Tensor, **params: Any) -> bool:
    return _suits_backward(dy, weight, data, **params)


@overlay(suits=_suits_backward_weight)
def convolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    layout: str | None,
) -> Tensor:
    """Windows of ``data`` times the gradients of the results they gave."""
    how = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group, "layout": layout}
    geometry = Geometry.of(weight, stride, dilate, pad, num_group, _is_last(layout))
    g, x, w = (_images(each, layout) for each in (dy, data, weight))
    ways: dict[str, Callable[[], Tensor]] = {}
    if geometry.is_by_channel(w):
        ways[_CHANNEL] = partial(by_channel_to_weight, g, x, w, geometry)
    else:
        ways = {
            each.name: partial(by_tiles_to_weight, each, g, x, w, geometry)
            for each in tiles_for(data.dtype)
        }

    def library() -> Tensor:
        return _images(_theirs("convolution_backward_weight", dy, data, weight, **how)(), layout)

    found = _fastest("convolution_backward_weight", (g, x, w), geometry, ways, library)
    return _as_given(found, weight.ndim, layout).contiguous()


def _suits_layer(
    data: Tensor, weight: Tensor, *more: Tensor | None, activation: str, **params: Any
) -> bool:
    known = activation in ACTIVATIONS and not weight.is_mkldnn
    return known and _suits(data, weight, *more, num_group=params["num_group"])


@overlay(suits=_suits_layer)
def channels_last_convolution(
    data: Tensor,
    weight: Tensor,
    *more: Tensor,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    activation: str,
    scalars: tuple[float, ...],
    with_bias: bool,
    with_addend: bool,
) -> Tensor:
    """The convolution of ``data [N, H, W, C]``, plus bias and addend, in an activation."""
    how: dict[str, Any] = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group}
    geometry = Geometry.of(weight, stride, dilate, pad, num_group)
    x = data.permute(0, 3, 1, 2)
    y = _empty(data, (len(x), len(weight), *geometry.number(tuple(x.shape[2:]))), last=True)
    given = [None if each is None else each.contiguous() for each in more]
    bias = given[0] if with_bias else None
    addend = given[-1].permute(0, 3, 1, 2) if with_addend and given[-1] is not None else None
    last: dict[str, Any] = {"bias": bias, "addend": addend, "activation": activation}
    ways: dict[str, Callable[[], Tensor]] = {
        each.name: partial(by_tiles, each, x, weight, y, geometry, **last)
        for each in tiles_for(data.dtype)
    }
    name = "channels_last_convolution"
    how |= {"activation": activation, "scalars": scalars}
    how |= {"with_bias": with_bias, "with_addend": with_addend}
    theirs = _theirs(name, data, weight, bias, given[-1] if with_addend else None, **how)

    def library() -> Tensor:
        return theirs().permute(0, 3, 1, 2)

    what = f"{name} {activation} {with_bias} {with_addend}"
    found = _fastest(what, (x, weight), geometry, ways, library)
    return found.permute(0, 2, 3, 1)
