"""Attention whose scores exist in registers alone, and its gradients.

FlashAttention-2 (Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work
Partitioning", 2023): a program keeps a tile of queries and runs along the keys with a running peak
and sum; the gradients compute the weights again from these. So they do with what dropout leaves of
the weights, by a counter-based generator (see :mod:`hy_kernels.triton.device.dropout`).
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import dot_acc, to_accumulator_dtype


@triton.jit
def _tile(ptr, batch, head, rows, count, size, s_batch, s_head, s_row, WIDTH: tl.constexpr):
    """A tile ``[rows, WIDTH]`` of one head; 0 beyond."""
    along = tl.arange(0, WIDTH)
    start = ptr + batch.to(tl.int64) * s_batch + head.to(tl.int64) * s_head
    place = start + rows.to(tl.int64)[:, None] * s_row + along[None, :]
    return tl.load(place, (rows < count)[:, None] & (along < size)[None, :], other=0.0)


@triton.jit
def _store_rows(
    ptr, value, batch, head, rows, count, size, s_batch, s_head, s_row, WIDTH: tl.constexpr
):
    """Store a tile ``[rows, WIDTH]`` of one head."""
    along = tl.arange(0, WIDTH)
    start = ptr + batch.to(tl.int64) * s_batch + head.to(tl.int64) * s_head
    place = start + rows.to(tl.int64)[:, None] * s_row + along[None, :]
    inside = (rows < count)[:, None] & (along < size)[None, :]
    tl.store(place, value.to(ptr.dtype.element_ty), inside)


@triton.jit
def _share(length, BLOCK: tl.constexpr):
    """The program's tile along an axis, and its head; a grid's other axes end at 65535."""
    tiles = tl.cdiv(length, BLOCK)
    return tl.program_id(0) % tiles, tl.program_id(0) // tiles


@triton.jit
def _seen(query, key, queries, keys, ends, CAUSAL: tl.constexpr):
    """Return which keys each query sees."""
    seen = (query < queries)[:, None] & (key < keys)[None, :] & (key[None, :] < ends[:, None])
    if CAUSAL:
        seen = seen & (key[None, :] <= query[:, None])
    return seen


@triton.jit
def _ends(length_ptr, program, query, queries, keys, HAS_LENGTH: tl.constexpr):
    """Return the number of keys each query sees."""
    if HAS_LENGTH:
        place = length_ptr + program.to(tl.int64) * queries + query
        return tl.load(place, query < queries, other=0).to(tl.int32)
    return tl.where(query < queries, keys, 0)


@triton.jit
def _masked(scores, mask_ptr, program, query, key, seen, m_head, m_row, m_key,
            MASK: tl.constexpr, FILL: tl.constexpr):  # fmt: skip
    """Scores as the softmax takes them, and the mask's numbers."""
    m = 1.0
    if MASK != "none":
        start = mask_ptr + program.to(tl.int64) * m_head
        place = start + query.to(tl.int64)[:, None] * m_row + key.to(tl.int64)[None, :] * m_key
        m = to_accumulator_dtype(tl.load(place, seen, other=0))
        if MASK == "added":
            scores += m
        else:
            scores = tl.where(m != 0, scores, FILL)
    return tl.where(seen, scores, -float("inf")), m


@triton.jit
def _left(m, seed, program, query, key, queries, keys, MASK: tl.constexpr, RATE: tl.constexpr):
    """Return the factors of mask and dropout for each weight."""
    left = 1.0
    if MASK == "both":
        left = m
    if RATE > 0:
        row = program.to(tl.int64) * queries + query
        drawn = tl.rand(seed, row[:, None] * keys + key[None, :])
        left = tl.where(drawn >= RATE, left * (1 / (1 - RATE)), 0.0)
    return left


@triton.jit
def _sums(sum_ptr, program, query, queries):
    """The peak of each query's scores, and the sum of exponentials less that."""
    place = sum_ptr + (program.to(tl.int64) * queries + query) * 2
    inside = query < queries
    return tl.load(place, inside, other=0.0), tl.load(place + 1, inside, other=1.0)


