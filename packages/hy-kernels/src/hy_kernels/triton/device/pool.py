"""Pooling and its gradients: one lane per result gathers all elements that it depends on.

The gradient gathers too: an element sums the contributions of the windows it is in, as in Caffe
(Jia et al., "Caffe: Convolutional Architecture for Fast Feature Embedding", 2014). So it needs no
atomic additions and is the same in every run. There are three spatial axes; missing ones have size
1.

A tile is ROWS by COLUMNS elements, its rows along the axis that is contiguous in memory: the
channels if they are last, else the width. Windows along the width are S2 elements apart, which
vector loads would skip: GROUP = S2 elements for each window are loaded at once, as vectors, and
separated in registers.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.pointwise import cbrt
from hy_kernels.triton.device.rows import largest, to_accumulator_dtype


@triton.jit
def _offset(n, c, d, h, w, channels, depth, height, width, LAST: tl.constexpr, WIDE: tl.constexpr):
    """Return the offset of an element of a contiguous tensor."""
    if WIDE:
        n = n.to(tl.int64)
    if LAST:
        return (((n * depth + d) * height + h) * width + w) * channels + c
    return (((n * channels + c) * depth + d) * height + h) * width + w


@triton.jit
def _positions(samples, channels, depth, height, width, LAST: tl.constexpr, WIDE: tl.constexpr,
            ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    """Return sample, channel, coordinates and a mask of a tile's elements, and its row's part.

    Channels, or the last coordinates, vary along the columns. The others vary from row to row only,
    so that divisions are made once a row. Rows longer than a tile have several parts.
    """
    pieces = tl.cdiv(channels if LAST else width, COLUMNS)
    tile = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    tile = tile if WIDE else tile.to(tl.int32)
    piece, rest = tile % pieces, tile // pieces
    along = piece * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    if LAST:
        c = along
        w, rest = rest % width, rest // width
        h, rest = rest % height, rest // height
        d, n = rest % depth, rest // depth
        exists = (n < samples) & (c < channels)
    else:
        w = along
        h, rest = rest % height, rest // height
        d, rest = rest % depth, rest // depth
        c, n = rest % channels, rest // channels
        # Whether the last position exists is asked of windows and of elements apart.
        exists = n < samples
    return n, c, d, h, w, exists, piece


@triton.jit
def _member(x, r, ROWS: tl.constexpr, COLUMNS: tl.constexpr, GROUP: tl.constexpr):
    """Return element ``r`` of each group along the columns."""
    if GROUP == 1:
        return x
    else:
        groups = tl.reshape(x, (ROWS, COLUMNS, GROUP))
        own = tl.arange(0, GROUP)[None, None, :] == r
        # A thread has whole groups: a sum of one element and of zeros is that register. Of the
        # bits, because a sum would make zero of minus zero.
        whole: tl.constexpr = tl.int64 if x.dtype == tl.float64 else tl.int32
        bits = tl.where(own, groups.to(whole, bitcast=True), 0)
        return tl.sum(bits, 2).to(x.dtype, bitcast=True)


@triton.jit
def _repeated(x, ROWS: tl.constexpr, COLUMNS: tl.constexpr, GROUP: tl.constexpr):
    """Return the tile with every column repeated GROUP times."""
    if GROUP == 1:
        return x
    else:
        groups = tl.broadcast_to(tl.reshape(x, (ROWS, COLUMNS, 1)), (ROWS, COLUMNS, GROUP))
        return tl.reshape(groups, (ROWS, COLUMNS * GROUP))


@triton.jit
def _extent(
    position, size, K: tl.constexpr, S: tl.constexpr, P: tl.constexpr, PADDED: tl.constexpr
):
    """Return the size of windows along an axis, including padding if PADDED."""
    low = position * S - P
    high = tl.minimum(low + K, size + P)
    if not PADDED:
        low, high = tl.maximum(low, 0), tl.minimum(high, size)
    return tl.maximum(high - low, 1)


@triton.jit
def _power(x, POWER: tl.constexpr):
    """Return ``x`` to a power from 1 to 3."""
    if POWER == 1:
        return x
    elif POWER == 2:
        return x * x
    else:
        return x * x * x


@triton.jit
def pooled_windows(
    x_ptr,  # [N, C, D, H, W], the input, or if LAST [N, D, H, W, C]
    value_ptr,  # of shape of x, read if OUTPUT is "values"
    y_ptr,  # [N, C, *windows], becomes what OUTPUT says, channels as of x; places are int32
    samples, channels,  # N and C
    depth, height, width,  # of x
    windows0, windows1, windows2,  # how many there are along each axis
    KIND: tl.constexpr,  # "max", "sum", "avg", or "lp"
    POWER: tl.constexpr,  # of the elements; of "lp" 2 or 3, and the root is taken, else 1
    PADDED: tl.constexpr,  # whether the border counts: as elements of means, of maxima as zeros
    OUTPUT: tl.constexpr,  # "result"; of maxima "places" in space, -1 the border, or "values" there
    LAST: tl.constexpr,  # whether the channels are last
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr,  # size of a window along each axis
    S0: tl.constexpr, S1: tl.constexpr, S2: tl.constexpr,  # stride, likewise
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,  # padding, likewise
    ALIGN_X: tl.constexpr, ALIGN_Y: tl.constexpr,  # factors of the length of rows of x and of y
    GROUP: tl.constexpr,  # S2, where elements of a window are read with those of its neighbours
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,  # of a tile of y
):  # fmt: skip
    """Compute pooled windows, or as OUTPUT says the positions of maxima or values at these.

    Bytes: reads x once into the cache, values once a window if wanted; writes y once.
    """
    if LAST:
        channels = channels // ALIGN_X * ALIGN_X
    else:
        width = width // ALIGN_X * ALIGN_X
        windows2 = windows2 // ALIGN_Y * ALIGN_Y
    n, c, i, j, k, exists, piece = _positions(
        samples, channels, windows0, windows1, windows2, LAST, WIDE, ROWS, COLUMNS
    )
    # In groups the compiler sees one run of neighbours; multiples of a stride would be single ones.
    begin = k * S2
    if GROUP > 1:
        begin = piece * (COLUMNS * S2) + tl.arange(0, COLUMNS * S2)[None, :]
    dtype: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    # Half-precision sums of 3 x 3 windows round eight times; of float32 once, when they are stored.
    total = tl.full((ROWS, COLUMNS), -float("inf") if KIND == "max" else 0.0, dtype)
    # -2 is no position and -1 the border: an element that is nan, or minus infinity, still is the
    # first one seen, which a comparison with the largest so far would not tell.
    position = tl.full((ROWS, COLUMNS), -2, tl.int32)  # no element was seen
    # Elements of windows are whole groups and a part of one at either end: those from the first on.
    first_group: tl.constexpr = -((P2 + GROUP - 1) // GROUP)
    end: tl.constexpr = (K2 - 1 - P2) // GROUP + 1
    unrolled: tl.constexpr = min(end - first_group, 8)
    for a in range(K0):
        d = i * S0 - P0 + a
        for b in range(K1):
            h = j * S1 - P1 + b
            row = exists & (d >= 0) & (d < depth) & (h >= 0) & (h < height)
            for q in tl.range(first_group, end, loop_unroll_factor=unrolled):
                at = begin + q * GROUP
                where = _offset(n, c, d, h, at, channels, depth, height, width, LAST, WIDE)
                read = tl.load(x_ptr + where, row & (at >= 0) & (at < width), other=0.0)
                read = to_accumulator_dtype(read)
                for r in tl.static_range(GROUP):
                    x = _member(read, r, ROWS, COLUMNS, GROUP)
                    e = q * GROUP + r + P2
                    w = k * S2 - P2 + e
                    within = (e >= 0) & (e < K2)
                    real = row & (w >= 0) & (w < width) & within
                    if KIND == "max":
                        seen = real
                        if PADDED:  # but not what lies beyond the border
                            seen = within & (w < width + P2)
                            seen &= (d < depth + P0) & (h < height + P1)
                        if OUTPUT != "result":
                            better = (x > total) | ((x != x) & (total == total))
                            first = seen & ((position == -2) | better)
                            here = tl.where(real, ((d * height + h) * width + w).to(tl.int32), -1)
                            position = tl.where(first, here, position)
                            total = tl.where(first, x, total)
                        else:
                            total = tl.where(seen, largest(total, x), total)
                    else:
                        total += tl.where(within, _power(x, POWER), 0.0)
    if KIND == "avg":
        area = _extent(i, depth, K0, S0, P0, PADDED) * _extent(j, height, K1, S1, P1, PADDED)
        total = total / (area * _extent(k, width, K2, S2, P2, PADDED)).to(dtype)
    if KIND == "lp":
        total = tl.sqrt(total) if POWER == 2 else cbrt(total)
    inside = exists & (k < windows2)
    y = y_ptr + _offset(n, c, i, j, k, channels, windows0, windows1, windows2, LAST, WIDE)
    if OUTPUT == "places":
        tl.store(y, position, inside)
    elif OUTPUT == "values":
        d, h, w = position // (height * width), position // width % height, position % width
        where = _offset(n, c, d, h, w, channels, depth, height, width, LAST, WIDE)
        tl.store(y, tl.load(value_ptr + where, inside & (position >= 0), other=0.0), inside)
    else:
        tl.store(y, total.to(y_ptr.dtype.element_ty), inside)


@triton.jit
def pooled_windows_backward(
    dy_ptr,  # [N, C, *windows], the gradient of the result, or if LAST [N, *windows, C]
    y_ptr,  # [N, C, *windows], of "max" int32 positions of the largest elements, of "lp" the result
    x_ptr,  # [N, C, D, H, W], the input, read if KIND is "lp"
    dx_ptr,  # [N, C, D, H, W], becomes the gradient of the input, channels as of dy
    samples, channels,  # N and C
    depth, height, width,  # of x
    windows0, windows1, windows2,  # how many there are along each axis
    KIND: tl.constexpr,  # "max", "sum", "avg", or "lp"
    POWER: tl.constexpr,  # of "lp": of the elements, whose sum's root was taken, 2 or 3
    PADDED: tl.constexpr,  # whether the border counts in means
    LAST: tl.constexpr,  # whether the channels are last
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr,  # size of a window along each axis
    S0: tl.constexpr, S1: tl.constexpr, S2: tl.constexpr,  # stride, likewise
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,  # padding, likewise
    M0: tl.constexpr, M1: tl.constexpr, M2: tl.constexpr,  # windows that an element is in, at most
    ALIGN_X: tl.constexpr, ALIGN_Y: tl.constexpr,  # factors of the length of rows of x and of y
    GROUP: tl.constexpr,  # S2, where windows are read once for all of their elements
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,  # of a tile of x
):  # fmt: skip
    """Compute the gradient to the input of pooled windows.

    Bytes: reads dy, and y, once into the cache, and x once, writes dx once.
    """
    if LAST:
        channels = channels // ALIGN_X * ALIGN_X
    else:
        width = width // ALIGN_X * ALIGN_X
        windows2 = windows2 // ALIGN_Y * ALIGN_Y
    n, c, d, h, w, exists, piece = _positions(
        samples, channels, depth, height, width, LAST, WIDE, ROWS, COLUMNS
    )
    dtype: tl.constexpr = tl.float64 if dy_ptr.dtype.element_ty == tl.float64 else tl.float32
    groups: tl.constexpr = COLUMNS // GROUP
    total = tl.zeros((ROWS, COLUMNS), dtype)
    if GROUP == 1:
        # The last window that an element is in, and the windows before that.
        near = tl.minimum((w + P2) // S2, windows2 - 1)
        own_near = near
    else:
        # A group of elements is in the same windows, beside the ends of these.
        near = piece * groups + tl.arange(0, groups)[None, :]
        own_near = w // GROUP
    first_group: tl.constexpr = 1 - M2 if GROUP == 1 else (P2 - K2) // S2 + 1
    end: tl.constexpr = 1 if GROUP == 1 else (S2 - 1 + P2) // S2 + 1
    # Places of maxima are of the plane, 32 bits each: a gradient compares its own with those of the
    # windows it is in, instead of searching each window again.
    own = (d * height + h) * width + w
    for a in range(M0):
        i = tl.minimum((d + P0) // S0, windows0 - 1) - a
        for b in range(M1):
            j = tl.minimum((h + P1) // S1, windows1 - 1) - b
            row = (i >= 0) & (i < windows0) & (d + P0 < i * S0 + K0) & exists
            row &= (j >= 0) & (j < windows1) & (h + P1 < j * S1 + K1)
            for q in tl.range(first_group, end, loop_unroll_factor=min(end - first_group, 8)):
                at, k = near + q, own_near + q
                where = _offset(n, c, i, j, at, channels, windows0, windows1, windows2, LAST, WIDE)
                read = row & (at >= 0) & (at < windows2)
                real = (k >= 0) & (w + P2 >= k * S2) & (w + P2 < k * S2 + K2)
                dy = to_accumulator_dtype(tl.load(dy_ptr + where, read, other=0.0))
                if KIND == "avg":
                    area = _extent(i, depth, K0, S0, P0, PADDED)
                    area *= _extent(j, height, K1, S1, P1, PADDED)
                    dy = dy / (area * _extent(at, width, K2, S2, P2, PADDED)).to(dtype)
                if KIND == "lp":
                    y = to_accumulator_dtype(tl.load(y_ptr + where, read, other=1.0))
                    dy = tl.where(y == 0, 0.0, dy / _power(y, POWER - 1))
                if KIND == "max":
                    largest_at = tl.load(y_ptr + where, read, other=-1)
                    real &= _repeated(largest_at, ROWS, groups, GROUP) == own
                total += tl.where(real, _repeated(dy, ROWS, groups, GROUP), 0.0)
    inside = exists & (w < width)
    at = _offset(n, c, d, h, w, channels, depth, height, width, LAST, WIDE)
    if KIND == "lp":
        total *= _power(to_accumulator_dtype(tl.load(x_ptr + at, inside, other=0.0)), POWER - 1)
    tl.store(dx_ptr + at, total.to(dx_ptr.dtype.element_ty), inside)
