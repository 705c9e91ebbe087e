"""Transposed convolution and its gradients."""

from typing import Any

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._transposed import Transposed
from hy_kernels.torch.nn._window import factor, to_first, to_last, to_storage_dtype
from hy_kernels.torch.nn.conv import convolution_gradient


def _transposed_convolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    geometry: Transposed,
    groups: int,
    layout: str | None,
) -> Tensor:
    x, w = to_first(factor(data), layout), to_first(factor(weight), layout)
    b = None if bias is None else bias.to(x.dtype)
    stride, dilate, pad, adj = map(list, geometry)
    y = torch.convolution(x, w, b, stride, pad, dilate, True, adj, groups)
    return to_storage_dtype(to_last(y, layout), data.dtype)


@kernel()
def deconvolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_group: int,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return the transposed convolution of data and weight, plus bias."""
    windows = Transposed.of(data, weight, layout=layout, **params)
    return _transposed_convolution(data, weight, bias, windows, num_group, layout)


@kernel()
def deconvolution_project(
    data: Tensor, weight: Tensor, *, num_group: int, layout: str | None, **params: Any
) -> Tensor:
    """Return the transposed convolution of data and weight, without bias."""
    windows = Transposed.of(data, weight, layout=layout, **params)
    return _transposed_convolution(data, weight, None, windows, num_group, layout)


@kernel()
def deconvolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,  # only its type matters
    *,
    num_group: int,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return the gradient to the data: the convolution of ``dy`` with the weight."""
    windows = Transposed.of(data, weight, layout=layout, **params)
    return convolution_gradient(dy, data, weight, windows[:3], num_group, layout, 0, windows.adj)


@kernel()
def deconvolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    *,
    num_group: int,
    layout: str | None,
    **params: Any,
) -> Tensor:
    """Return the gradient to the weight: windows of ``dy`` times the elements of the data."""
    windows = Transposed.of(data, weight, layout=layout, **params)
    return convolution_gradient(dy, data, weight, windows[:3], num_group, layout, 1, windows.adj)
