"""Layers for prediction, with weights prepared once and the next operators fused.

On CPUs they use oneDNN, whose packed weights only oneDNN's operators can read; their shape is that
of the plain weight. On CUDA devices a convolution with bias and ReLU, and perhaps a sum before
ReLU, is one call of cuDNN.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch.nn import functional

from hy_kernels.record import Function, Maker, Params, Types, by_types
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor, copied
from hy_kernels.torch.nn._layer_activation import activated
from hy_kernels.torch.nn._window import factor
from hy_kernels.torch.runtime._cudnn import convolved_with_relu, has_cudnn
from hy_kernels.torch.runtime._onednn import has_onednn, linear, multiplies_by_blas
from hy_kernels.windows import geometry_by_axis

Size = tuple[int, ...]
_MATRIX = 2  # axes
_onednn: Any = torch.ops.mkldnn


def _unpacked(weight: Tensor) -> Tensor:
    return weight.to_dense() if weight.is_mkldnn else weight


@kernel()
def channels_last_weight(
    weight: Tensor, *, stride: Size, dilate: Size, pad: Size, num_group: int, size: Size
) -> Tensor:
    """Return ``weight [O, C, *kernel]`` packed for convolutions of images of this size."""
    if not has_onednn(weight) or not prod(size):
        # oneDNN picks the order by the sizes of images too, so the weight is for these.
        return weight.clone(memory_format=torch.channels_last)
    stride, dilate, pad = geometry_by_axis(2, stride, dilate, pad)
    geometry = pad, stride, dilate, num_group, list(size)
    packed: Tensor = _onednn._reorder_convolution_weight(weight, *geometry)
    return packed


def _for_float32(make: Callable[[Sequence[int], Params], Function]) -> Maker:
    """Return a maker of functions for float32 data that are not empty.

    ``make`` gets the shape of the data, and the parameters.
    """

    def special(types: Types, params: Params) -> Function | None:
        data = types[0]
        if data is None or data[1] != "float32" or 0 in data[0]:
            return None
        return make(data[0], params)

    return by_types(special)


def _convolution(_: Sequence[int], params: Params) -> Function:
    """Return the convolution specialised to oneDNN, with the general kernel as fallback."""
    stride, dilate, pad = geometry_by_axis(2, params["stride"], params["dilate"], params["pad"])
    geometry = pad, stride, dilate, params["num_group"]
    end = params["activation"], params["scalars"]

    def layer(
        data: Tensor, weight: Tensor, bias: Tensor | None = None, addend: Tensor | None = None
    ) -> Tensor:
        if not has_onednn(data):
            return channels_last_convolution(data, weight, bias, addend, **params)
        return _by_onednn(data, weight, bias, addend, geometry, *end)

    return layer


def _by_onednn(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    addend: Tensor | None,
    geometry: tuple[Any, ...],
    activation: str,
    scalars: tuple[float, ...],
) -> Tensor:
    """Return the layer's result by oneDNN; ``geometry`` is padding, stride, dilation and groups."""
    x = data.permute(0, 3, 1, 2)
    if addend is None:
        # oneDNN's gelu has a parameter for the algorithm: "none" is erf, not tanh.
        last = activation, scalars, "none" if activation == "gelu" else ""
        y = _onednn._convolution_pointwise.default(x, weight, bias, *geometry, *last)
    else:
        own = "relu" if activation == "relu" else None
        sum_: Any = (addend.permute(0, 3, 1, 2), weight, bias, *geometry, "add", 1.0, own, [], None)
        y = _onednn._convolution_pointwise.binary(x, *sum_)
        if own is None:
            # oneDNN fuses a sum and ReLU, no other activation after a sum.
            y = activated(y, activation, scalars)
    result: Tensor = y.permute(0, 2, 3, 1).contiguous()
    return result


@kernel(specialize=_for_float32(_convolution))
def channels_last_convolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    activation: str,
    scalars: tuple[float, ...],
    with_bias: bool,
    with_addend: bool,
) -> Tensor:
    """Return the convolution of ``data [N, H, W, C]`` plus bias and addend, with an activation."""
    stride, dilate, pad = geometry_by_axis(2, stride, dilate, pad)
    geometry = pad, stride, dilate
    if has_onednn(data) and data.numel():
        return _by_onednn(data, weight, bias, addend, (*geometry, num_group), activation, scalars)
    x, weight = data.permute(0, 3, 1, 2), _unpacked(weight)
    if bias is not None and activation == "relu" and has_cudnn(data):
        added = None if addend is None else addend.permute(0, 3, 1, 2)
        joined = convolved_with_relu(x, weight, bias, added, geometry, num_group)
        # None: cuDNN has no engine for this layer.
        if joined is not None:
            return joined.permute(0, 2, 3, 1).contiguous()
    y = _convolved(x, weight, bias, geometry, num_group)
    y = y.permute(0, 2, 3, 1).contiguous()
    if addend is not None:
        y += addend
    return activated(y, activation, scalars)


