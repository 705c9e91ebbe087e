"""Operators and methods that NumPy's arrays and symbols share; each calls the function."""

from typing import Any, Self, overload

from hy_ndarray.np import elementwise, products, reducing, shaping
from hy_ndarray.np.calls import Number, NumpyOperand, binary, is_operand, is_python_number

__all__ = ["NumpyMethods"]


def _accepts(other: Any) -> bool:
    return is_operand(other) or is_python_number(other)


class NumpyMethods(NumpyOperand):
    """``+``, ``<``, ``x.sum()`` and the like with NumPy's behaviour.

    Operands broadcast, mixed dtypes meet in the wider one, comparisons give booleans, and full
    reductions leave no axes.
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        result: Self = binary("add", self, other)
        return result

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        result: Self = binary("subtract", self, other)
        return result

    def __rsub__(self, other: Any) -> Self:
        result: Self = binary("subtract", other, self, reversed_name="rsubtract")
        return result

    def __mul__(self, other: Any) -> Self:
        result: Self = binary("multiply", self, other)
        return result

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Self:
        result: Self = binary("true_divide", self, other)
        return result

    def __rtruediv__(self, other: Any) -> Self:
        result: Self = binary("true_divide", other, self, reversed_name="rtrue_divide")
        return result

    def __mod__(self, other: Any) -> Self:
        result: Self = binary("mod", self, other)
        return result

    def __rmod__(self, other: Any) -> Self:
        result: Self = binary("mod", other, self, reversed_name="rmod")
        return result

    def __pow__(self, other: Any) -> Self:
        result: Self = binary("power", self, other)
        return result

    def __rpow__(self, other: Any) -> Self:
        result: Self = binary("power", other, self, reversed_name="rpower")
        return result

    def __matmul__(self, other: Any) -> Self:
        result: Self = products.matmul(self, other)
        return result

    def __rmatmul__(self, other: Any) -> Self:
        result: Self = products.matmul(other, self)
        return result

    def __and__(self, other: Any) -> Self:
        result: Self = binary("bitwise_and", self, other)
        return result

    __rand__ = __and__

    def __or__(self, other: Any) -> Self:
        result: Self = binary("bitwise_or", self, other)
        return result

    __ror__ = __or__

    def __xor__(self, other: Any) -> Self:
        result: Self = binary("bitwise_xor", self, other)
        return result

    __rxor__ = __xor__

    def __invert__(self) -> Self:
        result: Self = elementwise.bitwise_not(self)
        return result

    def __neg__(self) -> Self:
        result: Self = elementwise.negative(self)
        return result

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Self:
        result: Self = elementwise.absolute(self)
        return result

    def __round__(self, n: int = 0) -> Self:
        result: Self = elementwise.around(self, n)
        return result

    def __floor__(self) -> Self:
        result: Self = elementwise.floor(self)
        return result

    def __ceil__(self) -> Self:
        result: Self = elementwise.ceil(self)
        return result

    def __trunc__(self) -> Self:
        result: Self = elementwise.trunc(self)
        return result

    @overload
    def __eq__(self, other: NumpyOperand | Number) -> Self: ...
    @overload
    def __eq__(self, other: object) -> Any: ...
    def __eq__(self, other: object) -> Any:
        return binary("equal", self, other) if _accepts(other) else NotImplemented

    @overload
    def __ne__(self, other: NumpyOperand | Number) -> Self: ...
    @overload
    def __ne__(self, other: object) -> Any: ...
    def __ne__(self, other: object) -> Any:
        return binary("not_equal", self, other) if _accepts(other) else NotImplemented

    def __lt__(self, other: Any) -> Self:
        result: Self = binary("less", self, other)
        return result

    def __le__(self, other: Any) -> Self:
        result: Self = binary("less_equal", self, other)
        return result

    def __gt__(self, other: Any) -> Self:
        result: Self = binary("greater", self, other)
        return result

    def __ge__(self, other: Any) -> Self:
        result: Self = binary("greater_equal", self, other)
        return result

    def __hash__(self) -> int:
        return id(self) >> 4

    # --- reductions -------------------------------------------------------------------------

    def sum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Self:
        """The sum along some axes, all if None."""
        result: Self = reducing.sum(self, axis, dtype, keepdims, out=out)
        return result

    def prod(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Self:
        """The product along some axes, all if None."""
        result: Self = reducing.prod(self, axis, dtype, out, keepdims)
        return result

    def mean(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Self:
        """The mean along some axes, all if None."""
        result: Self = reducing.mean(self, axis, dtype, out, keepdims)
        return result

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Self:
        """The standard deviation along some axes, all if None."""
        result: Self = reducing.std(self, axis, dtype, out, ddof, keepdims)
        return result

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Self:
        """The variance along some axes, all if None."""
        result: Self = reducing.var(self, axis, dtype, out, ddof, keepdims)
        return result

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """The largest element along some axes, all if None."""
        result: Self = reducing.max(self, axis, keepdims, out)
        return result

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """The smallest element along some axes, all if None."""
        result: Self = reducing.min(self, axis, keepdims, out)
        return result

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """Whether all elements along some axes are other than 0."""
        result: Self = reducing.all(self, axis, keepdims, out)
        return result

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """Whether an element along some axes is other than 0."""
        result: Self = reducing.any(self, axis, keepdims, out)
        return result

    def argmax(self, axis: int | None = None, out: Any = None) -> Self:
        """Index of the first largest element."""
        result: Self = reducing.argmax(self, axis, out)
        return result

    def argmin(self, axis: int | None = None, out: Any = None) -> Self:
        """Index of the first smallest element."""
        result: Self = reducing.argmin(self, axis, out)
        return result

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """The sum of the elements up to each one."""
        result: Self = reducing.cumsum(self, axis, dtype, out)
        return result

    # --- other elements, other shapes -------------------------------------------------------

    def clip(self, min: float | None = None, max: float | None = None, out: Any = None) -> Self:
        """Elements below ``min`` or above ``max`` replaced by these."""
        result: Self = elementwise.clip(self, min, max, out)
        return result

    def round(self, decimals: int = 0, out: Any = None, **kwargs: Any) -> Self:
        """Each element rounded to so many decimals."""
        result: Self = elementwise.around(self, decimals, out, **kwargs)
        return result

    def dot(self, b: Any, out: Any = None) -> Self:
        """Sums of products; see ``np.dot``."""
        result: Self = products.dot(self, b, out)
        return result

    @property
    def T(self) -> Self:  # noqa: N802  # numpy's name
        """The transpose."""
        result: Self = shaping.transpose(self)
        return result

    def transpose(self, *axes: Any) -> Self:
        """The axes in another order, reversed if none is given."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        result: Self = shaping.transpose(self, order or None)
        return result

    def reshape(self, *args: Any, **kwargs: Any) -> Self:
        """The elements under another shape; ``order="C"`` alone is supported."""
        order = kwargs.pop("order", "C")
        if not args:
            args = (kwargs.pop("newshape", kwargs.pop("shape", ())),)
        shape = args[0] if len(args) == 1 else args
        result: Self = shaping.reshape(self, shape, order)
        return result

    def flatten(self, order: str = "C") -> Self:
        """A copy with all axes as one."""
        result: Self = shaping.reshape(self, (-1,), order)
        return result

    def squeeze(self, axis: Any = None) -> Self:
        """Without axes of size 1."""
        result: Self = shaping.squeeze(self, axis)
        return result

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Two axes exchanged."""
        result: Self = shaping.swapaxes(self, axis1, axis2)
        return result

    def repeat(self, repeats: int, axis: int | None = None) -> Self:
        """Every element so many times."""
        result: Self = shaping.repeat(self, repeats, axis)
        return result

    def broadcast_to(self, shape: Any) -> Self:
        """Repeated along axes of size 1."""
        result: Self = shaping.broadcast_to(self, shape)
        return result

    def expand_dims(self, axis: int) -> Self:
        """A new axis of size 1."""
        result: Self = shaping.expand_dims(self, axis)
        return result

    def take(self, indices: Any, axis: int | None = None, mode: str = "raise") -> Self:
        """Elements by index; see ``np.take``."""
        result: Self = shaping.take(self, indices, axis, mode)
        return result

    def sort(self, axis: int | None = -1, kind: Any = None, order: Any = None) -> Self:
        """A sorted copy."""
        result: Self = shaping.sort(self, axis, kind, order)
        return result

    def argsort(self, axis: int | None = -1, kind: Any = None, order: Any = None) -> Self:
        """The indices that sort, int64."""
        result: Self = shaping.argsort(self, axis, kind, order)
        return result

    def diag(self, k: int = 0) -> Self:
        """A diagonal, or a matrix of one."""
        result: Self = shaping.diag(self, k)
        return result

    def nonzero(self) -> tuple[Self, ...]:
        """Indices by axis of the elements that are not 0, int64; see ``np.nonzero``."""
        indices: tuple[Self, ...] = elementwise.nonzero(self)
        return indices
