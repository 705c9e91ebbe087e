"""Transposed convolution of one to three axes and its gradients.

A transposed convolution is the gradient of a convolution to its data, and its own gradients are
convolutions (Dumoulin and Visin, 2016, arXiv:1603.07285). The kernels, their choice and their
rounding are those of :mod:`hy_kernels.triton.nn.conv`, with data and result exchanged. Bytes moved:
operands and result once, the weight for each tile of pixels. With a stride above 1 many of the
products are with zeros.
"""

from functools import lru_cache
from typing import Any

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._transposed import Transposed
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.nn._convolve import Geometry, Size
from hy_kernels.triton.nn._images import (
    convolved,
    images,
    in_layout,
    problem_over,
    problem_to_weight,
    size_of,
    supports,
    theirs,
    weight_gradient,
)


def _geometry(
    data: Tensor, weight: Tensor, *, num_group: int, layout: str | None, **params: Any
) -> tuple[Geometry, Size]:
    """Return the geometry, and ``adj``: how many elements longer the result is than the windows."""
    own = Transposed.of(data, weight, layout=layout, **params)
    filters = size_of(weight.shape, layout)
    return Geometry.of(filters, own.stride, own.dilate, own.pad, num_group), own.adj


@lru_cache(maxsize=4096)
def _reached(x: Size, weight: Size, layout: str | None, geometry: Geometry, more: Size) -> Size:
    """Return the shape ``(N, C, D, H, W)`` of the result, longer by ``more`` than the windows."""
    samples, _, *size = size_of(x, layout)
    adj = (*(0,) * (len(size) - len(more)), *more)
    each = zip(size, *geometry.axes, adj, strict=True)
    reach = [s * (n - 1) + d * (k - 1) + 1 - 2 * p + a for n, k, s, p, d, a in each]
    return (samples, size_of(weight, layout)[1] * geometry.groups, *reach)


_NAMES = ("stride", "dilate", "pad", "adj", "target_shape", "num_group", "layout")


def _supports(data: Tensor, weight: Tensor, *more: Tensor | None, **params: Any) -> bool:
    layout, groups = params["layout"], params["num_group"]
    if not supports(data, weight, *more, num_group=groups):
        return False
    return size_of(data.shape, layout)[1] == size_of(weight.shape, layout)[0]


@overlay("deconvolution", "deconvolution_project", supports=_supports)
def deconvolution(
    data: Tensor, weight: Tensor, bias: Tensor | None = None, **params: Any
) -> Tensor:
    """Return the transposed convolution of ``data`` and ``weight``, plus ``bias``."""
    options = {name: params[name] for name in _NAMES}
    layout = options["layout"]
    geometry, adj = _geometry(data, weight, **options)
    shape = _reached(data.shape, weight.shape, layout, geometry, adj)
    # It is the gradient of a convolution to its data, and computed as that.
    order = (layout, layout)
    problem = problem_over("deconvolution", data, weight, shape, geometry, order, back=True)
    b = None if bias is None else bias.contiguous()

    def library() -> Tensor:
        result = theirs("deconvolution_project", data, weight, **options)()
        if b is not None:
            images(result, layout).add_(b.reshape(-1, 1, 1, 1))
        return result

    return convolved(problem, data, weight, library, bias=b)


def _supports_backward(dy: Tensor, weight: Tensor, data: Tensor, **params: Any) -> bool:
    return dy.ndim == data.ndim and dy.dtype is data.dtype and _supports(data, weight, dy, **params)


@overlay(supports=_supports_backward)
def deconvolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,  # only its type matters
    **options: Any,
) -> Tensor:
    """Return the gradient to the data: the convolution of ``dy`` with the weight."""
    name, layout = "deconvolution_backward_data", options["layout"]
    geometry, _ = _geometry(data, weight, **options)
    shape = size_of(data.shape, layout)
    problem = problem_over(name, dy, weight, shape, geometry, (layout, layout))
    return convolved(problem, dy, weight, theirs(name, dy, weight, data, **options))


@overlay(supports=lambda dy, data, weight, **params: _supports_backward(dy, weight, data, **params))
def deconvolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    **options: Any,
) -> Tensor:
    """Return the gradient to the weight: windows of ``dy`` times the elements of ``data``."""
    name, layout = "deconvolution_backward_weight", options["layout"]
    geometry, _ = _geometry(data, weight, **options)
    # Data and gradient exchange roles: the forward convolution maps the result to the data.
    problem = problem_to_weight(name, data, dy, weight, geometry, (layout, layout))

    def library() -> Tensor:
        return images(theirs(name, dy, data, weight, **options)(), layout)

    result = weight_gradient(problem, data, dy, library)
    return in_layout(result, weight.ndim, layout).contiguous()
