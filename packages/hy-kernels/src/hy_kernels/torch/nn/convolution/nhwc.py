"""Convolution of images ``[N, H, W, C]`` with a weight ``[O, C, *kernel]``, and its gradients."""

from typing import Any

import torch
from torch.nn import functional

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored, target
from hy_kernels.torch.nn.convolution import select
from hy_kernels.torch.nn.convolution.select import strided
from hy_kernels.windows import geometry_by_axis

Size = tuple[int, ...]
_aten = torch.ops.aten


def _positional_arguments(stride: Size, dilate: Size, pad: Size, groups: int) -> tuple[Any, ...]:
    """Return stride, padding, dilation and groups as torch's positional arguments."""
    stride, dilate, pad = geometry_by_axis(2, stride, dilate, pad)
    return stride, pad, dilate, False, [0, 0], groups


def _gradient(
    dy: Tensor, data: Tensor, weight: Tensor, geometry: tuple[Any, ...], operand: int
) -> Tensor:
    """Return the gradient to the data (``operand=0``), channels first, or to the weight (1)."""
    g, x = dy.permute(0, 3, 1, 2), data.permute(0, 3, 1, 2)
    mask = [operand == 0, operand == 1, False]
    result: Tensor = _aten.convolution_backward.default(g, x, weight, None, *geometry, mask)[
        operand
    ]
    return result


@kernel()
def nhwc_convolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
) -> Tensor:
    """Return the convolution of ``data [N, H, W, C]``, plus ``bias``."""
    if select.nhwc(data, weight, stride, pad, num_group) == "product":
        # A 1 by 1 kernel with the channels last is a product of matrices without a copy.
        return functional.linear(strided(data, stride), weight.flatten(1), bias)
    geometry = _positional_arguments(stride, dilate, pad, num_group)
    y = torch.convolution(data.permute(0, 3, 1, 2), weight, bias, *geometry)
    return y.permute(0, 2, 3, 1).contiguous()


@kernel()
def nhwc_convolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
) -> Tensor:
    """Return the gradient to the data, ``[N, H, W, C]``."""
    if select.nhwc(data, weight, stride, pad, num_group) == "product":
        gradients = torch.mm(dy.reshape(-1, len(weight)), weight.flatten(1))
        gradients = gradients.view(*dy.shape[:3], -1)
        if gradients.shape == data.shape:
            return gradients
        # A strided 1 by 1 kernel reads some pixels only; the others get 0.
        whole = torch.zeros_like(data)
        strided(whole, stride).copy_(gradients)
        return whole
    dx = _gradient(dy, data, weight, _positional_arguments(stride, dilate, pad, num_group), 0)
    return dx.permute(0, 2, 3, 1).contiguous()


@kernel(out="apart")
def nhwc_convolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    num_group: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to the weight: windows of data times the gradients of their results."""
    if select.nhwc(data, weight, stride, pad, num_group) == "product":
        result = target(out, weight.shape, weight.dtype, weight.device)
        rows = strided(data, stride).reshape(-1, weight.shape[1])
        torch.mm(dy.reshape(-1, len(weight)).t(), rows, out=result.view(len(weight), -1))
        return result
    dw = _gradient(dy, data, weight, _positional_arguments(stride, dilate, pad, num_group), 1)
    return stored(dw.contiguous() if out is None else dw, out)
