"""Elements and rows chosen by arrays of indices; choice by condition."""

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

__all__ = ["embedding", "one_hot", "pick", "pick_backward", "take", "take_backward", "where"]


def _positions(indices: Array, size: int, mode: str) -> Array:
    """Indices as integers within ``0 … size - 1``."""
    index = indices.astype(np.intp)
    if mode == "wrap":
        return np.mod(index, size, out=index)
    if mode == "clip":
        return np.clip(index, 0, size - 1, out=index)
    if index.size and (index.min() < 0 or index.max() >= size):
        wrong = index[(index < 0) | (index >= size)][0]
        raise IndexError(f"index {wrong} is outside of an axis of {size}")
    return index


def take(a: Array, indices: Array, *, axis: int, mode: str) -> Array:
    """Slices along ``axis``."""
    return np.take(a, _positions(indices, a.shape[axis], mode), axis=axis)


def _add_rows(rows: Array, index: Array, count: int) -> Array:
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


def take_backward(dy: Array, a: Array, indices: Array, *, axis: int, mode: str) -> Array:
    """Every slice of ``dy`` added where it was taken."""
    at = axis % a.ndim
    index = _positions(indices, a.shape[at], mode).ravel()
    left, right = a.shape[:at], a.shape[at + 1 :]
    rows = dy.reshape(*left, index.size, *right)
    if at == 0:
        return _add_rows(rows, index, a.shape[0])
    moved = np.moveaxis(rows, at, 0)
    return np.moveaxis(_add_rows(moved, index, a.shape[at]), 0, at).copy()


def embedding(
    data: Array,
    weight: Array,
    *,
    input_dim: int,  # weight tells
    output_dim: int,
    dtype: str,
    sparse_grad: bool,
) -> Array:
    """A row of ``weight`` for every index."""
    if weight.shape != (input_dim, output_dim):
        raise ValueError("weight has another shape")
    return np.take(weight, data.astype(np.intp), axis=0, mode="clip")


def _along(data: Array, index: Array, axis: int | None, mode: str) -> tuple[Array, int]:
    """``index`` with a place for ``axis``, and that axis counted from the front."""
    if axis is None:
        raise ValueError("axis is None")
    at = axis % data.ndim
    kept = (*data.shape[:at], 1, *data.shape[at + 1 :])
    left = data.shape[:at] + data.shape[at + 1 :]
    if index.shape not in (kept, left or (1,)):
        raise ValueError("index does not fit")
    return _positions(index, data.shape[at], mode).reshape(kept), at


def pick(data: Array, index: Array, *, axis: int | None, keepdims: bool, mode: str) -> Array:
    """One element along ``axis`` for every position."""
    where, at = _along(data, index, axis, mode)
    y = np.take_along_axis(data, where, at)
    return y if keepdims or data.ndim == 1 else y.reshape(y.shape[:at] + y.shape[at + 1 :])


def pick_backward(
    dy: Array, data: Array, index: Array, *, axis: int | None, keepdims: bool, mode: str
) -> Array:
    """Zeros with ``dy`` where it was picked."""
    where, at = _along(data, index, axis, mode)
    dx = np.zeros(data.shape, dy.dtype)
    np.put_along_axis(dx, where, dy.reshape(where.shape), at)
    return dx


def one_hot(indices: Array, *, depth: int, on_value: float, off_value: float, dtype: str) -> Array:
    """``on_value`` at the index, ``off_value`` elsewhere."""
    index = indices.astype(np.intp).ravel()
    y = np.full((index.size, depth), off_value, np.dtype(dtype))
    inside = np.flatnonzero((index >= 0) & (index < depth))
    y[inside, index[inside]] = on_value
    return y.reshape(*indices.shape, depth)


def where(condition: Array, x: Array, y: Array) -> Array:
    """``x`` where the condition holds, else ``y``."""
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError("x and y differ")
    holds = condition if condition.dtype == np.bool_ else condition != 0
    if condition.shape != x.shape:
        if condition.ndim != 1 or condition.shape != x.shape[:1]:
            raise ValueError("condition does not fit")
        holds = holds.reshape(-1, *(1,) * (x.ndim - 1))
    return np.where(holds, x, y)
