"""Rows of a matrix by index, and the gradient: rows summed by index.

The gradient is summed in the order of sorted indices, so that it needs no atomic additions and is
the same in every run; torch's own, as in ``embedding_dense_backward``, sorts indices as well.
Sorted positions are cut into blocks: a program sums the rows of one index in a block; if an index
spans several blocks, as that of padding does, another launch adds the blocks' sums.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import to_accumulator_dtype


@triton.jit
def rows_taken(
    index_ptr,  # [count], indices of any dtype
    weight_ptr,  # [rows, columns], the matrix
    y_ptr,  # [count, columns], becomes the rows
    rows,  # of the weights
    columns,  # of the weights
    COLUMNS: tl.constexpr,  # of a tile
):
    """Copy the rows at the indices, which are clipped.

    Bytes: reads count rows and count indices, writes count rows.
    """
    program = tl.program_id(0).to(tl.int64)
    index = tl.load(index_ptr + program).to(tl.int64)
    # Clipped as MXNet has it: an index that is off by one reads a wrong row, never other memory.
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
    part_ptr,  # [blocks, 2, columns], becomes what indices of several blocks have in each
    total_ptr,  # [rows, columns], zeros, becomes the sums of the others
    count,  # how many there are
    columns,  # of the weights
    BLOCK: tl.constexpr,  # positions of a block
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Sum the rows of each index within a block of sorted positions.

    Bytes: reads dy once, writes each row that has an index, and at most two rows a block.
    """
    position = tl.program_id(0).to(tl.int64)
    index = tl.load(index_ptr + position)
    # A program for each position, of which only those where an index begins, or a block, go on: the
    # others end at once. How many there are is known to the GPU alone, and nobody waits for it.
    begins = tl.load(index_ptr + position - 1, position > 0, other=-1) != index
    is_first = position % BLOCK == 0
    if begins | is_first:
        column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
        inside = column < columns
        end = tl.minimum((position // BLOCK + 1) * BLOCK, count)
        goes_on = tl.load(index_ptr + end, end < count, other=-1) == index
        total = tl.zeros((COLUMNS,), part_ptr.dtype.element_ty)
        first = position
        while first < end:
            at = first + tl.arange(0, ROWS)
            own = tl.load(index_ptr + at, at < end, other=-1) == index
            row = tl.load(order_ptr + at, own, other=0)
            some = dy_ptr + row[:, None] * columns + column[None, :]
            total += tl.sum(
                to_accumulator_dtype(tl.load(some, own[:, None] & inside[None, :], other=0.0)), 0
            )
            # Sorted positions of one index are side by side: the first tile that is not full is the
            # last.
            first = tl.where(tl.sum(own.to(tl.int32), 0) == ROWS, first + ROWS, end)
        if begins & (goes_on == 0):
            result = total_ptr + index * columns + column
            tl.store(result, total.to(total_ptr.dtype.element_ty), inside)
        else:
            part = position // BLOCK * 2 + tl.where(is_first, 0, 1)
            tl.store(part_ptr + part * columns + column, total, inside)


@triton.jit
def parts_added(
    index_ptr,  # [count], sorted indices, int64
    part_ptr,  # [blocks, 2, columns], sums of each block's first index, and of its last
    total_ptr,  # [rows, columns], becomes the sums of indices that several blocks have
    count,  # how many there are
    columns,  # of the weights
    BLOCK: tl.constexpr,  # positions of a block
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Add the blocks' sums of indices that span several blocks.

    Bytes: reads two rows a block at most, writes each row whose index several blocks have.
    """
    block = tl.program_id(0).to(tl.int64)
    begin = block * BLOCK
    index = tl.load(index_ptr + begin + BLOCK - 1)
    goes_on = tl.load(index_ptr + begin + BLOCK) == index
    before = tl.load(index_ptr + begin - 1, block > 0, other=-1)
    if goes_on & (before != index):
        column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
        inside = column < columns
        part = block * 2 + tl.where(tl.load(index_ptr + begin) == index, 0, 1)
        total = tl.load(part_ptr + part * columns + column, inside, other=0.0)
        blocks = tl.cdiv(count, BLOCK)
        first = block + 1
        while first < blocks:
            at = first + tl.arange(0, ROWS)
            own = tl.load(index_ptr + at * BLOCK, at < blocks, other=-1) == index
            some = part_ptr + at[:, None] * 2 * columns + column[None, :]
            total += tl.sum(tl.load(some, own[:, None] & inside[None, :], other=0.0), 0)
            first = tl.where(tl.sum(own.to(tl.int32), 0) == ROWS, first + ROWS, blocks)
        result = total_ptr + index * columns + column
        tl.store(result, total.to(total_ptr.dtype.element_ty), inside)
