"""Comparisons and logic of arrays; the result is 0 or 1 in the operands' dtype.

They are constant wherever they are smooth: no gradient flows back.
"""

from typing import Any

from hy_ndarray.ops.record.rules import broadcast, same
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType

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


def _grad(saved: Saved, dy: Any) -> tuple[None, None]:
    return None, None


@pointwise("broadcast_equal", same="dtype", grad=_grad)
def broadcast_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs`` equals ``rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_not_equal", same="dtype", grad=_grad)
def broadcast_not_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs`` differs from ``rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_greater", same="dtype", grad=_grad)
def broadcast_greater(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs > rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_greater_equal", same="dtype", grad=_grad)
def broadcast_greater_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs >= rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_lesser", same="dtype", grad=_grad)
def broadcast_lesser(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs < rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_lesser_equal", same="dtype", grad=_grad)
def broadcast_lesser_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs <= rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_logical_and", same="dtype", grad=_grad)
def broadcast_logical_and(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where both are not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_logical_or", same="dtype", grad=_grad)
def broadcast_logical_or(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where one of them is not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("broadcast_logical_xor", same="dtype", grad=_grad)
def broadcast_logical_xor(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where exactly one of them is not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


@pointwise("_equal", "_Equal", same="type", grad=_grad)
def elemwise_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs`` equals ``rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_not_equal", "_Not_Equal", same="type", grad=_grad)
def elemwise_not_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs`` differs from ``rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_greater", "_Greater", same="type", grad=_grad)
def elemwise_greater(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs > rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_greater_equal", "_Greater_Equal", same="type", grad=_grad)
def elemwise_greater_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs >= rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_lesser", "_Lesser", same="type", grad=_grad)
def elemwise_lesser(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs < rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_lesser_equal", "_Lesser_Equal", same="type", grad=_grad)
def elemwise_lesser_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs <= rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_logical_and", "_Logical_And", same="type", grad=_grad)
def elemwise_logical_and(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where both are not 0, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_logical_or", "_Logical_Or", same="type", grad=_grad)
def elemwise_logical_or(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where one of them is not 0, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_logical_xor", "_Logical_Xor", same="type", grad=_grad)
def elemwise_logical_xor(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where exactly one of them is not 0, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_logical_not(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@pointwise("logical_not", grad=_grad_logical_not)
def logical_not(data: TensorType) -> TensorType:
    """1 where ``data`` is 0, else 0.

    Args:
        data: ``[*shape]``, any dtype, which is the dtype of the result.
    """
    return data
