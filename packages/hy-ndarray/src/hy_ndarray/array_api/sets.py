"""Functions of the distinct elements of arrays."""

from typing import NamedTuple

import numpy as onp

from hy_ndarray.array_api._routes import on_host
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
    """Result of :func:`unique_all`."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCounts(NamedTuple):
    """Result of :func:`unique_counts`."""

    values: ndarray
    counts: ndarray


class UniqueInverse(NamedTuple):
    """Result of :func:`unique_inverse`."""

    values: ndarray
    inverse_indices: ndarray


def unique_all(x: ndarray, /) -> UniqueAll:
    """Return distinct elements, their first indices, inverse indices and counts.

    Every nan is different from every other one.
    """
    return UniqueAll(*on_host(onp.unique_all, x, constant=True))


def unique_counts(x: ndarray, /) -> UniqueCounts:
    """Return distinct elements, and the count of each."""
    return UniqueCounts(*on_host(onp.unique_counts, x, constant=True))


def unique_inverse(x: ndarray, /) -> UniqueInverse:
    """Return distinct elements, and the inverse indices."""
    return UniqueInverse(*on_host(onp.unique_inverse, x, constant=True))


def unique_values(x: ndarray, /) -> ndarray:
    """Return the distinct elements."""
    result: ndarray = on_host(onp.unique_values, x, constant=True)
    return result


def isin(x1: ndarray, x2: ndarray, /, *, invert: bool = False) -> ndarray:
    """Return whether each element of ``x1`` is one of ``x2``."""
    result: ndarray = on_host(onp.isin, x1, x2, constant=True, invert=invert)
    return result
