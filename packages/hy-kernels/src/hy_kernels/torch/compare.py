"""Comparisons and logic of arrays; the result is 0 or 1 in the operands' dtype."""

import torch

from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import Out, Tensor

__all__ = [
    "broadcast_equal",
    "broadcast_greater",
    "broadcast_greater_equal",
    "broadcast_lesser",
    "broadcast_lesser_equal",
    "broadcast_logical_and",
    "broadcast_logical_or",
    "broadcast_logical_xor",
    "broadcast_not_equal",
    "elemwise_equal",
    "elemwise_greater",
    "elemwise_greater_equal",
    "elemwise_lesser",
    "elemwise_lesser_equal",
    "elemwise_logical_and",
    "elemwise_logical_or",
    "elemwise_logical_xor",
    "elemwise_not_equal",
    "logical_not",
]


@kernel(pointwise=True)
def broadcast_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs == rhs``."""
    if out is None:
        return torch.eq(lhs, rhs).to(lhs.dtype)
    return torch.eq(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_not_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs != rhs``."""
    if out is None:
        return torch.ne(lhs, rhs).to(lhs.dtype)
    return torch.ne(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_greater(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs > rhs``."""
    if out is None:
        return torch.gt(lhs, rhs).to(lhs.dtype)
    return torch.gt(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_greater_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs >= rhs``."""
    if out is None:
        return torch.ge(lhs, rhs).to(lhs.dtype)
    return torch.ge(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_lesser(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs < rhs``."""
    if out is None:
        return torch.lt(lhs, rhs).to(lhs.dtype)
    return torch.lt(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_lesser_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs <= rhs``."""
    if out is None:
        return torch.le(lhs, rhs).to(lhs.dtype)
    return torch.le(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_logical_and(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Both are not 0."""
    if out is None:
        return torch.logical_and(lhs, rhs).to(lhs.dtype)
    return torch.logical_and(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_logical_or(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """One is not 0."""
    if out is None:
        return torch.logical_or(lhs, rhs).to(lhs.dtype)
    return torch.logical_or(lhs, rhs, out=out[0])


@kernel(pointwise=True)
def broadcast_logical_xor(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Exactly one is not 0."""
    if out is None:
        return torch.logical_xor(lhs, rhs).to(lhs.dtype)
    return torch.logical_xor(lhs, rhs, out=out[0])


elemwise_equal = alias("elemwise_equal", broadcast_equal)
elemwise_not_equal = alias("elemwise_not_equal", broadcast_not_equal)
elemwise_greater = alias("elemwise_greater", broadcast_greater)
elemwise_greater_equal = alias("elemwise_greater_equal", broadcast_greater_equal)
elemwise_lesser = alias("elemwise_lesser", broadcast_lesser)
elemwise_lesser_equal = alias("elemwise_lesser_equal", broadcast_lesser_equal)
elemwise_logical_and = alias("elemwise_logical_and", broadcast_logical_and)
elemwise_logical_or = alias("elemwise_logical_or", broadcast_logical_or)
elemwise_logical_xor = alias("elemwise_logical_xor", broadcast_logical_xor)


@kernel(pointwise=True)
def logical_not(data: Tensor, *, out: Out = None) -> Tensor:
    """``data == 0``."""
    if out is None:
        return torch.logical_not(data).to(data.dtype)
    return torch.logical_not(data, out=out[0])
