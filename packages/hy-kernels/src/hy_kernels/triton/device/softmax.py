"""Softmax along one axis, its logarithm, their gradients; of the logarithm one place, or sums.

Rows that fit a tile are read once. Longer ones are read twice: a first pass keeps a running peak,
and rescales the running sum whenever that rises (Milakov and Gimelshein, "Online normalizer
calculation for softmax", 2018), a second one writes.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import load_scalar, row_starts, to_accumulator_dtype


@triton.jit
def _loaded(x_ptr, starts, at, ends, inner, factor: tl.constexpr):
    """A tile of scaled numbers, minus infinity beyond the ends."""
    inside = at[None, :] < ends[:, None]
    x = tl.load(x_ptr + starts[:, None] + at[None, :].to(tl.int64) * inner, inside, other=0.0)
    return tl.where(inside, to_accumulator_dtype(x) * factor, -float("inf"))


@triton.jit
def _joined(peak, total, x):
    """The peak of the rows, and the sum of exponentials less that, after one more tile."""
    higher = tl.maximum(peak, tl.max(x, 1))
    anchor = tl.where(higher == -float("inf"), 0.0, higher)  # of a row without numbers so far
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
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads x once (twice unless WHOLE), writes y once."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, inner)
    ends = tl.where(exists, columns, 0)
    if HAS_LENGTH:
        ends = tl.minimum(ends, tl.load(length_ptr + row, exists, other=0).to(tl.int32))
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, starts, offsets, ends, inner, FACTOR)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    if not WHOLE:
        for first in range(COLUMNS, columns, COLUMNS):
            x = _loaded(x_ptr, starts, first + offsets, ends, inner, FACTOR)
            peak, total = _joined(peak, total, x)
        anchor = tl.where(peak == -float("inf"), 0.0, peak)
    for first in range(0, columns, COLUMNS):
        at = first + offsets
        if not WHOLE:
            x = _loaded(x_ptr, starts, at, ends, inner, FACTOR)
        if LOG:
            y = x - anchor[:, None] - tl.log(total)[:, None]
        else:
            y = tl.exp(x - anchor[:, None]) / total[:, None]
        if HAS_LENGTH:
            y = tl.where(at[None, :] < ends[:, None], y, 0.0)
        place = y_ptr + starts[:, None] + at[None, :].to(tl.int64) * inner
        inside = exists[:, None] & (at[None, :] < columns)
        tl.store(place, y.to(y_ptr.dtype.element_ty), inside)


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
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads dy and y once (twice unless WHOLE), writes dx once."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, inner)
    offsets = tl.arange(0, COLUMNS)
    inside = exists[:, None] & (offsets[None, :] < columns)
    where = starts[:, None] + offsets[None, :].to(tl.int64) * inner
    dy = to_accumulator_dtype(tl.load(dy_ptr + where, inside, other=0.0))
    y = to_accumulator_dtype(tl.load(y_ptr + where, inside, other=0.0))
    total = tl.sum(dy, 1) if LOG else tl.sum(dy * y, 1)
    if not WHOLE:
        for first in range(COLUMNS, columns, COLUMNS):
            at = first + offsets
            inside = exists[:, None] & (at[None, :] < columns)
            where = starts[:, None] + at[None, :].to(tl.int64) * inner
            dy = to_accumulator_dtype(tl.load(dy_ptr + where, inside, other=0.0))
            if LOG:
                total += tl.sum(dy, 1)
            else:
                y = to_accumulator_dtype(tl.load(y_ptr + where, inside, other=0.0))
                total += tl.sum(dy * y, 1)
    for first in range(0, columns, COLUMNS):
        at = first + offsets
        inside = exists[:, None] & (at[None, :] < columns)
        where = starts[:, None] + at[None, :].to(tl.int64) * inner
        if not WHOLE:
            dy = to_accumulator_dtype(tl.load(dy_ptr + where, inside, other=0.0))
            y = to_accumulator_dtype(tl.load(y_ptr + where, inside, other=0.0))
        if LOG:
            dx = dy - tl.exp(y) * total[:, None]
        else:
            dx = y * (dy - total[:, None])
        tl.store(dx_ptr + where, (dx * FACTOR).to(dx_ptr.dtype.element_ty), inside)


@triton.jit
def _position(index, columns, OUTSIDE: tl.constexpr):
    """An index within ``0 ... columns - 1``: the remainder, or the nearest."""
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
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads x once and one element of each row again, writes three numbers a row.

    Probabilities exist in registers alone.
    """
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, 1)
    ends = tl.where(exists, columns, 0)
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, starts, offsets, ends, 1, 1.0)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    for first in range(COLUMNS, columns, COLUMNS):
        x = _loaded(x_ptr, starts, first + offsets, ends, 1, 1.0)
        peak, total = _joined(peak, total, x)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    index = tl.load(index_ptr + row, exists, other=0)
    position = _position(index, columns, OUTSIDE)
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
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads x once, writes dx once, and reads four numbers a row."""
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = at < columns
    dy = to_accumulator_dtype(tl.load(dy_ptr + row))
    if NEGATIVE:
        dy = -dy
    peak, total = (
        to_accumulator_dtype(tl.load(total_ptr + 2 * row)),
        to_accumulator_dtype(tl.load(total_ptr + 2 * row + 1)),
    )
    position = _position(tl.load(index_ptr + row), columns, OUTSIDE)
    x = to_accumulator_dtype(tl.load(x_ptr + row * columns + at, inside, other=0.0))
    dx = tl.where(at == position, dy, 0.0) - tl.exp(x - peak) * (dy / total)
    tl.store(dx_ptr + row * columns + at, dx.to(dx_ptr.dtype.element_ty), inside)


@triton.jit
def log_softmax_dot_rows(
    x_ptr,  # [rows, columns], the input
    label_ptr,  # [rows, columns], weights of the logarithms
    y_ptr,  # [rows], the weighed sums
    total_ptr,  # [rows, 3], float32: a peak, the sum of exponentials less that, and of weights
    rows,  # how many there are
    columns,  # of a row
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads x and labels once, writes four numbers a row.

    Logarithms exist in registers alone. While the peak may rise, the weighed sum is that of numbers
    less the peak so far.
    """
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, 1)
    ends = tl.where(exists, columns, 0)
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, starts, offsets, ends, 1, 1.0)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    dot, weight = _weighed(label_ptr, x, anchor, starts, offsets, ends)
    for first in range(COLUMNS, columns, COLUMNS):
        x = _loaded(x_ptr, starts, first + offsets, ends, 1, 1.0)
        peak, total = _joined(peak, total, x)
        lower = anchor
        anchor = tl.where(peak == -float("inf"), 0.0, peak)
        more, heavier = _weighed(label_ptr, x, anchor, starts, first + offsets, ends)
        dot += (lower - anchor) * weight + more
        weight += heavier
    y = dot - tl.log(total) * weight
    tl.store(y_ptr + row, y.to(y_ptr.dtype.element_ty), exists)
    three = total_ptr + 3 * row
    tl.store(three, anchor.to(total_ptr.dtype.element_ty), exists)
    tl.store(three + 1, total.to(total_ptr.dtype.element_ty), exists)
    tl.store(three + 2, weight.to(total_ptr.dtype.element_ty), exists)


