"""Binary operators whose operands broadcast against each other, and broadcasting itself."""

from typing import Any

from hy_ndarray.ops._rules import broadcast
from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import TensorType

__all__ = ["broadcast_add", "sum_like"]


def _grad_add(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return sum_like(dy, lhs), sum_like(dy, rhs)


@operator("broadcast_add", "broadcast_plus", same="dtype", grad=_grad_add)
def broadcast_add(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs + rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.broadcast_add(nd.array([[1], [2]]), nd.array([[10, 20]])).asnumpy()
        array([[11., 21.],
               [12., 22.]], dtype=float32)
    """
    return broadcast(lhs, rhs)


def _grad_sum_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return like_of(dy, saved.inputs[0]), None


@operator("_sum_like", grad=_grad_sum_like)
def sum_like(data: TensorType, like: TensorType) -> TensorType:
    """``data`` summed over the axes along which ``like`` was broadcast to its shape."""
    return like.with_dtype(data.dtype)


def _grad_like_of(saved: Saved, dy: Any) -> tuple[Any, None]:
    return sum_like(dy, saved.inputs[0]), None


@operator("_broadcast_like_of", grad=_grad_like_of)
def like_of(data: TensorType, like: TensorType) -> TensorType:
    """``data`` broadcast to the shape of ``like``, aligned at the last axis."""
    return like.with_dtype(data.dtype)
