"""Python operators that MXNet's classic arrays lack, computed with the semantics of ``np``."""

import operator
from collections.abc import Callable
from typing import Any, Self, cast

import numpy as np

from hy_ndarray.core._array import Array

_NUMBERS = int | float | np.number | np.bool_


class MoreOperators(Array):
    """Mixin of ``//``, ``@``, ``<<``, ``>>``, ``&``, ``|``, ``^`` and ``~``.

    The other operand is an array or a number. The dtype follows ``np``'s promotion; the product
    of two vectors is ``[1]``.
    """

    __slots__ = ()

    def __floordiv__(self, other: Any) -> Self:
        return self._by_np(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._by_np(operator.floordiv, other, self)

    def __ifloordiv__(self, other: Any) -> Self:
        return self._take(self // other)

    def __matmul__(self, other: Any) -> Self:
        return self._by_np(operator.matmul, self, other)

    def __rmatmul__(self, other: Any) -> Self:
        return self._by_np(operator.matmul, other, self)

    def __imatmul__(self, other: Any) -> Self:
        return self._take(self @ other)

    def __lshift__(self, other: Any) -> Self:
        return self._by_np(operator.lshift, self, other)

    def __rlshift__(self, other: Any) -> Self:
        return self._by_np(operator.lshift, other, self)

    def __ilshift__(self, other: Any) -> Self:
        return self._take(self << other)

    def __rshift__(self, other: Any) -> Self:
        return self._by_np(operator.rshift, self, other)

    def __rrshift__(self, other: Any) -> Self:
        return self._by_np(operator.rshift, other, self)

    def __irshift__(self, other: Any) -> Self:
        return self._take(self >> other)

    def __and__(self, other: Any) -> Self:
        return self._by_np(operator.and_, self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Self:
        return self._by_np(operator.or_, self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Self:
        return self._by_np(operator.xor, self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Self:
        array: Any = self
        result: Self = (~array.as_np_ndarray()).as_nd_ndarray()
        return result

    def _take(self, value: Any) -> Self:
        self._assign_from(value)
        return self

    def _by_np(self, function: Callable[[Any, Any], Any], x1: Any, x2: Any) -> Self:
        """Apply ``function`` to the operands as ``np`` arrays; return a classic array."""
        operands = []
        for x in (x1, x2):
            if not isinstance(x, Array | _NUMBERS):
                refused: Any = NotImplemented
                # Python then tries the other operand's method.
                return cast("Self", refused)
            array: Any = x
            operands.append(array.as_np_ndarray() if isinstance(x, Array) else x)
        result = function(*operands).as_nd_ndarray()
        shaped: Self = result if result.ndim else result.reshape((1,))
        return shaped
