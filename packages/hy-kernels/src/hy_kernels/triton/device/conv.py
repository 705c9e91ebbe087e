"""Convolutions as products that gather their operands: no windows are copied.

Implicit GEMM as in "cuDNN: Efficient Primitives for Deep Learning" (Chetlur et al., 2014): rows of
the product are places of the result, its columns channels, and it is summed over the taps of the
kernel and the channels of the source. The gradient to the data gathers likewise, from where a tap
of a window meets a place; that to the weight is summed over all places, in parts. Strides tell the
order of axes; along channels reading is in vectors where those are last.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device import pointwise
from hy_kernels.triton.device.rows import dotted, image_places, widened


@triton.jit
def _tap(place, tap, size, S: tl.constexpr, P: tl.constexpr, D: tl.constexpr, BACK: tl.constexpr):
    """Where along an axis a tap reads for a place, and whether there is something."""
    if BACK:
        far = place + P - tap * D
        at = far // S
        return at, (far >= 0) & (at * S == far) & (at < size)
    at = place * S - P + tap * D
    return at, (at >= 0) & (at < size)


@triton.jit
def convolved_tiles(
    x_ptr,  # [N, groups * inner, H, W], of any strides: the data, or if BACK the gradient
    weight_ptr,  # of any strides: inner and outer channels, taps
    bias_ptr,  # [groups * outer], read if HAS_BIAS
    addend_ptr,  # as y, read if HAS_ADDEND
    y_ptr,  # [N, groups * outer, *], of any strides: the result, or the gradient to the data
    rows,  # N times the places of the result
    inner, outer,  # channels of a group
    source_height, source_width,
    height, width,  # of y
    x_n, x_c, x_h, x_w,
    weight_group, weight_inner, weight_outer, weight_h, weight_w,
    y_n, y_c, y_h, y_w,
    BACK: tl.constexpr,  # whether y is the gradient to the data
    HAS_BIAS: tl.constexpr,
    HAS_ADDEND: tl.constexpr,
    ACTIVATION: tl.constexpr,  # of the result, "none" among them
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    K0: tl.constexpr, K1: tl.constexpr,
    S0: tl.constexpr, S1: tl.constexpr,
    P0: tl.constexpr, P1: tl.constexpr,
    D0: tl.constexpr, D1: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    INNER: tl.constexpr,
):  # fmt: skip
    """FLOPs: 2 * rows * outer * inner * taps of each group.

    Bytes: reads x once into the cache for each tile of columns, and the weight for each tile of
    rows; writes y once.
    """
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    group = tl.program_id(2)
    n = (row // (height * width)).to(tl.int64)
    h, w = row // width % height, row % width
    along = tl.arange(0, INNER)
    x_place = x_ptr + n * x_n + group * inner * x_c
    weight_place = weight_ptr + group * weight_group + column.to(tl.int64) * weight_outer
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    blocks = tl.cdiv(inner, INNER)
    for step in range(K0 * K1 * blocks):
        tap = step // blocks
        a, b = tap // K1, tap % K1
        c = step % blocks * INNER + along
        i, real = _tap(h, a, source_height, S0, P0, D0, BACK)
        j, as_real = _tap(w, b, source_width, S1, P1, D1, BACK)
        real = real & as_real & (row < rows)
        x_at = x_place + i.to(tl.int64) * x_h + j.to(tl.int64) * x_w
        x = tl.load(x_at[:, None] + c[None, :] * x_c, real[:, None] & (c < inner)[None, :], other=0)
        weight_at = weight_place + a * weight_h + b * weight_w
        inside = (c < inner)[:, None] & (column < outer)[None, :]
        weight = tl.load(weight_at[None, :] + c[:, None] * weight_inner, inside, other=0)
        total = dotted(x, weight, total, PRECISION)
    channel = group * outer + column
    if HAS_BIAS:
        total += widened(tl.load(bias_ptr + channel, column < outer, other=0))[None, :]
    inside = (row < rows)[:, None] & (column < outer)[None, :]
    place = (n * y_n + h.to(tl.int64) * y_h + w.to(tl.int64) * y_w)[:, None]
    place += channel.to(tl.int64)[None, :] * y_c
    if HAS_ADDEND:
        total += widened(tl.load(addend_ptr + place, inside, other=0))
    if ACTIVATION == "gelu":
        total = pointwise.leaky_relu(total, "gelu", 0.0)
    elif ACTIVATION != "none":
        total = pointwise.activation(total, ACTIVATION)
    tl.store(y_ptr + place, total.to(y_ptr.dtype.element_ty), inside)


@triton.jit
def convolved_weight_tiles(
    dy_ptr,  # [N, groups * outer, height, width], of any strides: the gradient of the result
    x_ptr,  # [N, groups * inner, H, W], of any strides: the data
    part_ptr,  # [parts, groups * outer, inner, K0, K1], float32, becomes sums of parts
    rows,  # N * height * width
    inner, outer,  # channels of a group
    source_height, source_width,
    height, width,
    part,  # rows of a part
    size,  # of the weight
    dy_n, dy_c, dy_h, dy_w,
    x_n, x_c, x_h, x_w,
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    K0: tl.constexpr, K1: tl.constexpr,
    S0: tl.constexpr, S1: tl.constexpr,
    P0: tl.constexpr, P1: tl.constexpr,
    D0: tl.constexpr, D1: tl.constexpr,
    ROWS: tl.constexpr,  # of outer channels
    COLUMNS: tl.constexpr,  # of inner channels
    INNER: tl.constexpr,  # of places
):  # fmt: skip
    """FLOPs: 2 * rows * outer * inner * taps of each group.

    Bytes: reads dy and x once into the cache for each tap and tile, writes the parts once.
    """
    wide = tl.cdiv(inner, COLUMNS)
    f = tl.program_id(0) // wide * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(0) % wide * COLUMNS + tl.arange(0, COLUMNS)
    tap, group = tl.program_id(1) % (K0 * K1), tl.program_id(1) // (K0 * K1)
    a, b = tap // K1, tap % K1
    dy_place = dy_ptr + (group * outer + f).to(tl.int64) * dy_c
    x_place = x_ptr + (group * inner + c).to(tl.int64) * x_c
    begin = tl.program_id(2) * part
    end = tl.minimum(begin + part, rows)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(begin, end, INNER):
        row = first + tl.arange(0, INNER)
        n = (row // (height * width)).to(tl.int64)
        h, w = row // width % height, row % width
        i, real = _tap(h, a, source_height, S0, P0, D0, False)
        j, as_real = _tap(w, b, source_width, S1, P1, D1, False)
        real = real & as_real & (row < end)
        dy_at = n * dy_n + h.to(tl.int64) * dy_h + w.to(tl.int64) * dy_w
        x_at = n * x_n + i.to(tl.int64) * x_h + j.to(tl.int64) * x_w
        dy = tl.load(
            dy_place[:, None] + dy_at[None, :], (f < outer)[:, None] & real[None, :], other=0
        )
        x = tl.load(x_place[None, :] + x_at[:, None], real[:, None] & (c < inner)[None, :], other=0)
        total = dotted(dy, x, total, PRECISION)
    inside = (f < outer)[:, None] & (c < inner)[None, :]
    place = ((group * outer + f)[:, None] * inner + c[None, :]).to(tl.int64) * (K0 * K1) + tap
    tl.store(part_ptr + tl.program_id(2).to(tl.int64) * size + place, total, inside)


@triton.jit
def convolved_depthwise(
    x_ptr,  # [N, *, H, W], of any strides: the data, or if BACK the gradient
    weight_ptr,  # [C * TIMES, 1, K0, K1], contiguous
    bias_ptr,  # [C * TIMES], read if HAS_BIAS
    y_ptr,  # [N, *, height, width], contiguous, or if LAST with the channels last
    size,  # of y
    channels,  # of y
    source_height, source_width,
    height, width,
    x_n, x_c, x_h, x_w,
    TIMES: tl.constexpr,  # results of each channel of the data
    BACK: tl.constexpr,  # whether y is the gradient to the data
    HAS_BIAS: tl.constexpr,
    LAST: tl.constexpr,
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr,
    S0: tl.constexpr, S1: tl.constexpr,
    P0: tl.constexpr, P1: tl.constexpr,
    D0: tl.constexpr, D1: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Bytes: reads x once into the cache, writes y once."""
    at, inside, n, channel, _, h, w = image_places(
        size, channels, 1, height, width, LAST, WIDE, BLOCK
    )
    total = tl.zeros((BLOCK,), tl.float32)
    if HAS_BIAS:
        total += widened(tl.load(bias_ptr + channel, inside, other=0))
    for k in range(TIMES if BACK else 1):
        source = channel * TIMES + k if BACK else channel // TIMES
        filter = source if BACK else channel
        place = x_ptr + n.to(tl.int64) * x_n + source.to(tl.int64) * x_c
        for a in range(K0):
            i, tall = _tap(h, a, source_height, S0, P0, D0, BACK)
            for b in range(K1):
                j, broad = _tap(w, b, source_width, S1, P1, D1, BACK)
                real = inside & tall & broad
                x = tl.load(place + i.to(tl.int64) * x_h + j.to(tl.int64) * x_w, real, other=0)
                weight = tl.load(weight_ptr + (filter * K0 + a) * K1 + b, inside, other=0)
                total += widened(x) * widened(weight)
    tl.store(y_ptr + at, total.to(y_ptr.dtype.element_ty), inside)


