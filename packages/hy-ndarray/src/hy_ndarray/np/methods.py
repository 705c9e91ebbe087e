"""Operators and methods that NumPy's arrays and symbols share; each calls the function."""

from typing import Any, Self

from hy_ndarray.np import elementwise, products, reducing, shaping
from hy_ndarray.np.calls import binary, call, is_number, is_operand

__all__ = ["NumpyMethods"]


def _accepts(other: Any) -> bool:
    return is_operand(other) or is_number(other)


class NumpyMethods:
    """``+``, ``<``, ``x.sum()`` and the like with NumPy's behaviour.

    Operands broadcast, mixed dtypes meet in the wider one, comparisons give booleans, and full
    reductions leave no axes.
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return binary("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return binary("subtract", other, self, turned="rsubtract")

    def __mul__(self, other: Any) -> Any:
        return binary("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return binary("true_divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return binary("true_divide", other, self, turned="rtrue_divide")

    def __mod__(self, other: Any) -> Any:
        return binary("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return binary("mod", other, self, turned="rmod")

    def __pow__(self, other: Any) -> Any:
        return binary("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return binary("power", other, self, turned="rpower")

    def __matmul__(self, other: Any) -> Any:
        return products.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return products.matmul(other, self)

    def __and__(self, other: Any) -> Any:
        return binary("bitwise_and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return binary("bitwise_or", self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return binary("bitwise_xor", self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Any:
        return elementwise.bitwise_not(self)

    def __neg__(self) -> Any:
        return elementwise.negative(self)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Any:
        return elementwise.absolute(self)

    def __round__(self, n: int = 0) -> Any:
        return elementwise.around(self, n)

    def __floor__(self) -> Any:
        return elementwise.floor(self)

    def __ceil__(self) -> Any:
        return elementwise.ceil(self)

    def __trunc__(self) -> Any:
        return elementwise.trunc(self)

    def __eq__(self, other: object) -> Any:
        return binary("equal", self, other) if _accepts(other) else NotImplemented

    def __ne__(self, other: object) -> Any:
        return binary("not_equal", self, other) if _accepts(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return binary("less", self, other)

    def __le__(self, other: Any) -> Any:
        return binary("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return binary("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return binary("greater_equal", self, other)

    def __hash__(self) -> int:
        return id(self) >> 4

    # --- reductions -------------------------------------------------------------------------

    def sum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """The sum along some axes, all if None."""
        return reducing.sum(self, axis, dtype, keepdims, out=out)

    def prod(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """The product along some axes, all if None."""
        return reducing.prod(self, axis, dtype, out, keepdims)

    def mean(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """The mean along some axes, all if None."""
        return reducing.mean(self, axis, dtype, out, keepdims)

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Any:
        """The standard deviation along some axes, all if None."""
        return reducing.std(self, axis, dtype, out, ddof, keepdims)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Any:
        """The variance along some axes, all if None."""
        return reducing.var(self, axis, dtype, out, ddof, keepdims)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """The largest element along some axes, all if None."""
        return reducing.max(self, axis, out, keepdims)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """The smallest element along some axes, all if None."""
        return reducing.min(self, axis, out, keepdims)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether all elements along some axes are other than 0."""
        return reducing.all(self, axis, out, keepdims)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Whether an element along some axes is other than 0."""
        return reducing.any(self, axis, out, keepdims)

    def argmax(self, axis: int | None = None, out: Any = None) -> Any:
        """Index of the first largest element."""
        return reducing.argmax(self, axis, out)

    def argmin(self, axis: int | None = None, out: Any = None) -> Any:
        """Index of the first smallest element."""
        return reducing.argmin(self, axis, out)

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        """The sum of the elements up to each one."""
        return reducing.cumsum(self, axis, dtype, out)

    # --- other elements, other shapes -------------------------------------------------------

    def clip(self, min: float | None = None, max: float | None = None, out: Any = None) -> Any:
        """Elements below ``min`` or above ``max`` replaced by these."""
        return elementwise.clip(self, min, max, out)

    def round(self, decimals: int = 0, out: Any = None, **kwargs: Any) -> Any:
        """Each element rounded to so many decimals."""
        return elementwise.around(self, decimals, out, **kwargs)

    def dot(self, b: Any, out: Any = None) -> Any:
        """Sums of products; see ``np.dot``."""
        return products.dot(self, b, out)

    @property
    def T(self) -> Any:  # noqa: N802  # numpy's name
        """The transpose."""
        return shaping.transpose(self)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order, reversed if none is given."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return shaping.transpose(self, order or None)

    def reshape(self, *args: Any, **kwargs: Any) -> Any:
        """The elements under another shape; ``order="C"`` alone is built."""
        order = kwargs.pop("order", "C")
        if not args:
            args = (kwargs.pop("newshape", kwargs.pop("shape", ())),)
        shape = args[0] if len(args) == 1 else args
        return shaping.reshape(self, shape, order)

    def flatten(self, order: str = "C") -> Any:
        """A copy with all axes as one."""
        return shaping.reshape(self, (-1,), order)

    def squeeze(self, axis: Any = None) -> Any:
        """Without axes of size 1."""
        return shaping.squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        """Two axes exchanged."""
        return shaping.swapaxes(self, axis1, axis2)

    def repeat(self, repeats: int, axis: int | None = None) -> Any:
        """Every element so many times."""
        return shaping.repeat(self, repeats, axis)

    def broadcast_to(self, shape: Any) -> Any:
        """Repeated along axes of size 1."""
        return shaping.broadcast_to(self, shape)

    def expand_dims(self, axis: int) -> Any:
        """A new axis of size 1."""
        return shaping.expand_dims(self, axis)

    def take(self, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
        """Elements by index; see ``np.take``."""
        return shaping.take(self, indices, axis, mode)

    def sort(self, axis: int | None = -1, kind: Any = None, order: Any = None) -> Any:
        """A sorted copy."""
        return shaping.sort(self, axis, kind, order)

    def argsort(self, axis: int | None = -1, kind: Any = None, order: Any = None) -> Any:
        """The indices that sort, int64."""
        return shaping.argsort(self, axis, kind, order)

    def diag(self, k: int = 0) -> Any:
        """A diagonal, or a matrix of one."""
        return shaping.diag(self, k)

    def nonzero(self) -> Any:
        """Indices by axis of the elements that are not 0, int64."""
        found = call("_npx_nonzero", self)
        return tuple(found[:, axis] for axis in range(found.shape[1]))
