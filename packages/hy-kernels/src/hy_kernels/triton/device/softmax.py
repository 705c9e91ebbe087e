"""Softmax and log-softmax along one axis, their gradients, and cross entropy without probabilities.

Rows that fit a tile are read once. Longer ones are read twice: a first pass keeps a running
maximum, and rescales the running sum whenever that rises (Milakov and Gimelshein, "Online
normalizer calculation for softmax", 2018), a second one writes.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import (
    aligned_starts,
    in_row,
    load_row,
    load_scalar,
    row_starts,
    store_row,
    to_accumulator_dtype,
)


@triton.jit
def _loaded(x_ptr, base, at, lead, columns, ends, exists, inner, factor: tl.constexpr,
            VECTOR: tl.constexpr):  # fmt: skip
    """Load a tile of numbers times ``factor``, minus infinity beyond the ends of rows."""
    at, lead = at[None, :], lead[:, None]
    x = load_row(x_ptr, base[:, None], at, lead, columns, exists[:, None], inner, VECTOR)
    inside = in_row(at, lead, ends, VECTOR)
    return tl.where(inside, to_accumulator_dtype(x) * factor, -float("inf"))


@triton.jit
def _load_like(ptr, base, at, lead, columns, exists, inner, VECTOR: tl.constexpr):
    """Load a tile of numbers, 0 outside the rows."""
    at, lead = at[None, :], lead[:, None]
    x = load_row(ptr, base[:, None], at, lead, columns, exists[:, None], inner, VECTOR)
    inside = exists[:, None] & in_row(at, lead, columns, VECTOR)
    return to_accumulator_dtype(tl.where(inside, x, 0.0))


@triton.jit
def _accumulate(peak, total, x):
    """Return the running maximum and sum of exponentials of rows after one more tile ``x``."""
    higher = tl.maximum(peak, tl.max(x, 1))
    anchor = tl.where(higher == -float("inf"), 0.0, higher)  # of a row without numbers so far
    # Rescaled by the rise of the peak: exp(-inf) of the first tile is 0, and drops what was there.
    total = total * tl.exp(peak - anchor) + tl.sum(tl.exp(x - anchor[:, None]), 1)
    return higher, total


@triton.jit
def softmax_rows(
    x_ptr,  # [outer, columns, inner], the input
    y_ptr,  # [outer, columns, inner], the result, of any floating dtype
    length_ptr,  # [outer, inner], how much of each row counts; read if HAS_LENGTH
    rows,  # outer * inner
    columns,  # of a row
    inner,  # how far apart elements of a row are
    FACTOR: tl.constexpr,  # 1 / temperature
    LOG: tl.constexpr,  # whether the logarithm is wanted
    HAS_LENGTH: tl.constexpr,  # whether there are lengths
    WHOLE: tl.constexpr,  # whether a row fits a tile
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute softmax, or if LOG its logarithm.

    Bytes: reads x once (twice unless WHOLE), writes y once.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base, lead = aligned_starts(row_starts(row, columns, inner), VECTOR)
    ends = columns
    if HAS_LENGTH:
        ends = tl.minimum(columns, tl.load(length_ptr + row, exists, other=0).to(tl.int32))[:, None]
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, base, offsets, lead, columns, ends, exists, inner, FACTOR, VECTOR)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    if not WHOLE:
        for first in range(COLUMNS, columns + (VECTOR - 1), COLUMNS):
            at = first + offsets
            x = _loaded(x_ptr, base, at, lead, columns, ends, exists, inner, FACTOR, VECTOR)
            peak, total = _accumulate(peak, total, x)
        anchor = tl.where(peak == -float("inf"), 0.0, peak)
    for first in range(0, columns + (VECTOR - 1), COLUMNS):
        at = first + offsets
        if not WHOLE:
            x = _loaded(x_ptr, base, at, lead, columns, ends, exists, inner, FACTOR, VECTOR)
        if LOG:
            y = x - anchor[:, None] - tl.log(total)[:, None]
        else:
            # One division a row; a product more is less than half a unit of float32's last place.
            y = tl.exp(x - anchor[:, None]) * (1.0 / total)[:, None]
        if HAS_LENGTH:
            y = tl.where(in_row(at[None, :], lead[:, None], ends, VECTOR), y, 0.0)
        store_row(y_ptr, base[:, None], at[None, :], lead[:, None], columns, exists[:, None],
                  inner, y, VECTOR)  # fmt: skip


@triton.jit
def softmax_rows_backward(
    dy_ptr,  # [outer, columns, inner], the gradient of the result
    y_ptr,  # [outer, columns, inner], the result
    dx_ptr,  # [outer, columns, inner], becomes the gradient of the input
    rows,  # outer * inner
    columns,  # of a row
    inner,  # how far apart elements of a row are
    FACTOR: tl.constexpr,  # 1 / temperature
    LOG: tl.constexpr,  # whether the result is the logarithm
    WHOLE: tl.constexpr,  # whether a row fits a tile
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the gradient of softmax, or if LOG of its logarithm.

    Bytes: reads dy and y once (twice unless WHOLE), writes dx once.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base, lead = aligned_starts(row_starts(row, columns, inner), VECTOR)
    offsets = tl.arange(0, COLUMNS)
    dy = _load_like(dy_ptr, base, offsets, lead, columns, exists, inner, VECTOR)
    y = _load_like(y_ptr, base, offsets, lead, columns, exists, inner, VECTOR)
    total = tl.sum(dy, 1) if LOG else tl.sum(dy * y, 1)
    if not WHOLE:
        for first in range(COLUMNS, columns + (VECTOR - 1), COLUMNS):
            at = first + offsets
            dy = _load_like(dy_ptr, base, at, lead, columns, exists, inner, VECTOR)
            if LOG:
                total += tl.sum(dy, 1)
            else:
                y = _load_like(y_ptr, base, at, lead, columns, exists, inner, VECTOR)
                total += tl.sum(dy * y, 1)
    for first in range(0, columns + (VECTOR - 1), COLUMNS):
        at = first + offsets
        if not WHOLE:
            dy = _load_like(dy_ptr, base, at, lead, columns, exists, inner, VECTOR)
            y = _load_like(y_ptr, base, at, lead, columns, exists, inner, VECTOR)
        if LOG:
            # Probabilities come from the result, which is their logarithm: the input is not read,
            # and need not be kept for the gradient.
            dx = dy - tl.exp(y) * total[:, None]
        else:
            dx = y * (dy - total[:, None])
        store_row(dx_ptr, base[:, None], at[None, :], lead[:, None], columns, exists[:, None],
                  inner, dx * FACTOR, VECTOR)  # fmt: skip


@triton.jit
def _position(index, columns, OUTSIDE: tl.constexpr):
    """Return an index brought into ``0 … columns - 1``: wrapped, or clipped."""
    index = index.to(tl.int64)
    if OUTSIDE == "wrap":
        rest = index % columns
        return tl.where(rest < 0, rest + columns, rest)
    return tl.minimum(tl.maximum(index, 0), columns - 1)


@triton.jit
def log_softmax_pick_rows(
    x_ptr,  # [rows, columns], the input
    index_ptr,  # [rows], what to pick, of any dtype
    y_ptr,  # [rows], the picked logarithms
    total_ptr,  # [rows, 2], float32: a peak, and the sum of exponentials less that
    rows,  # how many there are
    columns,  # of a row
    OUTSIDE: tl.constexpr,  # indices: "wrap" to the remainder, "clip" to the nearest, "none": 0
    NEGATIVE: tl.constexpr,  # whether the logarithms get the other sign
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the log-softmax at one index of each row, and the rows' statistics.

    Bytes: reads x once and one element of each row again, writes three numbers a row.

    Probabilities are only in registers.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, 1)
    base, lead = aligned_starts(starts, VECTOR)
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, base, offsets, lead, columns, columns, exists, 1, 1.0, VECTOR)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    for first in range(COLUMNS, columns + (VECTOR - 1), COLUMNS):
        at = first + offsets
        x = _loaded(x_ptr, base, at, lead, columns, columns, exists, 1, 1.0, VECTOR)
        peak, total = _accumulate(peak, total, x)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    index = tl.load(index_ptr + row, exists, other=0)
    position = _position(index, columns, OUTSIDE)
    # A second read of one element a row, from the cache, costs less than a mask that picks it out
    # of every tile.
    own = to_accumulator_dtype(tl.load(x_ptr + starts + position, exists, other=0.0))
    picked = own - anchor - tl.log(total)
    if OUTSIDE == "none":
        picked = tl.where(index.to(tl.int64) == position, picked, 0.0)
    if NEGATIVE:
        picked = -picked
    tl.store(y_ptr + row, picked.to(y_ptr.dtype.element_ty), exists)
    both = total_ptr + 2 * row.to(tl.int64)
    tl.store(both, anchor.to(total_ptr.dtype.element_ty), exists)
    tl.store(both + 1, total.to(total_ptr.dtype.element_ty), exists)


@triton.jit
def log_softmax_pick_rows_backward(
    dy_ptr,  # [rows], the gradient of the picked logarithms
    x_ptr,  # [rows, columns], the input
    index_ptr,  # [rows], what was picked
    total_ptr,  # [rows, 2], a peak, and the sum of exponentials less that
    dx_ptr,  # [rows, columns], becomes the gradient of the input
    columns,  # of a row
    OUTSIDE: tl.constexpr,  # indices: "wrap" to the remainder, "clip" to the nearest
    NEGATIVE: tl.constexpr,  # whether the logarithms had the other sign
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the gradient of the picked log-softmax.

    Bytes: reads x once, writes dx once, and reads four numbers a row.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64)
    base, lead = aligned_starts(row * columns, VECTOR)
    at = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    dy = to_accumulator_dtype(tl.load(dy_ptr + row))
    if NEGATIVE:
        dy = -dy
    peak, total = (
        to_accumulator_dtype(tl.load(total_ptr + 2 * row)),
        to_accumulator_dtype(tl.load(total_ptr + 2 * row + 1)),
    )
    position = _position(tl.load(index_ptr + row), columns, OUTSIDE)
    x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, True, 1, VECTOR))
    dx = tl.where(at - lead == position, dy, 0.0) - tl.exp(x - peak) * (dy / total)
    store_row(dx_ptr, base, at, lead, columns, True, 1, dx, VECTOR)


@triton.jit
def log_softmax_dot_rows(
    x_ptr,  # [rows, columns], the input
    label_ptr,  # [rows, columns], weights of the logarithms
    y_ptr,  # [rows], the weighted sums
    total_ptr,  # [rows, 3], float32: a peak, the sum of exponentials less that, and of weights
    rows,  # how many there are
    columns,  # of a row
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the dot product of log-softmax and labels in each row, and the rows' statistics.

    Bytes: reads x and labels once, writes four numbers a row.

    Logarithms are only in registers. While the maximum may still rise, the weighted sum is that of
    numbers less the maximum so far.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base, lead = aligned_starts(row_starts(row, columns, 1), VECTOR)
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, base, offsets, lead, columns, columns, exists, 1, 1.0, VECTOR)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    dot, weight = _weighted_sums(label_ptr, x, anchor, base, offsets, lead, columns, exists, VECTOR)
    for first in range(COLUMNS, columns + (VECTOR - 1), COLUMNS):
        at = first + offsets
        x = _loaded(x_ptr, base, at, lead, columns, columns, exists, 1, 1.0, VECTOR)
        peak, total = _accumulate(peak, total, x)
        lower = anchor
        anchor = tl.where(peak == -float("inf"), 0.0, peak)
        more, heavier = _weighted_sums(
            label_ptr, x, anchor, base, at, lead, columns, exists, VECTOR
        )
        dot += (lower - anchor) * weight + more
        weight += heavier
    y = dot - tl.log(total) * weight
    tl.store(y_ptr + row, y.to(y_ptr.dtype.element_ty), exists)
    three = total_ptr + 3 * row
    tl.store(three, anchor.to(total_ptr.dtype.element_ty), exists)
    tl.store(three + 1, total.to(total_ptr.dtype.element_ty), exists)
    tl.store(three + 2, weight.to(total_ptr.dtype.element_ty), exists)


@triton.jit
def _weighted_sums(label_ptr, x, anchor, base, at, lead, columns, exists, VECTOR: tl.constexpr):
    """Return ``sum(label · (x - anchor))`` and ``sum(label)`` of each row of a tile."""
    label = _load_like(label_ptr, base, at, lead, columns, exists, 1, VECTOR)
    inside = in_row(at[None, :], lead[:, None], columns, VECTOR)
    return tl.sum(tl.where(inside, label * (x - anchor[:, None]), 0.0), 1), tl.sum(label, 1)


@triton.jit
def log_softmax_dot_rows_backward(
    dy_ptr,  # [rows], the gradient of the weighted sums
    x_ptr,  # [rows, columns], the input
    label_ptr,  # [rows, columns], weights
    total_ptr,  # [rows, 3], a peak, the sum of exponentials less that, and of weights
    dx_ptr,  # [rows, columns], becomes the gradient of the input
    columns,  # of a row
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the gradient to x of the dot product of log-softmax and labels.

    Bytes: reads x and labels once, writes dx once, and reads four numbers a row.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64)
    base, lead = aligned_starts(row * columns, VECTOR)
    at = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    dy = to_accumulator_dtype(tl.load(dy_ptr + row))
    three = total_ptr + 3 * row
    peak, total = to_accumulator_dtype(tl.load(three)), to_accumulator_dtype(tl.load(three + 1))
    # The label's sum may be less than 1, of a row that is padding: softmax counts that often.
    share = to_accumulator_dtype(tl.load(three + 2)) / total
    x = to_accumulator_dtype(load_row(x_ptr, base, at, lead, columns, True, 1, VECTOR))
    label = to_accumulator_dtype(load_row(label_ptr, base, at, lead, columns, True, 1, VECTOR))
    # Where the sum of exponentials is divided once a row, elements need a product alone.
    dx = (label - tl.exp(x - peak) * share) * dy
    store_row(dx_ptr, base, at, lead, columns, True, 1, dx, VECTOR)


@triton.jit
def softmax_rows_less_labels(
    x_ptr,  # [rows, columns], the input
    label_ptr,  # [rows], classes, of any dtype; those of no column count nothing
    dy_ptr,  # [1], the gradient of the sum of all losses
    dx_ptr,  # [rows, columns], becomes the gradient of the input
    rows,  # how many there are
    columns,  # of a row
    WHOLE: tl.constexpr,  # whether a row fits a tile
    ALIGN: tl.constexpr,  # a factor of columns
    VECTOR: tl.constexpr,  # elements at whose multiples tiles begin, or 1: where rows do
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Compute the gradient of cross entropy from the scores: ``dy (softmax(x) - onehot(label))``.

    Bytes: reads x once (twice unless WHOLE), writes dx once, and reads a label a row.
    """
    columns = columns // ALIGN * ALIGN
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base, lead = aligned_starts(row_starts(row, columns, 1), VECTOR)
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, base, offsets, lead, columns, columns, exists, 1, 1.0, VECTOR)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    if not WHOLE:
        for first in range(COLUMNS, columns + (VECTOR - 1), COLUMNS):
            at = first + offsets
            x = _loaded(x_ptr, base, at, lead, columns, columns, exists, 1, 1.0, VECTOR)
            peak, total = _accumulate(peak, total, x)
        anchor = tl.where(peak == -float("inf"), 0.0, peak)
    label = tl.load(label_ptr + row, exists, other=0).to(tl.int64)
    dy = to_accumulator_dtype(tl.load(dy_ptr))
    for first in range(0, columns + (VECTOR - 1), COLUMNS):
        at = first + offsets
        if not WHOLE:
            x = _loaded(x_ptr, base, at, lead, columns, columns, exists, 1, 1.0, VECTOR)
        y = tl.exp(x - anchor[:, None]) * (1.0 / total)[:, None]
        dx = tl.where(at[None, :] - lead[:, None] == label[:, None], y - 1.0, y) * dy
        store_row(dx_ptr, base[:, None], at[None, :], lead[:, None], columns, exists[:, None],
                  1, dx, VECTOR)  # fmt: skip


