"""Rows of arrays selected and summed by index, for take, embedding, gather and their gradients."""

from collections.abc import Sequence
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, accumulator
from hy_kernels.numpy._order import stable_order
from hy_kernels.numpy.costs import COSTS

_MIN_ROWS_RATIO = (
    32  # a pass over fewer rows than one in so many takes longer than to add those one by one
)


def integers(indices: Array) -> Array:
    """Return indices of any dtype, truncated to integers."""
    return indices.astype(np.intp)


def positions(indices: Array, size: int, mode: str) -> Array:
    """Return indices as integers in ``[0, size)``: wrapped, clipped or checked, by ``mode``."""
    index = integers(indices)
    if mode == "wrap":
        return np.mod(index, size, out=index)
    if mode == "clip":
        # Two ufuncs: numpy.clip takes three times as long for few indices.
        np.maximum(index, 0, out=index)
        return np.minimum(index, size - 1, out=index)
    if index.size and (index.min() < 0 or index.max() >= size):
        wrong = index[(index < 0) | (index >= size)][0]
        raise IndexError(f"index {wrong} is outside of an axis of {size}")
    return index


def flat_indices_along(shape: Sequence[int], index: Array, axis: int) -> Array:
    """Convert ``index`` along ``axis`` to flat indices into an array of ``shape``."""
    left, right = prod(shape[:axis]), prod(shape[axis + 1 :])
    result = index.reshape(left, index.shape[axis], right)
    result = result + shape[axis] * np.arange(left)[:, None, None]
    if right != 1:
        result *= right
        result += np.arange(right)
    return result.reshape(index.shape)


def add_rows(rows: Array, index: Array, sums: Array) -> None:
    """Sum ``rows`` by their target in ``index``, and write each sum to its row of ``sums``.

    Rows of ``sums``, which is zero, that are no target stay unchanged.
    """
    if not len(index):
        return
    length = prod(sums.shape[1:])
    is_direct = sums.flags.c_contiguous and accumulator(rows.dtype) == sums.dtype == rows.dtype
    if is_direct and length <= COSTS.rows.added:
        # NumPy adds numbers at indices in order, without a call for each.
        numbers = index if length == 1 else (index[:, None] * length + np.arange(length)).ravel()
        np.add.at(sums.reshape(-1), numbers, rows.reshape(-1))
        return
    _add_ordered(rows, index, sums)


def _add_ordered(rows: Array, index: Array, sums: Array) -> None:
    """Compute :func:`add_rows` of at least one row, ordered by target."""
    # Most targets get one or a few rows. So all rows are written, then one pass adds the first and
    # second rows of targets that have several, the next pass their third rows, until few are left,
    # which reduceat adds one by one.
    # NumPy radix-sorts 16-bit integers, in a tenth of the time of 64-bit ones.
    bits = np.uint16 if len(sums) <= 1 << 16 else np.int32 if len(sums) <= 1 << 31 else np.int64
    order = stable_order(index.astype(bits))
    named = index[order]
    starts = _starts(named)
    counts = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1] = len(named) - starts[-1]
    sums[index] = rows
    is_shared = counts > 1
    starts, counts = starts[is_shared], counts[is_shared]
    if not len(starts):
        return
    rows = np.ascontiguousarray(rows)
    total = rows.take(order[starts], axis=0).astype(accumulator(rows.dtype), copy=False)
    total += rows.take(order[starts + 1], axis=0)
    done, again = 2, (counts > 2).nonzero()[0]
    while len(again) * _MIN_ROWS_RATIO > len(starts):
        total[again] += rows.take(order[starts[again] + done], axis=0)
        done += 1
        again = again[counts[again] > done]
    if len(again):
        more = counts[again] - done
        begins = np.cumsum(more) - more
        left = np.repeat(starts[again] + done - begins, more) + np.arange(more.sum())
        others = rows.take(order[left], axis=0).astype(total.dtype, copy=False)
        total[again] += np.add.reduceat(others, begins, axis=0)
    sums[named[starts]] = total


def _starts(ordered: Array) -> Array:
    """Return the positions of a non-empty, sorted vector at which a new number begins."""
    # numpy.diff and flatnonzero take 5 µs more.
    is_new = np.empty(len(ordered), np.bool_)
    is_new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return is_new.nonzero()[0]
