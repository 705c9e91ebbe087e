"""Convolution and its gradients."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, copied, out_buffer
from hy_kernels.torch.nn._window import (
    factor,
    size_for,
    to_compute_dtype,
    to_first,
    to_last,
    to_storage_dtype,
)
from hy_kernels.torch.nn.convolution import select
from hy_kernels.torch.nn.convolution._pointwise import (
    product_of,
    product_to_data,
    product_to_weight,
)
from hy_kernels.torch.nn.convolution._small import convolved_small, small_to_data
from hy_kernels.torch.nn.convolution._windows import gradient_of_large
from hy_kernels.windows import geometry_by_axis

Size = tuple[int, ...]
_IMAGES = 4  # axes
_FIRST = (None, "NCW", "NCHW", "NCDHW")
_aten = torch.ops.aten


@lru_cache(maxsize=1024)
def _conv_arguments(
    geometry: tuple[Size, Size, Size], rank: int
) -> tuple[Size, Size, Size, bool, Size]:
    """Return torch's positional arguments: stride, padding, dilation and two for transposition."""
    one, none = (1,) * rank, (0,) * rank
    return geometry[0] or one, geometry[2] or none, geometry[1] or one, False, none


def convolved(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    geometry: tuple[Size, Size, Size],
    groups: int,
    layout: str | None,
) -> Tensor:
    """Return the convolution plus ``bias``; ``geometry`` is stride, dilation and padding."""
    if layout in _FIRST and data.dtype in PLAIN:  # most calls, without a detour
        steps = geometry[0] or (1,) * (weight.ndim - 2)
        algorithm = select.first(data, weight, steps, geometry[1], geometry[2], groups)
        if algorithm == "small":
            return convolved_small(data, weight, bias, steps, geometry[2] or (0, 0))
        if algorithm == "product":
            return product_of(data, weight, bias, steps)
        y = torch.convolution(
            data, weight, bias, *_conv_arguments(geometry, weight.ndim - 2), groups
        )
        # oneDNN and cuDNN may answer with the channels last.
        return y.contiguous()
    x, w = to_first(factor(data), layout), to_first(factor(weight), layout)
    rank = w.ndim - 2
    stride, dilate, pad = geometry_by_axis(rank, *geometry)
    b = None if bias is None else bias.to(x.dtype)
    y = torch.convolution(x, w, b, stride, pad, dilate, False, [0] * rank, groups)
    return to_storage_dtype(to_last(y, layout), data.dtype)


def convolution_gradient(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,
    geometry: tuple[Size, Size, Size],
    groups: int,
    layout: str | None,
    operand: int,
    adj: Size | None = None,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to the data (``operand=0``) or to the weight (1).

    With ``adj`` it is that of a transposed convolution with this output padding.
    """
    g, x, w = (to_first(factor(each), layout) for each in (dy, data, weight))
    rank = w.ndim - 2
    stride, dilate, pad = geometry_by_axis(rank, *geometry)
    more = [0] * rank if adj is None else list(adj)
    like = (data, weight)[operand]
    algorithm = "torch" if adj is not None else select.first(x, w, stride, dilate, pad, groups)
    if algorithm == "small":
        small = small_to_data(g, x, w, stride, pad, operand)
        return to_storage_dtype(to_last(small, layout), like.dtype, out)
    as_they_are = layout in _FIRST and x.dtype is data.dtype and w.dtype is weight.dtype
    if algorithm == "product" and as_they_are:
        if operand:
            return product_to_weight(g, x, w, stride, out)
        return product_to_data(g, x, w, stride)
    mask = [operand == 0, operand == 1, False]
    result = _aten.convolution_backward.default(
        g, x, w, None, stride, pad, dilate, adj is not None, more, groups, mask
    )
    return to_storage_dtype(to_last(result[operand], layout), like.dtype, out)


@kernel()
def convolution_project(
    data: Tensor,
    weight: Tensor,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    layout: str | None,
) -> Tensor:
    """Return the convolution of data and weight, without bias."""
    return convolved(data, weight, None, (stride, dilate, pad), num_group, layout)


def _fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of two-dimensional convolutions of float32 or float64, or None."""
    steps, edges, gaps = params["stride"] or (1, 1), params["pad"] or (0, 0), params["dilate"]
    groups, geometry = params["num_group"], [steps, edges, gaps or (1, 1)]
    sizes = [params["kernel"], *geometry]
    if params["layout"] not in (None, "NCHW") or any(len(each) != 2 for each in sizes):
        return None
    stride, pad, dilate = map(size_for, geometry)
    # Torch parses each argument in each call: the last ones are left out where its defaults do.
    more = () if dilate == groups == 1 else (dilate, groups)
    min_images = select.min_images(params["kernel"], edges, groups)

    def convolve(data: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        if data.dtype not in PLAIN:
            return general(data, weight, bias)
        if data.shape[0] >= min_images and data.is_cpu:  # of torch, size(0) takes longer
            algorithm = select.first(data, weight, steps, gaps, edges, groups)
            if algorithm == "small":
                return convolved_small(data, weight, bias, steps, edges)
            if algorithm == "product":
                return product_of(data, weight, bias, steps)
        if more:
            return torch.conv2d(data, weight, bias, stride, pad, *more).contiguous()
        return torch.conv2d(data, weight, bias, stride, pad).contiguous()

    return convolve


@kernel(specialize=by_params(_fast_path))
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
    """Return the convolution of data and weight, plus bias."""
    return convolved(data, weight, bias, (stride, dilate, pad), num_group, layout)


convolution_v1 = alias("convolution_v1", convolution)


@kernel()
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
    """Return the gradient to the data: a transposed convolution of ``dy`` with the weight."""
    return convolution_gradient(dy, data, weight, (stride, dilate, pad), num_group, layout, 0)


@kernel(out="apart")
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
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to the weight: windows of data times the gradients of their results."""
    geometry = stride, dilate, pad
    if layout in _FIRST and weight.ndim == _IMAGES:
        both = geometry_by_axis(2, stride, dilate, pad)
        # Few windows of a large weight, as of a net's last layers: one product reads it once.
        if select.to_weight(dy, data, weight, *both, num_group) == "windows":
            return gradient_of_large(dy, data, weight, both, out)
    return convolution_gradient(dy, data, weight, geometry, num_group, layout, 1, out=out)


@kernel(out="apart")
def channel_sum(data: Tensor, like: Tensor, *, axis: int, out: OutBuffers = None) -> Tensor:
    """Return ``data`` summed over all axes but ``axis``."""
    axis %= data.ndim
    rest = [i for i in range(data.ndim) if i != axis]
    if not rest:
        return copied(data, out, dtype=like.dtype)
    if data.dtype is like.dtype and data.dtype.is_floating_point:
        return torch.sum(data, rest, out=out_buffer(out))
    return to_storage_dtype(to_compute_dtype(data).sum(rest), like.dtype, out)


@kernel(out="apart")
def channel_spread(data: Tensor, like: Tensor, *, axis: int, out: OutBuffers = None) -> Tensor:
    """Return the vector ``data`` along ``axis``, broadcast to the shape of ``like``."""
    shape = [1] * like.ndim
    shape[axis] = -1
    return copied(data.reshape(shape).broadcast_to(like.shape), out, dtype=like.dtype)
