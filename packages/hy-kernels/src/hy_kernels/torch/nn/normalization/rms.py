"""Normalisation by the root mean square."""

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import narrow, wide
from hy_kernels.torch._tensor import Places, Tensor, stored, target

__all__ = ["rms_norm", "rms_norm_backward"]


@kernel(out="apart")
def rms_norm(
    data: Tensor, gamma: Tensor, *, eps: float, out: Places = None
) -> tuple[Tensor, Tensor]:
    """``gamma data / sqrt(mean(data²) + eps)``, and the inverse of the root."""
    x = wide(data)
    inverse = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square_()
    inverse = inverse.div_(max(x.shape[-1], 1)).add_(eps).rsqrt_()
    y = torch.mul(x, inverse, out=target(out, x.shape, x.dtype, x.device)).mul_(gamma)
    return narrow(y, data.dtype), stored(narrow(inverse, data.dtype), out, 1)


@kernel(out="apart")
def rms_norm_backward(
    dy: Tensor, data: Tensor, gamma: Tensor, inverse: Tensor, *, eps: float, out: Places = None
) -> tuple[Tensor, Tensor]:
    """Gradients to data and gamma."""
    slope, scale = wide(dy), wide(inverse)
    normal = wide(data) * scale
    products = slope * normal
    dgamma = products.reshape(-1, len(gamma)).sum(0)
    along = products.mul_(gamma).mean(-1, keepdim=True)
    memory = target(out, slope.shape, slope.dtype, slope.device)
    y = torch.mul(slope, gamma, out=memory).sub_(normal.mul_(along)).mul_(scale)
    return narrow(y, data.dtype), stored(narrow(dgamma, gamma.dtype), out, 1)
