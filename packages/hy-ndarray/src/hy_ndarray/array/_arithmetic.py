"""Python's arithmetic and comparison operators on arrays."""

from collections.abc import Callable
from math import copysign
from typing import Any, Self, TypeVar, cast

import numpy as np

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.core._array import Array
from hy_ndarray.core._bound_params import BoundParams
from hy_ndarray.core._calls import call
from hy_ndarray.core._dispatch import run
from hy_ndarray.core._steps import overwritten
from hy_ndarray.devices._protocols import Params
from hy_ndarray.foreign import conversion, is_tensor, kind_of
from hy_ndarray.ops import Operator, find

# A tuple: ``int | float`` would build a union in each call.
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)
A = TypeVar("A", bound="Arithmetic")
_bound_numbers: dict[tuple[str, float, float], tuple[Operator, BoundParams] | None] = {}
"""Operator and bound parameters by operator name, number and its sign; None after one call."""
# Parameters are bound only for a number that occurs twice: a program may use another number in
# every step.
_MAX_NUMBERS = 1024


def _binary(method: str, array_op: str, scalar_op: str) -> Callable[[A, Any], A]:
    """Return ``method``, which applies an operator to two arrays or to an array and a number."""
    op = find(array_op)
    params = BoundParams(op, {})

    def binary(self: A, other: Any) -> A:
        if isinstance(other, Arithmetic):
            result: A = run(op, (self, other), params)
            return result
        return with_number(scalar_op, self, other)

    binary.__name__, binary.__qualname__ = method, f"Arithmetic.{method}"
    return binary


class Arithmetic(Array):
    """Mixin of ``+``, ``-``, ``<`` and the like, with broadcasting arrays and with numbers.

    A number does not change the dtype of the array; comparisons return 1 and 0 in that dtype.
    """

    __slots__ = ()

    __add__ = _binary("__add__", "broadcast_add", "_plus_scalar")
    __radd__ = __add__

    def __iadd__(self, other: Any) -> Self:
        return _in_place(self, "__add__", "broadcast_add", other)

    __sub__ = _binary("__sub__", "broadcast_sub", "_minus_scalar")

    def __rsub__(self, other: Any) -> Self:
        return with_number("_rminus_scalar", self, other)

    def __isub__(self, other: Any) -> Self:
        return _in_place(self, "__sub__", "broadcast_sub", other)

    __mul__ = _binary("__mul__", "broadcast_mul", "_mul_scalar")
    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Self:
        return _in_place(self, "__mul__", "broadcast_mul", other)

    __truediv__ = _binary("__truediv__", "broadcast_div", "_div_scalar")

    def __rtruediv__(self, other: Any) -> Self:
        return with_number("_rdiv_scalar", self, other)

    def __itruediv__(self, other: Any) -> Self:
        return _in_place(self, "__truediv__", "broadcast_div", other)

    __mod__ = _binary("__mod__", "broadcast_mod", "_mod_scalar")

    def __rmod__(self, other: Any) -> Self:
        return with_number("_rmod_scalar", self, other)

    def __imod__(self, other: Any) -> Self:
        return _in_place(self, "__mod__", "broadcast_mod", other)

    __pow__ = _binary("__pow__", "broadcast_power", "_power_scalar")

    def __rpow__(self, other: Any) -> Self:
        return with_number("_rpower_scalar", self, other)

    def __neg__(self) -> Self:
        return with_number("_mul_scalar", self, -1)

    def __abs__(self) -> Self:
        result: Self = call(find("abs"), (self,), {})
        return result

    __eq__: Any = _binary("__eq__", "broadcast_equal", "_equal_scalar")
    __ne__: Any = _binary("__ne__", "broadcast_not_equal", "_not_equal_scalar")
    __gt__ = _binary("__gt__", "broadcast_greater", "_greater_scalar")
    __ge__ = _binary("__ge__", "broadcast_greater_equal", "_greater_equal_scalar")
    __lt__ = _binary("__lt__", "broadcast_lesser", "_lesser_scalar")
    __le__ = _binary("__le__", "broadcast_lesser_equal", "_lesser_equal_scalar")

    def __hash__(self) -> int:
        # As object's own hash: __eq__ above would drop it. Addresses are multiples of 16, so their
        # low bits would make dicts collide.
        return id(self) >> 4


def _in_place(array: A, method: str, array_op: str, other: Any) -> A:
    """Overwrite the array with the result of its method ``method``, and return the array."""
    kind = type(array)
    # Unless a subclass overrides ``+``, the kernel may write into the array directly.
    is_plain = type(other) is kind and getattr(kind, method) is getattr(Arithmetic, method)
    if is_plain and overwritten(find(array_op), array, other):
        return array
    value = getattr(array, method)(other)
    if value is NotImplemented:
        refused: A = value
        return refused
    if isinstance(other, Arithmetic) and value.dtype != array.dtype:
        dtype, own = dtype_name(value.dtype), dtype_name(array.dtype)
        raise DTypeError(
            f"{array_op}: the result of {own} and {dtype_name(other.dtype)} is {dtype}, which "
            f"cannot be stored in an array of {own}; write x = x + y, or convert with "
            f"y.astype('{own}')"
        )
    array._assign_from(value)
    return array


def _with_params(key: tuple[str, float, float]) -> tuple[Operator, Params]:
    """Return an operator and its parameters, which are bound and cached from the second call on."""
    name, number, _ = key
    op, params = find(name), {"scalar": number, "is_int": True}
    if key not in _bound_numbers:
        if len(_bound_numbers) >= _MAX_NUMBERS:
            _bound_numbers.clear()
        _bound_numbers[key] = None
        return op, params
    bound = _bound_numbers[key] = op, BoundParams(op, params)
    return bound


def with_number(name: str, array: A, value: Any) -> A:
    """Return the result of operator ``name`` on an array and a number, else NotImplemented.

    As in MXNet the number does not change the dtype: ``is_int`` is always True.

    Raises:
        ArgumentError: ``value`` is a list or a numpy array.
    """
    if isinstance(value, _NUMBERS):
        number = float(value)
        # With the sign: 0.0 and -0.0 are equal as keys, but 1 / 0.0 and 1 / -0.0 are not.
        key = name, number, copysign(1.0, number)
        op, params = _bound_numbers.get(key) or _with_params(key)
        result: A = run(op, (array,), params)
        return result
    if isinstance(value, list | tuple | np.ndarray) or is_tensor(value):
        raise ArgumentError(f"cannot combine an NDArray with {kind_of(value)}{conversion(value)}")
    refused: Any = NotImplemented
    # Python then tries the other operand's method.
    return cast("A", refused)
