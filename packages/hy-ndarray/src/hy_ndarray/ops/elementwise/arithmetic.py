"""Arithmetic of arrays of one shape, and sums of many."""

from typing import Any

from hy_ndarray.ops.elementwise.compare import (
    elemwise_greater,
    elemwise_greater_equal,
    elemwise_lesser,
    elemwise_lesser_equal,
)
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.elementwise.rounding import floor
from hy_ndarray.ops.elementwise.scalar import of_floats
from hy_ndarray.ops.record.rules import same
from hy_ndarray.ops.record.schema import Saved, operator, pointwise
from hy_ndarray.ops.record.traits import Quantized, Traits
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "add_n",
    "elemwise_add",
    "elemwise_div",
    "elemwise_hypot",
    "elemwise_maximum",
    "elemwise_minimum",
    "elemwise_mod",
    "elemwise_mul",
    "elemwise_power",
    "elemwise_sub",
    "grad_add",
    "scatter_elemwise_div",
]


def _grad_add(saved: Saved, dy: Any) -> tuple[Any, Any]:
    return dy, dy


def _quantized(operator: str) -> Traits:
    return Traits(pointwise=True, quantized=Quantized(operator, sums=True))


@operator(
    "elemwise_add",
    *("_Plus", "_add", "_plus", "_sparse_elemwise_add"),
    same="type",
    grad=_grad_add,
    traits=_quantized("_contrib_quantized_elemwise_add"),
)
def elemwise_add(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs + rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_sub(saved: Saved, dy: Any) -> tuple[Any, Any]:
    return dy, -dy


@pointwise(
    "elemwise_sub", "_Minus", "_minus", "_sparse_elemwise_sub", "_sub", same="type", grad=_grad_sub
)
def elemwise_sub(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs - rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_mul(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * rhs, dy * lhs


@operator(
    "elemwise_mul",
    *("_Mul", "_mul", "_sparse_elemwise_mul"),
    same="type",
    grad=_grad_mul,
    traits=_quantized("_contrib_quantized_elemwise_mul"),
)
def elemwise_mul(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs * rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_div(saved: Saved, dy: Any) -> tuple[Any, Any]:
    rhs = saved.inputs[1]
    return dy / rhs, -(dy * (saved.outputs[0] / rhs))


@pointwise("elemwise_div", "_Div", "_div", "_sparse_elemwise_div", same="type", grad=_grad_div)
def elemwise_div(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs / rhs`` of one shape; the quotient of integers is rounded towards 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_mod(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dy = of_floats(dy)
    return dy, -(dy * floor(lhs / rhs))


@pointwise("_mod", "_Mod", same="type", grad=_grad_mod)
def elemwise_mod(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Remainder of ``lhs / rhs`` with the sign of ``rhs``; 0 where ``rhs`` is 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * rhs * elemwise_power(lhs, rhs - 1), dy * saved.outputs[0] * log(lhs)


@pointwise("_power", "_Power", same="type", grad=_grad_power)
def elemwise_power(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs`` to the power of ``rhs``, of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_maximum(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * elemwise_greater_equal(lhs, rhs), dy * elemwise_lesser(lhs, rhs)


@pointwise("_maximum", "_Maximum", same="type", grad=_grad_maximum)
def elemwise_maximum(lhs: TensorType, rhs: TensorType) -> TensorType:
    """The larger of ``lhs`` and ``rhs``; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_minimum(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * elemwise_lesser_equal(lhs, rhs), dy * elemwise_greater(lhs, rhs)


@pointwise("_minimum", "_Minimum", same="type", grad=_grad_minimum)
def elemwise_minimum(lhs: TensorType, rhs: TensorType) -> TensorType:
    """The smaller of ``lhs`` and ``rhs``; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


def _grad_hypot(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    scaled = dy / saved.outputs[0]
    return scaled * lhs, scaled * rhs


@pointwise("_hypot", "_Hypot", same="type", grad=_grad_hypot)
def elemwise_hypot(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Length of the hypotenuse, ``sqrt(lhs² + rhs²)``, without overflow.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_scatter_elemwise_div", same="type", grad=_grad_div)
def scatter_elemwise_div(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs / rhs``, of a sparse ``lhs`` only in the rows it has; here all arrays are dense.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
    return same(lhs, rhs)


@pointwise("_grad_add", same="type", grad=_grad_add)
def grad_add(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs + rhs``, as graphs write the sum of two gradients."""
    return same(lhs, rhs)


def _grad_add_n(saved: Saved, dy: Any) -> tuple[Any, ...]:
    return (dy,) * len(saved.inputs)


@pointwise(
    "add_n",
    "ElementWiseSum",
    "_sparse_ElementWiseSum",
    "_sparse_add_n",
    same="type",
    count="num_args",
    grad=_grad_add_n,
)
def add_n(*args: TensorType) -> TensorType:
    """The sum of any number of arrays.

    Args:
        args: At least one; all of one shape and dtype.
    """
    return same(*args)
