"""Rows of a matrix by index, and the sums of rows that were sent to an index.

The gradient is added up in the order of sorted indices, one program for each index that there is,
so that it needs no atomic additions and is the same in every run; torch's own, as in
``embedding_dense_backward``, sorts indices as well.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import widened


@triton.jit
def rows_taken(
    index_ptr,  # [count], indices of any dtype
    weight_ptr,  # [rows, columns], the matrix
    y_ptr,  # [count, columns], becomes the rows
    rows,  # of the weights
    columns,  # of the weights
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads count rows and count indices, writes count rows. Indices are clipped."""
    program = tl.program_id(0).to(tl.int64)
    index = tl.load(index_ptr + program).to(tl.int64)
    index = tl.minimum(tl.maximum(index, 0), rows - 1)
    at = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = at < columns
    row = tl.load(weight_ptr + index * columns + at, inside)
    tl.store(y_ptr + program * columns + at, row, inside)


@triton.jit
def rows_added(
    index_ptr,  # [count], sorted indices, int64
    order_ptr,  # [count], where each was, int64
    dy_ptr,  # [count, columns], rows in the order before
    total_ptr,  # [rows, columns], zeros, becomes the sums
    count,  # how many there are
    columns,  # of the weights
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads dy once, writes each row that has an index once."""
    place = tl.program_id(0).to(tl.int64)
    index = tl.load(index_ptr + place)
    before = tl.load(index_ptr + place - 1, place > 0, other=-1)
    if index != before:
        at = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
        inside = at < columns
        first = tl.load(order_ptr + place)
        total = widened(tl.load(dy_ptr + first * columns + at, inside, other=0.0))
        place += 1
        here = tl.load(index_ptr + place, place < count, other=-1)
        while here == index:
            row = tl.load(order_ptr + place)
            total += widened(tl.load(dy_ptr + row * columns + at, inside, other=0.0))
            place += 1
            here = tl.load(index_ptr + place, place < count, other=-1)
        result = total_ptr + index * columns + at
        tl.store(result, total.to(total_ptr.dtype.element_ty), inside)
