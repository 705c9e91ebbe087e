"""Sums and products over axes at memory bandwidth.

NumPy reduces row by row: the overhead dominates for short rows, long rows are summed at a third of
the memory bandwidth and multiplied at a twentieth. Here a matrix-vector product with ones sums
rows, or columns, and rows are multiplied by multiplying their halves elementwise, again and again.
"""

import sys
from collections.abc import Callable
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import FLOAT32, PLAIN, Array, converted, restore, silence
from hy_kernels.numpy._halves import is_vectorized
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._product import times_vector, vecdot

_MAX_PART = 1 << 12
"""Elements of a row that one product sums: a million in few partial sums would lose the last two
digits."""
_MIN_PART = 32
"""Elements of a row up to which halving it stops."""
_SHORT = 8
"""Elements of a row below which it is a rare, short one."""


def ones(size: int, dtype: np.dtype[Any]) -> Array:
    """Return a vector of ones; a short one is cached and read-only."""
    return _ones(size, dtype) if size <= COSTS.memory.ones else np.ones(size, dtype)


@lru_cache(maxsize=64)
def _ones(size: int, dtype: np.dtype[Any]) -> Array:
    ones = np.ones(size, dtype)
    ones.flags.writeable = False
    return ones


def row_sum(x: Array) -> Array:
    """Return ``[R]``, the sums of the rows of a floating matrix ``[R, C]``."""
    return times_vector(x, ones(x.shape[1], x.dtype))


