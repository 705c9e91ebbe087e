"""Element-wise rounding to integers.

Rounding is piecewise constant, so its gradient is zero, except for the straight-through estimators.
"""

from typing import Any

from hy_ndarray.ops.families import number_function
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType


def _grad(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


floor = number_function(
    "floor", "_sparse_floor", text="The largest integer not above each element.", grad=_grad
)
ceil = number_function(
    "ceil", "_sparse_ceil", text="The smallest integer not below each element.", grad=_grad
)
trunc = number_function(
    "trunc", "_sparse_trunc", text="Each element without its fraction.", grad=_grad
)
fix = number_function(
    "fix", "_sparse_fix", text="Each element without its fraction; as ``trunc``.", grad=_grad
)
rint = number_function(
    "rint",
    "_sparse_rint",
    text="The nearest integer; of two equally near ones the lower.",
    grad=_grad,
)
round = number_function(
    "round",
    "_sparse_round",
    text="The nearest integer; of two equally near ones that farther from 0.",
    grad=_grad,
)


def _grad_straight(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy,)


@pointwise("_contrib_round_ste", "_sparse__contrib_round_ste", grad=_grad_straight)
def round_ste(data: TensorType) -> TensorType:
    """Return ``data`` rounded; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Source:
        Bengio, Léonard, Courville 2013, arXiv:1308.3432 (straight-through estimator).
    """
    return data


@pointwise("_contrib_sign_ste", "_sparse__contrib_sign_ste", grad=_grad_straight)
def sign_ste(data: TensorType) -> TensorType:
    """Return the sign of ``data``; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Source:
        Bengio, Léonard, Courville 2013, arXiv:1308.3432 (straight-through estimator).
    """
    return data
