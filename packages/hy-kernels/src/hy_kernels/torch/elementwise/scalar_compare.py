"""Comparisons and logic of an array and a number."""

from collections.abc import Callable

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, number, stored, with_scalar
from hy_kernels.torch.elementwise.compare import (
    broadcast_equal,
    broadcast_greater,
    broadcast_greater_equal,
    broadcast_lesser,
    broadcast_lesser_equal,
    broadcast_logical_and,
    broadcast_logical_or,
    broadcast_logical_xor,
    broadcast_not_equal,
)
from hy_kernels.torch.elementwise.scalar import short

__all__ = [
    "equal_scalar",
    "greater_equal_scalar",
    "greater_scalar",
    "lesser_equal_scalar",
    "lesser_scalar",
    "logical_and_scalar",
    "logical_or_scalar",
    "logical_xor_scalar",
    "not_equal_scalar",
]


def _compared(
    compare: Callable[..., Tensor], data: Tensor, scalar: float, is_int: bool, out: Out
) -> Tensor:
    """Return the comparison; an integer keeps its value, whether or not the dtype has it."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    # A number that the dtype lacks (300 with uint8) is compared in float64, so that nothing wraps.
    if lhs.dtype.is_floating_point or rhs == int(scalar):
        return compare(lhs, number(rhs, lhs.dtype, lhs.device), out=out)
    wide = widest(lhs.device)
    return stored(compare(lhs.to(wide), number(scalar, wide, lhs.device)).to(lhs.dtype), out)


def _logical(
    combine: Callable[..., Tensor], data: Tensor, scalar: float, is_int: bool, out: Out
) -> Tensor:
    """Return the combination of two truth values."""
    lhs, _ = with_scalar(data, 0, is_int)
    return combine(lhs, number(scalar != 0, torch.bool, lhs.device), out=out)


@kernel(pointwise=True, specialize=short(broadcast_equal))
def equal_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """``data == scalar``."""
    return _compared(broadcast_equal, data, scalar, is_int, out)


@kernel(pointwise=True, specialize=short(broadcast_not_equal))
def not_equal_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """``data != scalar``."""
    return _compared(broadcast_not_equal, data, scalar, is_int, out)


@kernel(pointwise=True, specialize=short(broadcast_greater))
def greater_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """``data > scalar``."""
    return _compared(broadcast_greater, data, scalar, is_int, out)


@kernel(pointwise=True, specialize=short(broadcast_greater_equal))
def greater_equal_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """``data >= scalar``."""
    return _compared(broadcast_greater_equal, data, scalar, is_int, out)


@kernel(pointwise=True, specialize=short(broadcast_lesser))
def lesser_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """``data < scalar``."""
    return _compared(broadcast_lesser, data, scalar, is_int, out)


@kernel(pointwise=True, specialize=short(broadcast_lesser_equal))
def lesser_equal_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """``data <= scalar``."""
    return _compared(broadcast_lesser_equal, data, scalar, is_int, out)


@kernel(pointwise=True)
def logical_and_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return 1 where neither the element nor the scalar is 0."""
    return _logical(broadcast_logical_and, data, scalar, is_int, out)


@kernel(pointwise=True)
def logical_or_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return 1 where the element or the scalar is not 0."""
    return _logical(broadcast_logical_or, data, scalar, is_int, out)


@kernel(pointwise=True)
def logical_xor_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Exactly one is not 0."""
    return _logical(broadcast_logical_xor, data, scalar, is_int, out)
