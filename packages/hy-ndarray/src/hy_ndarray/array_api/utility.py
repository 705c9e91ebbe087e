"""Tests of all elements, and differences."""

from typing import Any

from hy_ndarray.array_api._routes import Route
from hy_ndarray.array_api.elementwise import subtract
from hy_ndarray.array_api.manipulation import concat
from hy_ndarray.np import ndarray

__all__ = ["all", "any", "diff"]

Axes = int | tuple[int, ...]

_all = Route("all", ("bool",), constant=True)
_any = Route("any", ("bool",), constant=True)


def all(x: ndarray, /, *, axis: Axes | None = None, keepdims: bool = False) -> ndarray:
    """Return whether all elements along some axes are nonzero."""
    return _all(x, axis=axis, keepdims=keepdims)


def any(x: ndarray, /, *, axis: Axes | None = None, keepdims: bool = False) -> ndarray:
    """Return whether any element along some axes is nonzero."""
    return _any(x, axis=axis, keepdims=keepdims)


def diff(
    x: ndarray,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: ndarray | None = None,
    append: ndarray | None = None,
) -> ndarray:
    """Return the ``n``-th differences of adjacent elements along an axis.

    Args:
        x: The elements.
        axis: The axis.
        n: Number of times that differences are taken.
        prepend: Elements to prepend to ``x`` first.
        append: Elements to append to ``x`` first.
    """
    parts = [part for part in (prepend, x, append) if part is not None]
    result = concat(parts, axis=axis) if len(parts) > 1 else x
    along = axis % x.ndim
    before: Any = (slice(None),) * along
    for _ in range(n):
        result = subtract(result[(*before, slice(1, None))], result[(*before, slice(None, -1))])
    return result