@triton.jit
def softmax_less_labels(
    y_ptr,  # [outer, columns, inner], probabilities
    label_ptr,  # [outer, inner], classes, of any dtype
    count_ptr,  # [1], how many labels count, whose number divides; read if COUNTED
    dx_ptr,  # [outer, columns, inner], becomes the gradient of what y is the softmax of
    size,  # of y
    columns,  # classes
    inner,  # positions of a sample
    scale,  # of the gradient, or its address if LOADED
    ignored,  # the label that has no gradient, if HAS_IGNORED
    ON: tl.constexpr,  # probability of the label's class
    OFF: tl.constexpr,  # and of the others
    HAS_IGNORED: tl.constexpr,  # whether there is such a label
    COUNTED: tl.constexpr,  # whether the scale is divided
    LOADED: tl.constexpr,  # whether the scale is in memory, in float64
    WIDE: tl.constexpr,  # whether offsets need 64 bits
    BLOCK: tl.constexpr,  # elements of a program
):
    """Compute the gradient of cross entropy from probabilities: ``scale (y - onehot(label))``.

    Bytes: reads y once, labels once into the cache, writes dx once.
    """
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    position = at if WIDE else at.to(tl.int32)
    sample = position // inner
    label = tl.load(label_ptr + sample // columns * inner + position % inner, inside, other=0)
    y = to_accumulator_dtype(tl.load(y_ptr + at, inside, other=0.0))
    dx = tl.where(label.to(tl.int64) == sample % columns, y - ON, y - OFF)
    if HAS_IGNORED:
        dx = tl.where(to_accumulator_dtype(label) == ignored, 0.0, dx)
    scale = load_scalar(scale, LOADED)
    if COUNTED:
        scale = scale / tl.maximum(tl.load(count_ptr), 1)
    tl.store(dx_ptr + at, (dx * scale).to(dx_ptr.dtype.element_ty), inside)
