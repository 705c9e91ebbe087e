"""Convolutions of batches so small that oneDNN's start-up time dominates.

That time is 40 µs, and 60 for gradients. Torch's own function unfolds windows sample by sample;
torch itself uses it for one sample only. It takes, with two threads of a CPU with AVX-512, 15
instead of 48 µs for 32 samples of 2 by 6 by 6 and four 3 by 3 filters, and 27 instead of 85 for the
gradient to the filters.
"""

from collections.abc import Sequence
from typing import Any

import torch

from hy_kernels.torch._tensor import Tensor

_nn: Any = torch._C._nn
_backward: Any = torch.ops.aten._slow_conv2d_backward.output_mask


def convolved_small(
    data: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int], pad: Sequence[int]
) -> Tensor:
    """Return the convolution plus ``bias``, by torch's own function."""
    y: Tensor = _nn.thnn_conv2d(data, weight, weight.shape[2:], bias, stride, pad)
    return y


def small_to_data(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    pad: Sequence[int],
    operand: int,
) -> Tensor:
    """Return the gradient to the data (``operand=0``) or to the weight (1)."""
    # Only one of the gradients.
    mask = [operand == 0, operand == 1, False]
    result: Tensor = _backward(dy, data, weight, weight.shape[2:], stride, pad, mask)[operand]
    return result
