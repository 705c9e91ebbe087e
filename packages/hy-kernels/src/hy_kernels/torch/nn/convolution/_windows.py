"""Gradients to convolution weights that are much larger than the images.

OneDNN computes such a gradient in a layout of its own, and copies it to that of the weight. A
matrix product writes it in place.
"""

from collections.abc import Sequence

import torch
from torch.nn import functional

from hy_kernels.torch._tensor import OutBuffers, Tensor, target


def gradient_of_large(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,
    geometry: tuple[Sequence[int], Sequence[int], Sequence[int]],
    out: OutBuffers,
) -> Tensor:
    """Return the gradient to the weight; ``geometry`` is stride, dilation and padding."""
    result = target(out, weight.shape, weight.dtype, weight.device)
    rows = _windows(data, dy.shape, weight.shape, geometry)
    flat = result.view(len(weight), -1)
    torch.mm(dy.transpose(0, 1).reshape(len(weight), -1), rows, out=flat)
    return result


def _windows(
    data: Tensor,
    result: Sequence[int],
    weight: Sequence[int],
    geometry: tuple[Sequence[int], Sequence[int], Sequence[int]],
) -> Tensor:
    """Return the elements of each window as a row, ``[N * windows, C * kernel * kernel]``."""
    stride, dilate, pad = geometry
    padded = functional.pad(data, (pad[1], pad[1], pad[0], pad[0])) if any(pad) else data
    n, _, height, width = result
    image, channel, row, column = padded.stride()
    shape = (n, height, width, *weight[1:])
    steps = image, stride[0] * row, stride[1] * column
    taps = channel, dilate[0] * row, dilate[1] * column
    # Windows as strides, copied once to rows: the weight's gradient is one product then.
    return padded.as_strided(shape, (*steps, *taps)).reshape(n * height * width, -1)
