"""Convolutions as matrix products that gather their operands (implicit GEMM).

As in "cuDNN: Efficient Primitives for Deep Learning" (Chetlur et al., 2014), no windows are copied:
rows of the product are pixels of the result, columns are its channels, and sums run over the taps
of the kernel and the channels of the source. The gradient to the data gathers too, from the windows
that contain a pixel; that to the weight sums over all pixels, in parts. Strides give any axis
order; channels are loaded in vectors if they are last. There are three spatial axes; missing ones
have size 1, which compiles to nothing.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device import pointwise
from hy_kernels.triton.device.rows import dot_acc, image_positions, to_accumulator_dtype


@triton.jit
def _tap(
    position, tap, size, S: tl.constexpr, P: tl.constexpr, D: tl.constexpr, BACK: tl.constexpr
):
    """Return the position that a tap of a window reads along an axis, and whether it exists."""
    if BACK:
        # The gradient to the data gathers as well: a pixel asks which window has it under a tap, so
        # that no two programs add to one element. With a stride most taps have none.
        far = position + P - tap * D
        at = far // S
        return at, (far >= 0) & (at * S == far) & (at < size)
    at = position * S - P + tap * D
    return at, (at >= 0) & (at < size)


@triton.jit
def _axes_of(tap, K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr):
    """Return the coordinates of a flat tap index in the kernel."""
    a = tap // (K1 * K2) if K0 > 1 else 0
    b = tap // K2 % K1 if K1 > 1 else 0
    return a, b, tap % K2


@triton.jit
def _indices(BLOCK: tl.constexpr, WIDE: tl.constexpr):
    return tl.arange(0, BLOCK).to(tl.int64) if WIDE else tl.arange(0, BLOCK)


@triton.jit
def _program(axis: tl.constexpr, WIDE: tl.constexpr):
    """Return the program's index along an axis of the grid, int64 if WIDE."""
    return tl.program_id(axis).to(tl.int64) if WIDE else tl.program_id(axis)