@triton.jit
def convolved_depthwise_weight(
    dy_ptr,  # [N, C * TIMES, height, width], of any strides: the gradient of the result
    x_ptr,  # [N, C, H, W], of any strides: the data
    part_ptr,  # [parts, filters, K0, K1], float32, becomes sums of parts
    rows,  # N * height * width
    filters,
    source_height, source_width,
    height, width,
    part,  # rows of a part
    dy_n, dy_c, dy_h, dy_w,
    x_n, x_c, x_h, x_w,
    TIMES: tl.constexpr,  # results of each channel of the data
    K0: tl.constexpr, K1: tl.constexpr,
    S0: tl.constexpr, S1: tl.constexpr,
    P0: tl.constexpr, P1: tl.constexpr,
    D0: tl.constexpr, D1: tl.constexpr,
    ROWS: tl.constexpr,  # of places
    COLUMNS: tl.constexpr,  # of filters
):  # fmt: skip
    """Bytes: reads dy and x once into the cache for each tap, writes the parts once."""
    f = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tap = tl.program_id(1)
    a, b = tap // K1, tap % K1
    dy_place = dy_ptr + f.to(tl.int64) * dy_c
    x_place = x_ptr + (f // TIMES).to(tl.int64) * x_c
    begin = tl.program_id(2) * part
    end = tl.minimum(begin + part, rows)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(begin, end, ROWS):
        row = first + tl.arange(0, ROWS)
        n = (row // (height * width)).to(tl.int64)
        h, w = row // width % height, row % width
        i, real = _tap(h, a, source_height, S0, P0, D0, False)
        j, as_real = _tap(w, b, source_width, S1, P1, D1, False)
        real = (real & as_real & (row < end))[:, None] & (f < filters)[None, :]
        dy_at = n * dy_n + h.to(tl.int64) * dy_h + w.to(tl.int64) * dy_w
        x_at = n * x_n + i.to(tl.int64) * x_h + j.to(tl.int64) * x_w
        dy = widened(tl.load(dy_place[None, :] + dy_at[:, None], real, other=0))
        total += dy * widened(tl.load(x_place[None, :] + x_at[:, None], real, other=0))
    place = (tl.program_id(2).to(tl.int64) * filters + f) * (K0 * K1) + tap
    tl.store(part_ptr + place, tl.sum(total, 0), f < filters)
