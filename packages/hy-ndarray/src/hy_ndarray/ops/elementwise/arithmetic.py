"""Element-wise arithmetic of arrays of one shape, and sums of any number of arrays."""

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
from hy_ndarray.ops.families import pointwise_family
from hy_ndarray.ops.record.rules import same
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.traits import Quantized, Traits
from hy_ndarray.ops.record.types import TensorType


def _of_same(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the type of the result of two operands of the same type.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Same shape and dtype as ``lhs``.
    """
    return same(lhs, rhs)


_same = pointwise_family(_of_same, same="type")


def _grad_add(saved: Saved, dy: Any) -> tuple[Any, Any]:
    return dy, dy


def _quantized(operator: str) -> Traits:
    return Traits(pointwise=True, quantized=Quantized(operator, sums=True))


elemwise_add = _same(
    "elemwise_add",
    "elemwise_add",
    *("_Plus", "_add", "_plus", "_sparse_elemwise_add"),
    text="``lhs + rhs`` of one shape.",
    grad=_grad_add,
    traits=_quantized("_contrib_quantized_elemwise_add"),
)


elemwise_sub = _same(
    "elemwise_sub",
    "elemwise_sub",
    "_Minus",
    "_minus",
    "_sparse_elemwise_sub",
    "_sub",
    text="``lhs - rhs`` of one shape.",
    grad=lambda saved, dy: (dy, -dy),
)


def _grad_mul(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * rhs, dy * lhs


elemwise_mul = _same(
    "elemwise_mul",
    "elemwise_mul",
    *("_Mul", "_mul", "_sparse_elemwise_mul"),
    text="``lhs * rhs`` of one shape.",
    grad=_grad_mul,
    traits=_quantized("_contrib_quantized_elemwise_mul"),
)


def _grad_div(saved: Saved, dy: Any) -> tuple[Any, Any]:
    rhs = saved.inputs[1]
    return dy / rhs, -(dy * (saved.outputs[0] / rhs))


elemwise_div = _same(
    "elemwise_div",
    "elemwise_div",
    "_Div",
    "_div",
    "_sparse_elemwise_div",
    text="``lhs / rhs`` of one shape; the quotient of integers is rounded towards 0.",
    grad=_grad_div,
)


def _grad_mod(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dy = of_floats(dy)
    return dy, -(dy * floor(lhs / rhs))


elemwise_mod = _same(
    "elemwise_mod",
    "_mod",
    "_Mod",
    text="Remainder of ``lhs / rhs`` with the sign of ``rhs``; 0 where ``rhs`` is 0.",
    grad=_grad_mod,
)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * rhs * elemwise_power(lhs, rhs - 1), dy * saved.outputs[0] * log(lhs)


elemwise_power = _same(
    "elemwise_power",
    "_power",
    "_Power",
    text="``lhs`` to the power of ``rhs``, of one shape.",
    grad=_grad_power,
)


def _grad_maximum(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * elemwise_greater_equal(lhs, rhs), dy * elemwise_lesser(lhs, rhs)


elemwise_maximum = _same(
    "elemwise_maximum",
    "_maximum",
    "_Maximum",
    text="""The larger of ``lhs`` and ``rhs``; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.""",
    grad=_grad_maximum,
)


def _grad_minimum(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return dy * elemwise_lesser_equal(lhs, rhs), dy * elemwise_greater(lhs, rhs)


elemwise_minimum = _same(
    "elemwise_minimum",
    "_minimum",
    "_Minimum",
    text="""The smaller of ``lhs`` and ``rhs``; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.""",
    grad=_grad_minimum,
)


def _grad_hypot(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    scaled = dy / saved.outputs[0]
    return scaled * lhs, scaled * rhs


elemwise_hypot = _same(
    "elemwise_hypot",
    "_hypot",
    "_Hypot",
    text="Length of the hypotenuse, ``sqrt(lhs² + rhs²)``, without overflow.",
    grad=_grad_hypot,
)
scatter_elemwise_div = _same(
    "scatter_elemwise_div",
    "_scatter_elemwise_div",
    text="``lhs / rhs``, of a sparse ``lhs`` only in the rows it has; here all arrays are dense.",
    grad=_grad_div,
)


@pointwise("_grad_add", same="type", grad=_grad_add)
def grad_add(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return ``lhs + rhs``; saved graphs use it to sum two gradients."""
    return same(lhs, rhs)


@pointwise(
    "add_n",
    "ElementWiseSum",
    "_sparse_ElementWiseSum",
    "_sparse_add_n",
    same="type",
    count="num_args",
    grad=lambda saved, dy: (dy,) * len(saved.inputs),
)
def add_n(*args: TensorType) -> TensorType:
    """Return the element-wise sum of any number of arrays.

    Args:
        args: At least one; all of one shape and dtype.
    """
    return same(*args)
