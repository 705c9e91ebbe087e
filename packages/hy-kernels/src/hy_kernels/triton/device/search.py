"""Where along an axis the largest or smallest element is."""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import row_starts, widened


@triton.jit
def extreme_place(
    x_ptr,  # [outer, columns, inner], the input
    y_ptr,  # [outer, inner], positions, as numbers of its dtype
    rows,  # outer * inner
    columns,
    inner,
    LEAST: tl.constexpr,  # whether the smallest element is wanted
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Bytes: reads x once, writes y once. The first of equals is found, or the first nan."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, inner)
    best = tl.full((ROWS,), -float("inf"), tl.float64)
    place = tl.full((ROWS,), 0, tl.int64)
    nowhere = 0x7FFFFFFFFFFFFFFF  # beyond every position
    first_nan = tl.full((ROWS,), nowhere, tl.int64)
    for first in range(0, columns, COLUMNS):
        at = (first + tl.arange(0, COLUMNS)).to(tl.int64)
        inside = exists[:, None] & (at[None, :] < columns)
        x = widened(tl.load(x_ptr + starts[:, None] + at[None, :] * inner, inside, other=0.0))
        is_nan = inside & (x != x)
        found = tl.min(tl.where(is_nan, at[None, :], first_nan[:, None]), 1)
        first_nan = tl.minimum(first_nan, found)
        if LEAST:
            x = -x
        x = tl.where(inside & (x == x), x, -float("inf"))
        high = tl.max(x, 1)
        where = tl.min(tl.where(inside & (x == high[:, None]), at[None, :], columns), 1)
        high = high.to(tl.float64)
        place = tl.where(high > best, where, place)
        best = tl.maximum(best, high)
    place = tl.where(first_nan < nowhere, first_nan, place)
    number = place.to(tl.float64) if y_ptr.dtype.element_ty == tl.float64 else place.to(tl.float32)
    tl.store(y_ptr + row, number.to(y_ptr.dtype.element_ty), exists)
