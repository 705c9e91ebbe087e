"""Rows chosen and added up by index: what takes, embeddings and gathers share."""

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

__all__ = ["add_rows", "integers", "positions"]


def integers(indices: Array) -> Array:
    """Indices of any dtype as integers; fractions are cut off."""
    return indices.astype(np.intp)


def positions(indices: Array, size: int, mode: str) -> Array:
    """Indices as integers within ``0 … size - 1``."""
    index = integers(indices)
    if mode == "wrap":
        return np.mod(index, size, out=index)
    if mode == "clip":
        return np.clip(index, 0, size - 1, out=index)
    if index.size and (index.min() < 0 or index.max() >= size):
        wrong = index[(index < 0) | (index >= size)][0]
        raise IndexError(f"index {wrong} is outside of an axis of {size}")
    return index


def add_rows(rows: Array, index: Array, count: int) -> Array:
    """``count`` rows; each is the sum of those in ``rows`` that ``index`` sends there."""
    sums = np.zeros((count, *rows.shape[1:]), accumulator(rows.dtype))
    order = np.argsort(index, kind="stable")
    target = index[order]
    starts = np.flatnonzero(np.diff(target, prepend=-1))
    if len(starts):
        sorted_rows = rows[order].astype(sums.dtype, copy=False)
        if len(starts) < len(order):
            sorted_rows = np.add.reduceat(sorted_rows, starts, axis=0)
        sums[target[starts]] = sorted_rows
    return sums.astype(rows.dtype, copy=False)
