"""Reductions of arrays and of symbols."""

from typing import Any, Literal, overload

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import UnsupportedError
from hy_ndarray.np.calls import A, call, is_number

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "cumsum",
    "max",
    "mean",
    "min",
    "percentile",
    "prod",
    "product",
    "quantile",
    "sometrue",
    "std",
    "sum",
    "var",
]


def sum(
    a: A,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
    **unknown: Any,
) -> A:
    """Return the sum of the elements along some axes.

    Args:
        a: The elements.
        axis: One axis or several; None for all.
        dtype: The dtype of the result; that of ``a`` if None.
        keepdims: Keep the reduced axes, with size 1.
        initial: The start value, added to the sum.
        out: Array to write to.
        unknown: ``name``, the name of a graph node; others are refused.

    Example:
        >>> from hy_ndarray import np
        >>> np.sum(np.array([[1, 2], [3, 4]]))
        array(10.)
    """
    options = _present(dtype=dtype, initial=initial)
    return call("_np_sum", a, out=out, axis=axis, keepdims=keepdims, **options, **unknown)


def prod(
    a: A,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: float | None = None,
    **unknown: Any,
) -> A:
    """Return the product of the elements along some axes; arguments as for :func:`sum`."""
    options = _present(dtype=dtype, initial=initial)
    return call("_np_prod", a, out=out, axis=axis, keepdims=keepdims, **options, **unknown)


product = prod


def mean(a: A, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> A:
    """Return the mean of the elements along some axes; the result is float32 for integers.

    Args:
        a: The elements.
        axis: One axis or several; None for all.
        dtype: The dtype of the result.
        out: Array to write to.
        keepdims: Keep the reduced axes, with size 1.
    """
    return call("_npi_mean", a, out=out, axis=axis, keepdims=keepdims, **_present(dtype=dtype))


def max(
    a: A,
    axis: Any = None,
    keepdims: bool = False,
    out: Any = None,
    initial: Any = None,
    **unknown: Any,
) -> A:
    """Return the largest element along some axes; arguments as for :func:`mean`."""
    return call(
        "_np_max", a, out=out, axis=axis, keepdims=keepdims, **_present(initial=initial), **unknown
    )


def min(
    a: A,
    axis: Any = None,
    keepdims: bool = False,
    out: Any = None,
    initial: Any = None,
    **unknown: Any,
) -> A:
    """Return the smallest element along some axes; arguments as for :func:`mean`."""
    return call(
        "_np_min", a, out=out, axis=axis, keepdims=keepdims, **_present(initial=initial), **unknown
    )


amax = max
amin = min


def std(
    a: A,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> A:
    """Return the standard deviation along some axes.

    Args:
        a: The elements.
        axis: One axis or several; None for all.
        dtype: The dtype of the result.
        out: Array to write to.
        ddof: Delta degrees of freedom: the divisor is the number of elements minus ``ddof``.
        keepdims: Keep the reduced axes, with size 1.
    """
    options = _present(dtype=dtype)
    return call("_npi_std", a, out=out, axis=axis, ddof=ddof, keepdims=keepdims, **options)


def var(
    a: A,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> A:
    """Return the variance along some axes; arguments as for :func:`std`."""
    options = _present(dtype=dtype)
    return call("_npi_var", a, out=out, axis=axis, ddof=ddof, keepdims=keepdims, **options)


def all(a: A, axis: Any = None, keepdims: bool = False, out: Any = None, **unknown: Any) -> A:
    """Return whether all elements along some axes are nonzero, as booleans."""
    return call("_np_all", a, out=out, axis=axis, keepdims=keepdims, **unknown)


def any(a: A, axis: Any = None, keepdims: bool = False, out: Any = None, **unknown: Any) -> A:
    """Return whether any element along some axes is nonzero, as booleans."""
    return call("_np_any", a, out=out, axis=axis, keepdims=keepdims, **unknown)


sometrue = any


def argmax(a: A, axis: int | None = None, out: Any = None) -> A:
    """Return the int64 index of the first maximum along an axis, or of the flattened array."""
    return call("_npi_argmax", a, out=out, axis=axis, keepdims=False)


def argmin(a: A, axis: int | None = None, out: Any = None) -> A:
    """Return the int64 index of the first minimum along an axis, or of the flattened array."""
    return call("_npi_argmin", a, out=out, axis=axis, keepdims=False)


def cumsum(a: A, axis: int | None = None, dtype: Any = None, out: Any = None, **unknown: Any) -> A:
    """Return the cumulative sums along an axis, or of the flattened array."""
    return call("_np_cumsum", a, out=out, axis=axis, **_present(dtype=dtype), **unknown)


@overload
def average(
    a: A, axis: Any = ..., weights: Any = ..., returned: Literal[False] = ..., out: Any = ...
) -> A: ...


@overload
def average(
    a: A, axis: Any = ..., weights: Any = ..., *, returned: Literal[True], out: Any = ...
) -> tuple[A, A]: ...


@overload
def average(
    a: A, axis: Any = ..., weights: Any = ..., returned: bool = ..., out: Any = ...
) -> A | tuple[A, A]: ...


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, out: Any = None
) -> Any:
    """Return the weighted mean along some axes.

    Args:
        a: The elements.
        axis: One axis or several; None for all.
        weights: Weights in the shape of ``a``, or one per index along ``axis``; None: all equal.
        returned: Also return the sums of the weights.
        out: Array to write to.
    """
    weighted = weights is not None
    inputs = (a, weights) if weighted else (a,)
    options = {"axis": axis, "returned": returned, "weighted": weighted}
    result = call("_npi_average", *inputs, out=out, **options)
    return tuple(result) if returned else result


def percentile(
    a: A,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool | None = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> A:
    """Return percentiles of the elements along some axes.

    Args:
        a: The elements.
        q: Percentages, a number or an array.
        axis: One axis or several; None for all.
        out: Array to write to.
        overwrite_input: Not supported; None or False.
        interpolation: ``"linear"``, ``"lower"``, ``"higher"``, ``"midpoint"`` or ``"nearest"``.
        keepdims: Keep the reduced axes, with size 1.

    Raises:
        UnsupportedError: ``overwrite_input`` is True.
        ArgumentError: A percentage is not between 0 and 100.
    """
    if overwrite_input:
        raise UnsupportedError("percentile: overwrite_input is not supported; leave it out")
    options = {"axis": axis, "interpolation": interpolation, "keepdims": keepdims}
    if is_number(q):
        return call("_npi_percentile", a, out=out, q_scalar=float(q), **options)
    return call("_npi_percentile", a, q, out=out, **options)


def quantile(
    a: A,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool | None = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> A:
    """Return quantiles: :func:`percentile` with fractions from 0 to 1 instead of percentages."""
    percent = float(q) * 100 if is_number(q) else q * 100
    return percentile(a, percent, axis, out, overwrite_input, interpolation, keepdims)


def _present(**options: Any) -> dict[str, Any]:
    """Return the options that are not None, with a dtype given by name."""
    present = {name: value for name, value in options.items() if value is not None}
    if "dtype" in present:
        present["dtype"] = dtype_name(present["dtype"])
    return present
