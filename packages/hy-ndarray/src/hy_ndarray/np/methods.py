"""Operators and methods shared by arrays and symbols with NumPy's semantics."""

from typing import Any, Self, overload

from hy_ndarray.np import elementwise, products, reducing, shaping
from hy_ndarray.np.calls import Number, NumpyOperand, binary, is_operand, is_python_number

__all__ = ["NumpyMethods"]


def _accepts(other: Any) -> bool:
    return is_operand(other) or is_python_number(other)


class NumpyMethods(NumpyOperand):
    """Mixin of operators and methods with NumPy's semantics, such as ``+``, ``<``, ``x.sum()``.

    Operands broadcast, mixed dtypes are promoted, comparisons return booleans, and full reductions
    return arrays without axes.
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
        return products.matmul(self, other)

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
        return elementwise.bitwise_not(self)

    def __neg__(self) -> Self:
        return elementwise.negative(self)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Self:
        return elementwise.absolute(self)

    def __round__(self, n: int = 0) -> Self:
        return elementwise.around(self, n)

    def __floor__(self) -> Self:
        return elementwise.floor(self)

    def __ceil__(self) -> Self:
        return elementwise.ceil(self)

    def __trunc__(self) -> Self:
        return elementwise.trunc(self)

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
        """Return the sum along some axes, all if None."""
        return reducing.sum(self, axis, dtype, keepdims, out=out)

    def prod(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Self:
        """Return the product along some axes, all if None."""
        return reducing.prod(self, axis, dtype, out, keepdims)

    def mean(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Self:
        """Return the mean along some axes, all if None."""
        return reducing.mean(self, axis, dtype, out, keepdims)

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Self:
        """Return the standard deviation along some axes, all if None."""
        return reducing.std(self, axis, dtype, out, ddof, keepdims)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Self:
        """Return the variance along some axes, all if None."""
        return reducing.var(self, axis, dtype, out, ddof, keepdims)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """Return the largest element along some axes, all if None."""
        return reducing.max(self, axis, keepdims, out)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """Return the smallest element along some axes, all if None."""
        return reducing.min(self, axis, keepdims, out)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """Return whether all elements along some axes are nonzero; all axes if None."""
        return reducing.all(self, axis, keepdims, out)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Self:
        """Return whether any element along some axes is nonzero; all axes if None."""
        return reducing.any(self, axis, keepdims, out)

    def argmax(self, axis: int | None = None, out: Any = None) -> Self:
        """Return the index of the first maximum along an axis, or of the flattened array."""
        return reducing.argmax(self, axis, out)

    def argmin(self, axis: int | None = None, out: Any = None) -> Self:
        """Return the index of the first minimum along an axis, or of the flattened array."""
        return reducing.argmin(self, axis, out)

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Self:
        """Return the cumulative sums along an axis, or of the flattened array."""
        return reducing.cumsum(self, axis, dtype, out)

    # --- other elements, other shapes -------------------------------------------------------

    def clip(self, min: float | None = None, max: float | None = None, out: Any = None) -> Self:
        """Return the elements clipped to ``min`` and ``max``."""
        return elementwise.clip(self, min, max, out)

    def round(self, decimals: int = 0, out: Any = None, **kwargs: Any) -> Self:
        """Return each element rounded to ``decimals`` decimal places."""
        return elementwise.around(self, decimals, out, **kwargs)

    def dot(self, b: Any, out: Any = None) -> Self:
        """Return the dot product with ``b``; see ``np.dot``."""
        return products.dot(self, b, out)

    @property
    def T(self) -> Self:  # noqa: N802  # numpy's name
        """Transposed array."""
        return shaping.transpose(self)

    def transpose(self, *axes: Any) -> Self:
        """Return the array with its axes permuted, reversed by default."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return shaping.transpose(self, order or None)

    def reshape(self, *args: Any, **kwargs: Any) -> Self:
        """Return the elements in another shape; only ``order="C"`` is supported."""
        order = kwargs.pop("order", "C")
        if not args:
            args = (kwargs.pop("newshape", kwargs.pop("shape", ())),)
        shape = args[0] if len(args) == 1 else args
        return shaping.reshape(self, shape, order)

    def flatten(self, order: str = "C") -> Self:
        """Return a one-dimensional copy."""
        return shaping.reshape(self, (-1,), order)

    def squeeze(self, axis: Any = None) -> Self:
        """Return the array without axes of size 1."""
        return shaping.squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Return the array with two axes exchanged."""
        return shaping.swapaxes(self, axis1, axis2)

    def repeat(self, repeats: int, axis: int | None = None) -> Self:
        """Return the array with each element repeated along an axis, or flattened."""
        return shaping.repeat(self, repeats, axis)

    def broadcast_to(self, shape: Any) -> Self:
        """Return the array broadcast to a shape."""
        return shaping.broadcast_to(self, shape)

    def expand_dims(self, axis: int) -> Self:
        """Return the array with a new axis of size 1 at ``axis``."""
        return shaping.expand_dims(self, axis)

    def take(self, indices: Any, axis: int | None = None, mode: str = "raise") -> Self:
        """Return elements at ``indices`` along an axis; see ``np.take``."""
        return shaping.take(self, indices, axis, mode)

    def sort(self, axis: int | None = -1, kind: Any = None, order: Any = None) -> Self:
        """Return a copy sorted along an axis, or of the flattened array."""
        return shaping.sort(self, axis, kind, order)

    def argsort(self, axis: int | None = -1, kind: Any = None, order: Any = None) -> Self:
        """Return the int64 indices that sort the elements along an axis."""
        return shaping.argsort(self, axis, kind, order)

    def diag(self, k: int = 0) -> Self:
        """Return a diagonal of a matrix, or the matrix with a vector as its diagonal."""
        return shaping.diag(self, k)

    def nonzero(self) -> tuple[Self, ...]:
        """Return the int64 indices of the nonzero elements, a tuple with one array per axis."""
        return elementwise.nonzero(self)
