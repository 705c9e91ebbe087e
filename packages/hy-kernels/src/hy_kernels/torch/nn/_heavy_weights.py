"""Gradients to weights of convolutions that are much larger than what they are applied to.

OneDNN computes such a gradient in an order of its own, from which it is copied to that of the
weight. As one product of matrices it is written where it is to be.
"""

from collections.abc import Sequence
from math import prod

import torch
from torch.nn import functional

from hy_kernels.torch._onednn import has_fast_blas
from hy_kernels.torch._tensor import PLAIN, Places, Tensor, target
from hy_kernels.torch.costs import COSTS

__all__ = ["gradient_of_large", "is_large"]

_IMAGES = 4  # axes


def is_large(dy: Tensor, data: Tensor, weight: Tensor, groups: int) -> bool:
    """Whether a product of matrices gives the gradient faster, of channels in front of the space.

    Args:
        dy: The gradient of the result, ``(N, O, H, W)``.
        data: The images.
        weight: Of the convolution, ``(O, C, kernel, kernel)``.
        groups: Of channels.
    """
    if groups != 1 or weight.ndim != _IMAGES or not data.is_cpu or not has_fast_blas():
        return False
    if not weight.dtype is data.dtype is dy.dtype or data.dtype not in PLAIN:
        return False
    places = dy.numel() // len(weight) if len(weight) else 0
    costs = COSTS.convolution
    lowest = costs.large_points if prod(weight.shape[2:]) == 1 else costs.large_windows
    return bool(0 < places * lowest <= weight.numel())


def gradient_of_large(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,
    how: tuple[Sequence[int], Sequence[int], Sequence[int]],
    out: Places,
) -> Tensor:
    """The gradient to the weight; ``how`` is stride, dilation and pad along both axes."""
    result = target(out, weight.shape, weight.dtype, weight.device)
    rows = _windows(data, dy.shape, weight.shape, how)
    flat = result.view(len(weight), -1)
    torch.mm(dy.transpose(0, 1).reshape(len(weight), -1), rows, out=flat)
    return result


def _windows(
    data: Tensor,
    result: Sequence[int],
    weight: Sequence[int],
    how: tuple[Sequence[int], Sequence[int], Sequence[int]],
) -> Tensor:
    """Return each window's elements, ``(places, C * kernel * kernel)``."""
    stride, dilate, pad = how
    framed = functional.pad(data, (pad[1], pad[1], pad[0], pad[0])) if any(pad) else data
    n, _, height, width = result
    image, channel, row, column = framed.stride()
    shape = (n, height, width, *weight[1:])
    steps = image, stride[0] * row, stride[1] * column
    taps = channel, dilate[0] * row, dilate[1] * column
    return framed.as_strided(shape, (*steps, *taps)).reshape(n * height * width, -1)
