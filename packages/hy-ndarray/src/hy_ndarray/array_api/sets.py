"""Functions that give each different element once."""

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
    """The different elements: values, first positions, which each element is, how often.

    Every nan is different from every other one.
    """
    return UniqueAll(*on_host(onp.unique_all, x, constant=True))


def unique_counts(x: ndarray, /) -> UniqueCounts:
    """The different elements, and how often each occurs."""
    return UniqueCounts(*on_host(onp.unique_counts, x, constant=True))


def unique_inverse(x: ndarray, /) -> UniqueInverse:
    """The different elements, and which of them each element is."""
    return UniqueInverse(*on_host(onp.unique_inverse, x, constant=True))


def unique_values(x: ndarray, /) -> ndarray:
    """The different elements."""
    result: ndarray = on_host(onp.unique_values, x, constant=True)
    return result


def isin(x1: ndarray, x2: ndarray, /, *, invert: bool = False) -> ndarray:
    """Whether each element of ``x1`` is one of ``x2``."""
    result: ndarray = on_host(onp.isin, x1, x2, constant=True, invert=invert)
    return result
