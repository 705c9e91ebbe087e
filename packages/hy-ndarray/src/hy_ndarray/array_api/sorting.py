"""Sorting functions."""

from typing import Any

import numpy as onp

from hy_ndarray.array_api._routes import on_host
from hy_ndarray.array_api.indexing import take_along_axis
from hy_ndarray.core import _state
from hy_ndarray.np import ndarray

__all__ = ["argsort", "sort"]


def argsort(
    x: ndarray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> ndarray:
    """Return int64 indices that sort the elements along an axis.

    Args:
        x: The elements.
        axis: The axis.
        descending: Whether to sort in descending order.
        stable: Accepted and ignored; the sort is always stable.
    """
    return on_host(_argsort, x, axis, descending, constant=True)


def sort(
    x: ndarray, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> ndarray:
    """Return the elements sorted along an axis; arguments as :func:`argsort`."""
    if _state.scope.recording and x.in_graph:
        return take_along_axis(x, argsort(x, axis=axis, descending=descending), axis=axis)
    return on_host(_sorted, x, axis, descending)


def _argsort(values: Any, axis: int, descending: bool) -> Any:
    if not descending:
        return onp.argsort(values, axis=axis, kind="stable")
    # From the end: equal elements would come in the other order.
    reversed_order = onp.argsort(onp.flip(values, axis), axis=axis, kind="stable")
    return onp.flip(values.shape[axis] - 1 - reversed_order, axis)


def _sorted(values: Any, axis: int, descending: bool) -> Any:
    result = onp.sort(values, axis=axis, kind="stable")
    return onp.flip(result, axis) if descending else result
