"""Index of the largest or smallest element along an axis.

As in numpy: the first of equal elements, or the first nan. A few long rows are split into parts,
whose results a second launch merges, as in "Optimizing Parallel Reduction in CUDA" (Harris, 2007).
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import row_starts, to_accumulator_dtype


@triton.jit
def _negated(x, SMALLEST: tl.constexpr):
    """Return the numbers, negated if SMALLEST (``~x`` for integers): the largest is wanted."""
    if SMALLEST:
        # -x overflows for the least integer; ~x is -x - 1, of the same order, and never does.
        x = -x if x.dtype.is_floating() else ~x
    return x


@triton.jit
def _find(x_ptr, starts, exists, begin, end, inner, SMALLEST: tl.constexpr, TYPE: tl.constexpr,
           EMPTY: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    """Return the best element of each row in ``[begin, end)``, and its index; nan is best."""
    best = tl.full((ROWS,), EMPTY, TYPE)
    position = tl.full((ROWS,), 0, tl.int64) + begin
    nowhere = 0x7FFFFFFFFFFFFFFF  # beyond every position
    first_nan = tl.full((ROWS,), nowhere, tl.int64)
    for first in range(begin, end, COLUMNS):
        at = first + tl.arange(0, COLUMNS).to(tl.int64)
        inside = exists[:, None] & (at[None, :] < end)
        x = tl.load(x_ptr + starts[:, None] + at[None, :] * inner, inside, other=0)
        x = to_accumulator_dtype(x) if x.dtype.is_floating() else x.to(tl.int64)
        # No comparison finds nan: its first position is kept apart, and wins at the end.
        is_nan = inside & (x != x)
        result = tl.min(tl.where(is_nan, at[None, :], first_nan[:, None]), 1)
        first_nan = tl.minimum(first_nan, result)
        x = tl.where(inside & (x == x), _negated(x, SMALLEST), EMPTY)
        high = tl.max(x, 1)
        where = tl.min(tl.where(inside & (x == high[:, None]), at[None, :], end), 1)
        high = high.to(TYPE)
        # Only a larger one replaces it: of equals that of the first tile stays.
        position = tl.where(high > best, where, position)
        best = tl.maximum(best, high)
    if TYPE.is_floating():
        best = tl.where(first_nan < nowhere, float("nan"), best)
    return best, tl.where(first_nan < nowhere, first_nan, position)


@triton.jit
def _store_position(y_ptr, row, position, exists):
    """Store positions, converted to the dtype of the result."""
    number = position
    if y_ptr.dtype.element_ty.is_floating():
        number = position.to(tl.float64 if y_ptr.dtype.element_ty == tl.float64 else tl.float32)
    tl.store(y_ptr + row, number.to(y_ptr.dtype.element_ty), exists)


@triton.jit
def extreme_position(
    x_ptr,  # [outer, columns, inner], the input
    y_ptr,  # [outer, inner], positions, as numbers of its dtype; if IN_PARTS [rows, parts], int64
    best_ptr,  # [rows, parts], of TYPE, the elements there, negated if SMALLEST; if IN_PARTS
    rows,  # outer * inner
    columns,  # of a row
    inner,  # how far apart elements of a row are
    part,  # columns of a part, of which there is one unless IN_PARTS
    SMALLEST: tl.constexpr,  # whether the smallest element is wanted
    IN_PARTS: tl.constexpr,  # whether there are several
    TYPE: tl.constexpr,  # float64, of integers int64
    EMPTY: tl.constexpr,  # what is not above any number of that
    ALIGN: tl.constexpr,  # a factor of columns
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # likewise
):
    """Find the first extreme element of each row, or the first nan; or of each part of a row.

    Bytes: reads x once, writes y once.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, inner)
    begin = tl.program_id(1).to(tl.int64) * part
    end = tl.minimum(begin + part, columns)
    best, position = _find(x_ptr, starts, exists, begin, end, inner, SMALLEST, TYPE, EMPTY, ROWS,
                         COLUMNS)  # fmt: skip
    if IN_PARTS:
        at = row * tl.num_programs(1) + tl.program_id(1)
        tl.store(best_ptr + at, best, exists)
        tl.store(y_ptr + at, position, exists)
    else:
        _store_position(y_ptr, row, position, exists)


@triton.jit
def extreme_merged(
    position_ptr,  # [rows, parts], int64, positions of the best of each part
    best_ptr,  # [rows, parts], float64, of integers int64, these
    y_ptr,  # [rows], positions of the best of all, as numbers of its dtype
    parts,  # of each row
    EMPTY: tl.constexpr,  # what is not above any number of these
    PARTS: tl.constexpr,  # these, up to the next power of 2
):
    """Merge the parts of each row: the position of the best element of all.

    Bytes: reads two numbers a part, writes one a row.
    """
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, PARTS)
    inside = at < parts
    best = tl.load(best_ptr + row * parts + at, inside, other=EMPTY)
    position = tl.load(position_ptr + row * parts + at, inside, other=0x7FFFFFFFFFFFFFFF)
    # Sorted as infinity, nan ties with it alone, and its rank is the higher one.
    order = best
    if best.dtype.is_floating():
        order = tl.where(best != best, float("inf"), best)
    rank = tl.where(best != best, 2, tl.where(inside, 1, 0))  # nan before infinity
    rank = tl.where(order == tl.max(order, 0), rank, 0)
    position = tl.min(tl.where(rank == tl.max(rank, 0), position, 0x7FFFFFFFFFFFFFFF), 0)
    _store_position(y_ptr, row, position, True)
