"""Rows chosen and added up by index: what takes, embeddings, gathers and their gradients share."""

from collections.abc import Sequence
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

__all__ = ["add_rows", "integers", "places_along", "positions"]


def integers(indices: Array) -> Array:
    """Indices of any dtype as integers; fractions are cut off."""
    return indices.astype(np.intp)


def positions(indices: Array, size: int, mode: str) -> Array:
    """Indices as integers within ``0 … size - 1``."""
    index = integers(indices)
    if mode == "wrap":
        return np.mod(index, size, out=index)
    if mode == "clip":
        np.maximum(index, 0, out=index)  # numpy.clip takes thrice as long for a few
        return np.minimum(index, size - 1, out=index)
    if index.size and (index.min() < 0 or index.max() >= size):
        wrong = index[(index < 0) | (index >= size)][0]
        raise IndexError(f"index {wrong} is outside of an axis of {size}")
    return index


def places_along(shape: Sequence[int], index: Array, axis: int) -> Array:
    """Where in a flat array of ``shape`` the elements are that ``index`` says along ``axis``."""
    left, right = prod(shape[:axis]), prod(shape[axis + 1 :])
    found = index.reshape(left, index.shape[axis], right)
    found = found + shape[axis] * np.arange(left)[:, None, None]
    if right != 1:
        found *= right
        found += np.arange(right)
    return found.reshape(index.shape)


def add_rows(rows: Array, index: Array, sums: Array) -> None:
    """Write to each row of ``sums`` that ``index`` names the sum of the ``rows`` sent there."""
    order = np.argsort(index, kind="stable")
    named = index[order]
    starts = np.flatnonzero(np.diff(named, prepend=-1))
    if len(starts):
        sorted_rows = rows[order].astype(accumulator(rows.dtype), copy=False)
        if len(starts) < len(order):
            sorted_rows = np.add.reduceat(sorted_rows, starts, axis=0)
        sums[named[starts]] = sorted_rows
