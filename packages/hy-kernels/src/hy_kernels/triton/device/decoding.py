"""Attention of few queries to many keys, as a decoder's for each token.

Flash-Decoding (Dao, Haziza, Massa and Sizov, "Flash-Decoding for long-context inference", 2023):
programs share the keys of a head out, and a second launch merges their results by their maxima and
sums. Heads that share keys and values are rows of one tile, so that these are read once for all.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.attention_tiles import (
    LOG2E,
    add_mask,
    hidden,
    keep_of,
    load_tile,
    seen_ends,
    store_sums,
    store_tile,
)
from hy_kernels.triton.device.rows import dot_acc


@triton.jit
def attention_parts(
    q_ptr,  # [batch, heads, queries, size], queries, the last axis without gaps
    k_ptr,  # [batch, heads / GROUP, keys, size], keys, likewise
    v_ptr,  # [batch, heads / GROUP, keys, size], values, likewise
    y_ptr,  # [batch, heads, queries, size], the result, likewise; written if PARTS is 1
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of powers of 2; likewise
    part_ptr,  # [batch * heads * queries, PARTS, SIZE], float32, not yet divided by sums; else
    peak_ptr,  # [batch * heads * queries, 2, PARTS], float32: peaks and sums of parts; likewise
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    mask_ptr,  # [batch, heads, queries, keys], of any strides; read if there is a MASK
    seed_ptr,  # [1], int64, what dropout draws by; read if RATE is not 0
    scale,  # of the scores
    share,  # keys of a part, a multiple of KEYS
    heads,  # of queries
    queries,  # of a head
    keys,  # of a head
    size,  # of a vector
    q_batch,  # strides of queries: of samples
    q_head,  # of heads
    q_row,  # and of vectors
    k_batch,  # strides of keys: of samples
    k_head,  # of heads
    k_row,  # and of vectors
    v_batch,  # strides of values: of samples
    v_head,  # of heads
    v_row,  # and of vectors
    y_batch,  # strides of the result: of samples
    y_head,  # of heads
    y_row,  # and of vectors
    m_batch,  # strides of the mask
    m_head,  # likewise
    m_row,  # likewise
    m_key,  # likewise
    ahead,  # keys after its own number that a query sees, if CAUSAL
    GROUP: tl.constexpr,  # heads of queries that share one of keys and values
    CAUSAL: tl.constexpr,  # whether a query sees no key beyond its own number and those ahead
    HAS_LENGTH: tl.constexpr,  # whether there are lengths
    MASK: tl.constexpr,  # "none"; "added"; "where" it is 0, FILL is; "both": also a factor
    FILL: tl.constexpr,  # the score of what the mask hides
    RATE: tl.constexpr,  # of the weights that are dropped
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    LOGS: tl.constexpr,  # whether of sums there is one number a query: of exponentials, the log
    ALIGN: tl.constexpr,  # a factor of the size and of all strides but the mask's
    QUERIES: tl.constexpr,  # of a tile, counting those of all heads of a group
    KEYS: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
    PARTS: tl.constexpr,  # programs that share a head's keys out
):
    """Compute attention of a tile of queries to a part of the keys.

    Bytes: reads keys and values once for each tile of queries, which usually is one; writes float32
    results of each part.
    """
    part, rest = tl.program_id(0) % PARTS, tl.program_id(0) // PARTS
    tiles = tl.cdiv(GROUP * queries, QUERIES)
    tile, rest = rest % tiles, rest // tiles
    batch, group = rest // (heads // GROUP), rest % (heads // GROUP)
    row = tile * QUERIES + tl.arange(0, QUERIES)
    # Of a row beyond the last the query is no query either: nothing is loaded or stored for it.
    query = tl.where(row < GROUP * queries, row % queries, queries)
    head = group * GROUP + row // queries
    program = batch * heads + head
    ends = seen_ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    if CAUSAL:
        ends = tl.minimum(ends, query + 1 + ahead)
    q = load_tile(q_ptr, batch, head[:, None], query, queries, size, q_batch, q_head, q_row, ALIGN,
                  SIZE)  # fmt: skip
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    peak = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    y = tl.zeros((QUERIES, SIZE), tl.float32)
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    # Keys that no query of the tile sees are not read.
    last = tl.minimum((part + 1) * share, tl.max(tl.where(query < queries, ends, 0), 0))
    for first in range(part * share, last, KEYS):
        key = first + tl.arange(0, KEYS)
        k = load_tile(k_ptr, batch, group, key, keys, size, k_batch, k_head, k_row, ALIGN, SIZE)
        scores = dot_acc(q, tl.trans(k), none, PRECISION) * (scale * LOG2E)
        scores, m = add_mask(scores, mask_ptr, batch, head[:, None], query[:, None], key[None, :],
                             queries, keys, m_batch, m_head, m_row, m_key, MASK,
                             FILL)  # fmt: skip
        scores = hidden(scores, query[:, None], key[None, :], ahead, ends[:, None], False)
        higher = tl.maximum(peak, tl.max(scores, 1))
        # Minus infinity less itself, of a query that has seen nothing so far, is not a number.
        anchor = tl.where(higher == -float("inf"), 0.0, higher)
        old = tl.exp2(peak - anchor)
        p = tl.exp2(scores - anchor[:, None])
        total = total * old + tl.sum(p, 1)
        if (MASK == "both") | (RATE > 0):
            p = p * keep_of(m, seed, program[:, None], query[:, None], key[None, :], queries, keys,
                            MASK, RATE)  # fmt: skip
        v = load_tile(v_ptr, batch, group, key, keys, size, v_batch, v_head, v_row, ALIGN, SIZE)
        y = dot_acc(p.to(v.dtype), v, y * old[:, None], PRECISION)
        peak = higher
    if PARTS == 1:
        # A query that sees nothing has zeros for a result, not the quotient of two zeros.
        peak = tl.where(total == 0, 0.0, peak)
        total = tl.where(total == 0, 1.0, total)
        store_tile(y_ptr, y * (1.0 / total)[:, None], batch, head[:, None], query, queries, size,
                   y_batch, y_head, y_row, ALIGN, SIZE)  # fmt: skip
        store_sums(sum_ptr, peak, total, program, query, queries, LOGS)
    else:
        inside = query < queries
        at = program.to(tl.int64) * queries + query
        offsets = (at * PARTS + part)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
        tl.store(part_ptr + offsets, y, inside[:, None])
        tl.store(peak_ptr + at * (2 * PARTS) + part, peak, inside)
        tl.store(peak_ptr + at * (2 * PARTS) + PARTS + part, total, inside)


@triton.jit
def attention_merged(
    part_ptr,  # [batch * heads * queries, PARTS, SIZE], float32, not yet divided by sums
    peak_ptr,  # [batch * heads * queries, 2, PARTS], float32: peaks and sums of parts
    y_ptr,  # [batch, heads, queries, size], the result, the last axis without gaps
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of powers of 2; see LOGS
    heads,  # of a sample
    queries,  # of a head
    size,  # of a vector
    y_batch,  # strides of the result: of samples
    y_head,  # of heads
    y_row,  # and of vectors
    LOGS: tl.constexpr,  # whether of sums there is one number a query: of exponentials, the log
    PARTS: tl.constexpr,  # programs that shared a head's keys out
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Compute a query's result from those of parts of the keys.

    Bytes: reads parts once, writes y once.
    """
    row = tl.program_id(0).to(tl.int64)
    part, along = tl.arange(0, PARTS), tl.arange(0, SIZE)
    peaks = tl.load(peak_ptr + row * (2 * PARTS) + part)
    totals = tl.load(peak_ptr + row * (2 * PARTS) + PARTS + part)
    peak = tl.max(peaks, 0)
    # Parts that see no key, and queries that see none in any, have no maximum.
    weights = tl.where(totals == 0, 0.0, tl.exp2(peaks - tl.where(totals == 0, 0.0, peak)))
    total = tl.sum(weights * totals, 0)
    values = tl.load(part_ptr + (row * PARTS + part)[:, None] * SIZE + along[None, :])
    y = tl.sum(weights[:, None] * values, 0) / tl.where(total == 0, 1.0, total)
    program, query = row // queries, row % queries
    start = program // heads * y_batch + program % heads * y_head + query * y_row
    tl.store(y_ptr + start + along, y.to(y_ptr.dtype.element_ty), along < size)
    peak = tl.where(total == 0, 0.0, peak)
    total = tl.where(total == 0, 1.0, total)
    if LOGS:
        tl.store(sum_ptr + row, (peak + tl.log2(total)) / LOG2E)
    else:
        tl.store(sum_ptr + row * 2, peak)
        tl.store(sum_ptr + row * 2 + 1, total)
