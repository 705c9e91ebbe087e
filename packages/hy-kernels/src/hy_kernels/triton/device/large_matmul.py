"""Large matrix products on Hopper: tiles copied by descriptors, in persistent programs.

Descriptors make the tensor memory accelerator (TMA) copy a whole tile by one instruction of one
thread, with zeros beyond the edges. A program computes one tile after the other, so that it loads
the first steps of the next one while it stores the last one: the scheme of Triton's tutorial
"Persistent Matmul".
"""

import triton
import triton.language as tl

from hy_kernels.triton.device import pointwise
from hy_kernels.triton.device.rows import dot_acc, to_accumulator_dtype


@triton.jit
def large_product_tiles(
    a_ptr,  # [rows, inner], rows without gaps; 16 bits, or float8 with SCALED
    b_ptr,  # [inner, columns], or if B_TRANSPOSED [columns, inner], rows without gaps
    a_scale_ptr,  # [rows], float32, factors of rows; read if SCALED
    b_scale_ptr,  # [columns], likewise of columns
    bias_ptr,  # [columns], read if HAS_BIAS
    c_ptr,  # [rows, columns], the result
    rows,  # of a
    columns,  # of b
    inner,  # summed over
    a_row,  # elements from one row of a to the next, a multiple of 16 bytes
    b_row,  # of b likewise
    B_TRANSPOSED: tl.constexpr,  # whether b is given by columns
    SCALED: tl.constexpr,  # whether operands are float8
    HAS_BIAS: tl.constexpr,  # whether there is one
    ACTIVATION: tl.constexpr,  # of the result, "none" among them
    PRECISION: tl.constexpr,  # "wide" in the interpreter
    ALIGN: tl.constexpr,  # elements of 16 bytes
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
    INNER: tl.constexpr,  # of a tile
    GROUP: tl.constexpr,  # rows of tiles that are made together
):
    """Compute ``activation(a · b + bias)``, of operands in 16 bits or in scaled float8.

    Bytes: reads a and b once into the cache and vectors, writes c once.
    """
    # A descriptor is valid for strides of multiples of 16 bytes alone, which the code has to say.
    a_row, b_row = a_row // ALIGN * ALIGN, b_row // ALIGN * ALIGN
    a_tiles = tl.make_tensor_descriptor(a_ptr, [rows, inner], [a_row, 1], [ROWS, INNER])
    if B_TRANSPOSED:
        b_tiles = tl.make_tensor_descriptor(b_ptr, [columns, inner], [b_row, 1], [COLUMNS, INNER])
    else:
        b_tiles = tl.make_tensor_descriptor(b_ptr, [inner, columns], [b_row, 1], [INNER, COLUMNS])
    c_row = columns // 8 * 8
    c_tiles = tl.make_tensor_descriptor(c_ptr, [rows, columns], [c_row, 1], [ROWS, COLUMNS])
    row_tiles, column_tiles = tl.cdiv(rows, ROWS), tl.cdiv(columns, COLUMNS)
    # Flattened, both loops are one pipeline: the copies of a tile do not wait for the end of the
    # one before.
    for tile in tl.range(
        tl.program_id(0), row_tiles * column_tiles, tl.num_programs(0), flatten=True
    ):
        first = tile // (GROUP * column_tiles) * GROUP
        group = tl.minimum(row_tiles - first, GROUP)
        rest = tile % (GROUP * column_tiles)
        top, left = (first + rest % group) * ROWS, rest // group * COLUMNS
        total = tl.zeros((ROWS, COLUMNS), tl.float32)
        for start in range(0, inner, INNER):
            a = a_tiles.load([top, start])
            if B_TRANSPOSED:
                b = b_tiles.load([left, start]).T
            else:
                b = b_tiles.load([start, left])
            if SCALED and PRECISION != "wide":
                # Hopper adds products of float8 up in some 14 bits: after each tile the sum moves
                # to registers of float32 (DeepSeek-V3, 2024, arXiv:2412.19437, section 3.3.2).
                total = tl.dot(a, b, total, max_num_imprecise_acc=INNER)
            else:
                total = dot_acc(a, b, total, PRECISION)
        column = left + tl.arange(0, COLUMNS)
        if SCALED:
            row = top + tl.arange(0, ROWS)
            of_rows = tl.load(a_scale_ptr + row, row < rows, other=0.0)
            of_columns = tl.load(b_scale_ptr + column, column < columns, other=0.0)
            total = total * of_rows[:, None] * of_columns[None, :]
        if HAS_BIAS:
            bias = tl.load(bias_ptr + column, column < columns, other=0.0)
            total += to_accumulator_dtype(bias)[None, :]
        if ACTIVATION == "gelu":
            total = pointwise.leaky_relu(total, "gelu", 0.0)
        elif ACTIVATION != "none":
            total = pointwise.activation(total, ACTIVATION)
        c_tiles.store([top, left], total.to(c_ptr.dtype.element_ty))