@triton.jit
def _weighed(label_ptr, x, anchor, starts, at, ends):
    """Return a tile's weighed sums of numbers less the anchor, and the sums of weights."""
    inside = at[None, :] < ends[:, None]
    label = to_accumulator_dtype(
        tl.load(label_ptr + starts[:, None] + at[None, :], inside, other=0.0)
    )
    return tl.sum(tl.where(inside, label * (x - anchor[:, None]), 0.0), 1), tl.sum(label, 1)


@triton.jit
def log_softmax_dot_rows_backward(
    dy_ptr,  # [rows], the gradient of the weighed sums
    x_ptr,  # [rows, columns], the input
    label_ptr,  # [rows, columns], weights
    total_ptr,  # [rows, 3], a peak, the sum of exponentials less that, and of weights
    dx_ptr,  # [rows, columns], becomes the gradient of the input
    columns,  # of a row
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads x and labels once, writes dx once, and reads four numbers a row."""
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = at < columns
    place = row * columns + at
    dy = to_accumulator_dtype(tl.load(dy_ptr + row))
    three = total_ptr + 3 * row
    peak, total = to_accumulator_dtype(tl.load(three)), to_accumulator_dtype(tl.load(three + 1))
    share = to_accumulator_dtype(tl.load(three + 2)) / total
    x = to_accumulator_dtype(tl.load(x_ptr + place, inside, other=0.0))
    label = to_accumulator_dtype(tl.load(label_ptr + place, inside, other=0.0))
    dx = (label - tl.exp(x - peak) * share) * dy
    tl.store(dx_ptr + place, dx.to(dx_ptr.dtype.element_ty), inside)


@triton.jit
def softmax_rows_less_labels(
    x_ptr,  # [rows, columns], the input
    label_ptr,  # [rows], classes, of any dtype; those of no column count nothing
    dy_ptr,  # [1], the gradient of the sum of all losses
    dx_ptr,  # [rows, columns], becomes the gradient of the input
    rows,  # how many there are
    columns,  # of a row
    WHOLE: tl.constexpr,  # whether a row fits a tile
    ROWS: tl.constexpr,  # of a tile
    COLUMNS: tl.constexpr,  # of a tile
):
    """Bytes: reads x once (twice unless WHOLE), writes dx once, and reads a label a row."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    starts = row_starts(row, columns, 1)
    ends = tl.where(exists, columns, 0)
    offsets = tl.arange(0, COLUMNS)
    x = _loaded(x_ptr, starts, offsets, ends, 1, 1.0)
    peak = tl.max(x, 1)
    anchor = tl.where(peak == -float("inf"), 0.0, peak)
    total = tl.sum(tl.exp(x - anchor[:, None]), 1)
    if not WHOLE:
        for first in range(COLUMNS, columns, COLUMNS):
            x = _loaded(x_ptr, starts, first + offsets, ends, 1, 1.0)
            peak, total = _joined(peak, total, x)
        anchor = tl.where(peak == -float("inf"), 0.0, peak)
    label = tl.load(label_ptr + row, exists, other=0).to(tl.int64)
    dy = to_accumulator_dtype(tl.load(dy_ptr))
    for first in range(0, columns, COLUMNS):
        at = first + offsets
        if not WHOLE:
            x = _loaded(x_ptr, starts, at, ends, 1, 1.0)
        y = tl.exp(x - anchor[:, None]) / total[:, None]
        dx = tl.where(at[None, :] == label[:, None], y - 1.0, y) * dy
        inside = exists[:, None] & (at[None, :] < columns)
        tl.store(dx_ptr + starts[:, None] + at[None, :], dx.to(dx_ptr.dtype.element_ty), inside)


@triton.jit
def softmax_less_labels(
    y_ptr,  # [outer, columns, inner], probabilities
    label_ptr,  # [outer, inner], classes, of any dtype
    count_ptr,  # [1], how many labels count, whose number divides; read if COUNTED
    dx_ptr,  # [outer, columns, inner], becomes the gradient of what y is the softmax of
    size,  # of y
    columns,  # classes
    inner,  # places of a sample
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
    """Bytes: reads y once, labels once into the cache, writes dx once."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    place = at if WIDE else at.to(tl.int32)
    sample = place // inner
    label = tl.load(label_ptr + sample // columns * inner + place % inner, inside, other=0)
    y = to_accumulator_dtype(tl.load(y_ptr + at, inside, other=0.0))
    dx = tl.where(label.to(tl.int64) == sample % columns, y - ON, y - OFF)
    if HAS_IGNORED:
        dx = tl.where(to_accumulator_dtype(label) == ignored, 0.0, dx)
    scale = load_scalar(scale, LOADED)
    if COUNTED:
        scale = scale / tl.maximum(tl.load(count_ptr), 1)
    tl.store(dx_ptr + at, (dx * scale).to(dx_ptr.dtype.element_ty), inside)
