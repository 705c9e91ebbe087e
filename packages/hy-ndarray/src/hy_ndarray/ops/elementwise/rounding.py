"""Element-wise rounding to integers.

Rounding is piecewise constant, so its gradient is zero, except for the straight-through estimators.
"""

from hy_ndarray.ops.adjoints import no_gradient, same_gradient
from hy_ndarray.ops.families import number_function
from hy_ndarray.ops.record.schema import pointwise
from hy_ndarray.ops.record.types import TensorType

floor = number_function(
    "floor", "_sparse_floor", text="The largest integer not above each element.", grad=no_gradient
)
ceil = number_function(
    "ceil", "_sparse_ceil", text="The smallest integer not below each element.", grad=no_gradient
)
trunc = number_function(
    "trunc", "_sparse_trunc", text="Each element without its fraction.", grad=no_gradient
)
fix = number_function(
    "fix", "_sparse_fix", text="Each element without its fraction; as ``trunc``.", grad=no_gradient
)
rint = number_function(
    "rint",
    "_sparse_rint",
    text="The nearest integer; of two equally near ones the lower.",
    grad=no_gradient,
)
round = number_function(
    "round",
    "_sparse_round",
    text="The nearest integer; of two equally near ones that farther from 0.",
    grad=no_gradient,
)


@pointwise("_contrib_round_ste", "_sparse__contrib_round_ste", grad=same_gradient)
def round_ste(data: TensorType) -> TensorType:
    """Return ``data`` rounded; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Source:
        Bengio, Léonard, Courville 2013, arXiv:1308.3432 (straight-through estimator).
    """
    return data


@pointwise("_contrib_sign_ste", "_sparse__contrib_sign_ste", grad=same_gradient)
def sign_ste(data: TensorType) -> TensorType:
    """Return the sign of ``data``; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Source:
        Bengio, Léonard, Courville 2013, arXiv:1308.3432 (straight-through estimator).
    """
    return data
