"""Convolutions with 1 by 1 kernels as matrix products, without changing the layout.

OneDNN copies images and weights to a layout of its own first. With two threads of a CPU with
AVX-512, products take 0.1 to 0.9 of its time for one image, and 0.1 to 0.8 for the gradient to the
weight; 0.7 for 16 images of 28 by 28, 256 channels and 128 filters. With a large weight and few
pixels oneDNN is faster, because products read the weight for each image.
"""

from collections.abc import Sequence

import torch

from hy_kernels.torch._tensor import OutBuffers, Tensor, target
from hy_kernels.torch.costs import COSTS


def _strided(data: Tensor, stride: Sequence[int]) -> Tensor:
    """Return the pixels that 1 by 1 windows read, ``[N, C, P]``."""
    if any(step != 1 for step in stride):
        data = data[(..., *(slice(None, None, step) for step in stride))]
    return data.flatten(2)


def product_of(data: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int]) -> Tensor:
    """Return the 1 by 1 convolution, plus ``bias``, as products."""
    n, filters = len(data), len(weight)
    if bias is not None and bias.shape != (filters,):  # it would be spread
        raise ValueError(f"bias {tuple(bias.shape)} does not fit {filters} filters")
    number = [-(-size // step) for size, step in zip(data.shape[2:], stride, strict=True)]
    images, matrix = _strided(data, stride), weight.flatten(1)
    added = None if bias is None else bias[:, None]
    if n == 1:
        one = images[0]
        y = torch.mm(matrix, one) if added is None else torch.addmm(added, matrix, one)
    else:
        each = matrix.expand(n, *matrix.shape)
        y = torch.bmm(each, images) if added is None else torch.baddbmm(added, each, images)
    return y.view(n, filters, *number)


def product_to_data(dy: Tensor, data: Tensor, weight: Tensor, stride: Sequence[int]) -> Tensor:
    """Return the gradient to the data of a 1 by 1 convolution."""
    n, matrix, gradients = len(data), weight.flatten(1).t(), dy.flatten(2)
    if n == 1:
        dx = torch.mm(matrix, gradients[0])
    else:
        dx = torch.bmm(matrix.expand(n, *matrix.shape), gradients)
    dx = dx.view(n, data.shape[1], *dy.shape[2:])
    if dx.shape == data.shape:
        return dx
    # A strided kernel of one element leaves pixels out; their gradient is 0.
    whole = torch.zeros_like(data)
    whole[(..., *(slice(None, None, step) for step in stride))] = dx
    return whole


def product_to_weight(
    dy: Tensor, data: Tensor, weight: Tensor, stride: Sequence[int], out: OutBuffers = None
) -> Tensor:
    """Return the gradient to the weight of a 1 by 1 convolution."""
    result = target(out, weight.shape, weight.dtype, weight.device)
    flat, gradients = result.view(len(weight), -1), dy.flatten(2)
    images = _strided(data, stride).transpose(1, 2)
    if len(data) == 1:
        torch.mm(gradients[0], images[0], out=flat)
    elif len(data) * weight.numel() <= COSTS.convolution.product_gradients:
        # One batched product keeps the gradients of all images, so only of small weights.
        torch.sum(torch.bmm(gradients, images), 0, out=flat)
    else:
        torch.mm(gradients[0], images[0], out=flat)
        for gradient, image in zip(gradients[1:], images[1:], strict=True):
            # Added image by image: the memory of one weight.
            flat.addmm_(gradient, image)
    return result
