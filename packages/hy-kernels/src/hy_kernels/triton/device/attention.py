"""Attention whose scores are only in registers, and its gradients.

FlashAttention-2 (Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work
Partitioning", 2023): a program holds a tile of queries and loops over the keys with a running
maximum and sum; the gradients recompute the weights from these. They redraw the dropout of the
weights, too, by a counter-based generator (see :mod:`hy_kernels.triton.device.dropout`).

Exponentials are powers of 2, for which the GPU has an instruction; scores are scaled by log2(e)
together with their own scale. Tiles in which every query sees every key need no comparisons; those
along the diagonal and at the end do. Loops over keys are split in two for that; in the one over
queries a branch takes fewer registers, as a program holds two sums there.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.attention_tiles import (
    LOG2E,
    add_mask,
    hidden,
    keep_of,
    load_sums,
    load_tile,
    own_tile,
    range_of_keys,
    seen_ends,
    store_sums,
    store_tile,
)
from hy_kernels.triton.device.rows import dot_acc, to_accumulator_dtype


@triton.jit
def attention_forward(
    q_ptr,  # [batch, heads, queries, size], queries, the last axis without gaps
    k_ptr,  # [batch, heads / GROUP, keys, size], keys, likewise
    v_ptr,  # [batch, heads / GROUP, keys, size], values, likewise
    y_ptr,  # [batch, heads, queries, size], the result, likewise
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of powers of 2; see LOGS
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    mask_ptr,  # [batch, heads, queries, keys], of any strides; read if there is a MASK
    seed_ptr,  # [1], int64, what dropout draws by; read if RATE is not 0
    scale,  # of the scores
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
    QUERIES: tl.constexpr,  # of a tile
    KEYS: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Compute attention, and each query's maximum score and sum of exponentials.

    Bytes: reads queries once, keys and values once for each tile of queries, writes y once.
    """
    tile, program = own_tile(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = seen_ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    q = load_tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, ALIGN, SIZE)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    peak = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    y = tl.zeros((QUERIES, SIZE), tl.float32)
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    whole, last = range_of_keys(
        tile, query, queries, keys, ahead, ends, CAUSAL, HAS_LENGTH, QUERIES, KEYS
    )
    for checked in tl.static_range(2):
        for first in range(whole if checked else 0, last if checked else whole, KEYS):
            key = first + tl.arange(0, KEYS)
            k = load_tile(k_ptr, batch, head // GROUP, key, keys, size, k_batch, k_head, k_row,
                      ALIGN, SIZE)  # fmt: skip
            scores = dot_acc(q, tl.trans(k), none, PRECISION) * (scale * LOG2E)
            scores, m = add_mask(scores, mask_ptr, batch, head, query[:, None], key[None, :],
                                queries, keys, m_batch, m_head, m_row, m_key, MASK,
                                FILL)  # fmt: skip
            if checked:
                scores = hidden(scores, query[:, None], key[None, :], ahead, ends[:, None], CAUSAL)
            higher = tl.maximum(peak, tl.max(scores, 1))
            # Of a query that has seen nothing so far the peak is minus infinity, and so would be a
            # difference of two: not a number.
            anchor = tl.where(higher == -float("inf"), 0.0, higher)
            share = tl.exp2(peak - anchor)
            p = tl.exp2(scores - anchor[:, None])
            total = total * share + tl.sum(p, 1)
            if (MASK == "both") | (RATE > 0):
                p = p * keep_of(m, seed, program, query[:, None], key[None, :], queries, keys, MASK,
                              RATE)  # fmt: skip
            v = load_tile(v_ptr, batch, head // GROUP, key, keys, size, v_batch, v_head, v_row,
                      ALIGN, SIZE)  # fmt: skip
            # Weights are at most 1 before they are rounded to 16 bits; sums of them stay in
            # float32. The old result is scaled as the product is added: no pass over registers for
            # that alone.
            y = dot_acc(p.to(v.dtype), v, y * share[:, None], PRECISION)
            peak = higher
    # A query that sees nothing has zeros for a result, not the quotient of two zeros.
    peak = tl.where(total == 0, 0.0, peak)
    total = tl.where(total == 0, 1.0, total)
    store_tile(y_ptr, y * (1.0 / total)[:, None], batch, head, query, queries, size, y_batch,
                y_head, y_row, ALIGN, SIZE)  # fmt: skip
    store_sums(sum_ptr, peak, total, program, query, queries, LOGS)