def _convolved(
    x: Tensor, weight: Tensor, bias: Tensor | None, geometry: tuple[Size, ...], groups: int
) -> Tensor:
    pad, stride, dilate = geometry
    images = factor(x)
    w, b = weight.to(images.dtype), None if bias is None else bias.to(images.dtype)
    return torch.convolution(images, w, b, stride, pad, dilate, False, [0, 0], groups).to(x.dtype)


@kernel()
def pointwise_weight(weight: Tensor, *, rows: int) -> Tensor:
    """Return ``weight [O, C, 1, 1]`` as ``[O, C]``, packed for products of ``rows`` rows."""
    return _packed(weight.flatten(1), rows)


def _pointwise(_: Sequence[int], params: Params) -> Function:
    """Return the layer specialised to oneDNN, with the general kernel as fallback."""
    activation, scalars = params["activation"], params["scalars"]

    def layer(
        data: Tensor, weight: Tensor, bias: Tensor | None = None, addend: Tensor | None = None
    ) -> Tensor:
        if addend is not None or not has_onednn(data):
            return pointwise_convolution(data, weight, bias, addend, **params)
        return linear(data, weight, bias, activation, scalars)

    return layer


@kernel(specialize=_for_float32(_pointwise))
def pointwise_convolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    activation: str,
    scalars: tuple[float, ...],
    with_bias: bool,
    with_addend: bool,
) -> Tensor:
    """Return a 1 by 1 convolution of ``[N, H, W, C]`` as a product, with bias, sum and activation.

    Small ones are 10 µs faster than a convolution of oneDNN.
    """
    if addend is None or not has_onednn(data) or not data.numel():
        last = "none" if addend is not None else activation
        y = dense_layer(data, weight, bias, flatten=False, activation=last, scalars=scalars)
        return y if addend is None else activated(y.add_(addend), activation, scalars)
    y = _onednn._linear_pointwise.binary(data, addend, weight, bias, "add")
    return activated(y, activation, scalars)


@kernel()
def dense_layer_weight(weight: Tensor, *, rows: int) -> Tensor:
    """Return ``weight [O, I]`` transposed in memory or packed, for products of ``rows`` rows."""
    if multiplies_by_blas(rows) and weight.is_cpu:
        # Stored as [I, O] and seen as [O, I]: BLAS multiplies by it without transposing.
        return weight.t().contiguous().t()
    return _packed(weight, rows)


def _packed(weight: Tensor, rows: int) -> Tensor:
    """Return ``weight [O, I]`` packed by oneDNN if it supports the weight, else a copy."""
    if not has_onednn(weight) or not weight.numel():
        return weight.clone()
    packed: Tensor = _onednn._reorder_linear_weight(weight, rows)
    return packed


@kernel()
def transposed_dense_weight(weight: Tensor, *, size: Size) -> Tensor:
    """Return ``weight [O, C * H * W]`` permuted to ``[O, H * W * C]``; size: ``(C, H, W)``."""
    # Rows come from images with the channels last, so the weight's columns are put in that order.
    transposed = weight.view(len(weight), *size).permute(0, 2, 3, 1)
    return copied(transposed).view(weight.shape)


def _dense(shape: Sequence[int], params: Params) -> Function:
    """Return the layer specialised to one or two calls, with the general kernel as fallback."""
    flat = params["flatten"] and len(shape) > _MATRIX
    activation, scalars = params["activation"], params["scalars"]

    def layer(data: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        if not has_onednn(data):
            return dense_layer(data, weight, bias, **params)
        x = data.flatten(1) if flat else data
        if weight.is_mkldnn:
            return linear(x, weight, bias, activation, scalars)
        return activated(functional.linear(x, weight, bias), activation, scalars)

    return layer


@kernel(specialize=_for_float32(_dense))
def dense_layer(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    flatten: bool,
    activation: str,
    scalars: tuple[float, ...],
) -> Tensor:
    """Return the activation of ``data · weightᵀ + bias``."""
    x = data.flatten(1) if flatten and data.ndim > _MATRIX else data
    if has_onednn(data) and data.numel() and weight.is_mkldnn:
        return linear(x, weight, bias, activation, scalars)
    images = factor(x)
    w, b = _unpacked(weight).to(images.dtype), None if bias is None else bias.to(images.dtype)
    return activated(functional.linear(images, w, b).to(x.dtype), activation, scalars)
