"""Convolution with bias, sum and ReLU in one call of cuDNN."""

import os
from functools import cache

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.windows import Sizes

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_refused: set[tuple[object, ...]] = set()
"""Layers that cuDNN's fused call does not support."""


@cache
def autotune() -> None:
    """Let cuDNN benchmark its algorithms for each new shape; done once per process.

    MXNet does the same, unless ``MXNET_CUDNN_AUTOTUNE_DEFAULT`` is 0.
    """
    if os.environ.get("MXNET_CUDNN_AUTOTUNE_DEFAULT", "1") != "0":
        torch.backends.cudnn.benchmark = True


def has_cudnn(data: Tensor) -> bool:
    """Return whether cuDNN's fused operators support a tensor; AMD's library has none."""
    cudnn = torch.backends.cudnn
    fits = data.is_cuda and data.dtype in _DTYPES and data.numel() > 0
    return bool(fits and torch.version.hip is None and cudnn.enabled and cudnn.is_available())


def convolved_with_relu(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    addend: Tensor | None,
    geometry: tuple[Sizes, Sizes, Sizes],
    groups: int,
) -> Tensor | None:
    """Return ``relu(convolution + bias + addend)``; None if cuDNN has no fused call for it.

    Args:
        x: ``[N, C, H, W]``, channels last in memory, of a dtype that cuDNN supports.
        weight: ``[O, C / groups, kernel, kernel]``, likewise.
        bias: ``[O]``.
        addend: Of the shape of the result, or None.
        geometry: Padding, stride and dilation.
        groups: Number of groups.
    """
    pad, stride, dilate = geometry
    key = (x.shape, weight.shape, x.dtype, x.device, addend is None, *geometry, groups)
    if key in _refused:
        return None
    arguments = stride, pad, dilate, groups
    try:
        if addend is None:
            return torch.cudnn_convolution_relu(x, weight, bias, *arguments)
        return torch.cudnn_convolution_add_relu(x, weight, addend, 1.0, bias, *arguments)
    # An out-of-memory error says nothing about the layer, and may not disable it.
    except torch.OutOfMemoryError:
        raise
    except (
        RuntimeError
    ):  # no engine computes this layer; the plain convolution reports other faults
        _refused.add(key)
        return None
