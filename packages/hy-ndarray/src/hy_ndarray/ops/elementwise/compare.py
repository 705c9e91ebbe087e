"""Comparisons and logic of two arrays, or of an array and a number; results are 0 or 1.

The results are piecewise constant, so the gradients are zero.
"""

from hy_ndarray.ops.adjoints import no_gradient
from hy_ndarray.ops.families import pointwise_family
from hy_ndarray.ops.record.rules import broadcast, same
from hy_ndarray.ops.record.schema import OperatorFunction, pointwise
from hy_ndarray.ops.record.types import TensorType

_INTEGERS = ("uint8", "int8", "int32", "int64")


def scalar_type(data: TensorType, is_int: bool) -> TensorType:
    """Return the type of an operation on ``data`` and a number.

    That is the type of ``data``, except that booleans become int64 or float64, and integers float64
    if the number is not an integer.
    """
    if data.dtype == "bool":
        return data.with_dtype("int64" if is_int else "float64")
    if data.dtype in _INTEGERS and not is_int:
        return data.with_dtype("float64")
    return data


def _of_broadcast(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the type of the result of two operands that broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.
    """
    return broadcast(lhs, rhs)


def _of_same(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the type of the result of two operands of the same type.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: Same shape and dtype as ``lhs``.
    """
    return same(lhs, rhs)


def of_scalar(data: TensorType, *, scalar: float = 1.0, is_int: bool = True) -> TensorType:
    """Return the type of the result for an array and a number.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: Whether ``scalar`` is an integer.
    """
    return scalar_type(data, is_int)


_broadcast = pointwise_family(
    _of_broadcast, kernel="broadcast_{}", name="broadcast_{}", same="dtype", grad=no_gradient
)
_same = pointwise_family(_of_same, kernel="elemwise_{}", name="_{}", same="type", grad=no_gradient)
_scalar = pointwise_family(of_scalar, kernel="{}_scalar", name="_{}_scalar", grad=no_gradient)


def _forms(word: str, when: str) -> tuple[OperatorFunction, OperatorFunction, OperatorFunction]:
    """Declare the variants of a comparison: broadcasting, of one shape, and array with number."""
    title = word.title()
    of_arrays = when.format("lhs", "rhs")
    of_number = when.format("data", "scalar")
    return (
        _broadcast(word, text=f"1 where {of_arrays}, else 0; broadcast."),
        _same(word, f"_{title}", text=f"1 where {of_arrays}, else 0."),
        _scalar(word, f"_{title.replace('_', '')}Scalar", text=f"1 where {of_number}, else 0."),
    )


broadcast_equal, elemwise_equal, equal_scalar = _forms("equal", "``{}`` equals ``{}``")
broadcast_not_equal, elemwise_not_equal, not_equal_scalar = _forms(
    "not_equal", "``{}`` differs from ``{}``"
)
broadcast_greater, elemwise_greater, greater_scalar = _forms("greater", "``{} > {}``")
broadcast_greater_equal, elemwise_greater_equal, greater_equal_scalar = _forms(
    "greater_equal", "``{} >= {}``"
)
broadcast_lesser, elemwise_lesser, lesser_scalar = _forms("lesser", "``{} < {}``")
broadcast_lesser_equal, elemwise_lesser_equal, lesser_equal_scalar = _forms(
    "lesser_equal", "``{} <= {}``"
)
broadcast_logical_and, elemwise_logical_and, logical_and_scalar = _forms(
    "logical_and", "both are not 0"
)
broadcast_logical_or, elemwise_logical_or, logical_or_scalar = _forms(
    "logical_or", "one of them is not 0"
)
broadcast_logical_xor, elemwise_logical_xor, logical_xor_scalar = _forms(
    "logical_xor", "exactly one of them is not 0"
)


@pointwise("logical_not", grad=no_gradient)
def logical_not(data: TensorType) -> TensorType:
    """Return 1 where ``data`` is 0, else 0.

    Args:
        data: ``[*shape]``, any dtype; the result has the same dtype.
    """
    return data
