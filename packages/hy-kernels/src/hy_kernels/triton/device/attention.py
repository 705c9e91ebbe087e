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

from hy_kernels.triton.device.rows import dot_acc, to_accumulator_dtype

_LOG2E = tl.constexpr(1.4426950408889634)


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
def _tile(ptr, batch, head, rows, count, size, s_batch, s_head, s_row, ALIGN: tl.constexpr,
          WIDTH: tl.constexpr):  # fmt: skip
    """Load a tile ``[rows, WIDTH]`` of one head, 0 beyond its ends."""
    offsets, inside = _offsets(rows, size, s_batch, s_head, s_row, batch, head, ALIGN, WIDTH)
    return tl.load(ptr + offsets, (rows < count)[:, None] & inside[None, :], other=0.0)


@triton.jit
def _store_rows(ptr, value, batch, head, rows, count, size, s_batch, s_head, s_row,
                ALIGN: tl.constexpr, WIDTH: tl.constexpr):  # fmt: skip
    """Store a tile ``[rows, WIDTH]`` of one head."""
    offsets, inside = _offsets(rows, size, s_batch, s_head, s_row, batch, head, ALIGN, WIDTH)
    inside = (rows < count)[:, None] & inside[None, :]
    tl.store(ptr + offsets, value.to(ptr.dtype.element_ty), inside)


@triton.jit
def _share(length, BLOCK: tl.constexpr):
    """Return the index of the program's tile along an axis, and that of its sample and head.

    Both are in the first axis of the grid, as the other axes have 65535 programs at most.
    """
    tiles = tl.cdiv(length, BLOCK)
    return tl.program_id(0) % tiles, tl.program_id(0) // tiles


@triton.jit
def _ends(length_ptr, program, query, queries, keys, HAS_LENGTH: tl.constexpr):
    """Return the number of keys that each query sees."""
    if HAS_LENGTH:
        ptrs = length_ptr + program.to(tl.int64) * queries + query
        return tl.load(ptrs, query < queries, other=0).to(tl.int32)
    return tl.where(query < queries, keys, 0)


