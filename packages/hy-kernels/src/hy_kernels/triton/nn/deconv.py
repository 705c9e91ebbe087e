"""Transposed convolution and its gradients: implicit GEMM, by channel, or cuDNN; one to three axes.

It is the gradient to the data of a convolution, and its own gradients are convolutions (Dumoulin
and Visin, 2016, arXiv:1603.07285), so the kernels are those of :mod:`hy_kernels.triton.nn.conv`,
with the roles exchanged; they are chosen, compute and round as there. Bytes moved: operands and
result once, the weight for each tile of places. Where the stride is above 1, taps that meet nothing
are multiplied as well.
"""

from functools import partial
from typing import Any

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._transposed import Transposed
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.nn._convolve import Geometry, Size
from hy_kernels.triton.nn._images import (
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
    "deconvolution",
    "deconvolution_backward_data",
    "deconvolution_backward_weight",
    "deconvolution_project",
]


def _geometry(
    data: Tensor,
    weight: Tensor,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    adj: Size,
    target_shape: Size,
    num_group: int,
    layout: str | None,
) -> tuple[Geometry, Size]:
    """Return the windows, and how much longer the result is than they reach."""
    own = Transposed.of(data, weight, stride, dilate, pad, adj, target_shape, layout)
    view = images(weight, layout)
    return Geometry.of(view, own.stride, own.dilate, own.pad, num_group), own.adj


def _reached(size: Size, geometry: Geometry, more: Size) -> Size:
    """Return the size of the result."""
    adj = (*(0,) * (len(size) - len(more)), *more)
    each = zip(size, *geometry.axes, adj, strict=True)
    return tuple(s * (n - 1) + d * (k - 1) + 1 - 2 * p + a for n, k, s, p, d, a in each)


_NAMES = ("stride", "dilate", "pad", "adj", "target_shape", "num_group", "layout")


def _supports(data: Tensor, weight: Tensor, *more: Tensor | None, **params: Any) -> bool:
    layout, groups = params["layout"], params["num_group"]
    if not supports(data, weight, *more, num_group=groups):
        return False
    channels: int = images(data, layout).shape[1]
    return channels == len(images(weight, layout))


@overlay(supports=_supports)
def deconvolution(
    data: Tensor, weight: Tensor, bias: Tensor | None = None, **params: Any
) -> Tensor:
    """Add each element times the kernel to the pixels of its window, plus ``bias``."""
    how = {name: params[name] for name in _NAMES}
    layout = how["layout"]
    geometry, adj = _geometry(data, weight, **how)
    x, w = images(data, layout), images(weight, layout)
    filters = w.shape[1] * geometry.groups
    shape = (x.shape[0], filters, *_reached(tuple(x.shape[2:]), geometry, adj))
    empty = partial(empty_images, data, shape, layout)
    b = None if bias is None else bias.contiguous()

    def library() -> Tensor:
        result = theirs("deconvolution_project", data, weight, **how)()
        if b is not None:
            images(result, layout).add_(b.reshape(-1, 1, 1, 1))
        return result

    # It is the gradient of a convolution to its data, and computed as that.
    ways = ways_over(x, w, empty, geometry, layout, back=True, bias=b)
    return fastest("deconvolution", (x, w), geometry, ways, library)


@overlay(supports=_supports)
def deconvolution_project(data: Tensor, weight: Tensor, **params: Any) -> Tensor:
    """Transposed convolution without bias."""
    return deconvolution(data, weight, **params)


def _supports_backward(dy: Tensor, weight: Tensor, data: Tensor, **params: Any) -> bool:
    return dy.ndim == data.ndim and dy.dtype is data.dtype and _supports(data, weight, dy, **params)


@overlay(supports=_supports_backward)
def deconvolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,  # only its type matters
    **how: Any,
) -> Tensor:
    """Return the convolution of ``dy``."""
    layout = how["layout"]
    geometry, _ = _geometry(data, weight, **how)
    g, w, x = (images(each, layout) for each in (dy, weight, data))
    empty = partial(empty_images, data, tuple(x.shape), layout)

    library = theirs("deconvolution_backward_data", dy, weight, data, **how)
    ways = ways_over(g, w, empty, geometry, layout)
    return fastest("deconvolution_backward_data", (g, w), geometry, ways, library)


def _supports_backward_weight(dy: Tensor, data: Tensor, weight: Tensor, **params: Any) -> bool:
    return _supports_backward(dy, weight, data, **params)


@overlay(supports=_supports_backward_weight)
def deconvolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    **how: Any,
) -> Tensor:
    """Windows of ``dy`` times the elements that were spread over them."""
    layout = how["layout"]
    geometry, _ = _geometry(data, weight, **how)
    g, x, w = (images(each, layout) for each in (dy, data, weight))

    def library() -> Tensor:
        return images(theirs("deconvolution_backward_weight", dy, data, weight, **how)(), layout)

    # Images and gradient exchange their parts: the convolution goes from the result's images.
    ways = ways_to_weight(x, g, w, geometry)
    result = fastest("deconvolution_backward_weight", (g, x, w), geometry, ways, library)
    return in_layout(result, weight.ndim, layout).contiguous()