@triton.jit
def attention_forward(
    q_ptr,  # [batch, heads, queries, size], queries, the last axis without gaps
    k_ptr,  # [batch, heads, keys, size], keys, likewise
    v_ptr,  # [batch, heads, keys, size], values, likewise
    y_ptr,  # [batch, heads, queries, size], the result, likewise
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of exponentials less these
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    mask_ptr,  # [batch * heads, queries, keys], of any strides; read if there is a MASK
    seed_ptr,  # [1], int64, what dropout draws by; read if RATE is not 0
    heads,  # of a sample
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
    m_head,  # strides of the mask
    m_row,  # likewise
    m_key,  # likewise
    SCALE: tl.constexpr,  # of the scores
    CAUSAL: tl.constexpr,  # whether a query sees no later key
    HAS_LENGTH: tl.constexpr,  # whether there are lengths
    MASK: tl.constexpr,  # "none"; "added"; "where" it is 0, FILL is; "both": also a factor
    FILL: tl.constexpr,  # the score of what the mask hides
    RATE: tl.constexpr,  # of the weights that are dropped
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    QUERIES: tl.constexpr,  # of a tile
    KEYS: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Bytes: reads queries once, keys and values once for each tile of queries, writes y once."""
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, SIZE)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    peak = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    y = tl.zeros((QUERIES, SIZE), tl.float32)
    last = keys
    if CAUSAL:
        last = tl.minimum(keys, (tile + 1) * QUERIES)
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    for first in range(0, last, KEYS):
        key = first + tl.arange(0, KEYS)
        k = _tile(k_ptr, batch, head, key, keys, size, k_batch, k_head, k_row, SIZE)
        scores = dot_acc(q, tl.trans(k), none, PRECISION) * SCALE
        seen = _seen(query, key, queries, keys, ends, CAUSAL)
        scores, m = _masked(
            scores, mask_ptr, program, query, key, seen, m_head, m_row, m_key, MASK, FILL
        )
        higher = tl.maximum(peak, tl.max(scores, 1))
        anchor = tl.where(higher == -float("inf"), 0.0, higher)
        share = tl.exp(peak - anchor)
        p = tl.exp(scores - anchor[:, None])
        total = total * share + tl.sum(p, 1)
        p = p * _left(m, seed, program, query, key, queries, keys, MASK, RATE)
        v = _tile(v_ptr, batch, head, key, keys, size, v_batch, v_head, v_row, SIZE)
        y = dot_acc(p.to(v.dtype), v, y * share[:, None], PRECISION)
        peak = higher
    peak = tl.where(total == 0, 0.0, peak)
    total = tl.where(total == 0, 1.0, total)
    _store_rows(
        y_ptr, y / total[:, None], batch, head, query, queries, size, y_batch, y_head, y_row, SIZE
    )
    place = sum_ptr + (program.to(tl.int64) * queries + query) * 2
    tl.store(place, peak, query < queries)
    tl.store(place + 1, total, query < queries)


@triton.jit
def attention_backward_keys(
    q_ptr,  # [batch, heads, queries, size], queries
    k_ptr,  # [batch, heads, keys, size], keys
    v_ptr,  # [batch, heads, keys, size], values
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of exponentials less these
    along_ptr,  # [batch * heads, queries], sums of dy times y
    dk_ptr,  # as keys, becomes their gradient
    dv_ptr,  # as values, becomes their gradient
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    mask_ptr,  # [batch * heads, queries, keys], of any strides; read if there is a MASK
    seed_ptr,  # [1], int64, what dropout draws by; read if RATE is not 0
    heads,  # of a sample
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
    m_head,  # strides of the mask
    m_row,  # likewise
    m_key,  # likewise
    SCALE: tl.constexpr,  # of the scores
    CAUSAL: tl.constexpr,  # whether a query sees no later key
    HAS_LENGTH: tl.constexpr,  # whether there are lengths
    MASK: tl.constexpr,  # "none"; "added"; "where" it is 0, FILL is; "both": also a factor
    FILL: tl.constexpr,  # the score of what the mask hides
    RATE: tl.constexpr,  # of the weights that are dropped
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    QUERIES: tl.constexpr,  # of a tile
    KEYS: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Bytes: reads keys and values once, queries and dy once for each tile of keys, writes two."""
    tile, program = _share(keys, KEYS)
    batch, head = program // heads, program % heads
    key = tile * KEYS + tl.arange(0, KEYS)
    k = _tile(k_ptr, batch, head, key, keys, size, k_batch, k_head, k_row, SIZE)
    v = _tile(v_ptr, batch, head, key, keys, size, v_batch, v_head, v_row, SIZE)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    dk = tl.zeros((KEYS, SIZE), tl.float32)
    dv = tl.zeros((KEYS, SIZE), tl.float32)
    begin = 0
    if CAUSAL:
        begin = (tile * KEYS // QUERIES) * QUERIES
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    for first in range(begin, queries, QUERIES):
        query = first + tl.arange(0, QUERIES)
        ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
        peak, total = _sums(sum_ptr, program, query, queries)
        place = program.to(tl.int64) * queries + query
        along = tl.load(along_ptr + place, query < queries, other=0.0)
        q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, SIZE)
        dy = _tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE)
        scores = dot_acc(q, tl.trans(k), none, PRECISION) * SCALE
        seen = _seen(query, key, queries, keys, ends, CAUSAL)
        scores, m = _masked(
            scores, mask_ptr, program, query, key, seen, m_head, m_row, m_key, MASK, FILL
        )
        p = tl.exp(scores - peak[:, None]) / total[:, None]
        left = _left(m, seed, program, query, key, queries, keys, MASK, RATE)
        dv = dot_acc(tl.trans(p * left).to(dy.dtype), dy, dv, PRECISION)
        dp = dot_acc(dy, tl.trans(v), none, PRECISION)
        ds = p * (dp * left - along[:, None]) * SCALE
        if (MASK == "where") | (MASK == "both"):
            ds = tl.where(m != 0, ds, 0.0)
        dk = dot_acc(tl.trans(ds).to(q.dtype), q, dk, PRECISION)
    _store_rows(dk_ptr, dk, batch, head, key, keys, size, k_batch, k_head, k_row, SIZE)
    _store_rows(dv_ptr, dv, batch, head, key, keys, size, v_batch, v_head, v_row, SIZE)


