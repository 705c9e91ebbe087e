"""Set functions: distinct elements and membership."""

from typing import NamedTuple

import numpy as onp

from hy_ndarray.array_api._routes import on_host, several_on_host
from hy_ndarray.np import ndarray

__all__ = [
    "UniqueAll",
    "UniqueCounts",
    "UniqueInverse",
    "isin",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAll(NamedTuple):
    """Named tuple that :func:`unique_all` returns."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCounts(NamedTuple):
    """Named tuple that :func:`unique_counts` returns."""

    values: ndarray
    counts: ndarray


class UniqueInverse(NamedTuple):
    """Named tuple that :func:`unique_inverse` returns."""

    values: ndarray
    inverse_indices: ndarray


def unique_all(x: ndarray, /) -> UniqueAll:
    """Return the distinct elements, their first indices, the inverse indices and the counts.

    Each nan is distinct from all others.
    """
    return UniqueAll(*several_on_host(onp.unique_all, x, constant=True))


def unique_counts(x: ndarray, /) -> UniqueCounts:
    """Return the distinct elements and their counts."""
    return UniqueCounts(*several_on_host(onp.unique_counts, x, constant=True))


def unique_inverse(x: ndarray, /) -> UniqueInverse:
    """Return the distinct elements and the inverse indices."""
    return UniqueInverse(*several_on_host(onp.unique_inverse, x, constant=True))


def unique_values(x: ndarray, /) -> ndarray:
    """Return the distinct elements."""
    return on_host(onp.unique_values, x, constant=True)


def isin(x1: ndarray, x2: ndarray, /, *, invert: bool = False) -> ndarray:
    """Return whether each element of ``x1`` is in ``x2``."""
    return on_host(onp.isin, x1, x2, constant=True, invert=invert)
