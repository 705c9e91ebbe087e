"""Convolutions of ``[N, H, W, C]`` with weights ``[O, C, *kernel]``, as graphs on GPUs train.

The kernels, their choice and their rounding are those of :mod:`hy_kernels.triton.nn.conv`. Tiles
read a copy of the weight with the channels last, as that is small beside images.
"""

from typing import Any

from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.nn._convolve import Size
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
from hy_kernels.triton.nn.conv import forward, geometry_of

_LAYOUTS = ("NHWC", None)


def _numbers(stride: Size, dilate: Size, pad: Size, num_group: int) -> tuple[Size, Size, Size, int]:
    return stride, dilate, pad, num_group


@overlay(supports=supports)
def nhwc_convolution(
    data: Tensor, weight: Tensor, bias: Tensor | None = None, **params: Any
) -> Tensor:
    """Return the convolution of ``data [N, H, W, C]``, plus ``bias``."""
    name = "nhwc_convolution"
    problem = forward(name, data, weight, _LAYOUTS, _numbers(**params), True)
    if 0 in problem.memory:
        return data.new_empty(problem.memory)
    library = theirs(name, data, weight, bias, **params)
    return convolved(
        problem, data, weight, library, bias=None if bias is None else bias.contiguous()
    )


@overlay(supports=supports)
def nhwc_convolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,  # only its type matters
    **params: Any,
) -> Tensor:
    """Return the gradient to the data, ``[N, H, W, C]``."""
    name = "nhwc_convolution_backward_data"
    geometry = geometry_of(data.shape, weight.shape, _LAYOUTS, _numbers(**params))
    shape = size_of(data.shape, _LAYOUTS[0])
    problem = problem_over(name, dy, weight, shape, geometry, _LAYOUTS, back=True)
    return convolved(problem, dy, weight, theirs(name, dy, weight, data, **params))


@overlay(supports=lambda dy, data, weight, **params: supports(dy, weight, data, **params))
def nhwc_convolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    *,
    out: OutBuffers = None,  # torch's kernel writes to it; this one makes its own
    **params: Any,
) -> Tensor:
    """Return the gradient to the weight: windows of data times the gradients of their results."""
    name = "nhwc_convolution_backward_weight"
    geometry = geometry_of(data.shape, weight.shape, _LAYOUTS, _numbers(**params))
    problem = problem_to_weight(name, dy, data, weight, geometry, _LAYOUTS)

    def library() -> Tensor:
        return images(theirs(name, dy, data, weight, **params)(), None)

    return in_layout(weight_gradient(problem, dy, data, library), weight.ndim, None).contiguous()
