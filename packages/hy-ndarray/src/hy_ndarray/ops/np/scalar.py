"""Arithmetic and comparison of an array and a number.

Arithmetic keeps the dtype of the array, except that integers with a number that is none
(``is_int=False``) become float64, and booleans int64 or float64. Comparisons give booleans.
"""

from typing import Any

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.elementwise import scalar
from hy_ndarray.ops.elementwise.scalar_compare import scalar_type
from hy_ndarray.ops.elementwise.unary import sign, square
from hy_ndarray.ops.np._rules import is_floating
from hy_ndarray.ops.record.schema import Saved, pointwise, synonym
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "np_arctan2_scalar",
    "np_bitwise_and_scalar",
    "np_bitwise_or_scalar",
    "np_bitwise_xor_scalar",
    "np_copysign_scalar",
    "np_equal_scalar",
    "np_greater_equal_scalar",
    "np_greater_scalar",
    "np_lcm_scalar",
    "np_ldexp_scalar",
    "np_less_equal_scalar",
    "np_less_scalar",
    "np_not_equal_scalar",
    "np_rarctan2_scalar",
    "np_rcopysign_scalar",
    "np_rldexp_scalar",
    "np_rtrue_divide_scalar",
    "np_true_divide_scalar",
]

synonym("_npi_add_scalar", of=scalar.plus_scalar)
synonym("_npi_subtract_scalar", of=scalar.minus_scalar)
synonym("_npi_rsubtract_scalar", of=scalar.rminus_scalar)
synonym("_npi_multiply_scalar", of=scalar.mul_scalar)
synonym("_npi_mod_scalar", of=scalar.mod_scalar)
synonym("_npi_rmod_scalar", of=scalar.rmod_scalar)
synonym("_npi_power_scalar", of=scalar.power_scalar)
synonym("_npi_rpower_scalar", of=scalar.rpower_scalar)


def _quotient(data: TensorType) -> TensorType:
    return data if data.dtype is None or is_floating(data.dtype) else data.with_dtype("float32")


def _grad_true_divide(saved: Saved, dy: Any) -> tuple[Any]:
    return (np_true_divide_scalar(dy, **saved.params),)


@pointwise("_npi_true_divide_scalar", grad=_grad_true_divide)
def np_true_divide_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """``data / scalar``, float32 where ``data`` holds integers."""
    return _quotient(data)


def _grad_rtrue_divide(saved: Saved, dy: Any) -> tuple[Any]:
    return (-(dy * saved.outputs[0] / saved.inputs[0]),)


@pointwise("_npi_rtrue_divide_scalar", grad=_grad_rtrue_divide)
def np_rtrue_divide_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """``scalar / data``, float32 where ``data`` holds integers."""
    return _quotient(data)


def _grad_arctan2(saved: Saved, dy: Any) -> tuple[Any]:
    number = saved.params["scalar"]
    return (dy * number / (square(saved.inputs[0]) + number**2),)


@pointwise("_npi_arctan2_scalar", grad=_grad_arctan2)
def np_arctan2_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """The angle of the points ``(scalar, data)`` in radians."""
    return scalar_type(data, is_int)


def _grad_rarctan2(saved: Saved, dy: Any) -> tuple[Any]:
    number = saved.params["scalar"]
    return (dy * -number / (square(saved.inputs[0]) + number**2),)


@pointwise("_npi_rarctan2_scalar", grad=_grad_rarctan2)
def np_rarctan2_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """The angle of the points ``(data, scalar)`` in radians."""
    return scalar_type(data, is_int)


def _grad_copysign(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (dy * np_copysign_scalar(sign(data), **saved.params) * sign(data),)


@pointwise("_npi_copysign_scalar", grad=_grad_copysign)
def np_copysign_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``data`` with the sign of ``scalar``."""
    return scalar_type(data, is_int)


def _no_influence(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@pointwise("_npi_rcopysign_scalar", grad=_no_influence)
def np_rcopysign_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """``scalar`` with the sign of each element of ``data``."""
    return scalar_type(data, is_int)


def _grad_ldexp(saved: Saved, dy: Any) -> tuple[Any]:
    return (np_ldexp_scalar(dy, **saved.params),)


@pointwise("_npi_ldexp_scalar", grad=_grad_ldexp)
def np_ldexp_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``data`` times 2 to the power of ``scalar``."""
    return scalar_type(data, is_int)


_LN2 = 0.6931471805599453  # log(2)


def _grad_rldexp(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * saved.outputs[0] * _LN2,)


@pointwise("_npi_rldexp_scalar", grad=_grad_rldexp)
def np_rldexp_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``scalar`` times 2 to the power of ``data``."""
    return scalar_type(data, is_int)


def _whole(data: TensorType) -> TensorType:
    if is_floating(data.dtype):
        raise DTypeError(f"{data!r} must hold integers or booleans")
    return data


@pointwise("_npi_lcm_scalar", grad=_no_influence)
def np_lcm_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """The least common multiple of integers and one integer."""
    return _whole(data)


@pointwise("_npi_bitwise_and_scalar")
def np_bitwise_and_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """The bits that elements and ``scalar`` have both."""
    return _whole(data)


@pointwise("_npi_bitwise_or_scalar")
def np_bitwise_or_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """The bits that elements or ``scalar`` have."""
    return _whole(data)


@pointwise("_npi_bitwise_xor_scalar")
def np_bitwise_xor_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """The bits in which elements and ``scalar`` differ."""
    return _whole(data)


@pointwise("_npi_equal_scalar", grad=_no_influence)
def np_equal_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Whether ``data == scalar``, as booleans."""
    return data.with_dtype("bool")


@pointwise("_npi_not_equal_scalar", grad=_no_influence)
def np_not_equal_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """Whether ``data != scalar``, as booleans."""
    return data.with_dtype("bool")


@pointwise("_npi_greater_scalar", grad=_no_influence)
def np_greater_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Whether ``data > scalar``, as booleans."""
    return data.with_dtype("bool")


@pointwise("_npi_greater_equal_scalar", grad=_no_influence)
def np_greater_equal_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """Whether ``data >= scalar``, as booleans."""
    return data.with_dtype("bool")


@pointwise("_npi_less_scalar", grad=_no_influence)
def np_less_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Whether ``data < scalar``, as booleans."""
    return data.with_dtype("bool")


@pointwise("_npi_less_equal_scalar", grad=_no_influence)
def np_less_equal_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """Whether ``data <= scalar``, as booleans."""
    return data.with_dtype("bool")
