"""Parts that the kernels of attention share: tiles of vectors, masks, dropout and statistics.

A head, and a program's sample times heads plus head, may be one number or a column of one for each
row: tiles of one head, or of several that share keys and values.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import to_accumulator_dtype

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _offsets(rows, size, s_batch, s_head, s_row, batch, head, ALIGN: tl.constexpr,
            WIDTH: tl.constexpr):  # fmt: skip
    """Return the offsets of a tile ``[rows, WIDTH]`` of one head, and a mask of its columns.

    Strides are multiples of ALIGN, which a product by ALIGN tells the compiler, so that it loads
    vectors; heads of 40 or 80 elements are whole vectors too.
    """
    along = tl.arange(0, WIDTH)
    start = batch.to(tl.int64) * (s_batch // ALIGN * ALIGN)
    start += head.to(tl.int64) * (s_head // ALIGN * ALIGN)
    offsets = start + rows.to(tl.int64)[:, None] * (s_row // ALIGN * ALIGN) + along[None, :]
    return offsets, along < size // ALIGN * ALIGN


@triton.jit
def load_tile(ptr, batch, head, rows, count, size, s_batch, s_head, s_row, ALIGN: tl.constexpr,
          WIDTH: tl.constexpr):  # fmt: skip
    """Load a tile ``[rows, WIDTH]`` of one head, 0 beyond its ends."""
    offsets, inside = _offsets(rows, size, s_batch, s_head, s_row, batch, head, ALIGN, WIDTH)
    return tl.load(ptr + offsets, (rows < count)[:, None] & inside[None, :], other=0.0)


@triton.jit
def store_tile(ptr, value, batch, head, rows, count, size, s_batch, s_head, s_row,
                ALIGN: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    """Store a tile ``[rows, WIDTH]`` of one head."""
    offsets, inside = _offsets(rows, size, s_batch, s_head, s_row, batch, head, ALIGN, WIDTH)
    inside = (rows < count)[:, None] & inside[None, :]
    tl.store(ptr + offsets, value.to(ptr.dtype.element_ty), inside)


@triton.jit
def own_tile(length, BLOCK: tl.constexpr):
    """Return the index of the program's tile along an axis, and that of its sample and head.

    Both are in the first axis of the grid, as the other axes have 65535 programs at most.
    """
    tiles = tl.cdiv(length, BLOCK)
    return tl.program_id(0) % tiles, tl.program_id(0) // tiles


@triton.jit
def seen_ends(length_ptr, program, query, queries, keys, HAS_LENGTH: tl.constexpr):
    """Return the number of keys that each query sees."""
    if HAS_LENGTH:
        ptrs = length_ptr + program.to(tl.int64) * queries + query
        return tl.load(ptrs, query < queries, other=0).to(tl.int32)
    return tl.where(query < queries, keys, 0)


@triton.jit
def range_of_keys(tile, query, queries, keys, ahead, ends, CAUSAL: tl.constexpr,
                   HAS_LENGTH: tl.constexpr, QUERIES: tl.constexpr,
                   KEYS: tl.constexpr):  # fmt: skip
    """Return how many leading keys all queries of a tile see, and how many any of them sees.

    The first is rounded down to a multiple of KEYS; tiles of keys beyond the second are skipped.
    """
    whole, last = keys, keys
    if HAS_LENGTH:
        whole = tl.minimum(whole, tl.min(tl.where(query < queries, ends, keys), 0))
        last = tl.minimum(last, tl.max(ends, 0))
    if CAUSAL:
        whole = tl.minimum(whole, tile * QUERIES + 1 + ahead)
        last = tl.minimum(last, (tile + 1) * QUERIES + ahead)
    return tl.maximum(whole, 0) // KEYS * KEYS, last


@triton.jit
def hidden(scores, query, key, ahead, ends, CAUSAL: tl.constexpr):
    """Return the scores, minus infinity for keys that a query does not see."""
    seen = key < ends
    if CAUSAL:
        seen = seen & (key <= query + ahead)
    return tl.where(seen, scores, -float("inf"))


@triton.jit
def add_mask(scores, mask_ptr, batch, head, query, key, queries, keys, m_batch, m_head, m_row,
            m_key, MASK: tl.constexpr, FILL: tl.constexpr):  # fmt: skip
    """Return the scores under the mask, and the mask's values (1 without a mask)."""
    m = 1.0
    if MASK != "none":
        start = mask_ptr + batch.to(tl.int64) * m_batch + head.to(tl.int64) * m_head
        offset = start + query.to(tl.int64) * m_row + key.to(tl.int64) * m_key
        m = to_accumulator_dtype(tl.load(offset, (query < queries) & (key < keys), other=0))
        if MASK == "added":
            scores += m * LOG2E
        else:
            scores = tl.where(m != 0, scores, FILL * LOG2E)
    return scores, m


@triton.jit
def keep_of(m, seed, program, query, key, queries, keys, MASK: tl.constexpr, RATE: tl.constexpr):
    """Return the factor of each weight that mask and dropout give."""
    left = 1.0
    if MASK == "both":
        left = m
    if RATE > 0:
        row = program.to(tl.int64) * queries + query
        # A number's index is that in the whole matrix of scores, whatever tiles it falls into: so
        # the gradients, whose tiles differ, draw the same again, and so does torch in their place.
        drawn = tl.rand(seed, row * keys + key)
        left = tl.where(drawn >= RATE, left * (1 / (1 - RATE)), 0.0)
    return left


@triton.jit
def load_sums(sum_ptr, program, query, queries, LOGS: tl.constexpr):
    """Load each query's maximum score and the inverse of its sum of exponentials.

    They are not merged into one log-sum-exp unless it was saved as such: with masked scores of
    -10,000, a query that sees no key has equal scores, and in float32 their difference from such a
    logarithm is off by 1e-3.
    """
    at, inside = program.to(tl.int64) * queries + query, query < queries
    if LOGS:
        peak = tl.load(sum_ptr + at, inside, other=0.0) * LOG2E
        share = tl.full(peak.shape, 1.0, tl.float32)
    else:
        ptrs = sum_ptr + at * 2
        peak = tl.load(ptrs, inside, other=0.0)
        share = 1.0 / tl.load(ptrs + 1, inside, other=1.0)
    return peak, share


@triton.jit
def store_sums(sum_ptr, peak, total, program, query, queries, LOGS: tl.constexpr):
    """Store what :func:`load_sums` loads."""
    at, inside = program.to(tl.int64) * queries + query, query < queries
    if LOGS:
        tl.store(sum_ptr + at, (peak + tl.log2(total)) / LOG2E, inside)
    else:
        ptrs = sum_ptr + at * 2
        tl.store(ptrs, peak, inside)
        tl.store(ptrs + 1, total, inside)
