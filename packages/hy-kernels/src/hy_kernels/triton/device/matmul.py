"""Matrix products with bias and activation, by tiles in an order that reuses the L2 cache.

The scheme of Triton's tutorial "Matrix Multiplication": a program computes one tile of the result;
programs that run at the same time share rows and columns of the operands.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device import pointwise
from hy_kernels.triton.device.rows import dot_acc, to_accumulator_dtype


@triton.jit
def product_tiles(
    a_ptr,  # [batch, rows, inner], of any strides
    b_ptr,  # [batch, inner, columns], of any strides
    bias_ptr,  # [columns], read if HAS_BIAS
    c_ptr,  # [batch, rows, columns], the result, row-major
    rows,  # of a
    columns,  # of b
    inner,  # summed over
    a_batch,  # elements from one matrix of a to the next
    a_row,  # and from one row to the next
    a_inner,  # and within a row
    b_batch,  # of b likewise
    b_inner,  # likewise
    b_column,  # likewise
    A_TRANSPOSED: tl.constexpr,  # whether columns of a are without gaps, not its rows
    B_TRANSPOSED: tl.constexpr,  # whether columns of b are without gaps, not its rows
    A_ALIGN: tl.constexpr,  # a factor of the strides of a, and of the axis of neighbours
    B_ALIGN: tl.constexpr,  # of b likewise
    C_ALIGN: tl.constexpr,  # a factor of columns
    HAS_BIAS: tl.constexpr,  # whether there is one
    ACTIVATION: tl.constexpr,  # of the result, "none" among them
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
    INNER: tl.constexpr,  # of a tile
    GROUP: tl.constexpr,  # rows of tiles that are made together
):
    """Compute ``activation(a · b + bias)`` for a batch of matrices.

    Bytes: reads a and b once into the cache and bias, writes c once.
    """
    program = tl.program_id(0)
    batch = tl.program_id(1).to(tl.int64)
    # Triton knows of multiples of 16 alone. A product of 1,000 elements a row has vectors of 8 all
    # the same, once the code says so; cp.async copies 4 bytes at least.
    a_batch, b_batch = a_batch // A_ALIGN * A_ALIGN, b_batch // B_ALIGN * B_ALIGN
    a_rows, a_end, b_end, b_columns = rows, inner, inner, columns
    if A_TRANSPOSED:
        a_inner, a_rows = a_inner // A_ALIGN * A_ALIGN, rows // A_ALIGN * A_ALIGN
    else:
        a_row, a_end = a_row // A_ALIGN * A_ALIGN, inner // A_ALIGN * A_ALIGN
    if B_TRANSPOSED:
        b_column, b_end = b_column // B_ALIGN * B_ALIGN, inner // B_ALIGN * B_ALIGN
    else:
        b_inner, b_columns = b_inner // B_ALIGN * B_ALIGN, columns // B_ALIGN * B_ALIGN
    # Programs go down GROUP rows of tiles before they go to the next column: those that run at once
    # on 132 multiprocessors read GROUP rows of a and few columns of b, which the L2 cache holds.
    high = tl.cdiv(rows, ROWS)
    column_tiles = tl.cdiv(columns, COLUMNS)
    first = (program // (GROUP * column_tiles)) * GROUP
    group = tl.minimum(high - first, GROUP)
    rest = program % (GROUP * column_tiles)
    row = (first + rest % group) * ROWS + tl.arange(0, ROWS)
    column = (rest // group) * COLUMNS + tl.arange(0, COLUMNS)
    along = tl.arange(0, INNER)
    # Rows times strides pass 2^31 elements long before either does: offsets of rows are 64 bits,
    # what is added within a tile as well, as the inner axis may be the strided one.
    a_ptrs = a_ptr + batch * a_batch + row.to(tl.int64)[:, None] * a_row
    b_ptrs = b_ptr + batch * b_batch + column.to(tl.int64)[None, :] * b_column
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, inner, INNER):
        at = (start + along).to(tl.int64)
        a_inside = (row < a_rows)[:, None] & (at < a_end)[None, :]
        b_inside = (at < b_end)[:, None] & (column < b_columns)[None, :]
        a = tl.load(a_ptrs + at[None, :] * a_inner, a_inside, other=0.0)
        b = tl.load(b_ptrs + at[:, None] * b_inner, b_inside, other=0.0)
        # The accumulator is an operand, so that tensor cores add to it in place; a sum written
        # apart would be an addition of the whole tile for every step.
        total = dot_acc(a, b, total, PRECISION)
    if HAS_BIAS:
        total += to_accumulator_dtype(tl.load(bias_ptr + column, column < columns, other=0.0))[
            None, :
        ]
    if ACTIVATION == "gelu":
        # Bias and activation see float32: the result has one rounding, where a launch of their own
        # would round the product first and read it again.
        total = pointwise.leaky_relu(total, "gelu", 0.0)
    elif ACTIVATION != "none":
        total = pointwise.activation(total, ACTIVATION)
    columns = columns // C_ALIGN * C_ALIGN
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    offset = (batch * rows + row.to(tl.int64)[:, None]) * columns + column[None, :]
    tl.store(c_ptr + offset, total.to(c_ptr.dtype.element_ty), inside)
