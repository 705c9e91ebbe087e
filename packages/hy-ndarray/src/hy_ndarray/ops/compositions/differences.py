"""Compositions of differences, polynomials and insertion."""

from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    filled,
    joined,
    part,
    reshape,
    size,
    total,
    wide,
)
from hy_ndarray.ops.np import (
    arithmetic as np_arithmetic,
    axes as np_axes,
    counting,
    creation as np_creation,
)
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition


def _differences(a: Tracer, axis: int) -> Any:
    n = a.shape[axis]
    ahead, previous = part(a, axis, min(1, n), n), part(a, axis, 0, max(n - 1, 0))
    return np_arithmetic.np_not_equal(ahead, previous) if a.dtype == "bool" else ahead - previous


@composition(counting.np_diff)
def _diff(a: Tracer, *, n: int, axis: int) -> Any:
    for _ in range(n):
        a = _differences(a, axis)
    return a


def _between_zeros(x: Tracer, axis: int) -> Tracer:
    shape = [*x.shape]
    shape[axis] = 1
    zeros = filled(shape, 0.0, x.dtype)
    return joined([zeros, x, zeros], axis)


@composition(counting.diff_backward)
def _diff_backward(dy: Tracer, a: Tracer, *, n: int, axis: int) -> Any:
    kind = dy.dtype
    if n >= a.shape[axis] > 0:
        return filled(a.shape, 0.0, kind)
    for _ in range(n):
        dy = cast(-_differences(_between_zeros(dy, axis), axis), kind)
    return dy


@composition(counting.np_ediff1d)
def _ediff1d(
    input1: Tracer,
    input2: Tracer | None = None,
    input3: Tracer | None = None,
    *,
    to_begin_arr_given: bool,
    to_end_arr_given: bool,
    to_begin_scalar: float | None,
    to_end_scalar: float | None,
) -> Any:
    arrays = iter([x for x in (input2, input3) if x is not None])
    pieces = [_differences(reshape(input1, size(input1)), 0)]
    for is_present, number, at in (
        (to_begin_arr_given, to_begin_scalar, 0),
        (to_end_arr_given, to_end_scalar, len(pieces) + 1),
    ):
        if is_present:
            end = next(arrays)
            pieces.insert(at, reshape(cast(end, input1.dtype), size(end)))
        elif number is not None:
            pieces.insert(at, cast(filled((1,), number, "float64"), input1.dtype))
    return joined(pieces, 0)


@composition(counting.ediff1d_backward)
def _ediff1d_backward(dy: Tracer, data: Tracer) -> Any:
    if size(data) < 2:
        return filled(data.shape, 0.0, dy.dtype)
    return cast(reshape(-_differences(_between_zeros(dy, 0), 0), *data.shape), dy.dtype)


@composition(counting.np_polyval)
def _polyval(p: Tracer, x: Tracer) -> Any:
    wide_x, wide_p = wide(x), wide(p)
    y = filled(x.shape, 0.0, wide_x.dtype)
    for k in range(p.shape[0]):
        y = y * wide_x + reshape(part(wide_p, 0, k, k + 1), *(1,) * x.ndim)
    return cast(y, x.dtype)


@composition(counting.polyval_backward)
def _polyval_backward(dy: Tracer, p: Tracer, x: Tracer) -> Any:
    values = wide(x)
    slope = cast(dy, values.dtype)
    power = filled(x.shape, 1.0, values.dtype)
    sums = []
    for _ in range(p.shape[0]):
        sums.append(reshape(total(slope * power, None), 1))
        power = power * values
    return cast(joined(sums[::-1], 0), p.dtype)


def _falling(count: int, dtype: str) -> Tracer:
    """Return the descending numbers ``count - 1, …, 1``."""
    rising = create(np_creation.np_arange, start=1.0, stop=float(count), dtype=dtype)
    falling: Tracer = np_axes.np_flip(rising, axis=(0,))
    return falling


@composition(counting.polyder)
def _polyder(p: Tracer) -> Any:
    n = p.shape[0]
    return joined([filled((1,), 0.0, p.dtype), part(p, 0, 0, n - 1) * _falling(n, p.dtype)], 0)


@composition(counting.polyder_backward)
def _polyder_backward(dq: Tracer) -> Any:
    n = dq.shape[0]
    return joined([part(dq, 0, 1, n) * _falling(n, dq.dtype), filled((1,), 0.0, dq.dtype)], 0)
