"""Matrix products of any dtype."""

import torch

from hy_kernels.torch._tensor import Tensor, stored


def matmul(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """Return products of stacks of matrices of one dtype; 16-bit floats are summed in float32.

    Args:
        a: ``[*, N, K]``.
        b: ``[*, K, M]``.
        out: Contiguous memory for the result.
    """
    # torch accumulates 16-bit products in float32 itself.
    if a.dtype.is_floating_point:
        return torch.matmul(a, b, out=out)
    memory = None if out is None else (out,)
    if a.dtype is torch.bool:
        return stored(_integer_matmul(a.to(torch.int32), b.to(torch.int32)).ne(0), memory)
    return stored(_integer_matmul(a, b), memory)


def _integer_matmul(a: Tensor, b: Tensor) -> Tensor:
    """Return a product of integer matrices; on GPUs as a sum of broadcast products."""
    # CUDA has no integer matrix product; a broadcast product and a sum have one result, exactly.
    if a.device.type == "cpu":
        return torch.matmul(a, b)
    rows = a if a.ndim > 1 else a[None]
    columns = b if b.ndim > 1 else b[:, None]
    y = torch.mul(rows.unsqueeze(-1), columns.unsqueeze(-3)).sum(-2).to(a.dtype)
    y = y if a.ndim > 1 else y.squeeze(-2)
    return y if b.ndim > 1 else y.squeeze(-1)
