"""Statistical reductions along axes."""

from typing import Any

import numpy as onp

from hy_ndarray._dtypes import dtype_name
from hy_ndarray.array_api._promotion import DType, as_dtype, name_of
from hy_ndarray.array_api._routes import FLOATS, NUMBERS, Route, on_host
from hy_ndarray.array_api.dtypes import astype
from hy_ndarray.array_api.elementwise import divide
from hy_ndarray.np import ndarray

__all__ = [
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]

Axes = int | tuple[int, ...]

_sum = Route("sum", FLOATS | {"int64"})
_prod = Route("prod", FLOATS | {"int64"})
_mean = Route("mean", FLOATS)
_std = Route("std", FLOATS)
_var = Route("var", FLOATS)
_cumulative_sum = Route("cumulative_sum", FLOATS)
_cumulative_prod = Route("cumulative_prod")
_max = Route("max", NUMBERS)
_min = Route("min", NUMBERS)


def _accumulating(x: ndarray, dtype: Any) -> ndarray:
    """Return the array converted to the dtype of its sum: 64 bits for integers."""
    if dtype is not None:
        return astype(x, as_dtype(dtype_name(dtype)), copy=False)
    kind = x.dtype.kind
    if kind in "bi":
        return astype(x, as_dtype("int64"), copy=False)
    return astype(x, as_dtype("uint64"), copy=False) if kind == "u" else x


def _accumulated(route: Route, x: ndarray, axis: Any, dtype: Any, keepdims: bool) -> ndarray:
    """Return a sum or product, computed in the dtype of :func:`_accumulating`."""
    data = _accumulating(x, dtype)
    # Numpy widens integers.
    dtype_option = {} if name_of(data) in route.dtypes else {"dtype": data.dtype}
    return route(data, axis=axis, keepdims=keepdims, **dtype_option)


def _averaged(route: Route, x: ndarray, **options: Any) -> ndarray:
    """Return a mean or variance; nan if there are no elements, where MXNet returns 0."""
    if x.size == 0:
        options.pop("ddof", None)
        return divide(sum(x, **options), 0.0)
    return route(x, **options)


def sum(
    x: ndarray, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False
) -> ndarray:
    """Return the sum along some axes, all by default.

    Args:
        x: The elements.
        axis: The axes.
        dtype: Dtype of the result; if None, that of ``x``, or 64 bits for integers.
        keepdims: Whether reduced axes are kept, with size 1.
    """
    return _accumulated(_sum, x, axis, dtype, keepdims)


def prod(
    x: ndarray, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False
) -> ndarray:
    """Return the product along some axes, all by default; arguments as :func:`sum`."""
    return _accumulated(_prod, x, axis, dtype, keepdims)


def mean(x: ndarray, /, *, axis: Axes | None = None, keepdims: bool = False) -> ndarray:
    """Return the mean along some axes, all by default."""
    return _averaged(_mean, x, axis=axis, keepdims=keepdims)


def std(
    x: ndarray, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False
) -> ndarray:
    """Return the standard deviation along some axes, all by default; arguments as :func:`var`."""
    if correction == int(correction):
        return _averaged(_std, x, axis=axis, ddof=int(correction), keepdims=keepdims)
    return var(x, axis=axis, correction=correction, keepdims=keepdims) ** 0.5


def var(
    x: ndarray, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False
) -> ndarray:
    """Return the variance along some axes, all by default.

    Args:
        x: The elements.
        axis: The axes.
        correction: Degrees of freedom: the divisor is the number of elements minus ``correction``.
        keepdims: Whether reduced axes are kept, with size 1.
    """
    if correction == int(correction):
        return _averaged(_var, x, axis=axis, ddof=int(correction), keepdims=keepdims)
    return on_host(onp.var, x, axis=axis, correction=correction, keepdims=keepdims)


def max(x: ndarray, /, *, axis: Axes | None = None, keepdims: bool = False) -> ndarray:
    """Return the maximum along some axes, all by default; nan if any element is nan."""
    return _max(x, axis=axis, keepdims=keepdims)


def min(x: ndarray, /, *, axis: Axes | None = None, keepdims: bool = False) -> ndarray:
    """Return the minimum along some axes, all by default; nan if any element is nan."""
    return _min(x, axis=axis, keepdims=keepdims)


def cumulative_sum(
    x: ndarray,
    /,
    *,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Return the cumulative sums along an axis.

    Args:
        x: The elements.
        axis: The axis; may be None for a vector.
        dtype: As in :func:`sum`.
        include_initial: Whether to include the initial value 0.
    """
    data = _accumulating(x, dtype)
    return _cumulative_sum(data, axis=axis, dtype=data.dtype, include_initial=include_initial)


def cumulative_prod(
    x: ndarray,
    /,
    *,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: bool = False,
) -> ndarray:
    """Return the cumulative products along an axis; arguments as :func:`cumulative_sum`."""
    data = _accumulating(x, dtype)
    return _cumulative_prod(data, axis=axis, dtype=data.dtype, include_initial=include_initial)
