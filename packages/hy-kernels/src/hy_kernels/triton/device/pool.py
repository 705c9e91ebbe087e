"""Pooling and its gradients: one lane for each result, which looks at all that it follows from.

So the gradient needs no atomic additions and is the same in every run: an element adds up what the
windows it is in give it, as in Caffe (Jia et al., "Caffe: Convolutional Architecture for Fast
Feature Embedding", 2014). There are three spatial axes; missing ones have one place.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.pointwise import cbrt
from hy_kernels.triton.device.rows import image_places, largest, to_accumulator_dtype


@triton.jit
def _offset(n, c, d, h, w, channels, depth, height, width, LAST: tl.constexpr, WIDE: tl.constexpr):
    """Return the offset of an element of a contiguous tensor."""
    if WIDE:
        n = n.to(tl.int64)
    if LAST:
        return (((n * depth + d) * height + h) * width + w) * channels + c
    return (((n * channels + c) * depth + d) * height + h) * width + w


@triton.jit
def _extent(place, size, K: tl.constexpr, S: tl.constexpr, P: tl.constexpr, PADDED: tl.constexpr):
    """Return the size of windows along an axis, the border counted or not."""
    low = place * S - P
    high = tl.minimum(low + K, size + P)
    if not PADDED:
        low, high = tl.maximum(low, 0), tl.minimum(high, size)
    return tl.maximum(high - low, 1)


@triton.jit
def _power(x, POWER: tl.constexpr):
    """``x`` to a power from 1 to 3."""
    if POWER == 1:
        return x
    elif POWER == 2:
        return x * x
    else:
        return x * x * x


@triton.jit
def pooled_windows(
    x_ptr,  # [N, C, D, H, W], the input, or if LAST [N, D, H, W, C]
    value_ptr,  # of shape of x, read if GOAL is "values"
    y_ptr,  # [N, C, *windows], becomes what GOAL says, channels as of x; places are int32
    size,  # of y
    channels,  # of x
    depth, height, width,  # of y
    windows0, windows1, windows2,  # how many there are along each axis
    KIND: tl.constexpr,  # "max", "sum", "avg", or "lp"
    POWER: tl.constexpr,  # of the elements; of "lp" 2 or 3, and the root is taken, else 1
    PADDED: tl.constexpr,  # whether the border counts: as elements of means, of maxima as zeros
    GOAL: tl.constexpr,  # "result"; of maxima "places" in space, -1 the border, or "values" there
    LAST: tl.constexpr,  # whether the channels are last
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    K0: tl.constexpr, K1: tl.constexpr, K2: tl.constexpr,  # size of a window along each axis
    S0: tl.constexpr, S1: tl.constexpr, S2: tl.constexpr,  # stride, likewise
    P0: tl.constexpr, P1: tl.constexpr, P2: tl.constexpr,  # padding, likewise
    BLOCK: tl.constexpr,  # elements of a program
):  # fmt: skip
    """Bytes: reads x once into the cache, values once a window if wanted; writes y once."""
    at, inside, n, c, i, j, k = image_places(
        size, channels, windows0, windows1, windows2, LAST, WIDE, BLOCK
    )
    dtype: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    # Half-precision sums of 3 x 3 windows round eight times; of float32 once, when they are stored.
    total = tl.full((BLOCK,), -float("inf") if KIND == "max" else 0.0, dtype)
    # -2 is no place and -1 the border: an element that is nan, or minus infinity, still is the
    # first one seen, which a comparison with the largest so far would not tell.
    place = tl.full((BLOCK,), -2, tl.int32)  # no element was seen
    for a in range(K0):
        d = i * S0 - P0 + a
        for b in range(K1):
            h = j * S1 - P1 + b
            for e in range(K2):
                w = k * S2 - P2 + e
                real = (d >= 0) & (d < depth) & (h >= 0) & (h < height) & (w >= 0) & (w < width)
                where = _offset(n, c, d, h, w, channels, depth, height, width, LAST, WIDE)
                x = to_accumulator_dtype(tl.load(x_ptr + where, inside & real, other=0.0))
                if KIND == "max":
                    seen = inside if PADDED else inside & real
                    if GOAL != "result":
                        first = seen & ((place == -2) | (x > total) | ((x != x) & (total == total)))
                        here = tl.where(real, ((d * height + h) * width + w).to(tl.int32), -1)
                        place = tl.where(first, here, place)
                        total = tl.where(first, x, total)
                    else:
                        total = tl.where(seen, largest(total, x), total)
                else:
                    total += _power(x, POWER)
    if KIND == "avg":
        area = _extent(i, depth, K0, S0, P0, PADDED) * _extent(j, height, K1, S1, P1, PADDED)
        total = total / (area * _extent(k, width, K2, S2, P2, PADDED)).to(dtype)
    if KIND == "lp":
        total = tl.sqrt(total) if POWER == 2 else cbrt(total)
    if GOAL == "places":
        tl.store(y_ptr + at, place, inside)
    elif GOAL == "values":
        d, h, w = place // (height * width), place // width % height, place % width
        where = _offset(n, c, d, h, w, channels, depth, height, width, LAST, WIDE)
        tl.store(y_ptr + at, tl.load(value_ptr + where, inside & (place >= 0), other=0.0), inside)
    else:
        tl.store(y_ptr + at, total.to(y_ptr.dtype.element_ty), inside)


@triton.jit
def pooled_windows_backward(
    dy_ptr,  # [N, C, *windows], the gradient of the result, or if LAST [N, *windows, C]
    y_ptr,  # [N, C, *windows], of "max" int32 places of the largest elements, of "lp" the result
    x_ptr,  # [N, C, D, H, W], the input, read if KIND is "lp"
    dx_ptr,  # [N, C, D, H, W], becomes the gradient of the input, channels as of dy
    size,  # of dx
    channels,  # of x
    depth, height, width,  # of y
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
    BLOCK: tl.constexpr,  # elements of a program
):  # fmt: skip
    """Bytes: reads dy, and y, once into the cache, and x once, writes dx once."""
    at, inside, n, c, d, h, w = image_places(
        size, channels, depth, height, width, LAST, WIDE, BLOCK
    )
    dtype: tl.constexpr = tl.float64 if dy_ptr.dtype.element_ty == tl.float64 else tl.float32
    total = tl.zeros((BLOCK,), dtype)
    # Places of maxima are of the plane, 32 bits each: a gradient compares its own with those of the
    # at most M0 * M1 * M2 windows it is in, instead of searching each window again.
    own = (d * height + h) * width + w
    for a in range(M0):
        i = tl.minimum((d + P0) // S0, windows0 - 1) - a
        for b in range(M1):
            j = tl.minimum((h + P1) // S1, windows1 - 1) - b
            for e in range(M2):
                k = tl.minimum((w + P2) // S2, windows2 - 1) - e
                real = (i >= 0) & (i < windows0) & (d + P0 < i * S0 + K0)
                real &= (j >= 0) & (j < windows1) & (h + P1 < j * S1 + K1)
                real &= (k >= 0) & (k < windows2) & (w + P2 < k * S2 + K2)
                real &= inside
                where = _offset(n, c, i, j, k, channels, windows0, windows1, windows2, LAST, WIDE)
                if KIND == "max":
                    real &= tl.load(y_ptr + where, real, other=-1) == own
                dy = to_accumulator_dtype(tl.load(dy_ptr + where, real, other=0.0))
                if KIND == "avg":
                    area = _extent(i, depth, K0, S0, P0, PADDED)
                    area *= _extent(j, height, K1, S1, P1, PADDED)
                    dy = dy / (area * _extent(k, width, K2, S2, P2, PADDED)).to(dtype)
                if KIND == "lp":
                    y = to_accumulator_dtype(tl.load(y_ptr + where, real, other=1.0))
                    dy = tl.where(y == 0, 0.0, dy / _power(y, POWER - 1))
                total += dy
    if KIND == "lp":
        total *= _power(to_accumulator_dtype(tl.load(x_ptr + at, inside, other=0.0)), POWER - 1)
    tl.store(dx_ptr + at, total.to(dx_ptr.dtype.element_ty), inside)
