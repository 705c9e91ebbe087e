"""Arithmetic of an array and a number.

The result has the dtype of the array, except that an array of integers becomes float64 with a
number that is no integer (``is_int=False``), and an array of booleans int64 or float64.
"""

import math
from typing import Any

from hy_ndarray.ops.elementwise.rounding import floor
from hy_ndarray.ops.elementwise.scalar_compare import (
    greater_equal_scalar,
    lesser_equal_scalar,
    scalar_type,
)
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping.creation import ones_like

__all__ = [
    "div_scalar",
    "hypot_scalar",
    "maximum_scalar",
    "minimum_scalar",
    "minus_scalar",
    "mod_scalar",
    "mul_scalar",
    "plus_scalar",
    "power_scalar",
    "rdiv_scalar",
    "rminus_scalar",
    "rmod_scalar",
    "rpower_scalar",
    "scatter_minus_scalar",
    "scatter_plus_scalar",
]


def _grad_plus(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy,)


@pointwise("_plus_scalar", "_PlusScalar", grad=_grad_plus)
def plus_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``data + scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_minus(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy,)


@pointwise("_minus_scalar", "_MinusScalar", grad=_grad_minus)
def minus_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``data - scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_rminus(saved: Saved, dy: Any) -> tuple[Any]:
    return (-dy,)


@pointwise("_rminus_scalar", "_RMinusScalar", grad=_grad_rminus)
def rminus_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``scalar - data``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_mul(saved: Saved, dy: Any) -> tuple[Any]:
    return (mul_scalar(dy, **saved.params),)


@pointwise("_mul_scalar", "_MulScalar", grad=_grad_mul)
def mul_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``data * scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_div(saved: Saved, dy: Any) -> tuple[Any]:
    return (div_scalar(dy, **saved.params),)


@pointwise("_div_scalar", "_DivScalar", grad=_grad_div)
def div_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``data / scalar``; the quotient of integers is rounded towards 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_rdiv(saved: Saved, dy: Any) -> tuple[Any]:
    return (-(dy * saved.outputs[0] / saved.inputs[0]),)


@pointwise("_rdiv_scalar", "_RDivScalar", grad=_grad_rdiv)
def rdiv_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``scalar / data``; the quotient of integers is rounded towards 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def of_floats(dy: Any) -> Any:
    """``dy``, or zeros where it is of integers, through whose remainders no gradient flows."""
    half = div_scalar(ones_like(dy), scalar=2.0)  # 0 in integers
    return dy * (half + half)


def _grad_mod(saved: Saved, dy: Any) -> tuple[Any]:
    return (of_floats(dy),)


@pointwise("_mod_scalar", "_ModScalar", grad=_grad_mod)
def mod_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Remainder of ``data / scalar`` with the sign of ``scalar``; 0 if ``scalar`` is 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_rmod(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (-(of_floats(dy) * floor(rdiv_scalar(data, **saved.params))),)


@pointwise("_rmod_scalar", "_RModScalar", grad=_grad_rmod)
def rmod_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Remainder of ``scalar / data`` with the sign of ``data``; 0 where that is 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    scalar, is_int = saved.params["scalar"], saved.params["is_int"]
    slope = power_scalar(data, scalar=scalar - 1, is_int=is_int)
    return (dy * mul_scalar(slope, **saved.params),)


@pointwise("_power_scalar", "_PowerScalar", grad=_grad_power)
def power_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``data`` to the power of ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_rpower(saved: Saved, dy: Any) -> tuple[Any]:
    scalar = saved.params["scalar"]
    factor = math.log(scalar) if scalar > 0 else -math.inf if scalar == 0 else math.nan
    return (dy * saved.outputs[0] * factor,)


@pointwise("_rpower_scalar", "_RPowerScalar", grad=_grad_rpower)
def rpower_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``scalar`` to the power of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_maximum(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * greater_equal_scalar(saved.inputs[0], **saved.params),)


@pointwise("_maximum_scalar", "_MaximumScalar", "_npi_maximum_scalar", grad=_grad_maximum)
def maximum_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """The larger of ``data`` and ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_minimum(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * lesser_equal_scalar(saved.inputs[0], **saved.params),)


@pointwise("_minimum_scalar", "_MinimumScalar", "_npi_minimum_scalar", grad=_grad_minimum)
def minimum_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """The smaller of ``data`` and ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


def _grad_hypot(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * saved.inputs[0] / saved.outputs[0],)


@pointwise("_hypot_scalar", "_HypotScalar", "_npi_hypot_scalar", grad=_grad_hypot)
def hypot_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """``sqrt(data² + scalar²)`` without overflow.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_scatter_plus_scalar", grad=_grad_plus)
def scatter_plus_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """``data + scalar``, of a sparse array only where it stores elements.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_scatter_minus_scalar", grad=_grad_minus)
def scatter_minus_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """``data - scalar``, of a sparse array only where it stores elements.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)
