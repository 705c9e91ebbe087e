"""Binary arithmetic whose operands broadcast against each other, and broadcasting itself."""

from typing import Any

from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.elementwise.compare import (
    broadcast_greater,
    broadcast_greater_equal,
    broadcast_lesser,
    broadcast_lesser_equal,
)
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.elementwise.rounding import floor
from hy_ndarray.ops.elementwise.scalar import of_floats
from hy_ndarray.ops.families import pointwise_family
from hy_ndarray.ops.record.rules import broadcast, broadcast_shapes
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import IDENTITY, Traits
from hy_ndarray.ops.record.types import TensorType


def _of_broadcast(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the type of the result of two operands that broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.
    """
    return broadcast(lhs, rhs)


_broadcast = pointwise_family(
    _of_broadcast, kernel="broadcast_{}", name="broadcast_{}", same="dtype"
)


def _grad_add(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return sum_like(dy, lhs), sum_like(dy, rhs)


broadcast_add = _broadcast(
    "add",
    "_sparse_broadcast_add",
    "_sparse_broadcast_plus",
    "broadcast_plus",
    text="``lhs + rhs``, broadcast.",
    grad=_grad_add,
    more={
        "Example": """
>>> from hy_ndarray import nd
>>> nd.broadcast_add(nd.array([[1], [2]]), nd.array([[10, 20]])).asnumpy()
array([[11., 21.],
       [12., 22.]], dtype=float32)
"""
    },
)


def _grad_sub(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return sum_like(dy, lhs), -sum_like(dy, rhs)


broadcast_sub = _broadcast(
    "sub",
    "_sparse_broadcast_minus",
    "_sparse_broadcast_sub",
    "broadcast_minus",
    text="``lhs - rhs``, broadcast.",
    grad=_grad_sub,
)


def _grad_mul(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return sum_like(broadcast_mul(dy, rhs), lhs), sum_like(broadcast_mul(dy, lhs), rhs)


broadcast_mul = _broadcast(
    "mul",
    "_sparse_broadcast_mul",
    text="``lhs * rhs``, broadcast.",
    grad=_grad_mul,
)


def _grad_div(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    drhs = dy * broadcast_div(saved.outputs[0], rhs)
    return sum_like(broadcast_div(dy, rhs), lhs), -sum_like(drhs, rhs)


broadcast_div = _broadcast(
    "div",
    "_sparse_broadcast_div",
    text="``lhs / rhs``, broadcast; the quotient of integers is rounded towards 0.",
    grad=_grad_div,
)


def _grad_mod(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dy = of_floats(dy)
    return sum_like(dy, lhs), -sum_like(dy * floor(broadcast_div(lhs, rhs)), rhs)


broadcast_mod = _broadcast(
    "mod",
    text="Remainder of ``lhs / rhs`` with the sign of ``rhs``, broadcast; 0 where ``rhs`` is 0.",
    grad=_grad_mod,
)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dlhs = broadcast_mul(dy, rhs) * broadcast_power(lhs, rhs - 1)
    drhs = broadcast_mul(dy * saved.outputs[0], log(lhs))
    return sum_like(dlhs, lhs), sum_like(drhs, rhs)


broadcast_power = _broadcast(
    "power",
    text="``lhs`` to the power of ``rhs``, broadcast.",
    grad=_grad_power,
)


def _grad_maximum(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dlhs = dy * broadcast_greater_equal(lhs, rhs)
    return sum_like(dlhs, lhs), sum_like(dy * broadcast_lesser(lhs, rhs), rhs)


broadcast_maximum = _broadcast(
    "maximum",
    "_npi_maximum",
    text="""The larger of ``lhs`` and ``rhs``, broadcast; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.""",
    grad=_grad_maximum,
)


def _grad_minimum(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dlhs = dy * broadcast_lesser_equal(lhs, rhs)
    return sum_like(dlhs, lhs), sum_like(dy * broadcast_greater(lhs, rhs), rhs)


broadcast_minimum = _broadcast(
    "minimum",
    "_npi_minimum",
    text="""The smaller of ``lhs`` and ``rhs``, broadcast; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.""",
    grad=_grad_minimum,
)


def _grad_hypot(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    scaled = dy / saved.outputs[0]
    return sum_like(broadcast_mul(scaled, lhs), lhs), sum_like(broadcast_mul(scaled, rhs), rhs)


broadcast_hypot = _broadcast(
    "hypot",
    text="Length of the hypotenuse, ``sqrt(lhs² + rhs²)``, broadcast, without overflow.",
    grad=_grad_hypot,
)


@operator(
    "_sum_like",
    grad=gradient_by("_broadcast_like_of", 0),
    traits=Traits(identity=True, shares=True),
)
def sum_like(data: TensorType, like: TensorType) -> TensorType:
    """Return ``data`` summed over the axes along which ``like`` was broadcast to its shape."""
    data.set_shape(broadcast_shapes(data.shape, like.shape))
    return like.with_dtype(data.dtype)


@operator("_broadcast_like_of", grad=gradient_by("_sum_like", 0), traits=IDENTITY)
def like_of(data: TensorType, like: TensorType) -> TensorType:
    """Return ``data`` broadcast to the shape of ``like``, aligned at the last axis."""
    like.set_shape(broadcast_shapes(data.shape, like.shape))
    return like.with_dtype(data.dtype)