@triton.jit
def _positions(row, depth, height, width):
    """Return the sample and the spatial coordinates of a flat pixel index."""
    w, rest = row % width, row // width
    h, rest = rest % height, rest // height
    return (rest // depth).to(tl.int64), rest % depth, h, w


@triton.jit
def convolved_tiles(
    x_ptr,  # [N, groups * inner, D, H, W], of any strides: the data, or if BACK the gradient
    weight_ptr,  # of any strides: inner and outer channels, taps
    bias_ptr,  # [groups * outer], read if HAS_BIAS
    addend_ptr,  # as y, read if HAS_ADDEND
    y_ptr,  # [N, groups * outer, *], of any strides: the result, or the gradient to the data
    rows,  # N times the pixels of the result
    inner, outer,  # channels of a group
    source_depth, source_height, source_width,  # of x
    depth, height, width,  # of y
    x_n, x_c, x_d, x_h, x_w,  # strides of x
    weight_group, weight_inner, weight_outer, weight_d, weight_h, weight_w,  # strides
    y_n, y_c, y_d, y_h, y_w,  # strides of y
    BACK: tl.constexpr,  # whether y is the gradient to the data
    X_ALIGN: tl.constexpr,  # a factor of inner, if channels of x are neighbours, and of its strides
    WEIGHT_ALIGN: tl.constexpr,  # of the weight likewise
    TRANSPOSED: tl.constexpr,  # whether outer channels of the weight are neighbours, not inner ones
    HAS_BIAS: tl.constexpr,  # whether there is one
    HAS_ADDEND: tl.constexpr,  # whether there is one
    ACTIVATION: tl.constexpr,  # of the result, "none" among them
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr,  # size of a window along each axis
    S0: tl.constexpr, S1: tl.constexpr, S2: tl.constexpr,  # stride, likewise
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,  # padding, likewise
    D0: tl.constexpr, D1: tl.constexpr, D2: tl.constexpr,  # dilation, likewise
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
    INNER: tl.constexpr,  # of a tile
):  # fmt: skip
    """Compute a convolution, or its gradient to the data, plus bias and addend, with an activation.

    FLOPs: 2 * rows * outer * inner * taps of each group.

    Bytes: reads x once into the cache for each tile of columns, and the weight for each tile of
    rows; writes y once.
    """
    row = _program(0, WIDE) * ROWS + _indices(ROWS, WIDE)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    group = _program(2, WIDE)
    # Triton knows of multiples of 16 alone; see the tiles of products.
    x_n, x_d = x_n // X_ALIGN * X_ALIGN, x_d // X_ALIGN * X_ALIGN
    x_h, x_w = x_h // X_ALIGN * X_ALIGN, x_w // X_ALIGN * X_ALIGN
    weight_group = weight_group // WEIGHT_ALIGN * WEIGHT_ALIGN
    weight_d, weight_h = (
        weight_d // WEIGHT_ALIGN * WEIGHT_ALIGN,
        weight_h // WEIGHT_ALIGN * WEIGHT_ALIGN,
    )
    weight_w = weight_w // WEIGHT_ALIGN * WEIGHT_ALIGN
    x_end, weight_end, columns = inner // X_ALIGN * X_ALIGN, inner, outer
    if TRANSPOSED:
        weight_inner = weight_inner // WEIGHT_ALIGN * WEIGHT_ALIGN
        columns = outer // WEIGHT_ALIGN * WEIGHT_ALIGN
    else:
        weight_outer = weight_outer // WEIGHT_ALIGN * WEIGHT_ALIGN
        weight_end = inner // WEIGHT_ALIGN * WEIGHT_ALIGN
    n = (row // (depth * height * width)).to(tl.int64)  # the rest of a chain takes more registers
    d, h, w = row // (height * width) % depth, row // width % height, row % width
    along = _indices(INNER, WIDE)
    x_ptrs = x_ptr + n * x_n + group.to(tl.int64) * x_end * x_c
    weight_ptrs = weight_ptr + group * weight_group + column.to(tl.int64) * weight_outer
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    blocks = tl.cdiv(inner, INNER)
    # Taps and blocks of channels are one loop, as a pipeline across steps needs a single one;
    # channels are the inner part, so that consecutive steps read consecutive memory.
    for step in range(K0 * K1 * K2 * blocks):
        a, b, e = _axes_of(step // blocks, K0, K1, K2)
        c = step % blocks * INNER + along
        i, in_depth = _tap(d, a, source_depth, S0, P0, D0, BACK)
        j, in_height = _tap(h, b, source_height, S1, P1, D1, BACK)
        k, in_width = _tap(w, e, source_width, S2, P2, D2, BACK)
        real = in_depth & in_height & in_width & (row < rows)
        x_at = x_ptrs + i.to(tl.int64) * x_d + j.to(tl.int64) * x_h + k.to(tl.int64) * x_w
        # The mask of a pixel is the same for all channels of the tile: with channels side by side
        # the compiler sees it constant along them, and copies 16 bytes at a time.
        x = tl.load(x_at[:, None] + c[None, :] * x_c, real[:, None] & (c < x_end)[None, :], other=0)
        weight_at = weight_ptrs + a * weight_d + b * weight_h + e * weight_w
        inside = (c < weight_end)[:, None] & (column < columns)[None, :]
        weight = tl.load(weight_at[None, :] + c[:, None] * weight_inner, inside, other=0)
        total = dot_acc(x, weight, total, PRECISION)
    channel = group * outer + column
    if HAS_BIAS:
        total += to_accumulator_dtype(tl.load(bias_ptr + channel, column < outer, other=0))[None, :]
    inside = (row < rows)[:, None] & (column < outer)[None, :]
    offset = n * y_n + d.to(tl.int64) * y_d + h.to(tl.int64) * y_h + w.to(tl.int64) * y_w
    offset = offset[:, None] + channel.to(tl.int64)[None, :] * y_c
    if HAS_ADDEND:
        total += to_accumulator_dtype(tl.load(addend_ptr + offset, inside, other=0))
    if ACTIVATION == "gelu":
        total = pointwise.leaky_relu(total, "gelu", 0.0)
    elif ACTIVATION != "none":
        total = pointwise.activation(total, ACTIVATION)
    tl.store(y_ptr + offset, total.to(y_ptr.dtype.element_ty), inside)


@triton.jit
def convolved_weight_tiles(
    dy_ptr,  # [N, groups * outer, depth, height, width], of any strides: the gradient of the result
    x_ptr,  # [N, groups * inner, D, H, W], of any strides: the data
    part_ptr,  # [parts, groups * outer, inner, K0, K1, K2], float32, becomes sums of parts
    rows,  # N * depth * height * width
    inner, outer,  # channels of a group
    source_depth, source_height, source_width,  # of x
    depth, height, width,  # of y
    part,  # rows of a part
    size,  # of the weight
    dy_n, dy_c, dy_d, dy_h, dy_w,  # strides of dy
    x_n, x_c, x_d, x_h, x_w,  # strides of x
    DY_ALIGN: tl.constexpr,  # a factor of outer, if channels are neighbours, and of dy's strides
    X_ALIGN: tl.constexpr,  # likewise of inner and of x's
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr,  # size of a window along each axis
    S0: tl.constexpr, S1: tl.constexpr, S2: tl.constexpr,  # stride, likewise
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,  # padding, likewise
    D0: tl.constexpr, D1: tl.constexpr, D2: tl.constexpr,  # dilation, likewise
    ROWS: tl.constexpr,  # of outer channels
    COLUMNS: tl.constexpr,  # of inner channels
    INNER: tl.constexpr,  # of pixels
):  # fmt: skip
    """Compute parts of the gradient to the weight, each a sum over some of the pixels.

    FLOPs: 2 * rows * outer * inner * taps of each group.

    Bytes: reads dy and x once into the cache for each tap and tile, writes the parts once.
    """
    # What is divided and multiplied again stays the same, and the compiler knows the factor.
    dy_n, dy_d = dy_n // DY_ALIGN * DY_ALIGN, dy_d // DY_ALIGN * DY_ALIGN
    dy_h, dy_w = dy_h // DY_ALIGN * DY_ALIGN, dy_w // DY_ALIGN * DY_ALIGN
    x_n, x_d = x_n // X_ALIGN * X_ALIGN, x_d // X_ALIGN * X_ALIGN
    x_h, x_w = x_h // X_ALIGN * X_ALIGN, x_w // X_ALIGN * X_ALIGN
    outer, inner = outer // DY_ALIGN * DY_ALIGN, inner // X_ALIGN * X_ALIGN
    column_tiles = tl.cdiv(inner, COLUMNS)
    f = tl.program_id(0) // column_tiles * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(0) % column_tiles * COLUMNS + tl.arange(0, COLUMNS)
    taps: tl.constexpr = K0 * K1 * K2
    tap, group = tl.program_id(1) % taps, tl.program_id(1) // taps
    a, b, e = _axes_of(tap, K0, K1, K2)
    dy_ptrs = dy_ptr + (group * outer + f).to(tl.int64) * dy_c
    x_ptrs = x_ptr + (group * inner + c).to(tl.int64) * x_c
    # The sum runs over all pixels of a batch, far more than filters and channels: it is cut into
    # parts that keep the GPU busy, in memory of their own, added up by a reduction afterwards.
    begin = _program(2, WIDE) * part
    end = tl.minimum(begin + part, rows)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(begin, end, INNER):
        row = first + _indices(INNER, WIDE)
        n, d, h, w = _positions(row, depth, height, width)
        i, in_depth = _tap(d, a, source_depth, S0, P0, D0, False)
        j, in_height = _tap(h, b, source_height, S1, P1, D1, False)
        k, in_width = _tap(w, e, source_width, S2, P2, D2, False)
        real = (row < end) & in_height & in_width & in_depth
        dy_at = n * dy_n + d.to(tl.int64) * dy_d + h.to(tl.int64) * dy_h + w.to(tl.int64) * dy_w
        x_at = n * x_n + k.to(tl.int64) * x_w + j.to(tl.int64) * x_h + i.to(tl.int64) * x_d
        dy = tl.load(
            dy_ptrs[:, None] + dy_at[None, :], (f < outer)[:, None] & real[None, :], other=0
        )
        x = tl.load(x_ptrs[None, :] + x_at[:, None], real[:, None] & (c < inner)[None, :], other=0)
        total = dot_acc(dy, x, total, PRECISION)
    inside = (f < outer)[:, None] & (c < inner)[None, :]
    offset = ((group * outer + f).to(tl.int64)[:, None] * inner + c[None, :]) * taps + tap
    tl.store(part_ptr + tl.program_id(2).to(tl.int64) * size + offset, total, inside)


@triton.jit
def convolved_depthwise(
    x_ptr,  # [N, *, D, H, W], of any strides: the data, or if BACK the gradient
    weight_ptr,  # [C * TIMES, 1, K0, K1, K2], contiguous
    bias_ptr,  # [C * TIMES], read if HAS_BIAS
    y_ptr,  # [N, *, depth, height, width], contiguous, or if LAST with the channels last
    size,  # of y
    channels,  # of y
    source_depth, source_height, source_width,  # of x
    depth, height, width,  # of y
    x_n, x_c, x_d, x_h, x_w,  # strides of x
    TIMES: tl.constexpr,  # results of each channel of the data
    BACK: tl.constexpr,  # whether y is the gradient to the data
    HAS_BIAS: tl.constexpr,  # whether there is one
    LAST: tl.constexpr,  # whether the channels are last
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr,  # size of a window along each axis
    S0: tl.constexpr, S1: tl.constexpr, S2: tl.constexpr,  # stride, likewise
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,  # padding, likewise
    D0: tl.constexpr, D1: tl.constexpr, D2: tl.constexpr,  # dilation, likewise
    BLOCK: tl.constexpr,  # elements of a program
):  # fmt: skip
    """Compute a depthwise convolution, or its gradient to the data.

    Bytes: reads x once into the cache, writes y once.
    """
    at, inside, n, channel, d, h, w = image_positions(
        size, channels, depth, height, width, LAST, WIDE, BLOCK
    )
    total = tl.zeros((BLOCK,), tl.float32)
    if HAS_BIAS:
        total += to_accumulator_dtype(tl.load(bias_ptr + channel, inside, other=0))
    # One product for each tap has no use of tensor cores, whose tiles would be zeros but for a
    # diagonal: this reads each element once into the cache and is bound by that.
    for k in range(TIMES if BACK else 1):
        source = channel * TIMES + k if BACK else channel // TIMES
        filter = source if BACK else channel
        ptrs = x_ptr + n.to(tl.int64) * x_n + source.to(tl.int64) * x_c
        for a in range(K0):
            i, in_depth = _tap(d, a, source_depth, S0, P0, D0, BACK)
            for b in range(K1):
                j, in_height = _tap(h, b, source_height, S1, P1, D1, BACK)
                for e in range(K2):
                    g, in_width = _tap(w, e, source_width, S2, P2, D2, BACK)
                    x_at = i.to(tl.int64) * x_d + j.to(tl.int64) * x_h + g.to(tl.int64) * x_w
                    x = tl.load(ptrs + x_at, inside & in_depth & in_height & in_width, other=0)
                    weight_at = ((filter * K0 + a) * K1 + b) * K2 + e
                    total += to_accumulator_dtype(x) * to_accumulator_dtype(
                        tl.load(weight_ptr + weight_at, inside, other=0)
                    )
    tl.store(y_ptr + at, total.to(y_ptr.dtype.element_ty), inside)


@triton.jit
def convolved_depthwise_weight(
    dy_ptr,  # [N, C * TIMES, depth, height, width], of any strides: the gradient of the result
    x_ptr,  # [N, C, D, H, W], of any strides: the data
    part_ptr,  # [parts, filters, K0, K1, K2], float32, becomes sums of parts
    rows,  # N * depth * height * width
    filters,  # results' channels
    source_depth, source_height, source_width,  # of x
    depth, height, width,  # of y
    part,  # rows of a part
    dy_n, dy_c, dy_d, dy_h, dy_w,  # strides of dy
    x_n, x_c, x_d, x_h, x_w,  # strides of x
    TIMES: tl.constexpr,  # results of each channel of the data
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr,  # size of a window along each axis
    S0: tl.constexpr, S1: tl.constexpr, S2: tl.constexpr,  # stride, likewise
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,  # padding, likewise
    D0: tl.constexpr, D1: tl.constexpr, D2: tl.constexpr,  # dilation, likewise
    ROWS: tl.constexpr,  # of pixels
    COLUMNS: tl.constexpr,  # of filters
):  # fmt: skip
    """Compute parts of the gradient to a depthwise convolution's weight.

    Bytes: reads dy and x once into the cache for each tap, writes the parts once.
    """
    f = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tap = tl.program_id(1)
    a, b, e = _axes_of(tap, K0, K1, K2)
    dy_ptrs = dy_ptr + f.to(tl.int64) * dy_c
    x_ptrs = x_ptr + (f // TIMES).to(tl.int64) * x_c
    begin = _program(2, WIDE) * part
    end = tl.minimum(begin + part, rows)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(begin, end, ROWS):
        row = first + _indices(ROWS, WIDE)
        n, d, h, w = _positions(row, depth, height, width)
        i, in_depth = _tap(d, a, source_depth, S0, P0, D0, False)
        j, in_height = _tap(h, b, source_height, S1, P1, D1, False)
        k, in_width = _tap(w, e, source_width, S2, P2, D2, False)
        real = (in_depth & in_height & in_width & (row < end))[:, None] & (f < filters)[None, :]
        dy_at = n * dy_n + d.to(tl.int64) * dy_d + h.to(tl.int64) * dy_h + w.to(tl.int64) * dy_w
        x_at = n * x_n + i.to(tl.int64) * x_d + j.to(tl.int64) * x_h + k.to(tl.int64) * x_w
        dy = to_accumulator_dtype(tl.load(dy_ptrs[None, :] + dy_at[:, None], real, other=0))
        total += dy * to_accumulator_dtype(tl.load(x_ptrs[None, :] + x_at[:, None], real, other=0))
    offset = (tl.program_id(2).to(tl.int64) * filters + f) * (K0 * K1 * K2) + tap
    tl.store(part_ptr + offset, tl.sum(total, 0), f < filters)
