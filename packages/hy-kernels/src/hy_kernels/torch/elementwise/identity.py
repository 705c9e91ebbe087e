"""Operators whose value is their input."""

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied


@kernel(out="apart")
def copy(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return a copy."""
    return copied(data, out)


@kernel(out="apart")
def identity_attach_kl_sparse_reg(
    data: Tensor,
    moving_avg: Tensor,
    *,
    sparseness_target: float,
    penalty: float,
    momentum: float,
    is_train: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, ...]:
    """Return ``data`` unchanged, and the moving average updated by this batch."""
    average = moving_avg
    # An empty batch leaves the moving average as it is.
    if data.numel():
        total = torch.sum(data, (0, *range(2, data.dim())), dtype=accumulator(data.dtype))
        mean = (total / (data.numel() // len(total))).to(total.dtype)
        average = momentum * moving_avg + (1 - momentum) * mean
    average = copied(average, out, 1, dtype=moving_avg.dtype)
    y = copied(data, out)
    return (y, average, average) if is_train else (y, average)
