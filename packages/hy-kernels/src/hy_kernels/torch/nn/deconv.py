"""Transposed convolution and its gradients."""

from typing import Any

import torch

from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._transposed import Transposed
from hy_kernels.torch.nn._window import factor, to_first, to_last, to_storage_dtype
from hy_kernels.torch.nn.conv import convolution_gradient


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
    x, w = to_first(factor(data), layout), to_first(factor(weight), layout)
    b = None if bias is None else bias.to(x.dtype)
    geometry = Transposed.of(data, weight, layout=layout, **params)
    stride, dilate, pad, adj = map(list, geometry)
    y = torch.convolution(x, w, b, stride, pad, dilate, True, adj, num_group)
    return to_storage_dtype(to_last(y, layout), data.dtype)


deconvolution_project = alias("deconvolution_project", deconvolution)


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
