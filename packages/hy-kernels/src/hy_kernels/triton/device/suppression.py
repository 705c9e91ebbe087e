"""Non-maximum suppression: a bit matrix of overlapping pairs of boxes, then a greedy scan of it.

As in torchvision's ``nms``, but the scan runs on the device, too, 32 boxes at a time: among those
it goes box by box, and then removes the later boxes that the survivors overlap.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import to_accumulator_dtype


@triton.jit
def _either(a, b):
    return a | b


@triton.jit
def _corners(box_ptr, i, count, NUMBER: tl.constexpr):
    """Load x1, y1, x2, y2 of boxes; the four numbers of a box are loaded as one vector."""
    ptrs = box_ptr + i[:, None] * 4 + tl.arange(0, 4)[None, :]
    box = to_accumulator_dtype(tl.load(ptrs, (i < count)[:, None], other=0))
    x, y = tl.split(tl.reshape(box, (NUMBER, 2, 2)))
    x1, x2 = tl.split(x)
    y1, y2 = tl.split(y)
    return x1, y1, x2, y2


@triton.jit
def suppression_hits(
    box_ptr,  # [batch, count, 4], the corners x1, y1, x2, y2, best first
    class_ptr,  # [batch, count], read if HAS_CLASS
    hit_ptr,  # [batch, count, words], int32: bit k of word w is set where a box hits box 32w + k
    count,  # boxes of a sample
    words,  # of a box: count over 32, or more
    THRESHOLD: tl.constexpr,  # of the overlap; if it is 0 or less, no area is an overlap of 0
    HAS_CLASS: tl.constexpr,  # boxes hit only those of their own class
    ROWS: tl.constexpr,  # of a tile
    WORDS: tl.constexpr,  # of a tile
):
    """Compute a bit for each pair of boxes: whether a box overlaps a later one too much.

    Bytes: reads the boxes once into the cache, writes count * words * 4 a sample.
    """
    batch = tl.program_id(2).to(tl.int64)
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * WORDS * 32 + tl.arange(0, WORDS * 32)
    boxes = box_ptr + batch * count * 4
    x1, y1, x2, y2 = _corners(boxes, i, count, ROWS)
    u1, v1, u2, v2 = _corners(boxes, j, count, WORDS * 32)
    w = tl.minimum(x2[:, None], u2[None, :]) - tl.maximum(x1[:, None], u1[None, :])
    h = tl.minimum(y2[:, None], v2[None, :]) - tl.maximum(y1[:, None], v1[None, :])
    shared = tl.maximum(w, 0.0) * tl.maximum(h, 0.0)
    union = ((x2 - x1) * (y2 - y1))[:, None] + ((u2 - u1) * (v2 - v1))[None, :] - shared
    if box_ptr.dtype.element_ty == tl.float64:
        overlap = shared / union
    else:
        overlap = tl.div_rn(shared, union)  # so that just the threshold is no hit
    if THRESHOLD <= 0:
        overlap = tl.where(overlap != overlap, 0.0, overlap)
    hits = (overlap > THRESHOLD) & (j[None, :] > i[:, None]) & (j < count)[None, :]
    if HAS_CLASS:
        mine = tl.load(class_ptr + batch * count + i, i < count, other=0)
        theirs = tl.load(class_ptr + batch * count + j, j < count, other=0)
        hits = hits & (mine[:, None] == theirs[None, :])
    # A bit for each pair: 8,000 boxes take 8 MB, where booleans would take 64.
    bit = (tl.full((32,), 1, tl.int32) << tl.arange(0, 32))[None, None, :]
    bits = tl.reshape(hits.to(tl.int32), (ROWS, WORDS, 32)) * bit
    word = tl.program_id(1) * WORDS + tl.arange(0, WORDS)
    ptrs = hit_ptr + (batch * count + i)[:, None] * words + word[None, :]
    inside = (i < count)[:, None] & (word < words)[None, :]
    tl.store(ptrs, tl.reduce(bits, 2, _either), inside)


@triton.jit
def suppression_scan(
    hit_ptr,  # [batch, count, words], int32, as of suppression_hits
    alive_ptr,  # [batch], int64: how many boxes, from the first on, are candidates
    keep_ptr,  # [batch, count], bool, becomes which boxes are kept
    count,  # boxes of a sample
    words,  # of a box: count over 32, or more
    ALIGN: tl.constexpr,  # a factor of words
    WORDS: tl.constexpr,  # words, up to the next power of 2
):
    """Select the surviving boxes of a sample greedily from the bits; one program for each sample.

    Bytes: reads the bits once, writes count bytes a sample.
    """
    words = words // ALIGN * ALIGN
    batch = tl.program_id(0).to(tl.int64)
    alive = tl.load(alive_ptr + batch)
    at = tl.arange(0, WORDS)
    lane = tl.arange(0, 32)
    removed = tl.zeros((WORDS,), tl.int32)
    # Greedy suppression is sequential: a box counts only if no better one that is kept hits it. One
    # program goes through 32 boxes at a time, whose bits are one word, and never meets the host.
    for word in range(words):
        begin = word * 32
        row = begin + lane
        rows = hit_ptr + (batch * count + row)[:, None] * words
        here = (row < alive) & (row < count)
        suppressed = tl.sum(tl.where(at == word, removed, 0), 0)
        keep = here & (((suppressed >> lane) & 1) == 0)
        own = tl.load(hit_ptr + (batch * count + row) * words + word, here, other=0)
        for k in range(32):
            selected = tl.sum(tl.where((lane == k) & keep, own, 0), 0)  # what box k hits, if kept
            keep = keep & (((selected >> lane) & 1) == 0)
        tl.store(keep_ptr + batch * count + row, keep, row < count)
        hits = tl.load(rows + at[None, :], keep[:, None] & (at < words)[None, :], other=0)
        removed = removed | tl.reduce(hits, 0, _either)
