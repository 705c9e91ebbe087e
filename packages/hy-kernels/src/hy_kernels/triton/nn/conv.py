"""Convolution of one to three axes and its gradients: implicit GEMM, by channel, or cuDNN.

Which is taken is measured once for each class of shapes (:mod:`hy_kernels.triton.runtime._tune`).
Axes are read where they lie, best with the channels last. Sums are float32. Products of float32 are
tf32 where ``torch.backends.cudnn.conv`` says so, as it does by default, else exact; float16 and
bfloat16 have one rounding, after bias, addend and activation.
"""

from functools import partial
from typing import Any

from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.linalg.matmul import ACTIVATIONS
from hy_kernels.triton.linalg.tiles import Tiles
from hy_kernels.triton.nn._convolve import Geometry, Size, by_tiles, tiles_for
from hy_kernels.triton.nn._images import (
    Ways,
    empty_images,
    fastest,
    images,
    in_layout,
    supports,
    theirs,
    ways_over,
    ways_to_weight,
)

__all__ = [
    "channels_last_convolution",
    "convolution",
    "convolution_backward_data",
    "convolution_backward_weight",
    "convolution_project",
]
_LAST = "NHWC"


@overlay("convolution", "convolution_v1", supports=supports)
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
    x, w = images(data, layout), images(weight, layout)
    geometry = Geometry.of(w, stride, dilate, pad, num_group)
    shape = (x.shape[0], w.shape[0], *geometry.number(x.shape[2:]))
    empty = partial(empty_images, data, shape, layout)
    b = None if bias is None else bias.contiguous()

    def library() -> Tensor:
        result = theirs("convolution_project", data, weight, **how)()
        if b is not None:
            images(result, layout).add_(b.reshape(-1, 1, 1, 1))
        return result

    if 0 in shape:
        return empty()
    ways = ways_over(x, w, empty, geometry, layout, bias=b)
    return fastest("convolution", (x, w), geometry, ways, library)


@overlay(supports=supports)
def convolution_project(data: Tensor, weight: Tensor, **params: Any) -> Tensor:
    """Convolution without bias."""
    return convolution(data, weight, **params)


def _supports_backward(dy: Tensor, *arrays: Tensor, **params: Any) -> bool:
    return dy.ndim == arrays[0].ndim and supports(dy, *arrays, **params)


@overlay(supports=_supports_backward)
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
    """Add each window's gradient to the pixels of the window."""
    how = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group, "layout": layout}
    g, w, x = (images(each, layout) for each in (dy, weight, data))
    geometry = Geometry.of(w, stride, dilate, pad, num_group)
    empty = partial(empty_images, data, tuple(x.shape), layout)
    ways = ways_over(g, w, empty, geometry, layout, back=True)

    library = theirs("convolution_backward_data", dy, weight, data, **how)
    return fastest("convolution_backward_data", (g, w), geometry, ways, library)


def _supports_backward_weight(dy: Tensor, data: Tensor, weight: Tensor, **params: Any) -> bool:
    return _supports_backward(dy, weight, data, **params)


@overlay(supports=_supports_backward_weight)
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
    out: OutBuffers = None,  # torch's kernel writes to it; this one makes its own
) -> Tensor:
    """Windows of ``data`` times the gradients of the results they gave."""
    how = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group, "layout": layout}
    g, x, w = (images(each, layout) for each in (dy, data, weight))
    geometry = Geometry.of(w, stride, dilate, pad, num_group)
    ways = ways_to_weight(g, x, w, geometry)

    def library() -> Tensor:
        return images(theirs("convolution_backward_weight", dy, data, weight, **how)(), layout)

    result = fastest("convolution_backward_weight", (g, x, w), geometry, ways, library)
    return in_layout(result, weight.ndim, layout).contiguous()


def _supports_layer(
    data: Tensor, weight: Tensor, *more: Tensor | None, activation: str, **params: Any
) -> bool:
    # Weights that oneDNN packed have no strides by which tiles could read them.
    known = activation in ACTIVATIONS and not weight.is_mkldnn
    return known and supports(data, weight, *more, num_group=params["num_group"])


@overlay(supports=_supports_layer)
def channels_last_convolution(
    data: Tensor,
    weight: Tensor,
    *more: Tensor | None,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    activation: str,
    scalars: tuple[float, ...],
    with_bias: bool,
    with_addend: bool,
) -> Tensor:
    """Return the convolution of ``data [N, H, W, C]``, plus bias and addend, in an activation."""
    how: dict[str, Any] = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group}
    x, w = images(data, _LAST), images(weight, None)
    geometry = Geometry.of(w, stride, dilate, pad, num_group)
    y = empty_images(data, (x.shape[0], w.shape[0], *geometry.number(x.shape[2:])), _LAST)
    operands = [None if each is None else each.contiguous() for each in more]
    bias, addend = operands[0] if with_bias else None, operands[-1] if with_addend else None
    after: dict[str, Any] = {
        "bias": bias,
        "addend": None if addend is None else images(addend, _LAST),
        "activation": activation,
    }

    def over(tiles: Tiles) -> Tensor:
        by_tiles(tiles, x, w, images(y, _LAST), geometry, **after)
        return y

    ways = Ways(tiles_for(data.dtype, y.numel() // len(w)), over)
    name = "channels_last_convolution"
    how |= {"activation": activation, "scalars": scalars}
    how |= {"with_bias": with_bias, "with_addend": with_addend}

    library = theirs(name, data, weight, bias, addend, **how)
    what = f"{name} {activation} {with_bias} {with_addend}"
    return fastest(what, (x, w), geometry, ways, library)
