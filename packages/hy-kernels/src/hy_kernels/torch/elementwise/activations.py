"""Activation functions of one operand: ReLU, sigmoid and their variants."""

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, copied, in_float32, out_buffer
from hy_kernels.torch.elementwise._functions import of_floats

sigmoid = of_floats("sigmoid", torch.sigmoid)


@kernel(pointwise=True)
def relu(data: Tensor, *, out: Out = None) -> Tensor:
    """Return ``max(data, 0)``."""
    if data.dtype is torch.bool:
        return copied(data, out)
    # clamp_min takes out=, relu does not.
    return torch.relu(data) if out is None else torch.clamp_min(data, 0, out=out[0])


@kernel(pointwise=True)
def relu_backward(dy: Tensor, y: Tensor, *, out: Out = None) -> Tensor:
    """Return ``dy`` where ``y`` is positive, 0 where it is 0, nan where it is nan."""
    sign = torch.sign(y)
    # sign(nan) is 0 in torch; the gradient must stay NaN.
    if y.dtype.is_floating_point:
        sign = torch.where(torch.isnan(y), y, sign)
    return torch.mul(sign, dy, out=out_buffer(out))


@kernel(pointwise=True)
def softsign(data: Tensor, *, out: Out = None) -> Tensor:
    """Return ``data / (1 + abs(data))``."""
    return in_float32(lambda x: torch.div(x, torch.abs(x).add_(1)), data, out)


@kernel(pointwise=True)
def hard_sigmoid(data: Tensor, *, alpha: float, beta: float, out: Out = None) -> Tensor:
    """Return ``alpha * data + beta`` cut to ``[0, 1]``."""
    return in_float32(lambda x: torch.mul(x, alpha).add_(beta).clamp_(0, 1), data, out)
