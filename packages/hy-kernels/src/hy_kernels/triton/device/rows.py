"""Helpers of device code that works along one axis of a tensor, its rows."""

import triton
import triton.language as tl


@triton.jit
def to_accumulator_dtype(x):
    """Return numbers in the dtype of their sums: float64 as it is, others as float32."""
    return x if x.dtype == tl.float64 else x.to(tl.float32)


@triton.jit
def to_compute_dtype(x):
    """Return numbers in the dtype to compute in: 16-bit floats as float32."""
    # Integers stay as they are: int64 has numbers that no float has.
    return x.to(tl.float32) if x.dtype.is_floating() and x.dtype.primitive_bitwidth == 16 else x


@triton.jit
def row_starts(row, columns, inner):
    """Return the offsets of rows of a tensor ``[outer, columns, inner]``, in elements, as int64.

    The elements of a row are ``inner`` apart; there are ``outer * inner`` rows.
    """
    row = row.to(tl.int64)
    return (row // inner) * columns * inner + row % inner


# Rows whose length is no multiple of a vector begin anywhere. Their tiles begin at the vector in
# which a row begins (``base``, so many elements before it as ``lead`` says) and are read to the end
# of the vector in which it ends: whole vectors of 16 bytes, of which a page of memory has none or
# all. What belongs to the neighbours is left out of sums, and never written.


@triton.jit
def aligned_starts(starts, VECTOR: tl.constexpr):
    """Return where tiles of rows begin, at vector boundaries, and the elements before each row."""
    base = starts // VECTOR * VECTOR
    return base, (starts - base).to(tl.int32)


@triton.jit
def in_row(at, lead, columns, VECTOR: tl.constexpr):
    """Return a mask of the columns of a tile that are in the row."""
    if VECTOR == 1:
        return at < columns
    else:
        return (at >= lead) & (at < lead + columns)


@triton.jit
def load_row(ptr, base, at, lead, columns, exists, inner, VECTOR: tl.constexpr):
    """Load a tile in whole vectors; values outside the row are unspecified, perhaps nan."""
    end = (lead + columns + (VECTOR - 1)) // VECTOR * VECTOR
    # The end is computed for rows that do not exist, too: selected by ``exists`` it would be
    # nothing that the compiler knows a factor of, and loads would be of single elements.
    return tl.load(ptr + base + at.to(tl.int64) * inner, exists & (at < end), other=0.0)


@triton.jit
def store_row(ptr, base, at, lead, columns, exists, inner, x, VECTOR: tl.constexpr):
    """Store a tile's part of the row: in vectors, but singly in those shared with other rows."""
    ptrs = ptr + base + at.to(tl.int64) * inner
    x = x.to(ptr.dtype.element_ty)
    inside = exists & in_row(at, lead, columns, VECTOR)
    if VECTOR == 1:
        tl.store(ptrs, x, inside)
    else:
        first = (lead + (VECTOR - 1)) // VECTOR * VECTOR
        last = (lead + columns) // VECTOR * VECTOR
        tl.store(ptrs, x, exists & (at >= first) & (at < last))
        tl.store(ptrs, x, inside & ((at < first) | (at >= last)))


@triton.jit
def largest(a, b):
    """Return the larger of both; nan if either is nan."""
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smallest(a, b):
    """Return the smaller of both; nan if either is nan."""
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def product(a, b):
    """Return ``a * b``, to combine elements in a reduction."""
    return a * b


@triton.jit
def load_scalar(x, LOADED: tl.constexpr):
    """Return a scalar argument of a launch, or if LOADED the value it points to."""
    if LOADED:
        x = tl.load(x)
    return x


@triton.jit
def dot_acc(a, b, total, PRECISION: tl.constexpr):
    """Return ``a · b + total`` in float32.

    PRECISION ``"wide"`` casts the operands first: the interpreter has no bfloat16 products.
    """
    if PRECISION == "wide":
        return tl.dot(to_accumulator_dtype(a), to_accumulator_dtype(b), total)
    # tf32 has 10 bits of 23: only where torch is told that this is enough. "ieee" does without
    # tensor cores, as no GPU has them for float32.
    return tl.dot(a, b, total, input_precision=PRECISION)


@triton.jit
def image_positions(size, channels, depth, height, width, LAST: tl.constexpr, WIDE: tl.constexpr,
                 BLOCK: tl.constexpr):  # fmt: skip
    """Return flat indices of a contiguous tensor, a mask, and samples, channels, coordinates."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    rest = at if WIDE else at.to(tl.int32)
    if LAST:
        c, rest = rest % channels, rest // channels
        w, rest = rest % width, rest // width
        h, rest = rest % height, rest // height
        d, n = rest % depth, rest // depth
    else:
        w, rest = rest % width, rest // width
        h, rest = rest % height, rest // height
        d, rest = rest % depth, rest // depth
        c, n = rest % channels, rest // channels
    return at, at < size, n, c, d, h, w
