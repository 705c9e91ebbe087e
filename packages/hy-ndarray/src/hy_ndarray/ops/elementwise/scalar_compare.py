"""Comparisons and logic of an array and a number; the result is 0 or 1.

Its dtype is that of the array, except that an array of integers becomes float64 with a number that
is no integer (``is_int=False``), and an array of booleans int64 or float64. Comparisons are
constant wherever they are smooth: no gradient flows back.
"""

from typing import Any

from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "equal_scalar",
    "greater_equal_scalar",
    "greater_scalar",
    "lesser_equal_scalar",
    "lesser_scalar",
    "logical_and_scalar",
    "logical_or_scalar",
    "logical_xor_scalar",
    "not_equal_scalar",
    "scalar_type",
]

_INTEGERS = ("uint8", "int8", "int32", "int64")


def scalar_type(data: TensorType, is_int: bool) -> TensorType:
    """Type of the result: the shape of ``data``, and its dtype or a wider one."""
    if data.dtype == "bool":
        return data.with_dtype("int64" if is_int else "float64")
    if data.dtype in _INTEGERS and not is_int:
        return data.with_dtype("float64")
    return data


def _grad(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@pointwise("_equal_scalar", "_EqualScalar", grad=_grad)
def equal_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """1 where ``data`` equals ``scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_not_equal_scalar", "_NotEqualScalar", grad=_grad)
def not_equal_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """1 where ``data`` differs from ``scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_greater_scalar", "_GreaterScalar", grad=_grad)
def greater_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """1 where ``data > scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_greater_equal_scalar", "_GreaterEqualScalar", grad=_grad)
def greater_equal_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """1 where ``data >= scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_lesser_scalar", "_LesserScalar", grad=_grad)
def lesser_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """1 where ``data < scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_lesser_equal_scalar", "_LesserEqualScalar", grad=_grad)
def lesser_equal_scalar(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """1 where ``data <= scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_logical_and_scalar", "_LogicalAndScalar", grad=_grad)
def logical_and_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """1 where both are not 0, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_logical_or_scalar", "_LogicalOrScalar", grad=_grad)
def logical_or_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """1 where one of them is not 0, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)


@pointwise("_logical_xor_scalar", "_LogicalXorScalar", grad=_grad)
def logical_xor_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """1 where exactly one of them is not 0, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """
    return scalar_type(data, is_int)