@triton.jit
def _range_of_keys(tile, query, queries, keys, ahead, ends, CAUSAL: tl.constexpr,
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
def _seen(scores, query, key, ahead, ends, CAUSAL: tl.constexpr):
    """Return the scores, minus infinity for keys that a query does not see."""
    seen = key < ends
    if CAUSAL:
        seen = seen & (key <= query + ahead)
    return tl.where(seen, scores, -float("inf"))


@triton.jit
def _masked(scores, mask_ptr, batch, head, query, key, queries, keys, m_batch, m_head, m_row, m_key,
            MASK: tl.constexpr, FILL: tl.constexpr):  # fmt: skip
    """Return the scores under the mask, and the mask's values (1 without a mask)."""
    m = 1.0
    if MASK != "none":
        start = mask_ptr + batch.to(tl.int64) * m_batch + head.to(tl.int64) * m_head
        offset = start + query.to(tl.int64) * m_row + key.to(tl.int64) * m_key
        m = to_accumulator_dtype(tl.load(offset, (query < queries) & (key < keys), other=0))
        if MASK == "added":
            scores += m * _LOG2E
        else:
            scores = tl.where(m != 0, scores, FILL * _LOG2E)
    return scores, m


@triton.jit
def _left(m, seed, program, query, key, queries, keys, MASK: tl.constexpr, RATE: tl.constexpr):
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
def _sums(sum_ptr, program, query, queries, LOGS: tl.constexpr):
    """Load each query's maximum score and the inverse of its sum of exponentials.

    They are not merged into one log-sum-exp unless it was saved as such: with masked scores of
    -10,000, a query that sees no key has equal scores, and in float32 their difference from such a
    logarithm is off by 1e-3.
    """
    at, inside = program.to(tl.int64) * queries + query, query < queries
    if LOGS:
        peak = tl.load(sum_ptr + at, inside, other=0.0) * _LOG2E
        share = tl.full(peak.shape, 1.0, tl.float32)
    else:
        ptrs = sum_ptr + at * 2
        peak = tl.load(ptrs, inside, other=0.0)
        share = 1.0 / tl.load(ptrs + 1, inside, other=1.0)
    return peak, share


@triton.jit
def _store_sums(sum_ptr, peak, total, program, query, queries, LOGS: tl.constexpr):
    """Store what :func:`_sums` loads."""
    at, inside = program.to(tl.int64) * queries + query, query < queries
    if LOGS:
        tl.store(sum_ptr + at, (peak + tl.log2(total)) / _LOG2E, inside)
    else:
        ptrs = sum_ptr + at * 2
        tl.store(ptrs, peak, inside)
        tl.store(ptrs + 1, total, inside)


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
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, ALIGN, SIZE)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    peak = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    y = tl.zeros((QUERIES, SIZE), tl.float32)
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    whole, last = _range_of_keys(
        tile, query, queries, keys, ahead, ends, CAUSAL, HAS_LENGTH, QUERIES, KEYS
    )
    for checked in tl.static_range(2):
        for first in range(whole if checked else 0, last if checked else whole, KEYS):
            key = first + tl.arange(0, KEYS)
            k = _tile(k_ptr, batch, head // GROUP, key, keys, size, k_batch, k_head, k_row, ALIGN,
                      SIZE)  # fmt: skip
            scores = dot_acc(q, tl.trans(k), none, PRECISION) * (scale * _LOG2E)
            scores, m = _masked(scores, mask_ptr, batch, head, query[:, None], key[None, :],
                                queries, keys, m_batch, m_head, m_row, m_key, MASK,
                                FILL)  # fmt: skip
            if checked:
                scores = _seen(scores, query[:, None], key[None, :], ahead, ends[:, None], CAUSAL)
            higher = tl.maximum(peak, tl.max(scores, 1))
            # Of a query that has seen nothing so far the peak is minus infinity, and so would be a
            # difference of two: not a number.
            anchor = tl.where(higher == -float("inf"), 0.0, higher)
            share = tl.exp2(peak - anchor)
            p = tl.exp2(scores - anchor[:, None])
            total = total * share + tl.sum(p, 1)
            if (MASK == "both") | (RATE > 0):
                p = p * _left(m, seed, program, query[:, None], key[None, :], queries, keys, MASK,
                              RATE)  # fmt: skip
            v = _tile(v_ptr, batch, head // GROUP, key, keys, size, v_batch, v_head, v_row, ALIGN,
                      SIZE)  # fmt: skip
            # Weights are at most 1 before they are rounded to 16 bits; sums of them stay in
            # float32. The old result is scaled as the product is added: no pass over registers for
            # that alone.
            y = dot_acc(p.to(v.dtype), v, y * share[:, None], PRECISION)
            peak = higher
    # A query that sees nothing has zeros for a result, not the quotient of two zeros.
    peak = tl.where(total == 0, 0.0, peak)
    total = tl.where(total == 0, 1.0, total)
    _store_rows(y_ptr, y * (1.0 / total)[:, None], batch, head, query, queries, size, y_batch,
                y_head, y_row, ALIGN, SIZE)  # fmt: skip
    _store_sums(sum_ptr, peak, total, program, query, queries, LOGS)


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
    tile, program = _share(keys, KEYS)
    groups = heads // GROUP
    batch, group = program // groups, program % groups
    key = tile * KEYS + tl.arange(0, KEYS)
    k = _tile(k_ptr, batch, group, key, keys, size, k_batch, k_head, k_row, ALIGN, SIZE)
    # Not read, nor kept in shared memory, where no gradient to keys is computed.
    v = _tile(v_ptr, batch, group, key, keys, size, v_batch, v_head, v_row, ALIGN, SIZE)
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
            q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, ALIGN,
                      SIZE)  # fmt: skip
            scores = dot_acc(k, tl.trans(q), none, PRECISION) * (scale * _LOG2E)
            scores, m = _masked(scores, mask_ptr, batch, head, query[None, :], key[:, None],
                                queries, keys, m_batch, m_head, m_row, m_key, MASK,
                                FILL)  # fmt: skip
            if CAUSAL or HAS_LENGTH:  # noqa: SIM102  # decided in compilation, unlike the next
                if first < middle:
                    ends = _ends(length_ptr, row, query, queries, keys, HAS_LENGTH)
                    scores = _seen(scores, query[None, :], key[:, None], ahead, ends[None, :],
                                   CAUSAL)  # fmt: skip
            # After the product, whose registers would else be beside these.
            peak, share = _sums(sum_ptr, row, query, queries, LOGS)
            p = tl.exp2(scores - peak[None, :]) * share[None, :]
            left = _left(m, seed, row, query[None, :], key[:, None], queries, keys, MASK, RATE)
            dy = _tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN,
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
        _store_rows(dk_ptr, dk * scale, batch, group, key, keys, size, k_batch, k_head, k_row,
                    ALIGN, SIZE)  # fmt: skip
    if PART != "keys":
        _store_rows(dv_ptr, dv, batch, group, key, keys, size, v_batch, v_head, v_row, ALIGN, SIZE)


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
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    peak, share = _sums(sum_ptr, program, query, queries, LOGS)
    offset = program.to(tl.int64) * queries + query
    along = tl.load(along_ptr + offset, query < queries, other=0.0)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, ALIGN, SIZE)
    dy = _tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN, SIZE)
    dq = tl.zeros((QUERIES, SIZE), tl.float32)
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    whole, last = _range_of_keys(
        tile, query, queries, keys, ahead, ends, CAUSAL, HAS_LENGTH, QUERIES, KEYS
    )
    for checked in tl.static_range(2):
        for first in range(whole if checked else 0, last if checked else whole, KEYS):
            key = first + tl.arange(0, KEYS)
            k = _tile(k_ptr, batch, head // GROUP, key, keys, size, k_batch, k_head, k_row, ALIGN,
                      SIZE)  # fmt: skip
            scores = dot_acc(q, tl.trans(k), none, PRECISION) * (scale * _LOG2E)
            scores, m = _masked(scores, mask_ptr, batch, head, query[:, None], key[None, :],
                                queries, keys, m_batch, m_head, m_row, m_key, MASK,
                                FILL)  # fmt: skip
            if checked:
                scores = _seen(scores, query[:, None], key[None, :], ahead, ends[:, None], CAUSAL)
            p = tl.exp2(scores - peak[:, None]) * share[:, None]
            v = _tile(v_ptr, batch, head // GROUP, key, keys, size, v_batch, v_head, v_row, ALIGN,
                      SIZE)  # fmt: skip
            dp = dot_acc(dy, tl.trans(v), none, PRECISION)
            left = _left(m, seed, program, query[:, None], key[None, :], queries, keys, MASK, RATE)
            ds = p * (dp * left - along[:, None])
            if (MASK == "where") | (MASK == "both"):
                ds = tl.where(m != 0, ds, 0.0)
            dq = dot_acc(ds.to(k.dtype), k, dq, PRECISION)
    _store_rows(dq_ptr, dq * scale, batch, head, query, queries, size, q_batch, q_head, q_row,
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
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    dy = to_accumulator_dtype(
        _tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN, SIZE)
    )
    y = to_accumulator_dtype(
        _tile(y_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, ALIGN, SIZE)
    )
    ptrs = along_ptr + program.to(tl.int64) * queries + query
    tl.store(ptrs, tl.sum(dy * y, 1), query < queries)