def add_up(
    x: Array,
    axes: tuple[int, ...] | None,
    keepdims: bool = False,
    out: Array | None = None,
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """Return ``numpy.add.reduce(x, axes)``, computed by products with ones if that is faster."""
    if dtype is not None and is_vectorized(x, dtype):
        x = converted(x, dtype)
    if x.size >= COSTS.rows.columns and (dtype is None or dtype == x.dtype):
        last = _num_leading(x, axes)
        if last:
            return _added_columns(x, last, keepdims, out)
    return _folded(np.add, x, axes, keepdims, out, _added_rows, _adds_sooner, dtype)


def small_reduction(
    ufunc: np.ufunc,
    axes: tuple[int, ...] | None,
    keepdims: bool,
    general: Callable[[Array], Array],
    min_ndim: int = 0,
) -> Callable[[Array], Array]:
    """Return a function that reduces small float32 arrays directly by NumPy, others by ``general``.

    Args:
        ufunc: The function to reduce with.
        axes: See ``numpy.add.reduce``.
        keepdims: See ``numpy.add.reduce``.
        general: Reduces all other arrays.
        min_ndim: 1 to return a result without axes in the shape ``(1,)``.
    """
    reduce: Any = ufunc.reduce
    max_size = _max_size(ufunc, axes)

    def reduced(x: Array) -> Array:
        if x.size > max_size or x.dtype is not FLOAT32 or not x.ndim:
            return np.asarray(general(x))
        token = silence()
        try:
            y = np.asarray(reduce(x, axes, None, None, keepdims))
        finally:
            restore(token)
        return y if y.ndim >= min_ndim else y.reshape(1)

    return reduced


def _max_size(ufunc: np.ufunc, axes: tuple[int, ...] | None) -> int:
    """Return the number of elements up to which NumPy is fastest for any number of rows."""
    rows = COSTS.rows
    if ufunc is np.multiply:
        return rows.multiplied - 1
    if ufunc is np.add and axes is None:
        return rows.parts - rows.each - 1
    if axes is None:
        return sys.maxsize
    if ufunc is np.add:
        # With rows of at least _SHORT elements.
        return (rows.summed - 1) // (rows.each // _SHORT + 1)
    return rows.extremes * _SHORT


def square_up(
    x: Array, axes: tuple[int, ...] | None, keepdims: bool = False, out: Array | None = None
) -> Array:
    """Return the sum of squares over ``axes``."""
    first = _first_trailing(x, axes)
    if first < x.ndim:
        return _reduced(np.add, x, first, axes, keepdims, out, _squared_rows)
    return add_up(np.square(x), axes, keepdims, out)


def multiply_up(
    x: Array,
    axes: tuple[int, ...] | None,
    keepdims: bool = False,
    out: Array | None = None,
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """Return ``numpy.multiply.reduce(x, axes)``, computed by halves of rows if that is faster."""
    return _folded(np.multiply, x, axes, keepdims, out, _multiplied_rows, _multiplies_sooner, dtype)


def extreme_up(
    ufunc: np.ufunc,
    x: Array,
    axes: tuple[int, ...] | None,
    keepdims: bool = False,
    out: Array | None = None,
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """Return ``ufunc.reduce(x, axes)`` of ``numpy.maximum`` or ``numpy.minimum``."""
    rows = partial(extreme_of_rows, ufunc)
    return _folded(ufunc, x, axes, keepdims, out, rows, _finds_sooner, dtype)


def extreme_of_rows(ufunc: np.ufunc, x: Array) -> Array:
    """Return ``[R]``, the maximum or minimum of each row of a contiguous matrix with columns."""
    # NumPy finds the position of an extreme, of the first nan if there is one, in half of the time.
    column = (x.argmax if ufunc is np.maximum else x.argmin)(axis=1)
    column += np.arange(0, x.size, x.shape[1])
    extremes: Array = x.reshape(-1).take(column)
    return extremes


def _finds_sooner(size: int, rows: int) -> bool:
    """Return whether the extremes of rows are found faster by their positions."""
    longest = COSTS.rows.longest_extreme
    return rows >= COSTS.rows.extremes and rows * _SHORT <= size <= rows * longest


def _adds_sooner(size: int, rows: int) -> bool:
    """Return whether a product with ones sums rows faster than NumPy."""
    costs = COSTS.rows
    minimum = costs.summed if size <= rows * _MAX_PART else costs.parts
    return size + rows * costs.each >= minimum


def _multiplies_sooner(size: int, rows: int) -> bool:
    """Return whether multiplying halves of rows is faster than NumPy."""
    return size >= COSTS.rows.multiplied


def _first_trailing(x: Array, axes: tuple[int, ...] | None) -> int:
    """Return the first of the trailing axes that are all in ``axes``.

    The rank if there are none, or if ``x`` is not a non-empty, contiguous array of floats.
    """
    first = rank = x.ndim
    if x.size and x.dtype in PLAIN and x.flags.c_contiguous:
        while first and (axes is None or first - 1 in axes or first - 1 - rank in axes):
            first -= 1
    return first


def _num_leading(x: Array, axes: tuple[int, ...] | None) -> int:
    """Return the number of leading axes if ``axes`` are these, but not all axes; else 0.

    0 if ``x`` is not a non-empty, contiguous array of floats.
    """
    if not axes or (0 not in axes and -x.ndim not in axes):
        return 0
    if not x.size or x.dtype not in PLAIN or not x.flags.c_contiguous:
        return 0
    count = len(axes)
    is_leading = count < x.ndim and {i % x.ndim for i in axes} == {*range(count)}
    return count if is_leading else 0


def _added_columns(x: Array, last: int, keepdims: bool, out: Array | None) -> Array:
    """Return the sums over the first ``last`` axes of a contiguous array."""
    rows, shape = prod(x.shape[:last]), x.shape[last:]
    # NumPy adds row after row to the sums; BLAS reads them once for several rows.
    sums = times_vector(x.reshape(rows, -1).T, ones(rows, x.dtype))
    sums = sums.reshape((1,) * last * keepdims + shape)
    if out is None:
        return sums
    out[...] = sums
    return out


def _folded(
    ufunc: np.ufunc,
    x: Array,
    axes: tuple[int, ...] | None,
    keepdims: bool,
    out: Array | None,
    rows: Callable[[Array], Array],
    is_profitable: Callable[[int, int], bool],
    dtype: np.dtype[Any] | None,
) -> Array:
    """Return ``ufunc.reduce(x, axes)``; ``rows`` reduces trailing axes if it is profitable."""
    first = _first_trailing(x, axes) if dtype is None or dtype == x.dtype else x.ndim
    if first < x.ndim and is_profitable(x.size, prod(x.shape[:first])):
        return _reduced(ufunc, x, first, axes, keepdims, out, rows)
    return np.asarray(ufunc.reduce(x, axes, dtype, keepdims=keepdims, out=out))


def _reduced(
    ufunc: np.ufunc,
    x: Array,
    first: int,
    axes: tuple[int, ...] | None,
    keepdims: bool,
    out: Array | None,
    rows: Callable[[Array], Array],
) -> Array:
    """Return ``ufunc.reduce(x, axes)``; ``rows`` reduces the axes from ``first`` on."""
    leading = x.shape[:first]
    partial = rows(x.reshape(prod(leading), -1)).reshape(*leading, *(1,) * (x.ndim - first))
    if not first or (axes is not None and len(axes) == x.ndim - first):
        # No other axis is reduced.
        result = partial if keepdims else partial.reshape(leading)
        if out is None:
            return result
        out[...] = result
        return out
    return np.asarray(ufunc.reduce(partial, axes, keepdims=keepdims, out=out))


def _added_rows(x: Array) -> Array:
    """Return the sums of the rows of a matrix; long rows are summed in parts."""
    return _in_parts(x, lambda parts: times_vector(parts, ones(parts.shape[-1], x.dtype)))


def _squared_rows(x: Array) -> Array:
    """Return the sums of squares of the rows of a matrix; long rows are summed in parts."""
    return _in_parts(x, lambda parts: vecdot(parts, parts))


def _in_parts(x: Array, fold: Callable[[Array], Array]) -> Array:
    length = x.shape[1]
    if length <= _MAX_PART:
        return fold(x)
    whole = length // _MAX_PART * _MAX_PART
    sums = np.add.reduce(fold(x[:, :whole].reshape(len(x), -1, _MAX_PART)), 1)
    if whole < length:
        sums += fold(x[:, whole:])
    return np.asarray(sums)


def _multiplied_rows(x: Array) -> Array:
    """Return the products of the rows of a matrix."""
    result = np.empty(len(x), x.dtype)
    step = max(1, COSTS.blocks.rows // x.shape[1])
    for start in range(0, len(x), step):
        block = x[start : start + step]
        while (length := block.shape[1]) > _MIN_PART:
            half = length // 2
            halves = block[:, :half] * block[:, half : 2 * half]
            if length % 2:
                halves[:, 0] *= block[:, -1]
            block = halves
        # Along axis 0, because NumPy's overhead per row is the time of 30 elements.
        columns = np.ascontiguousarray(block.T)
        np.multiply.reduce(columns, 0, out=result[start : start + step])
    return result
