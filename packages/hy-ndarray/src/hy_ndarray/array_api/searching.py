"""Functions that search for elements."""

from typing import Any, Literal

import numpy as onp

from hy_ndarray._errors import ShapeError
from hy_ndarray.array_api._promotion import same_dtype
from hy_ndarray.array_api._routes import CLASSIC, Route, several_on_host
from hy_ndarray.array_api.elementwise import not_equal
from hy_ndarray.array_api.statistical import sum as total
from hy_ndarray.np import ndarray

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]

Axes = int | tuple[int, ...]

_argmax = Route("argmax", constant=True)
_argmin = Route("argmin", constant=True)
_searchsorted = Route("searchsorted", constant=True)
_where = Route("where", CLASSIC)


def argmax(x: ndarray, /, *, axis: int | None = None, keepdims: bool = False) -> ndarray:
    """Return int64 indices of the largest elements along an axis, or of the flattened array."""
    return _argmax(x, axis, keepdims=keepdims)


def argmin(x: ndarray, /, *, axis: int | None = None, keepdims: bool = False) -> ndarray:
    """Return int64 indices of the smallest elements along an axis, or of the flattened array."""
    return _argmin(x, axis, keepdims=keepdims)


def count_nonzero(x: ndarray, /, *, axis: Axes | None = None, keepdims: bool = False) -> ndarray:
    """Return the number of nonzero elements along some axes, all if None; int64."""
    nonzero_mask = x if x.dtype.kind == "b" else not_equal(x, 0)
    return total(nonzero_mask, axis=axis, keepdims=keepdims)


def nonzero(x: ndarray, /) -> tuple[ndarray, ...]:
    """Return for each axis the indices of nonzero elements; int64.

    Raises:
        ShapeError: The array has no axes.
    """
    if x.ndim == 0:
        raise ShapeError("nonzero: x must have at least one axis, got an array ()")
    result: tuple[ndarray, ...] = several_on_host(onp.nonzero, x, constant=True)
    return result


def searchsorted(
    x1: ndarray,
    x2: Any,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: ndarray | None = None,
) -> ndarray:
    """Return the indices at which elements can be inserted to keep an array sorted; int64.

    Args:
        x1: ``[N]``, in ascending order, or sorted by ``sorter``.
        x2: The elements to insert.
        side: ``"left"`` for the index before equal elements, ``"right"`` for that after them.
        sorter: ``[N]``, integers that sort ``x1``.
    """
    first, second = same_dtype("searchsorted", x1, x2)
    return _searchsorted(first, second, side=side, sorter=sorter)


def where(condition: ndarray, x1: Any, x2: Any, /) -> ndarray:
    """Return elements of ``x1`` where the condition is true, else of ``x2``.

    Args:
        condition: Booleans.
        x1: An array or a number.
        x2: An array or a number.
    """
    first, second = same_dtype("where", x1, x2)
    return _where(condition, first, second)
