"""Convolution of one to three axes and its gradients: implicit GEMM, depthwise, or cuDNN.

The fastest is measured once for each class of shapes (:mod:`hy_kernels.triton.runtime._tune`).
Operands of any layout are read without a copy, fastest with the channels last. Sums are float32.
Products of float32 are tf32 if ``torch.backends.cudnn.conv`` says so, as it does by default, else
exact; float16 and bfloat16 results are rounded once, after bias, addend and activation.
"""

from functools import lru_cache
from typing import Any

from hy_kernels.record import Params
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.linalg.matmul import ACTIVATIONS
from hy_kernels.triton.nn._convolve import Geometry, Size
from hy_kernels.triton.nn._images import (
    Problem,
    convolved,
    images,
    in_layout,
    over,
    problem_over,
    problem_to_weight,
    size_of,
    supports,
    theirs,
    weight_gradient,
)
from hy_kernels.triton.runtime._precision import convolution_precision

_LAST = "NHWC"


@lru_cache(maxsize=4096)
def _result(
    x: Size,
    weight: Size,
    layouts: tuple[str | None, str | None],
    stride: Size,
    dilate: Size,
    pad: Size,
    groups: int,
) -> tuple[Geometry, Size]:
    """Return the geometry of a convolution, and the shape ``(N, C, D, H, W)`` of its result."""
    data, filters = size_of(x, layouts[0]), size_of(weight, layouts[1])
    geometry = Geometry.of(filters, stride, dilate, pad, groups)
    return geometry, (data[0], filters[0], *geometry.number(data[2:]))


def _numbers(params: Params) -> tuple[Size, Size, Size, int]:
    return params["stride"], params["dilate"], params["pad"], params["num_group"]


def geometry_of(
    data: Size,
    weight: Size,
    layouts: tuple[str | None, str | None],
    numbers: tuple[Size, Size, Size, int],
) -> Geometry:
    """Return the geometry of a convolution; ``numbers``: stride, dilation, padding, groups."""
    return _result(data, weight, layouts, *numbers)[0]


def forward(
    name: str,
    data: Tensor,
    weight: Tensor,
    layouts: tuple[str | None, str | None],
    numbers: tuple[Size, Size, Size, int],
    by_channel: bool,
) -> Problem:
    """Return the cached problem of a convolution; ``numbers``: stride, dilation, padding, groups.

    It is looked up by the types of the operands: geometry and result follow from these, so that a
    call has one key to hash instead of two.
    """
    dtype = data.dtype
    types = (data.shape, data.stride(), weight.shape, weight.stride(), dtype)
    return _forward_of(name, types, layouts, numbers, by_channel, convolution_precision(dtype))


@lru_cache(maxsize=4096)
def _forward_of(
    name: str,
    types: tuple[Any, ...],
    layouts: tuple[str | None, str | None],
    numbers: tuple[Size, Size, Size, int],
    by_channel: bool,
    precision: str,
) -> Problem:
    geometry, shape = _result(types[0], types[2], layouts, *numbers)
    return over(name, types, shape, geometry, layouts, False, by_channel, precision)


@overlay("convolution", "convolution_project", "convolution_v1", supports=supports)
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
    """Return the convolution of ``data`` and ``weight``, plus ``bias``."""
    order = (layout, layout)
    problem = forward("convolution", data, weight, order, (stride, dilate, pad, num_group), True)
    if 0 in problem.memory:
        return data.new_empty(problem.memory)
    b = None if bias is None else bias.contiguous()

    def library() -> Tensor:
        options: dict[str, Any] = {"stride": stride, "dilate": dilate, "pad": pad}
        options |= {"num_group": num_group, "layout": layout}
        result = theirs("convolution_project", data, weight, **options)()
        if b is not None:
            images(result, layout).add_(b.reshape(-1, 1, 1, 1))
        return result

    return convolved(problem, data, weight, library, bias=b)


def _supports_backward(dy: Tensor, *arrays: Tensor, **params: Any) -> bool:
    return dy.ndim == arrays[0].ndim and supports(dy, *arrays, **params)


@overlay(supports=_supports_backward)
def convolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,  # only its type matters
    **params: Any,
) -> Tensor:
    """Return the gradient to the data: a transposed convolution of ``dy`` with the weight."""
    name, order = "convolution_backward_data", (params["layout"],) * 2
    geometry, _ = _result(data.shape, weight.shape, order, *_numbers(params))
    shape = size_of(data.shape, params["layout"])
    problem = problem_over(name, dy, weight, shape, geometry, order, back=True)
    return convolved(problem, dy, weight, theirs(name, dy, weight, data, **params))


@overlay(supports=lambda dy, data, weight, **params: _supports_backward(dy, weight, data, **params))
def convolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    *,
    out: OutBuffers = None,  # torch's kernel writes to it; this one makes its own
    **params: Any,
) -> Tensor:
    """Return the gradient to the weight: windows of data times the gradients of their results."""
    name, order = "convolution_backward_weight", (params["layout"],) * 2
    geometry, _ = _result(data.shape, weight.shape, order, *_numbers(params))
    problem = problem_to_weight(name, dy, data, weight, geometry, order)

    def library() -> Tensor:
        return images(theirs(name, dy, data, weight, **params)(), params["layout"])

    result = weight_gradient(problem, dy, data, library)
    return in_layout(result, weight.ndim, params["layout"]).contiguous()


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
    """Return the activation of the convolution of ``data [N, H, W, C]``, plus bias and addend."""
    name, order = "channels_last_convolution", (_LAST, None)
    what = f"{name} {activation} {with_bias} {with_addend}"
    # Tiles only, as the depthwise kernel has no epilogue but the bias.
    problem = forward(what, data, weight, order, (stride, dilate, pad, num_group), False)
    operands = [None if each is None else each.contiguous() for each in more]
    bias, addend = operands[0] if with_bias else None, operands[-1] if with_addend else None

    def library() -> Tensor:
        options: dict[str, Any] = {"stride": stride, "dilate": dilate, "pad": pad}
        options |= {"num_group": num_group, "activation": activation, "scalars": scalars}
        options |= {"with_bias": with_bias, "with_addend": with_addend}
        return theirs(name, data, weight, bias, addend, **options)()

    after: dict[str, Any] = {"bias": bias, "addend": addend, "activation": activation}
    return convolved(problem, data, weight, library, **after)
