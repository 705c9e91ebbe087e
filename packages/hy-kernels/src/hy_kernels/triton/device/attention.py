"""Attention whose scores exist in registers alone, and its gradients.

FlashAttention-2 (Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work
Partitioning", 2023): a program keeps a tile of queries and runs along the keys with a running peak
and sum; the gradients compute the scores again from the logarithm of the sums.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import dotted, widened


@triton.jit
def _tile(ptr, batch, head, rows, count, size, s_batch, s_head, s_row, WIDTH: tl.constexpr):
    """A tile ``[rows, WIDTH]`` of one head; 0 beyond."""
    along = tl.arange(0, WIDTH)
    start = ptr + batch.to(tl.int64) * s_batch + head.to(tl.int64) * s_head
    place = start + rows.to(tl.int64)[:, None] * s_row + along[None, :]
    return tl.load(place, (rows < count)[:, None] & (along < size)[None, :], other=0.0)


@triton.jit
def _kept(ptr, value, batch, head, rows, count, size, s_batch, s_head, s_row, WIDTH: tl.constexpr):
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
    """Which keys each query sees."""
    seen = (query < queries)[:, None] & (key < keys)[None, :] & (key[None, :] < ends[:, None])
    if CAUSAL:
        seen = seen & (key[None, :] <= query[:, None])
    return seen


@triton.jit
def _ends(length_ptr, program, query, queries, keys, HAS_LENGTH: tl.constexpr):
    """How many keys each query sees."""
    if HAS_LENGTH:
        place = length_ptr + program.to(tl.int64) * queries + query
        return tl.load(place, query < queries, other=0).to(tl.int32)
    return tl.where(query < queries, keys, 0)


@triton.jit
def attention_forward(
    q_ptr,  # [batch, heads, queries, size], queries, the last axis without gaps
    k_ptr,  # [batch, heads, keys, size], keys, likewise
    v_ptr,  # [batch, heads, keys, size], values, likewise
    y_ptr,  # [batch, heads, queries, size], the result, likewise
    log_ptr,  # [batch * heads, queries], logarithms of the sums of exponentials
    length_ptr,  # [batch * heads, queries], keys that each query sees; read if HAS_LENGTH
    heads,
    queries,
    keys,
    size,
    q_batch,
    q_head,
    q_row,
    k_batch,
    k_head,
    k_row,
    v_batch,
    v_head,
    v_row,
    y_batch,
    y_head,
    y_row,
    SCALE: tl.constexpr,  # of the scores
    CAUSAL: tl.constexpr,  # whether a query sees no later key
    HAS_LENGTH: tl.constexpr,
    PRECISION: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    """Bytes: reads queries once, keys and values once for each tile of queries, writes y once."""
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, SIZE)
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
        scores = dotted(q, tl.trans(k), none, PRECISION) * SCALE
        scores = tl.where(_seen(query, key, queries, keys, ends, CAUSAL), scores, -float("inf"))
        higher = tl.maximum(peak, tl.max(scores, 1))
        anchor = tl.where(higher == -float("inf"), 0.0, higher)
        share = tl.exp(peak - anchor)
        p = tl.exp(scores - anchor[:, None])
        total = total * share + tl.sum(p, 1)
        v = _tile(v_ptr, batch, head, key, keys, size, v_batch, v_head, v_row, SIZE)
        y = dotted(p.to(v.dtype), v, y * share[:, None], PRECISION)
        peak = higher
    y = y / tl.where(total == 0, 1.0, total)[:, None]
    _kept(y_ptr, y, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE)
    log = tl.where(total == 0, 0.0, peak) + tl.log(tl.where(total == 0, 1.0, total))
    tl.store(log_ptr + program.to(tl.int64) * queries + query, log, query < queries)


@triton.jit
def attention_backward_keys(
    q_ptr,  # [batch, heads, queries, size], queries
    k_ptr,  # [batch, heads, keys, size], keys
    v_ptr,  # [batch, heads, keys, size], values
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    log_ptr,  # [batch * heads, queries], logarithms of the sums of exponentials
    along_ptr,  # [batch * heads, queries], sums of dy times y
    dk_ptr,  # as keys, becomes their gradient
    dv_ptr,  # as values, becomes their gradient
    length_ptr,  # [batch * heads, queries]; read if HAS_LENGTH
    heads,
    queries,
    keys,
    size,
    q_batch,
    q_head,
    q_row,
    k_batch,
    k_head,
    k_row,
    v_batch,
    v_head,
    v_row,
    y_batch,
    y_head,
    y_row,
    SCALE: tl.constexpr,
    CAUSAL: tl.constexpr,
    HAS_LENGTH: tl.constexpr,
    PRECISION: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    """Bytes: reads keys and values once, queries and dy once for each tile of keys, writes two."""
    tile, program = _share(keys, KEYS)
    batch, head = program // heads, program % heads
    key = tile * KEYS + tl.arange(0, KEYS)
    k = _tile(k_ptr, batch, head, key, keys, size, k_batch, k_head, k_row, SIZE)
    v = _tile(v_ptr, batch, head, key, keys, size, v_batch, v_head, v_row, SIZE)
    dk = tl.zeros((KEYS, SIZE), tl.float32)
    dv = tl.zeros((KEYS, SIZE), tl.float32)
    begin = 0
    if CAUSAL:
        begin = (tile * KEYS // QUERIES) * QUERIES
    none = tl.zeros((QUERIES, KEYS), tl.float32)
    for first in range(begin, queries, QUERIES):
        query = first + tl.arange(0, QUERIES)
        ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
        place = program.to(tl.int64) * queries + query
        log = tl.load(log_ptr + place, query < queries, other=0.0)
        along = tl.load(along_ptr + place, query < queries, other=0.0)
        q = _tile(q_ptr, batch, head, query, queries, size, q_batch, q_head, q_row, SIZE)
        dy = _tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE)
        scores = dotted(q, tl.trans(k), none, PRECISION) * SCALE
        seen = _seen(query, key, queries, keys, ends, CAUSAL)
        p = tl.where(seen, tl.exp(scores - log[:, None]), 0.0)
        dv = dotted(tl.trans(p).to(dy.dtype), dy, dv, PRECISION)
        dp = dotted(dy, tl.trans(v), none, PRECISION)
        ds = p * (dp - along[:, None]) * SCALE
        dk = dotted(tl.trans(ds).to(q.dtype), q, dk, PRECISION)
    _kept(dk_ptr, dk, batch, head, key, keys, size, k_batch, k_head, k_row, SIZE)
    _kept(dv_ptr, dv, batch, head, key, keys, size, v_batch, v_head, v_row, SIZE)


@triton.jit
def attention_backward_queries(
    q_ptr,  # [batch, heads, queries, size], queries
    k_ptr,  # [batch, heads, keys, size], keys
    v_ptr,  # [batch, heads, keys, size], values
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    log_ptr,  # [batch * heads, queries], logarithms of the sums of exponentials
    along_ptr,  # [batch * heads, queries], sums of dy times y
    dq_ptr,  # as queries, becomes their gradient
    length_ptr,  # [batch * heads, queries]; read if HAS_LENGTH
    heads,
    queries,
    keys,
    size,
    q_batch,
    q_head,
    q_row,
    k_batch,
    k_head,
    k_row,
    v_batch,
    v_head,
    v_row,
    y_batch,
    y_head,
    y_row,
    SCALE: tl.constexpr,
    CAUSAL: tl.constexpr,
    HAS_LENGTH: tl.constexpr,
    PRECISION: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
    SIZE: tl.constexpr,
):
    """Bytes: reads queries and dy once, keys and values for each tile of queries, writes dq."""
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    ends = _ends(length_ptr, program, query, queries, keys, HAS_LENGTH)
    place = program.to(tl.int64) * queries + query
    log = tl.load(log_ptr + place, query < queries, other=0.0)
    along = tl.load(along_ptr + place, query < queries, other=0.0)
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
        scores = dotted(q, tl.trans(k), none, PRECISION) * SCALE
        seen = _seen(query, key, queries, keys, ends, CAUSAL)
        p = tl.where(seen, tl.exp(scores - log[:, None]), 0.0)
        dp = dotted(dy, tl.trans(v), none, PRECISION)
        ds = p * (dp - along[:, None]) * SCALE
        dq = dotted(ds.to(k.dtype), k, dq, PRECISION)
    _kept(dq_ptr, dq, batch, head, query, queries, size, q_batch, q_head, q_row, SIZE)


@triton.jit
def attention_along(
    dy_ptr,  # [batch, heads, queries, size], the gradient of the result
    y_ptr,  # [batch, heads, queries, size], the result, of the same strides
    along_ptr,  # [batch * heads, queries], becomes the sums of dy times y
    heads,
    queries,
    size,
    y_batch,
    y_head,
    y_row,
    QUERIES: tl.constexpr,
    SIZE: tl.constexpr,
):
    """Bytes: reads dy and y once, writes a number a query."""
    tile, program = _share(queries, QUERIES)
    batch, head = program // heads, program % heads
    query = tile * QUERIES + tl.arange(0, QUERIES)
    dy = widened(_tile(dy_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE))
    y = widened(_tile(y_ptr, batch, head, query, queries, size, y_batch, y_head, y_row, SIZE))
    place = along_ptr + program.to(tl.int64) * queries + query
    tl.store(place, tl.sum(dy * y, 1), query < queries)
