"""Gradients of densities: sums that undo the broadcasting of parameters."""

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, stored


@kernel(out="apart")
def unspread_like(data: Tensor, like: Tensor, *, keep: int, out: OutBuffers = None) -> Tensor:
    """Return ``data`` summed along the axes that ``like`` lacks, before its last ``keep`` ones."""
    front, extra = like.ndim - keep, data.ndim - like.ndim
    axes = tuple(range(front, front + extra))
    if not axes:
        return copied(data, out)
    return stored(torch.sum(data, axes, dtype=accumulator(data.dtype)).to(data.dtype), out)
