"""Arithmetic and comparison of an array and a number.

Arithmetic keeps the dtype of the array, except that integers become float64 if the number is not
an integer (``is_int=False``), and booleans int64 or float64. Comparisons return booleans.
"""

from typing import Any

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.adjoints import gradient_by, no_gradient
from hy_ndarray.ops.elementwise import scalar
from hy_ndarray.ops.elementwise.compare import scalar_type
from hy_ndarray.ops.elementwise.unary import sign, square
from hy_ndarray.ops.families import pointwise_family
from hy_ndarray.ops.np._rules import is_floating
from hy_ndarray.ops.record.schema import Saved, synonym
from hy_ndarray.ops.record.types import TensorType

synonym("_npi_add_scalar", of=scalar.plus_scalar)
synonym("_npi_subtract_scalar", of=scalar.minus_scalar)
synonym("_npi_rsubtract_scalar", of=scalar.rminus_scalar)
synonym("_npi_multiply_scalar", of=scalar.mul_scalar)
synonym("_npi_mod_scalar", of=scalar.mod_scalar)
synonym("_npi_rmod_scalar", of=scalar.rmod_scalar)
synonym("_npi_power_scalar", of=scalar.power_scalar)
synonym("_npi_rpower_scalar", of=scalar.rpower_scalar)


def _of_same(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Return the type of arithmetic of an array and a number."""
    return scalar_type(data, is_int)


def _of_quotient(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Return the type of a quotient: floating dtypes are kept, others become float32."""
    return data if data.dtype is None or is_floating(data.dtype) else data.with_dtype("float32")


def _of_whole(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Return the type of ``data``, which must hold integers or booleans."""
    if is_floating(data.dtype):
        raise DTypeError(f"{data!r} must hold integers or booleans")
    return data


def _of_truth(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Return the type of a comparison: boolean, in the shape of ``data``."""
    return data.with_dtype("bool")


_NAMES = {"kernel": "np_{}_scalar", "name": "_npi_{}_scalar"}
_scalar = pointwise_family(_of_same, **_NAMES)
_fraction = pointwise_family(_of_quotient, **_NAMES)
_bits = pointwise_family(_of_whole, **_NAMES)
_test = pointwise_family(_of_truth, **_NAMES, grad=no_gradient)


np_true_divide_scalar = _fraction(
    "true_divide",
    text="``data / scalar``, float32 where ``data`` holds integers.",
    grad=gradient_by("_npi_true_divide_scalar"),
)


np_rtrue_divide_scalar = _fraction(
    "rtrue_divide",
    text="``scalar / data``, float32 where ``data`` holds integers.",
    grad=lambda saved, dy: (-(dy * saved.outputs[0] / saved.inputs[0]),),
)


def _grad_arctan2(saved: Saved, dy: Any) -> tuple[Any]:
    number = saved.params["scalar"]
    return (dy * number / (square(saved.inputs[0]) + number**2),)


np_arctan2_scalar = _scalar(
    "arctan2", text="The angle of the points ``(scalar, data)`` in radians.", grad=_grad_arctan2
)


def _grad_rarctan2(saved: Saved, dy: Any) -> tuple[Any]:
    number = saved.params["scalar"]
    return (dy * -number / (square(saved.inputs[0]) + number**2),)


np_rarctan2_scalar = _scalar(
    "rarctan2", text="The angle of the points ``(data, scalar)`` in radians.", grad=_grad_rarctan2
)


def _grad_copysign(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (dy * np_copysign_scalar(sign(data), **saved.params) * sign(data),)


np_copysign_scalar = _scalar(
    "copysign", text="``data`` with the sign of ``scalar``.", grad=_grad_copysign
)
np_rcopysign_scalar = _scalar(
    "rcopysign", text="``scalar`` with the sign of each element of ``data``.", grad=no_gradient
)


np_ldexp_scalar = _scalar(
    "ldexp",
    text="``data`` times 2 to the power of ``scalar``.",
    grad=gradient_by("_npi_ldexp_scalar"),
)


_LN2 = 0.6931471805599453  # log(2)


np_rldexp_scalar = _scalar(
    "rldexp",
    text="``scalar`` times 2 to the power of ``data``.",
    grad=lambda saved, dy: (dy * saved.outputs[0] * _LN2,),
)
np_lcm_scalar = _bits(
    "lcm", text="The least common multiple of integers and one integer.", grad=no_gradient
)
np_bitwise_and_scalar = _bits(
    "bitwise_and", text="The bits that elements and ``scalar`` have both."
)
np_bitwise_or_scalar = _bits("bitwise_or", text="The bits that elements or ``scalar`` have.")
np_bitwise_xor_scalar = _bits(
    "bitwise_xor", text="The bits in which elements and ``scalar`` differ."
)
np_equal_scalar = _test("equal", text="Whether ``data == scalar``, as booleans.")
np_not_equal_scalar = _test("not_equal", text="Whether ``data != scalar``, as booleans.")
np_greater_scalar = _test("greater", text="Whether ``data > scalar``, as booleans.")
np_greater_equal_scalar = _test("greater_equal", text="Whether ``data >= scalar``, as booleans.")
np_less_scalar = _test("less", text="Whether ``data < scalar``, as booleans.")
np_less_equal_scalar = _test("less_equal", text="Whether ``data <= scalar``, as booleans.")
