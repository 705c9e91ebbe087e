"""Compositions of sequence masking, last elements, and reversal."""

from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    expanded,
    filled,
    flipped,
    joined,
    number,
    part,
    reshape,
    transposed,
)
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import rounding, unary as elementwise
from hy_ndarray.ops.indexing import gathering, take as indexing
from hy_ndarray.ops.np import arithmetic as np_arithmetic
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.shaping import sequence


def _lengths(data: Tracer, lengths: Tracer, axis: int) -> tuple[Tracer, Tracer]:
    """Return step indices and sequence lengths, reshaped to broadcast against the data."""
    steps = data.shape[axis]
    positions = create(np_arange, start=0.0, stop=float(steps), dtype="float64")
    trailing = (1,) * (data.ndim - 2)
    time, batch = (steps, 1), (1, data.shape[1 - axis])
    if axis:
        time, batch = time[::-1], batch[::-1]
    ends = rounding.trunc(cast(lengths, "float64"))
    return reshape(positions, *time, *trailing), reshape(ends, *batch, *trailing)


@composition(sequence.sequence_mask)
def _sequence_mask(
    data: Tracer,
    sequence_length: Tracer | None = None,
    *,
    use_sequence_length: bool,
    value: float,
    axis: int,
) -> Any:
    if sequence_length is None:
        return data
    positions, ends = _lengths(data, sequence_length, axis)
    inside = np_arithmetic.np_less(positions, ends)
    return where(inside, data, number(value, data.dtype))


@composition(sequence.sequence_last)
def _sequence_last(
    data: Tracer, sequence_length: Tracer | None = None, *, use_sequence_length: bool, axis: int
) -> Any:
    rest = [n for i, n in enumerate(data.shape) if i != axis]
    if sequence_length is None:
        steps = data.shape[axis]
        return reshape(part(data, axis, steps - 1, steps), *rest)
    last = rounding.trunc(cast(sequence_length, "float64")) - 1.0
    index = expanded(reshape(last, -1, *(1,) * (len(rest) - 1)), rest)
    return indexing.pick(data, index, axis=axis)


@composition(sequence.sequence_last_backward)
def _sequence_last_backward(
    dy: Tracer,
    data: Tracer,
    sequence_length: Tracer | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
) -> Any:
    steps = data.shape[axis]
    lengths = sequence_length
    if lengths is None:
        lengths = filled((data.shape[1 - axis],), float(steps), "float64")
    positions, ends = _lengths(data, lengths, axis)
    last = elementwise.clip(ends - 1.0, a_min=0.0, a_max=float(max(steps - 1, 0)))
    slope = reshape(dy, *[1 if i == axis else n for i, n in enumerate(data.shape)])
    return where(np_arithmetic.np_equal(positions, last), slope, number(0.0, dy.dtype))


@composition(sequence.sequence_reverse)
def _sequence_reverse(
    data: Tracer, sequence_length: Tracer | None = None, *, use_sequence_length: bool, axis: int
) -> Any:
    if sequence_length is None:
        return flipped(data, axis)
    trailing = range(2, data.ndim)
    x = transposed(data, 1, 0, *trailing) if axis else data
    steps, batch = x.shape[:2]
    positions = create(np_arange, start=0.0, stop=float(steps), dtype="float64")
    rows = reshape(positions, steps, 1)
    ends = reshape(rounding.trunc(cast(sequence_length, "float64")), 1, batch)
    ends = elementwise.clip(ends, a_min=0.0, a_max=float(steps))
    source = where(np_arithmetic.np_less(rows, ends), ends - 1.0 - rows, rows + ends * 0)
    columns = create(np_arange, start=0.0, stop=float(batch), dtype="float64")
    columns = expanded(reshape(columns, 1, 1, batch), (1, steps, batch))
    index = joined([reshape(source, 1, steps, batch), columns], 0)
    y = gathering.gather_nd(x, cast(index, "int64"))
    return transposed(y, 1, 0, *trailing) if axis else y