@triton.jit
def attention_backward_keys(
    q_ptr,  # [batch, heads, queries, size], queries
    k_ptr,  # [batch, heads / GROUP, keys, size], keys
    v_ptr,  # [batch, heads / GROUP, keys, size], values
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of powers of 2; see LOGS
    along_ptr,  # [batch * heads, queries], sums of dy times y
    dk_ptr,  # as keys, becomes their gradient
    dv_ptr,  # as values, becomes their gradient
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    mask_ptr,  # [batch, heads, queries, keys], of any strides; read if there is a MASK
    seed_ptr,  # [1], int64, what dropout draws by; read if RATE is not 0
    scale,  # of the scores
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
    QUERIES: tl.constexpr,  # of a tile
    KEYS: tl.constexpr,  # of a tile
    PART: tl.constexpr,  # whose gradients a launch computes: "keys", "values", or of "both"
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Compute the gradients to keys and values, or one of them.

    Bytes: reads keys and values once, queries and dy once for each tile of keys, writes dk and dv.
    Vectors of more than 128 elements leave registers for one of the two sums alone: then there are
    two launches, the one for values without reading these.

    Scores are ``[keys, queries]``, so that weights and their gradients are the first operands of
    the next products and stay in registers. Beyond the last query dy is 0, and so are its
    contributions.
    """
    # Each program owns its keys, and no gradient is added to by two: no atomic additions, and the
    # same bits in every run. Queries have a launch of their own for the same reason.
    tile, program = own_tile(keys, KEYS)
    groups = heads // GROUP
    batch, group = program // groups, program % groups
    key = tile * KEYS + tl.arange(0, KEYS)
    k = load_tile(k_ptr, batch, group, key, keys, size, k_batch, k_head, k_row, ALIGN, SIZE)
    # Not read, nor kept in shared memory, where no gradient to keys is computed.
    v = load_tile(v_ptr, batch, group, key, keys, size, v_batch, v_head, v_row, ALIGN, SIZE)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    dk = tl.zeros((KEYS, SIZE), tl.float32)
    dv = tl.zeros((KEYS, SIZE), tl.float32)
    none = tl.zeros((KEYS, QUERIES), tl.float32)
    begin, middle = 0, 0
    if CAUSAL:
        begin = tl.maximum(tile * KEYS - ahead, 0) // QUERIES * QUERIES
        middle = tl.cdiv(tl.maximum((tile + 1) * KEYS - 1 - ahead, 0), QUERIES) * QUERIES
    if HAS_LENGTH:
        middle = queries
    for shared in range(GROUP):
        head = group * GROUP + shared
        row = batch * heads + head
        for first in range(begin, queries, QUERIES):
            query = first + tl.arange(0, QUERIES)
            q = load_tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, ALIGN,
                      SIZE)  # fmt: skip
            scores = dot_acc(k, tl.trans(q), none, PRECISION) * (scale * LOG2E)
            scores, m = add_mask(scores, mask_ptr, batch, head, query[None, :], key[:, None],
                                queries, keys, m_batch, m_head, m_row, m_key, MASK,
                                FILL)  # fmt: skip
            if CAUSAL or HAS_LENGTH:  # noqa: SIM102  # decided in compilation, unlike the next
                if first < middle:
                    ends = seen_ends(length_ptr, row, query, queries, keys, HAS_LENGTH)
                    scores = hidden(scores, query[None, :], key[:, None], ahead, ends[None, :],
                                   CAUSAL)  # fmt: skip
            # After the product, whose registers would else be beside these.
            peak, share = load_sums(sum_ptr, row, query, queries, LOGS)
            p = tl.exp2(scores - peak[None, :]) * share[None, :]
            left = keep_of(m, seed, row, query[None, :], key[:, None], queries, keys, MASK, RATE)
            dy = load_tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN,
                       SIZE)  # fmt: skip
            if PART != "keys":
                dv = dot_acc((p * left).to(dy.dtype), dy, dv, PRECISION)
            if PART != "values":
                # dy is the second operand here and was the first read for dv: one copy in shared
                # memory is both, transposed by its descriptor.
                dp = dot_acc(v, tl.trans(dy), none, PRECISION)
                offset = row.to(tl.int64) * queries + query
                along = tl.load(along_ptr + offset, query < queries, other=0.0)
                ds = p * (dp * left - along[None, :])
                if (MASK == "where") | (MASK == "both"):
                    ds = tl.where(m != 0, ds, 0.0)
                dk = dot_acc(ds.to(q.dtype), q, dk, PRECISION)
    if PART != "values":
        store_tile(dk_ptr, dk * scale, batch, group, key, keys, size, k_batch, k_head, k_row,
                    ALIGN, SIZE)  # fmt: skip
    if PART != "keys":
        store_tile(dv_ptr, dv, batch, group, key, keys, size, v_batch, v_head, v_row, ALIGN, SIZE)


@triton.jit
def attention_backward_queries(
    q_ptr,  # [batch, heads, queries, size], queries
    k_ptr,  # [batch, heads / GROUP, keys, size], keys
    v_ptr,  # [batch, heads / GROUP, keys, size], values
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of powers of 2; see LOGS
    along_ptr,  # [batch * heads, queries], sums of dy times y
    dq_ptr,  # as queries, becomes their gradient
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    mask_ptr,  # [batch, heads, queries, keys], of any strides; read if there is a MASK
    seed_ptr,  # [1], int64, what dropout draws by; read if RATE is not 0
    scale,  # of the scores
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
    QUERIES: tl.constexpr,  # of a tile
    KEYS: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Compute the gradient to queries.

    Bytes: reads queries and dy once, keys and values for each tile of queries, writes dq.
    """
    tile, program = own_tile(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = seen_ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    peak, share = load_sums(sum_ptr, program, query, queries, LOGS)
    offset = program.to(tl.int64) * queries + query
    along = tl.load(along_ptr + offset, query < queries, other=0.0)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    q = load_tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, ALIGN, SIZE)
    dy = load_tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN, SIZE)
    dq = tl.zeros((QUERIES, SIZE), tl.float32)
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    whole, last = range_of_keys(
        tile, query, queries, keys, ahead, ends, CAUSAL, HAS_LENGTH, QUERIES, KEYS
    )
    for checked in tl.static_range(2):
        for first in range(whole if checked else 0, last if checked else whole, KEYS):
            key = first + tl.arange(0, KEYS)
            k = load_tile(k_ptr, batch, head // GROUP, key, keys, size, k_batch, k_head, k_row,
                      ALIGN, SIZE)  # fmt: skip
            scores = dot_acc(q, tl.trans(k), none, PRECISION) * (scale * LOG2E)
            scores, m = add_mask(scores, mask_ptr, batch, head, query[:, None], key[None, :],
                                queries, keys, m_batch, m_head, m_row, m_key, MASK,
                                FILL)  # fmt: skip
            if checked:
                scores = hidden(scores, query[:, None], key[None, :], ahead, ends[:, None], CAUSAL)
            p = tl.exp2(scores - peak[:, None]) * share[:, None]
            v = load_tile(v_ptr, batch, head // GROUP, key, keys, size, v_batch, v_head, v_row,
                      ALIGN, SIZE)  # fmt: skip
            dp = dot_acc(dy, tl.trans(v), none, PRECISION)
            left = keep_of(
                m, seed, program, query[:, None], key[None, :], queries, keys, MASK, RATE
            )
            ds = p * (dp * left - along[:, None])
            if (MASK == "where") | (MASK == "both"):
                ds = tl.where(m != 0, ds, 0.0)
            dq = dot_acc(ds.to(k.dtype), k, dq, PRECISION)
    store_tile(dq_ptr, dq * scale, batch, head, query, queries, size, q_batch, q_head, q_row,
                ALIGN, SIZE)  # fmt: skip


@triton.jit
def attention_along(
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    y_ptr,  # [batch, heads, queries, size], the result, of the same strides
    along_ptr,  # [batch * heads, queries], becomes the sums of dy times y
    heads,  # of a sample
    queries,  # of a head
    size,  # of a vector
    y_batch,  # strides of the result: of samples
    y_head,  # of heads
    y_row,  # and of vectors
    ALIGN: tl.constexpr,  # a factor of the size and of all strides
    QUERIES: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Compute ``sum(dy · y)`` of each query, a term of softmax's gradient.

    Bytes: reads dy and y once, writes a number a query.
    """
    # A sum of dy times y of each query is subtracted from all its gradients of weights (the row's
    # part of softmax's Jacobian); computed once here, it is read by both launches that follow.
    tile, program = own_tile(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    dy = to_accumulator_dtype(
        load_tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN, SIZE)
    )
    y = to_accumulator_dtype(
        load_tile(y_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN, SIZE)
    )
    ptrs = along_ptr + program.to(tl.int64) * queries + query
    tl.store(ptrs, tl.sum(dy * y, 1), query < queries)
