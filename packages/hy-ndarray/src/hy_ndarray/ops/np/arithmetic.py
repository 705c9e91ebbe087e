"""Arithmetic and comparison of two arrays, which broadcast and may differ in dtype."""

from typing import Any

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.elementwise.broadcast import broadcast_hypot
from hy_ndarray.ops.elementwise.casting import cast_like
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.elementwise.rounding import floor
from hy_ndarray.ops.elementwise.scalar import of_floats
from hy_ndarray.ops.elementwise.unary import square
from hy_ndarray.ops.np._rules import broadcast_all, fitted, is_floating, promoted
from hy_ndarray.ops.record.rules import broadcast
from hy_ndarray.ops.record.schema import Saved, pointwise, synonym
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "np_add",
    "np_arctan2",
    "np_bitwise_and",
    "np_bitwise_or",
    "np_bitwise_xor",
    "np_copysign",
    "np_equal",
    "np_greater",
    "np_greater_equal",
    "np_lcm",
    "np_ldexp",
    "np_less",
    "np_less_equal",
    "np_mod",
    "np_multiply",
    "np_not_equal",
    "np_power",
    "np_subtract",
    "np_true_divide",
]

synonym("_npi_hypot", of=broadcast_hypot, inputs=("x1", "x2"))


def _common(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Both operands broadcast, in the dtype they meet in."""
    shape = broadcast_all(lhs, rhs)
    dtype = promoted(lhs, rhs)
    return (lhs if lhs.dtype == dtype else rhs).with_shape(shape)


def _grad_add(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(dy, lhs), fitted(dy, rhs)


@pointwise("_npi_add", grad=_grad_add)
def np_add(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs + rhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; any dtype.

    Returns:
        The wider dtype of the two, the floating one if one is.

    Raises:
        DTypeError: No dtype holds both.

    Example:
        >>> from hy_ndarray import np
        >>> np.add(np.array([1, 2], dtype="int32"), np.array([0.5])).dtype
        dtype('float32')
    """
    return _common(lhs, rhs)


def _grad_subtract(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(dy, lhs), fitted(-dy, rhs)


@pointwise("_npi_subtract", grad=_grad_subtract)
def np_subtract(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs - rhs``; operands and dtypes as for ``add``, but not two of booleans."""
    output = _common(lhs, rhs)
    if output.dtype == "bool":
        raise DTypeError("booleans cannot be subtracted; use bitwise_xor or logical_xor")
    return output


def _grad_multiply(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(np_multiply(dy, rhs), lhs), fitted(np_multiply(dy, lhs), rhs)


@pointwise("_npi_multiply", grad=_grad_multiply)
def np_multiply(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs * rhs``; operands and dtypes as for ``add``."""
    return _common(lhs, rhs)


def _grad_true_divide(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dlhs = np_true_divide(dy, rhs)
    return fitted(dlhs, lhs), fitted(-np_multiply(dlhs, saved.outputs[0]), rhs)


@pointwise("_npi_true_divide", grad=_grad_true_divide)
def np_true_divide(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs / rhs``; the quotient of integers is float32.

    Operands and dtypes else as for ``add``.
    """
    output = _common(lhs, rhs)
    if output.dtype is None or is_floating(output.dtype):
        return output
    return output.with_dtype("float32")


def _grad_mod(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dy = of_floats(dy)
    drhs = np_multiply(-dy, floor(np_true_divide(lhs, rhs)))
    return fitted(dy, lhs), fitted(drhs, rhs)


@pointwise("_npi_mod", grad=_grad_mod)
def np_mod(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Remainder of ``lhs / rhs`` with the sign of ``rhs``, 0 where that is 0; as ``add``."""
    return _common(lhs, rhs)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    y = saved.outputs[0]
    base = cast_like(lhs, y)  # the logarithm of an integer, or of a narrower float, is no such one
    dlhs = np_multiply(np_multiply(dy, rhs), np_power(base, rhs - 1))
    drhs = np_multiply(dy * y, log(base))
    return fitted(dlhs, lhs), fitted(drhs, rhs)


@pointwise("_npi_power", grad=_grad_power)
def np_power(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs`` to the power of ``rhs``; operands and dtypes as for ``add``."""
    return _common(lhs, rhs)


def _grad_arctan2(saved: Saved, dy: Any) -> tuple[Any, Any]:
    y, x = saved.inputs
    share = np_true_divide(dy, np_add(square(y), square(x)))
    return fitted(np_multiply(share, x), y), fitted(-np_multiply(share, y), x)


@pointwise("_npi_arctan2", same="dtype", grad=_grad_arctan2)
def np_arctan2(x1: TensorType, x2: TensorType) -> TensorType:
    """The angle of the point ``(x2, x1)`` in radians, from -π to π.

    Args:
        x1: ``[*shape]``, floating.
        x2: A shape that broadcasts against it; the dtype of ``x1``.
    """
    return broadcast(x1, x2)


def _grad_copysign(saved: Saved, dy: Any) -> tuple[Any, None]:
    lhs, rhs = saved.inputs
    return fitted(np_multiply(dy, same_sign(lhs, rhs)), lhs), None


@pointwise("_npi_copysign", same="dtype", grad=_grad_copysign)
def np_copysign(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs`` with the sign of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype but bool.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


def _constant(saved: Saved, dy: Any) -> tuple[None, None]:
    return None, None


@pointwise("_np_same_sign", same="dtype", grad=_constant)
def same_sign(lhs: TensorType, rhs: TensorType) -> TensorType:
    """1 where ``lhs`` has the sign of ``rhs``, else -1, and 0 where it is 0."""
    return broadcast(lhs, rhs)


_LN2 = 0.6931471805599453  # log(2)


def _grad_ldexp(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(np_ldexp(dy, rhs), lhs), fitted(dy * saved.outputs[0] * _LN2, rhs)


@pointwise("_npi_ldexp", same="dtype", grad=_grad_ldexp)
def np_ldexp(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs`` times 2 to the power of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return broadcast(lhs, rhs)


def _whole(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Both operands broadcast, of one dtype that is not floating."""
    for t in (lhs, rhs):
        if is_floating(t.dtype):
            raise DTypeError(f"{t!r} must hold integers or booleans")
    return broadcast(lhs, rhs)


@pointwise("_npi_lcm", same="dtype", grad=_constant)
def np_lcm(lhs: TensorType, rhs: TensorType) -> TensorType:
    """The least common multiple of integers.

    Args:
        lhs: ``[*shape]``, integers.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return _whole(lhs, rhs)


@pointwise("_npi_bitwise_and", same="dtype")
def np_bitwise_and(lhs: TensorType, rhs: TensorType) -> TensorType:
    """The bits that both have; of booleans whether both are true.

    Args:
        lhs: ``[*shape]``, integers or booleans.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
    return _whole(lhs, rhs)


@pointwise("_npi_bitwise_or", same="dtype")
def np_bitwise_or(lhs: TensorType, rhs: TensorType) -> TensorType:
    """The bits that one of both has; operands as for ``bitwise_and``."""
    return _whole(lhs, rhs)


@pointwise("_npi_bitwise_xor", same="dtype")
def np_bitwise_xor(lhs: TensorType, rhs: TensorType) -> TensorType:
    """The bits that exactly one of both has; operands as for ``bitwise_and``."""
    return _whole(lhs, rhs)


def _truth(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Booleans in the shape both operands broadcast to; numbers of any two dtypes compare."""
    for t, other in ((lhs, rhs), (rhs, lhs)):
        if t.dtype is None:
            t.set_dtype(other.dtype)
    return TensorType(broadcast_all(lhs, rhs), "bool")


@pointwise("_npi_equal", grad=_constant)
def np_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Whether ``lhs == rhs``, as booleans.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; any dtype.
    """
    return _truth(lhs, rhs)


@pointwise("_npi_not_equal", grad=_constant)
def np_not_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Whether ``lhs != rhs``, as booleans; operands as for ``equal``."""
    return _truth(lhs, rhs)


@pointwise("_npi_greater", grad=_constant)
def np_greater(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Whether ``lhs > rhs``, as booleans; operands as for ``equal``."""
    return _truth(lhs, rhs)


@pointwise("_npi_greater_equal", grad=_constant)
def np_greater_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Whether ``lhs >= rhs``, as booleans; operands as for ``equal``."""
    return _truth(lhs, rhs)


@pointwise("_npi_less", grad=_constant)
def np_less(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Whether ``lhs < rhs``, as booleans; operands as for ``equal``."""
    return _truth(lhs, rhs)


@pointwise("_npi_less_equal", grad=_constant)
def np_less_equal(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Whether ``lhs <= rhs``, as booleans; operands as for ``equal``."""
    return _truth(lhs, rhs)
