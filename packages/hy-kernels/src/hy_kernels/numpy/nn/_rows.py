"""Row-wise work in blocks that fit in the cache; maxima and exponentials of rows."""

from collections.abc import Callable
from functools import partial

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._folds import extreme_of_rows, row_sum
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._pool import num_chunks, split, together

# A sum of exponentials above this has lost nothing to underflow: in float32 that is below 1e-38,
# less than the sum's last digit.
_MIN_SUM = 1e-4


def by_rows(x: Array, work: Callable[[slice], None]) -> None:
    """Call ``work`` with slices of rows of about ``blocks.rows`` elements, maybe in threads."""
    _by_block(len(x), x.shape[1], work)


def by_block(size: int, work: Callable[[slice], None]) -> None:
    """Call ``work`` with slices of a vector, ``blocks.rows`` elements each, maybe in threads."""
    _by_block(size, 1, work)


def _by_block(count: int, each: int, work: Callable[[slice], None]) -> None:
    if 0 < count * each <= COSTS.blocks.rows or count == 1:
        work(slice(0, count))
        return
    step = max(1, COSTS.blocks.rows // max(each, 1))

    def run(part: slice) -> None:
        for start in range(part.start, part.stop, step):
            work(slice(start, min(start + step, part.stop)))

    total = count * each
    lowest = COSTS.threads.rows
    if total < lowest:
        run(slice(0, count))
    else:
        parts = split(count, num_chunks(total, lowest // 2))
        together([partial(run, part) for part in parts])


def row_max(x: Array) -> Array:
    """Return ``[R, 1]``, the largest element of each row; ``x`` has at least one column."""
    # NumPy's argmax along a row is vectorized and faster than its max; for short rows the maximum
    # is taken along axis 0 of the transpose.
    if x.shape[1] >= COSTS.rows.transposed_max:
        return extreme_of_rows(np.maximum, x)[:, None]
    return np.asarray(np.ascontiguousarray(x.T).max(axis=0))[:, None]


def _are_between(values: Array, low: float, high: float) -> bool:
    """Return whether all values are between ``low`` and ``high``; with nan it may be False."""
    if len(values) > COSTS.rows.listed:
        return bool(values.min() > low and values.max() < high)
    numbers: list[float] = values.tolist()
    return min(numbers) > low and max(numbers) < high


def exponentials(x: Array, y: Array, limit: float = 1e30) -> tuple[Array | None, Array]:
    """Compute ``exp(x - peak)`` of each row into ``y``, with its maximum as peak if necessary.

    The peak is 0 for all rows if each sum of ``exp(x)`` lies between 1e-4 and ``limit``.

    Args:
        x: A floating matrix with at least one column.
        y: A matrix of the same shape, overwritten.
        limit: The largest sum of a row up to which no maximum is subtracted.

    Returns:
        ``[R, 1]``, the peaks, or None if they are 0; and ``[R]``, the sums of the rows of ``y``.
    """
    # First without subtracting the maximum, which takes two more passes: the sums show whether
    # anything overflowed or underflowed.
    np.exp(x, out=y)
    sums = row_sum(y)
    if _are_between(sums, _MIN_SUM, limit):
        return None, sums
    peak = row_max(x)
    np.subtract(x, peak, out=y)
    np.exp(y, out=y)
    return peak, row_sum(y)
