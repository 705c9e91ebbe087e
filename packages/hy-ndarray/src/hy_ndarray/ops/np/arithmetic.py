"""Arithmetic and comparison of two arrays, with broadcasting and dtype promotion."""

from typing import Any

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.elementwise.broadcast import broadcast_hypot
from hy_ndarray.ops.elementwise.casting import cast_like
from hy_ndarray.ops.elementwise.exponential import log
from hy_ndarray.ops.elementwise.rounding import floor
from hy_ndarray.ops.elementwise.scalar import of_floats
from hy_ndarray.ops.elementwise.unary import square
from hy_ndarray.ops.families import pointwise_family
from hy_ndarray.ops.np._rules import broadcast_all, fitted, is_floating, promoted
from hy_ndarray.ops.record.rules import broadcast
from hy_ndarray.ops.record.schema import Saved, pointwise, synonym
from hy_ndarray.ops.record.types import TensorType

synonym("_npi_hypot", of=broadcast_hypot, inputs=("x1", "x2"))


def _promoted_operands(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the type of both operands after broadcasting and promotion."""
    shape = broadcast_all(lhs, rhs)
    dtype = promoted(lhs, rhs)
    return (lhs if lhs.dtype == dtype else rhs).with_shape(shape)


def _of_broadcast(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the type of the result of operands of one dtype that broadcast."""
    return broadcast(lhs, rhs)


def _promoted_integers(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the type of both operands after broadcasting; integers or booleans only."""
    for t in (lhs, rhs):
        if is_floating(t.dtype):
            raise DTypeError(f"{t!r} must hold integers or booleans")
    return broadcast(lhs, rhs)


def _truth(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return the boolean type of a comparison of two operands of any dtypes."""
    for t, other in ((lhs, rhs), (rhs, lhs)):
        if t.dtype is None:
            t.set_dtype(other.dtype)
    return TensorType(broadcast_all(lhs, rhs), "bool")


def _no_gradients(saved: Saved, dy: Any) -> tuple[None, None]:
    return None, None


_NAMES = {"kernel": "np_{}", "name": "_npi_{}"}
_arithmetic = pointwise_family(_promoted_operands, **_NAMES)
_of_dtype = pointwise_family(_of_broadcast, same="dtype", **_NAMES)
_bits = pointwise_family(_promoted_integers, same="dtype", **_NAMES)
_test = pointwise_family(_truth, grad=_no_gradients, **_NAMES)


def _grad_add(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(dy, lhs), fitted(dy, rhs)


np_add = _arithmetic(
    "add",
    text="""``lhs + rhs``.

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
    """,
    grad=_grad_add,
)


def _grad_subtract(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(dy, lhs), fitted(-dy, rhs)


@pointwise("_npi_subtract", grad=_grad_subtract)
def np_subtract(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return ``lhs - rhs``; operands and dtypes as for ``add``, except that one is not boolean."""
    output = _promoted_operands(lhs, rhs)
    if output.dtype == "bool":
        raise DTypeError("booleans cannot be subtracted; use bitwise_xor or logical_xor")
    return output


def _grad_multiply(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(np_multiply(dy, rhs), lhs), fitted(np_multiply(dy, lhs), rhs)


np_multiply = _arithmetic(
    "multiply", text="``lhs * rhs``; operands and dtypes as for ``add``.", grad=_grad_multiply
)


def _grad_true_divide(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dlhs = np_true_divide(dy, rhs)
    return fitted(dlhs, lhs), fitted(-np_multiply(dlhs, saved.outputs[0]), rhs)


@pointwise("_npi_true_divide", grad=_grad_true_divide)
def np_true_divide(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Return ``lhs / rhs``; the quotient of integers is float32.

    Operands and the other dtypes are as for ``add``.
    """
    output = _promoted_operands(lhs, rhs)
    if output.dtype is None or is_floating(output.dtype):
        return output
    return output.with_dtype("float32")


def _grad_mod(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    dy = of_floats(dy)
    drhs = np_multiply(-dy, floor(np_true_divide(lhs, rhs)))
    return fitted(dy, lhs), fitted(drhs, rhs)


np_mod = _arithmetic(
    "mod",
    text="Remainder of ``lhs / rhs`` with the sign of ``rhs``, 0 where that is 0; as ``add``.",
    grad=_grad_mod,
)


def _grad_power(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    y = saved.outputs[0]
    base = cast_like(lhs, y)  # the logarithm of an integer, or of a narrower float, is no such one
    dlhs = np_multiply(np_multiply(dy, rhs), np_power(base, rhs - 1))
    drhs = np_multiply(dy * y, log(base))
    return fitted(dlhs, lhs), fitted(drhs, rhs)


np_power = _arithmetic(
    "power",
    text="``lhs`` to the power of ``rhs``; operands and dtypes as for ``add``.",
    grad=_grad_power,
)


def _grad_arctan2(saved: Saved, dy: Any) -> tuple[Any, Any]:
    y, x = saved.inputs
    share = np_true_divide(dy, np_add(square(y), square(x)))
    return fitted(np_multiply(share, x), y), fitted(-np_multiply(share, y), x)


@pointwise("_npi_arctan2", same="dtype", grad=_grad_arctan2)
def np_arctan2(x1: TensorType, x2: TensorType) -> TensorType:
    """Return the angle of the point ``(x2, x1)`` in radians, from -π to π.

    Args:
        x1: ``[*shape]``, floating.
        x2: A shape that broadcasts against that of ``x1``; same dtype as ``x1``.
    """
    return broadcast(x1, x2)


def _grad_copysign(saved: Saved, dy: Any) -> tuple[Any, None]:
    lhs, rhs = saved.inputs
    return fitted(np_multiply(dy, same_sign(lhs, rhs)), lhs), None


np_copysign = _of_dtype(
    "copysign",
    text="""``lhs`` with the sign of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype but bool.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """,
    grad=_grad_copysign,
)


same_sign = pointwise_family(_of_broadcast, same="dtype")(
    "same_sign",
    "_np_same_sign",
    text="1 where ``lhs`` has the sign of ``rhs``, else -1, and 0 where it is 0.",
    grad=_no_gradients,
)


_LN2 = 0.6931471805599453  # log(2)


def _grad_ldexp(saved: Saved, dy: Any) -> tuple[Any, Any]:
    lhs, rhs = saved.inputs
    return fitted(np_ldexp(dy, rhs), lhs), fitted(dy * saved.outputs[0] * _LN2, rhs)


np_ldexp = _of_dtype(
    "ldexp",
    text="""``lhs`` times 2 to the power of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """,
    grad=_grad_ldexp,
)
np_lcm = _bits(
    "lcm",
    text="""The least common multiple of integers.

    Args:
        lhs: ``[*shape]``, integers.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """,
    grad=_no_gradients,
)
np_bitwise_and = _bits(
    "bitwise_and",
    text="""The bits that both have; of booleans whether both are true.

    Args:
        lhs: ``[*shape]``, integers or booleans.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """,
)
np_bitwise_or = _bits(
    "bitwise_or", text="The bits that one of both has; operands as for ``bitwise_and``."
)
np_bitwise_xor = _bits(
    "bitwise_xor", text="The bits that exactly one of both has; operands as for ``bitwise_and``."
)
np_equal = _test(
    "equal",
    text="""Whether ``lhs == rhs``, as booleans.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; any dtype.
    """,
)
np_not_equal = _test(
    "not_equal", text="Whether ``lhs != rhs``, as booleans; operands as for ``equal``."
)
np_greater = _test("greater", text="Whether ``lhs > rhs``, as booleans; operands as for ``equal``.")
np_greater_equal = _test(
    "greater_equal", text="Whether ``lhs >= rhs``, as booleans; operands as for ``equal``."
)
np_less = _test("less", text="Whether ``lhs < rhs``, as booleans; operands as for ``equal``.")
np_less_equal = _test(
    "less_equal", text="Whether ``lhs <= rhs``, as booleans; operands as for ``equal``."
)
