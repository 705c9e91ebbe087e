"""Element-wise arithmetic of an array and a number.

The result has the dtype of the array, except that integers become float64 if the number is not an
integer (``is_int=False``), and booleans become int64 or float64.
"""

import math
from typing import Any

from hy_ndarray.ops.adjoints import gradient_by, same_gradient
from hy_ndarray.ops.elementwise.compare import greater_equal_scalar, lesser_equal_scalar, of_scalar
from hy_ndarray.ops.elementwise.rounding import floor
from hy_ndarray.ops.families import pointwise_family
from hy_ndarray.ops.record.schema import Saved
from hy_ndarray.ops.shaping.creation import ones_like

_scalar = pointwise_family(of_scalar, kernel="{}_scalar", name="_{}_scalar")


plus_scalar = _scalar("plus", "_PlusScalar", text="``data + scalar``.", grad=same_gradient)


minus_scalar = _scalar("minus", "_MinusScalar", text="``data - scalar``.", grad=same_gradient)


rminus_scalar = _scalar(
    "rminus", "_RMinusScalar", text="``scalar - data``.", grad=lambda saved, dy: (-dy,)
)


mul_scalar = _scalar(
    "mul", "_MulScalar", text="``data * scalar``.", grad=gradient_by("_mul_scalar")
)


div_scalar = _scalar(
    "div",
    "_DivScalar",
    text="``data / scalar``; the quotient of integers is rounded towards 0.",
    grad=gradient_by("_div_scalar"),
)


rdiv_scalar = _scalar(
    "rdiv",
    "_RDivScalar",
    text="``scalar / data``; the quotient of integers is rounded towards 0.",
    grad=lambda saved, dy: (-(dy * saved.outputs[0] / saved.inputs[0]),),
)


def of_floats(dy: Any) -> Any:
    """Return ``dy`` if it is floating, else zeros: remainders of integers have no gradient."""
    half = div_scalar(ones_like(dy), scalar=2.0)  # 0 in integers
    return dy * (half + half)


mod_scalar = _scalar(
    "mod",
    "_ModScalar",
    text="Remainder of ``data / scalar`` with the sign of ``scalar``; 0 if ``scalar`` is 0.",
    grad=lambda saved, dy: (of_floats(dy),),
)


def _grad_rmod(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (-(of_floats(dy) * floor(rdiv_scalar(data, **saved.params))),)


rmod_scalar = _scalar(
    "rmod",
    "_RModScalar",
    text="Remainder of ``scalar / data`` with the sign of ``data``; 0 where that is 0.",
    grad=_grad_rmod,
)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    scalar, is_int = saved.params["scalar"], saved.params["is_int"]
    slope = power_scalar(data, scalar=scalar - 1, is_int=is_int)
    return (dy * mul_scalar(slope, **saved.params),)


power_scalar = _scalar(
    "power",
    "_PowerScalar",
    text="``data`` to the power of ``scalar``.",
    grad=_grad_power,
)


def _grad_rpower(saved: Saved, dy: Any) -> tuple[Any]:
    scalar = saved.params["scalar"]
    factor = math.log(scalar) if scalar > 0 else -math.inf if scalar == 0 else math.nan
    return (dy * saved.outputs[0] * factor,)


rpower_scalar = _scalar(
    "rpower",
    "_RPowerScalar",
    text="``scalar`` to the power of ``data``.",
    grad=_grad_rpower,
)


maximum_scalar = _scalar(
    "maximum",
    "_MaximumScalar",
    "_npi_maximum_scalar",
    text="The larger of ``data`` and ``scalar``.",
    grad=lambda saved, dy: (dy * greater_equal_scalar(saved.inputs[0], **saved.params),),
)


minimum_scalar = _scalar(
    "minimum",
    "_MinimumScalar",
    "_npi_minimum_scalar",
    text="The smaller of ``data`` and ``scalar``.",
    grad=lambda saved, dy: (dy * lesser_equal_scalar(saved.inputs[0], **saved.params),),
)


hypot_scalar = _scalar(
    "hypot",
    "_HypotScalar",
    "_npi_hypot_scalar",
    text="``sqrt(data² + scalar²)`` without overflow.",
    grad=lambda saved, dy: (dy * saved.inputs[0] / saved.outputs[0],),
)
scatter_plus_scalar = _scalar(
    "scatter_plus",
    text="``data + scalar``, of a sparse array only where it stores elements.",
    grad=same_gradient,
)
scatter_minus_scalar = _scalar(
    "scatter_minus",
    text="``data - scalar``, of a sparse array only where it stores elements.",
    grad=same_gradient,
)
