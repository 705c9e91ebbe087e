"""Comparisons and logic of arrays; the result is 0 or 1 in the operands' dtype."""

from collections.abc import Callable

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


def _answer(question: Callable[..., Tensor], out: Out, *operands: Tensor) -> Tensor:
    """Return torch's answer as numbers of the operands' dtype."""
    if out is None:
        result, dtype = question(*operands), operands[0].dtype
        # A comparison's booleans as numbers of the operands' dtype, as MXNet returns them.
        return result.float() if dtype is torch.float32 else result.to(dtype)
    return question(*operands, out=out[0])


@kernel(pointwise=True)
def broadcast_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs == rhs``."""
    return _answer(torch.eq, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_not_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs != rhs``."""
    return _answer(torch.ne, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_greater(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs > rhs``."""
    return _answer(torch.gt, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_greater_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs >= rhs``."""
    return _answer(torch.ge, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_lesser(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs < rhs``."""
    return _answer(torch.lt, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_lesser_equal(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """``lhs <= rhs``."""
    return _answer(torch.le, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_logical_and(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return 1 where both are not 0."""
    return _answer(torch.logical_and, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_logical_or(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Return 1 where one is not 0."""
    return _answer(torch.logical_or, out, lhs, rhs)


@kernel(pointwise=True)
def broadcast_logical_xor(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
    """Exactly one is not 0."""
    return _answer(torch.logical_xor, out, lhs, rhs)


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
    return _answer(torch.logical_not, out, data)