@triton.jit
def attention_backward_queries(
    q_ptr,  # [batch, heads, queries, size], queries
    k_ptr,  # [batch, heads, keys, size], keys
    v_ptr,  # [batch, heads, keys, size], values
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    sum_ptr,  # [batch * heads, queries, 2], float32: peaks, sums of exponentials less these
    along_ptr,  # [batch * heads, queries], sums of dy times y
    dq_ptr,  # as queries, becomes their gradient
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    mask_ptr,  # [batch * heads, queries, keys], of any strides; read if there is a MASK
    seed_ptr,  # [1], int64, what dropout draws by; read if RATE is not 0
    heads,  # of a sample
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
    m_head,  # strides of the mask
    m_row,  # likewise
    m_key,  # likewise
    SCALE: tl.constexpr,  # of the scores
    CAUSAL: tl.constexpr,  # whether a query sees no later key
    HAS_LENGTH: tl.constexpr,  # whether there are lengths
    MASK: tl.constexpr,  # "none"; "added"; "where" it is 0, FILL is; "both": also a factor
    FILL: tl.constexpr,  # the score of what the mask hides
    RATE: tl.constexpr,  # of the weights that are dropped
    PRECISION: tl.constexpr,  # of products of float32: "ieee" or "tf32"
    QUERIES: tl.constexpr,  # of a tile
    KEYS: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Bytes: reads queries and dy once, keys and values for each tile of queries, writes dq."""
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    peak, total = _sums(sum_ptr, program, query, queries)
    place = program.to(tl.int64) * queries + query
    along = tl.load(along_ptr + place, query < queries, other=0.0)
    seed = tl.load(seed_ptr) if RATE > 0 else 0
    q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, SIZE)
    dy = _tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE)
    dq = tl.zeros((QUERIES, SIZE), tl.float32)
    last = keys
    if CAUSAL:
        last = tl.minimum(keys, (tile + 1) * QUERIES)
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    for first in range(0, last, KEYS):
        key = first + tl.arange(0, KEYS)
        k = _tile(k_ptr, batch, head, key, keys, size, k_batch, k_head, k_row, SIZE)
        v = _tile(v_ptr, batch, head, key, keys, size, v_batch, v_head, v_row, SIZE)
        scores = dot_acc(q, tl.trans(k), none, PRECISION) * SCALE
        seen = _seen(query, key, queries, keys, ends, CAUSAL)
        scores, m = _masked(
            scores, mask_ptr, program, query, key, seen, m_head, m_row, m_key, MASK, FILL
        )
        p = tl.exp(scores - peak[:, None]) / total[:, None]
        dp = dot_acc(dy, tl.trans(v), none, PRECISION)
        left = _left(m, seed, program, query, key, queries, keys, MASK, RATE)
        ds = p * (dp * left - along[:, None]) * SCALE
        if (MASK == "where") | (MASK == "both"):
            ds = tl.where(m != 0, ds, 0.0)
        dq = dot_acc(ds.to(k.dtype), k, dq, PRECISION)
    _store_rows(dq_ptr, dq, batch, head, query, queries, size, q_batch, q_head, q_row, SIZE)


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
    QUERIES: tl.constexpr,  # of a tile
    SIZE: tl.constexpr,  # size, up to the next power of 2
):
    """Bytes: reads dy and y once, writes a number a query."""
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    dy = to_accumulator_dtype(
        _tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE)
    )
    y = to_accumulator_dtype(
        _tile(y_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE)
    )
    place = along_ptr + program.to(tl.int64) * queries + query
    tl.store(place, tl.sum(dy * y, 1), query < queries)
