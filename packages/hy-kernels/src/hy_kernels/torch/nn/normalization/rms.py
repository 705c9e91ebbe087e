"""Normalisation by the root mean square (Zhang and Sennrich, 2019)."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype, to_storage_dtype
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, number, stored, target


def _inverse_root(x: Tensor, eps: float) -> Tensor:
    """Return ``1 / sqrt(mean(x²) + eps)`` of each row."""
    norm = torch.linalg.vector_norm(x, 2, -1, True)
    start = number(eps, norm.dtype, norm.device)
    return torch.addcmul(start, norm, norm, value=1 / max(x.shape[-1], 1)).rsqrt_()


def _bind_plain(params: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path that returns the normalised data without the inverse root."""
    eps = params["eps"]

    def normalize(data: Tensor, gamma: Tensor) -> Tensor:
        if data.dtype not in PLAIN or gamma.dtype is not data.dtype or not data.numel():
            y: Tensor = general(data, gamma)[0]
            return y
        # torch's own function is one kernel on GPUs, and nine with as many results on CPUs.
        if not data.is_cpu:
            return functional.rms_norm(data, gamma.shape, gamma, eps).contiguous()
        x = data.contiguous()
        return torch.mul(x, _inverse_root(x, eps)).mul_(gamma)

    return normalize


@kernel(out="apart", specialize=by_params(_bind_plain))
def rms_norm(
    data: Tensor, gamma: Tensor, *, eps: float, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return ``gamma · data / sqrt(mean(data²) + eps)``, and ``1 / sqrt(mean(data²) + eps)``."""
    x = to_compute_dtype(data)
    inverse = _inverse_root(x, eps)
    y = torch.mul(x, inverse, out=target(out, x.shape, x.dtype, x.device)).mul_(gamma)
    return to_storage_dtype(y, data.dtype), stored(to_storage_dtype(inverse, data.dtype), out, 1)


@kernel(out="apart")
def rms_norm_backward(
    dy: Tensor, data: Tensor, gamma: Tensor, inverse: Tensor, *, eps: float, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return the gradients to data and gamma."""
    g, scale = to_compute_dtype(dy), to_compute_dtype(inverse)
    normal = to_compute_dtype(data) * scale
    products = g * normal
    dgamma = products.reshape(-1, len(gamma)).sum(0)
    # The gradient through the mean square: the mean of dy · gamma · normal along the rows.
    along = products.mul_(gamma).mean(-1, keepdim=True)
    memory = target(out, g.shape, g.dtype, g.device)
    y = torch.mul(g, gamma, out=memory).sub_(normal.mul_(along)).mul_(scale)
    return to_storage_dtype(y, data.dtype), stored(to_storage_dtype(dgamma, gamma.dtype), out, 1)
