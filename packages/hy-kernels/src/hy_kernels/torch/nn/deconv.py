"""Transposed convolution and its gradients."""

from typing import NamedTuple

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn._window import factor, full, narrow, to_first, to_last
from hy_kernels.torch.nn.conv import given_back

__all__ = [
    "deconvolution",
    "deconvolution_backward_data",
    "deconvolution_backward_weight",
    "deconvolution_project",
]

Size = tuple[int, ...]


class _Geometry(NamedTuple):
    """Where the windows lie, and by how much the result is longer than they need."""

    stride: Size
    dilate: Size
    pad: Size
    adj: Size

    @classmethod
    def of(
        cls,
        data: Tensor,
        weight: Tensor,
        stride: Size,
        dilate: Size,
        pad: Size,
        adj: Size,
        wanted: Size,
        layout: str | None,
    ) -> "_Geometry":
        """As the parameters of the operator say; ``wanted`` is the result's size, if any."""
        size, kernel = (to_first(each, layout).shape[2:] for each in (data, weight))
        rank = len(kernel)
        steps, gaps = tuple(full(stride, rank, 1)), tuple(full(dilate, rank, 1))
        if not any(wanted):
            return cls(steps, gaps, tuple(full(pad, rank, 0)), tuple(full(adj, rank, 0)))
        spans = [
            s * (n - 1) + d * (k - 1) + 1 - w
            for n, k, s, d, w in zip(size, kernel, steps, gaps, wanted, strict=True)
        ]
        if min(spans) < -1:
            raise ValueError(f"target_shape {wanted} is larger than what {tuple(size)} covers")
        pads = tuple((span + 1) // 2 for span in spans)
        extra = tuple(2 * p - span for p, span in zip(pads, spans, strict=True))
        return cls(steps, gaps, pads, extra)


def _spread(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    geometry: _Geometry,
    groups: int,
    layout: str | None,
) -> Tensor:
    x, w = to_first(factor(data), layout), to_first(factor(weight), layout)
    b = None if bias is None else bias.to(x.dtype)
    stride, dilate, pad, adj = map(list, geometry)
    y = torch.convolution(x, w, b, stride, pad, dilate, True, adj, groups)
    return narrow(to_last(y, layout), data.dtype)


@kernel()
def deconvolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    kernel: Size,
    stride: Size,
    dilate: Size,
    pad: Size,
    adj: Size,
    target_shape: Size,
    num_filter: int,
    num_group: int,
    workspace: int,
    no_bias: bool,
    cudnn_tune: str | None,
    cudnn_off: bool,
    layout: str | None,
) -> Tensor:
    """Each element times the kernel, added to where its window lies, plus ``bias``."""
    how = _Geometry.of(data, weight, stride, dilate, pad, adj, target_shape, layout)
    return _spread(data, weight, bias, how, num_group, layout)


@kernel()
def deconvolution_project(
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
) -> Tensor:
    """Transposed convolution without bias."""
    how = _Geometry.of(data, weight, stride, dilate, pad, adj, target_shape, layout)
    return _spread(data, weight, None, how, num_group, layout)


@kernel()
def deconvolution_backward_data(
    dy: Tensor,
    weight: Tensor,
    data: Tensor,  # only its type matters
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    adj: Size,
    target_shape: Size,
    num_group: int,
    layout: str | None,
) -> Tensor:
    """The convolution of ``dy``."""
    how = _Geometry.of(data, weight, stride, dilate, pad, adj, target_shape, layout)
    return given_back(dy, data, weight, how[:3], num_group, layout, 0, how.adj)


@kernel()
def deconvolution_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    *,
    stride: Size,
    dilate: Size,
    pad: Size,
    adj: Size,
    target_shape: Size,
    num_group: int,
    layout: str | None,
) -> Tensor:
    """Windows of ``dy`` times the elements that were spread over them."""
    how = _Geometry.of(data, weight, stride, dilate, pad, adj, target_shape, layout)
    return given_back(dy, data, weight, how[:3], num_group, layout, 1, how.adj)
