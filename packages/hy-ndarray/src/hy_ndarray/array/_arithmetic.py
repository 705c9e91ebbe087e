"""Python's arithmetic and comparison operators on arrays."""

from functools import cache
from math import copysign
from typing import Any, Self, TypeVar, cast

import numpy as np

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.core import _dispatch
from hy_ndarray.core._array import Array
from hy_ndarray.core._bound_params import BoundParams
from hy_ndarray.core._calls import call
from hy_ndarray.core._steps import overwritten
from hy_ndarray.devices._protocols import Params
from hy_ndarray.foreign import conversion, is_tensor, kind_of
from hy_ndarray.ops import Operator, find

__all__ = ["Arithmetic", "with_number"]

# A tuple: ``int | float`` would build a union in each call.
_NUMBERS = (int, float, np.integer, np.floating, np.bool_)
A = TypeVar("A", bound="Arithmetic")
_bound_numbers: dict[tuple[str, float, float], tuple[Operator, BoundParams] | None] = {}
"""Operator and bound parameters by operator name, number and its sign; None after one call."""
# Parameters are bound only for a number that occurs twice: a program may use another number in
# every step.
_MAX_NUMBERS = 1024


class Arithmetic(Array):
    """Mixin of ``+``, ``-``, ``<`` and the like, with broadcasting arrays and with numbers.

    A number does not change the dtype of the array; comparisons return 1 and 0 in that dtype.
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        return _binary("broadcast_add", "_plus_scalar", self, other)

    __radd__ = __add__

    def __iadd__(self, other: Any) -> Self:
        return _in_place(self, "__add__", "broadcast_add", other)

    def __sub__(self, other: Any) -> Self:
        return _binary("broadcast_sub", "_minus_scalar", self, other)

    def __rsub__(self, other: Any) -> Self:
        return with_number("_rminus_scalar", self, other)

    def __isub__(self, other: Any) -> Self:
        return _in_place(self, "__sub__", "broadcast_sub", other)

    def __mul__(self, other: Any) -> Self:
        return _binary("broadcast_mul", "_mul_scalar", self, other)

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Self:
        return _in_place(self, "__mul__", "broadcast_mul", other)

    def __truediv__(self, other: Any) -> Self:
        return _binary("broadcast_div", "_div_scalar", self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return with_number("_rdiv_scalar", self, other)

    def __itruediv__(self, other: Any) -> Self:
        return _in_place(self, "__truediv__", "broadcast_div", other)

    def __mod__(self, other: Any) -> Self:
        return _binary("broadcast_mod", "_mod_scalar", self, other)

    def __rmod__(self, other: Any) -> Self:
        return with_number("_rmod_scalar", self, other)

    def __imod__(self, other: Any) -> Self:
        return _in_place(self, "__mod__", "broadcast_mod", other)

    def __pow__(self, other: Any) -> Self:
        return _binary("broadcast_power", "_power_scalar", self, other)

    def __rpow__(self, other: Any) -> Self:
        return with_number("_rpower_scalar", self, other)

    def __neg__(self) -> Self:
        return with_number("_mul_scalar", self, -1)

    def __abs__(self) -> Self:
        result: Self = call(find("abs"), (self,), {})
        return result

    def __eq__(self, other: object) -> Any:
        return _binary("broadcast_equal", "_equal_scalar", self, other)

    def __ne__(self, other: object) -> Any:
        return _binary("broadcast_not_equal", "_not_equal_scalar", self, other)

    def __gt__(self, other: Any) -> Self:
        return _binary("broadcast_greater", "_greater_scalar", self, other)

    def __ge__(self, other: Any) -> Self:
        return _binary("broadcast_greater_equal", "_greater_equal_scalar", self, other)

    def __lt__(self, other: Any) -> Self:
        return _binary("broadcast_lesser", "_lesser_scalar", self, other)

    def __le__(self, other: Any) -> Self:
        return _binary("broadcast_lesser_equal", "_lesser_equal_scalar", self, other)

    def __hash__(self) -> int:
        # As object's own hash: __eq__ above would drop it. Addresses are multiples of 16, so their
        # low bits would make dicts collide.
        return id(self) >> 4


def _in_place(array: A, method: str, array_op: str, other: Any) -> A:
    """Overwrite the array with the result of its method ``method``, and return the array."""
    kind = type(array)
    # Unless a subclass overrides ``+``, the kernel may write into the array directly.
    is_plain = type(other) is kind and getattr(kind, method) is getattr(Arithmetic, method)
    if is_plain and overwritten(_binary_operator(array_op)[0], array, other):
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


def _binary(array_op: str, scalar_op: str, array: A, other: Any) -> A:
    if isinstance(other, Arithmetic):
        op, params = _binary_operator(array_op)
        result: A = _dispatch.run(op, (array, other), params)
        return result
    return with_number(scalar_op, array, other)


@cache
def _binary_operator(name: str) -> tuple[Operator, BoundParams]:
    """Return the operator ``name`` on two arrays, with its empty parameters."""
    op = find(name)
    return op, BoundParams(op, {})


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
        result: A = _dispatch.run(op, (array,), params)
        return result
    if isinstance(value, list | tuple | np.ndarray) or is_tensor(value):
        raise ArgumentError(f"cannot combine an NDArray with {kind_of(value)}{conversion(value)}")
    refused: Any = NotImplemented
    # Python then tries the other operand's method.
    return cast("A", refused)
