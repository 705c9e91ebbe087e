"""Dropout by a counter-based generator: what is dropped depends on a seed and the index.

By Philox (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011) the
gradient draws the same numbers again, and no mask is stored. One count gives four numbers.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import to_accumulator_dtype


@triton.jit
def dropped(
    x_ptr,  # [size], the input, or the gradient of the result
    y_ptr,  # [size], becomes the result, or the gradient of the input
    mask_ptr,  # [size], becomes 0 or SCALE, written if HAS_MASK
    size,  # of x
    seed,  # a number, or the address of one, int64, if IS_STORED
    RATE: tl.constexpr,  # the share that is dropped
    SCALE: tl.constexpr,  # of what is kept
    IS_STORED: tl.constexpr,  # whether the seed is an address
    HAS_MASK: tl.constexpr,  # whether a mask is wanted
    BLOCK: tl.constexpr,  # elements of a program
):
    """Apply dropout with a random number for each element.

    Bytes: reads x once, writes y once; the mask as well if HAS_MASK.
    """
    if IS_STORED:
        seed = tl.load(seed)
    begin = tl.program_id(0).to(tl.int64) * BLOCK
    fours = begin // 4 + tl.arange(0, BLOCK // 4)
    # Philox makes four numbers of a count; dropped one by one, three would be thrown away.
    a, b, c, d = tl.rand4x(seed, fours)
    drawn = tl.reshape(tl.join(tl.join(a, b), tl.join(c, d)), (BLOCK,))
    at = begin + tl.arange(0, BLOCK)
    inside = at < size
    x = to_accumulator_dtype(tl.load(x_ptr + at, inside, other=0.0))
    keep = drawn >= RATE
    y = tl.where(keep, x * SCALE, 0.0)
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), inside)
    if HAS_MASK:
        mask = tl.where(keep, tl.full((BLOCK,), SCALE, x.dtype), 0.0)
        tl.store(mask_ptr + at, mask.to(mask_ptr.dtype.element_ty), inside)


@triton.jit
def dropped_along(
    x_ptr,  # [_, K0, S1, K1, S2], the input, or the gradient of the result
    y_ptr,  # [_, K0, S1, K1, S2], becomes the result, or the gradient of the input
    mask_ptr,  # [K0, K1], becomes 0 or SCALE, written if HAS_MASK
    size,  # of x
    K0,  # numbers drawn along the first axes that have their own
    S1,  # elements between them that share one
    K1,  # numbers drawn along the last axes that have their own
    S2,  # elements behind those that share one
    seed,  # a number, or the address of one, int64, if IS_STORED
    RATE: tl.constexpr,  # the share that is dropped
    SCALE: tl.constexpr,  # of what is kept
    IS_STORED: tl.constexpr,  # whether the seed is an address
    HAS_MASK: tl.constexpr,  # whether a mask is wanted
    BLOCK: tl.constexpr,  # elements of a program
):
    """Apply dropout with random numbers that elements along some axes share.

    Bytes: reads x once, writes y once; the mask as well if HAS_MASK.
    """
    if IS_STORED:
        seed = tl.load(seed)
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    last, middle = at // S2, at // S2 // K1
    first = middle // S1
    index = first % K0 * K1 + last % K1
    keep = tl.rand(seed, index) >= RATE
    x = to_accumulator_dtype(tl.load(x_ptr + at, inside, other=0.0))
    y = tl.where(keep, x * SCALE, 0.0)
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), inside)
    if HAS_MASK:
        # Elements that share a number would all write it: one of them does.
        leads = (at % S2 == 0) & (middle % S1 == 0) & (first < K0)
        mask = tl.where(keep, tl.full((BLOCK,), SCALE, x.dtype), 0.0)
        tl.store(mask_ptr + index, mask.to(mask_ptr.dtype.element_ty), inside & leads)
