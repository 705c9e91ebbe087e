"""Operators whose value is their input."""

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import Places, Tensor, copied

__all__ = [
    "block_grad",
    "cast_storage",
    "copy",
    "copyto",
    "gradient_multiplier",
    "identity_attach_kl_sparse_reg",
    "identity_with_attr_like_rhs",
    "make_loss",
]


@kernel(out="apart")
def copy(data: Tensor, *, out: Places = None) -> Tensor:
    """A copy."""
    return copied(data, out)


block_grad = alias("block_grad", copy)
make_loss = alias("make_loss", copy)
copyto = alias("copyto", copy)


@kernel(out="apart")
def identity_with_attr_like_rhs(lhs: Tensor, rhs: Tensor, *, out: Places = None) -> Tensor:
    """``lhs``."""
    return copied(lhs, out)


@kernel(out="apart")
def cast_storage(data: Tensor, *, stype: str, out: Places = None) -> Tensor:  # as numpy's
    """``data``."""
    return copied(data, out)


@kernel(out="apart")
def gradient_multiplier(data: Tensor, *, scalar: float, is_int: bool, out: Places = None) -> Tensor:
    """``data``."""
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
    out: Places = None,
) -> tuple[Tensor, ...]:
    """``data``, and the moving average with this batch in it."""
    average = moving_avg
    if data.numel():  # an empty batch has no mean
        total = torch.sum(data, (0, *range(2, data.dim())), dtype=accumulator(data.dtype))
        mean = (total / (data.numel() // len(total))).to(total.dtype)
        average = momentum * moving_avg + (1 - momentum) * mean
    average = copied(average, out, 1, dtype=moving_avg.dtype)
    y = copied(data, out)
    return (y, average, average) if is_train else (y, average)
