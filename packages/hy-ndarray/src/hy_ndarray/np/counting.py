"""Counting, binning and polynomial evaluation, on arrays and on symbols."""

from typing import Any, Literal, overload

import numpy as onp

from hy_ndarray._errors import ArgumentError, UnsupportedError
from hy_ndarray.core._array import Array
from hy_ndarray.np.calls import A, NumpyOperand, call, is_number

__all__ = [
    "bincount",
    "diag_indices_from",
    "histogram",
    "may_share_memory",
    "polyval",
    "shares_memory",
    "unique",
]


def bincount(x: A, weights: A | None = None, minlength: int = 0) -> A:
    """Count the occurrences of each non-negative integer, or sum the corresponding weights."""
    inputs = (x,) if weights is None else (x, weights)
    return call("_npi_bincount", *inputs, minlength=minlength, has_weights=weights is not None)


def histogram(
    a: A,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    normed: bool | None = None,
    weights: Any = None,
    density: bool | None = None,
) -> list[A]:
    """Return the number of elements in each bin, and the edges of the bins.

    Args:
        a: The elements.
        bins: Number of equal bins, or their edges.
        range: The outer edges; required if ``bins`` is a number.
        normed: Not supported; None.
        weights: Not supported; None.
        density: Not supported; None.

    Raises:
        ArgumentError: An argument is missing.
        UnsupportedError: An unsupported argument is given.
    """
    if normed or weights is not None or density:
        raise UnsupportedError(
            "histogram: normed, weights and density are not supported; leave them out"
        )
    inputs, params = ((a, bins), {}) if not is_number(bins) else ((a,), _equal_bins(bins, range))
    parts: Any = call("_npi_histogram", *inputs, **params)
    outputs: list[A] = parts
    return outputs


def _equal_bins(count: Any, range: tuple[float, float] | None) -> dict[str, Any]:
    if range is None:
        raise ArgumentError("histogram: range is required if bins is a number")
    return {"bin_cnt": int(count), "range": tuple(range)}


@overload
def unique(
    ar: A,
    return_index: Literal[False] = ...,
    return_inverse: Literal[False] = ...,
    return_counts: Literal[False] = ...,
    axis: int | None = ...,
) -> A: ...


@overload
def unique(
    ar: A,
    return_index: Literal[True],
    return_inverse: bool = ...,
    return_counts: bool = ...,
    axis: int | None = ...,
) -> tuple[A, ...]: ...


@overload
def unique(
    ar: A,
    return_index: bool = ...,
    *,
    return_inverse: Literal[True],
    return_counts: bool = ...,
    axis: int | None = ...,
) -> tuple[A, ...]: ...


@overload
def unique(
    ar: A,
    return_index: bool = ...,
    return_inverse: bool = ...,
    *,
    return_counts: Literal[True],
    axis: int | None = ...,
) -> tuple[A, ...]: ...


@overload
def unique(
    ar: A,
    return_index: bool = ...,
    return_inverse: bool = ...,
    return_counts: bool = ...,
    axis: int | None = ...,
) -> A | tuple[A, ...]: ...


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """Return the distinct elements, or distinct slices along an axis, in ascending order.

    Args:
        ar: The array.
        return_index: Also return the index of each one's first occurrence.
        return_inverse: Also return, for each input element, its index among the distinct ones.
        return_counts: Also return the number of occurrences of each.
        axis: The axis of slices; None for the flattened array.

    Returns:
        The distinct elements, or a tuple of these and the requested arrays.
    """
    flags = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    outputs = call("_npi_unique", ar, axis=axis, **flags)
    return tuple(outputs) if any(flags.values()) else outputs


def polyval(p: A, x: A) -> A:
    """Evaluate a polynomial at ``x``; the coefficients ``p`` start with the highest power."""
    return call("_npi_polyval", p, x)


@overload
def shares_memory(a: Array, b: Array, max_work: Any = ...) -> bool: ...


@overload
def shares_memory(a: A, b: A, max_work: Any = ...) -> A: ...


@overload
def shares_memory(a: Any, b: Any, max_work: Any = ...) -> bool: ...


def shares_memory(a: Any, b: Any, max_work: Any = None) -> Any:
    """Return whether two arrays share memory; for symbols, a symbol with that result.

    Operands may also be numpy arrays: ``numpy.asarray(x)`` is a view of an array on the CPU.
    """
    if not isinstance(a, NumpyOperand) or not isinstance(b, NumpyOperand):
        return bool(onp.may_share_memory(onp.asarray(a), onp.asarray(b), max_work=max_work))
    shared: Any = call("_npi_share_memory", a, b)
    return shared.item() if hasattr(type(shared), "buffer") else shared


may_share_memory = shares_memory


def diag_indices_from(arr: A) -> tuple[A, ...]:
    """Return the indices of the main diagonal, a tuple with one array per axis."""
    indices: Any = call("_npi_diag_indices_from", arr)
    return tuple(indices)
