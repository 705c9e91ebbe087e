"""Elements counted, sorted into bins and evaluated, on arrays and on symbols."""

from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.np.calls import A, call, is_number

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
    """How often each number from 0 on occurs, or the sum of its weights."""
    inputs = (x,) if weights is None else (x, weights)
    return call("_npi_bincount", *inputs, minlength=minlength, has_weights=weights is not None)


def histogram(
    a: Any,
    bins: Any = 10,
    range: tuple[float, float] | None = None,
    normed: bool | None = None,
    weights: Any = None,
    density: bool | None = None,
) -> Any:
    """How many elements fall between neighbouring edges, and the edges.

    Args:
        a: The elements.
        bins: Number of equal bins, or their edges.
        range: The outer edges of equal bins, which must be given for these.
        normed: Not built; None.
        weights: Not built; None.
        density: Not built; None.

    Raises:
        ArgumentError: An argument is missing, or is not built.
    """
    if normed or weights is not None or density:
        raise ArgumentError("histogram: normed, weights and density are not built; leave them out")
    if not is_number(bins):
        return call("_npi_histogram", a, bins)
    if range is None:
        raise ArgumentError("histogram: range must be given where bins is a number")
    return call("_npi_histogram", a, bin_cnt=int(bins), range=tuple(range))


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The different elements, or slices along an axis, in rising order.

    Args:
        ar: The array.
        return_index: Give where each occurs first, too.
        return_inverse: Give which of them each element is, too.
        return_counts: Give how often each occurs, too.
        axis: The axis of slices; None for the flattened array.

    Returns:
        The elements, or a tuple of them and what is asked for.
    """
    flags = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    found = call("_npi_unique", ar, axis=axis, **flags)
    return tuple(found) if any(flags.values()) else found


def polyval(p: A, x: A) -> A:
    """The value at ``x`` of the polynomial with coefficients ``p``, the highest power first."""
    return call("_npi_polyval", p, x)


def shares_memory(a: Any, b: Any, max_work: Any = None) -> Any:
    """Whether two arrays share memory: a boolean; of symbols one that will hold it."""
    shared = call("_npi_share_memory", a, b)
    return shared.item() if hasattr(type(shared), "buffer") else shared


may_share_memory = shares_memory


def diag_indices_from(arr: A) -> tuple[A, ...]:
    """The indices of the main diagonal: a tuple with an array for each axis."""
    indices: Any = call("_npi_diag_indices_from", arr)
    return tuple(indices)
