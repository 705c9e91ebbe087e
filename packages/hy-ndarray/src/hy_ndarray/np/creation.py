"""Functions that create arrays, or graph nodes that create arrays, in one class for both."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, TypeVar, overload

import numpy as onp

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, UnsupportedError
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import all_take_device
from hy_ndarray.np import shaping
from hy_ndarray.np.calls import call, dtype_or_float32, is_number, is_operand

__all__ = ["Creation"]


def _check_order(function: str, order: str) -> None:
    if order != "C":
        raise UnsupportedError(f"{function}: order={order!r}; only 'C' is supported")


T = TypeVar("T")
"""The class of the results, arrays or symbols."""


@all_take_device
class Creation(Generic[T]):
    """Creation functions such as ``zeros`` and ``arange``.

    Args:
        make: Function ``(operator, ctx, out, **params)`` that runs an operator without inputs, or
            adds a node for it.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make

    def zeros(
        self, shape: Any, dtype: Any = None, order: str = "C", ctx: Context | None = None
    ) -> T:
        """Return an array of zeros.

        Args:
            shape: Sizes by axis; an integer for one axis, ``()`` for a scalar.
            dtype: The dtype of the elements; float32 if None.
            order: ``"C"``.
            ctx: The context; the current one if None.

        Example:
            >>> from hy_ndarray import np
            >>> np.zeros((2, 3)).shape, np.zeros(())
            ((2, 3), array(0.))
        """
        _check_order("zeros", order)
        return self._make("_npi_zeros", ctx, None, shape=shape, dtype=dtype_or_float32(dtype))

    def ones(
        self, shape: Any, dtype: Any = None, order: str = "C", ctx: Context | None = None
    ) -> T:
        """Return an array of ones; arguments as for :meth:`zeros`."""
        _check_order("ones", order)
        return self._make("_npi_ones", ctx, None, shape=shape, dtype=dtype_or_float32(dtype))

    def empty(
        self, shape: Any, dtype: Any = None, order: str = "C", ctx: Context | None = None
    ) -> T:
        """Return an array to be overwritten, which holds zeros; arguments as for :meth:`zeros`."""
        return self.zeros(shape, dtype, order, ctx)

    def full(
        self,
        shape: Any,
        fill_value: Any,
        dtype: Any = None,
        order: str = "C",
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Return an array filled with a number, or with an array broadcast to the shape.

        Args:
            shape: Sizes by axis.
            fill_value: The number, or the array.
            dtype: The dtype of the elements; if None, bool for a boolean, else float32.
            order: ``"C"``.
            ctx: The context; the current one if None.
            out: Array to write to.
        """
        _check_order("full", order)
        if is_operand(fill_value):
            filled = call("_npi_broadcast_to", fill_value, shape=_as_shape(shape), out=out)
            result: T = filled if dtype is None else filled.astype(dtype)
            return result
        if isinstance(fill_value, bool | onp.bool_) and dtype is None:
            dtype = "bool"
        params = {"shape": shape, "dtype": dtype_or_float32(dtype), "value": float(fill_value)}
        return self._make("_npi_full", ctx, out, **params)

    def full_like(
        self,
        a: Any,
        fill_value: float,
        dtype: Any = None,
        order: str = "C",
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Return an array filled with a number, in the shape and (by default) dtype of ``a``."""
        _check_order("full_like", order)
        kind = {} if dtype is None else {"dtype": dtype_name(dtype)}
        filled = call("_npi_full_like", a, out=out, fill_value=float(fill_value), **kind)
        # Only arrays can be moved: a node runs on the context of its input.
        moves = ctx is not None and hasattr(type(filled), "buffer")
        result: T = filled.as_in_ctx(ctx) if moves else filled
        return result

    def zeros_like(
        self,
        a: Any,
        dtype: Any = None,
        order: str = "C",
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Return zeros in the shape and (by default) dtype of ``a``."""
        return self.full_like(a, 0, dtype, order, ctx, out)

    def ones_like(
        self,
        a: Any,
        dtype: Any = None,
        order: str = "C",
        ctx: Context | None = None,
        out: Any = None,
    ) -> T:
        """Return ones in the shape and (by default) dtype of ``a``."""
        return self.full_like(a, 1, dtype, order, ctx, out)

    def empty_like(
        self,
        prototype: Any,
        dtype: Any = None,
        order: str = "C",
        subok: bool = False,
        shape: Any = None,
    ) -> T:
        """Return an array like ``prototype`` to be overwritten, which holds zeros.

        Raises:
            UnsupportedError: ``subok`` or ``shape`` is given.
        """
        if subok or shape is not None:
            raise UnsupportedError("empty_like: subok and shape are not supported; leave them out")
        return self.full_like(prototype, 0, dtype, order)

    def broadcast_to(self, array: Any, shape: Any) -> T:
        """Return an array, or a number, broadcast to a shape."""
        if is_number(array):
            return self.full(shape, array)
        spread: T = shaping.broadcast_to(array, shape)
        return spread

    def identity(self, n: int, dtype: Any = None, ctx: Context | None = None) -> T:
        """Return the ``n`` x ``n`` identity matrix."""
        return self._make("_npi_identity", ctx, None, shape=(n, n), dtype=dtype_or_float32(dtype))

    def eye(
        self,
        N: int,  # noqa: N803  # numpy's name
        M: int | None = None,  # noqa: N803
        k: int = 0,
        dtype: Any = None,
        ctx: Context | None = None,
        **kwargs: Any,
    ) -> T:
        """Return a matrix with ones on a diagonal and zeros elsewhere.

        Args:
            N: The number of rows.
            M: The number of columns; ``N`` if None.
            k: Offset of the diagonal, positive above the main diagonal.
            dtype: The dtype of the elements; float32 if None.
            ctx: The context; the current one if None.
            kwargs: ``order``, ``"C"``.
        """
        _check_order("eye", kwargs.get("order", "C"))
        return self._make("_npi_eye", ctx, None, N=N, M=M, k=k, dtype=dtype_or_float32(dtype))

    def arange(
        self,
        start: float,
        stop: float | None = None,
        step: float | None = 1,
        dtype: Any = None,
        ctx: Context | None = None,
    ) -> T:
        """Return ``start``, ``start + step``, … below ``stop``, float32 by default.

        Raises:
            ArgumentError: ``step`` is 0.
        """
        first, end = (0, start) if stop is None else (start, stop)
        by = 1 if step is None else step
        if by == 0:
            raise ArgumentError("arange: step must not be 0")
        params = {"start": first, "stop": end, "step": by, "dtype": dtype_or_float32(dtype)}
        return self._make("_npi_arange", ctx, None, **params)

    @overload
    def linspace(
        self,
        start: float,
        stop: float,
        num: int = ...,
        endpoint: bool = ...,
        retstep: Literal[False] = ...,
        dtype: Any = ...,
        axis: int = ...,
        ctx: Context | None = ...,
    ) -> T: ...

    @overload
    def linspace(
        self,
        start: float,
        stop: float,
        num: int = ...,
        endpoint: bool = ...,
        *,
        retstep: Literal[True],
        dtype: Any = ...,
        axis: int = ...,
        ctx: Context | None = ...,
    ) -> tuple[T, float]: ...

    @overload
    def linspace(
        self,
        start: float,
        stop: float,
        num: int = ...,
        endpoint: bool = ...,
        retstep: bool = ...,
        dtype: Any = ...,
        axis: int = ...,
        ctx: Context | None = ...,
    ) -> T | tuple[T, float]: ...

    def linspace(
        self,
        start: float,
        stop: float,
        num: int = 50,
        endpoint: bool = True,
        retstep: bool = False,
        dtype: Any = None,
        axis: int = 0,
        ctx: Context | None = None,
    ) -> Any:
        """Return ``num`` equally spaced numbers from ``start`` to ``stop``.

        Args:
            start: The first number.
            stop: The last number; with ``endpoint=False`` it is excluded.
            num: Number of elements.
            endpoint: Whether ``stop`` is included.
            retstep: Return a tuple of the numbers and their spacing.
            dtype: The dtype of the elements; float32 if None.
            axis: Must be 0.
            ctx: The context; the current one if None.

        Raises:
            UnsupportedError: ``start`` or ``stop`` is not a number, or ``axis`` is not 0.
        """
        if not is_number(start) or not is_number(stop) or axis != 0:
            raise UnsupportedError(
                "linspace: only numbers as start and stop, and axis=0, are supported"
            )
        params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
        values = self._make("_npi_linspace", ctx, None, dtype=dtype_or_float32(dtype), **params)
        if not retstep:
            return values
        parts = num - 1 if endpoint else num
        return values, (stop - start) / parts if parts > 0 else onp.nan

    def logspace(
        self,
        start: float,
        stop: float,
        num: int = 50,
        endpoint: bool = True,
        base: float = 10.0,
        dtype: Any = None,
        axis: int = 0,
        ctx: Context | None = None,
    ) -> T:
        """Return ``base`` to the powers of :meth:`linspace`'s numbers, with the same arguments."""
        if not is_number(start) or not is_number(stop) or axis != 0:
            raise UnsupportedError(
                "logspace: only numbers as start and stop, and axis=0, are supported"
            )
        params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "base": base}
        return self._make("_npi_logspace", ctx, None, dtype=dtype_or_float32(dtype), **params)

    def indices(
        self, dimensions: Sequence[int], dtype: Any = onp.int32, ctx: Context | None = None
    ) -> T:
        """Return the index of each element along each axis, ``[len(dimensions), *dimensions]``."""
        sizes = tuple(dimensions)
        return self._make(
            "_npi_indices", ctx, None, dimensions=sizes, dtype=dtype_or_float32(dtype)
        )

    def tri(
        self,
        N: int,  # noqa: N803
        M: int | None = None,  # noqa: N803
        k: int = 0,
        dtype: Any = None,
        ctx: Context | None = None,
    ) -> T:
        """Return a matrix with ones on and below a diagonal, and zeros above.

        Args:
            N: The number of rows.
            M: The number of columns; ``N`` if None.
            k: Offset of the diagonal, positive above the main diagonal.
            dtype: The dtype of the elements; float32 if None.
            ctx: The context; the current one if None.

        Example:
            >>> from hy_ndarray import np
            >>> np.tri(2, 3, dtype="int32")
            array([[1, 0, 0],
                   [1, 1, 0]], dtype=int32)
        """
        ones: Any = self.ones((N, N if M is None else M), dtype, ctx=ctx)
        lower: T = shaping.tril(ones, k=k)
        return lower

    def hanning(self, M: int, dtype: Any = None, ctx: Context | None = None) -> T:  # noqa: N803
        """Return a Hann window of ``M`` points."""
        return self._make("_npi_hanning", ctx, None, M=M, dtype=dtype_or_float32(dtype))

    def hamming(self, M: int, dtype: Any = None, ctx: Context | None = None) -> T:  # noqa: N803
        """Return a Hamming window of ``M`` points."""
        return self._make("_npi_hamming", ctx, None, M=M, dtype=dtype_or_float32(dtype))

    def blackman(self, M: int, dtype: Any = None, ctx: Context | None = None) -> T:  # noqa: N803
        """Return a Blackman window of ``M`` points."""
        return self._make("_npi_blackman", ctx, None, M=M, dtype=dtype_or_float32(dtype))


def _as_shape(shape: Any) -> tuple[int, ...]:
    return (int(shape),) if is_number(shape) else tuple(shape)
