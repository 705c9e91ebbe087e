"""Compositions of slices, crops and padding."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeAlias

from hy_ndarray.ops.compositions._terms import (
    Axes,
    cast,
    constant,
    expanded,
    filled,
    joined,
    part,
    result,
    sizes,
    sliced,
    wide,
)
from hy_ndarray.ops.elementwise import rounding, unary as elementwise
from hy_ndarray.ops.elementwise.broadcast import broadcast_minimum
from hy_ndarray.ops.indexing.take import take, take_backward
from hy_ndarray.ops.np import counting, reduce as np_reduce
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.shaping import expanding, slicing

Pairs: TypeAlias = Sequence[tuple[int, int]]


def _pairs(width: Sequence[int]) -> Pairs:
    return tuple(zip(width[::2], width[1::2], strict=True))


def _sources(front: int, size: int, after: int, mode: str) -> Tracer:
    """Return, for the positions of a padded axis, the indices of the elements that they copy."""
    at = create(np_arange, start=float(-front), stop=float(size + after), dtype="float64")
    if mode == "edge":
        inside: Tracer = elementwise.clip(at, a_min=0.0, a_max=float(size - 1))
        return inside
    # "symmetric" repeats the last element, "reflect" does not.
    again = int(mode == "symmetric")
    period = max(2 * (size - 1 + again), 1)
    forth = at - rounding.floor(at / float(period)) * float(period)
    mirrored: Tracer = broadcast_minimum(forth, float(period - again) - forth)
    return mirrored


def _padded(data: Tracer, widths: Pairs, mode: str, constant_value: float) -> Tracer:
    y = data
    for axis, (front, after) in enumerate(widths):
        # Axis after axis: padding a later axis also copies the padding of earlier axes.
        if not front and not after:
            continue
        if mode in ("constant", "maximum", "minimum"):
            if mode == "constant":
                value = constant(y, constant_value)
            else:
                extreme = np_reduce.np_max if mode == "maximum" else np_reduce.np_min
                value = extreme(y, axis=(axis,), keepdims=True)
            ends = [[n if i == axis else k for i, k in enumerate(y.shape)] for n in (front, after)]
            before, following = (expanded(value, shape) for shape in ends)
            y = joined([before, y, following], axis)
        else:
            y = take(y, _sources(front, y.shape[axis], after, mode), axis=axis, mode="clip")
    return y


def _folded(dy: Tracer, data: Tracer, widths: Pairs, mode: str) -> Tracer:
    """Return the gradient of padding: each element is added to its source."""
    fronts = [front for front, _ in widths]
    if mode == "constant":
        ends = [a + n for a, n in zip(fronts, data.shape, strict=True)]
        return sliced(dy, fronts, ends)
    # What pads an axis goes back to its sources, the last axis first.
    g = wide(dy)
    for axis in reversed(range(data.ndim)):
        front, after = widths[axis]
        if front or after:
            shape = [data.shape[axis] if i == axis else n for i, n in enumerate(g.shape)]
            sources = _sources(front, shape[axis], after, mode)
            g = take_backward(g, filled(shape, 0.0, g.dtype), sources, axis=axis, mode="clip")
    return cast(g, dy.dtype)


@composition(expanding.pad)
def _pad(data: Tracer, *, mode: str, pad_width: Sequence[int], constant_value: float) -> Any:
    return _padded(data, _pairs(pad_width), mode, constant_value)


@composition(expanding.pad_backward)
def _pad_backward(dy: Tracer, data: Tracer, *, mode: str, pad_width: Sequence[int]) -> Any:
    return _folded(dy, data, _pairs(pad_width), mode)


def _can_use_pad(data: Tracer, widths: Pairs, mode: str) -> bool:
    """Return whether ``Pad``, for which tables have kernels, pads so."""
    axes = zip(data.shape, widths, strict=True)
    if mode in ("edge", "reflect"):
        return all(n > (max(pair) if mode == "reflect" else 0) for n, pair in axes)
    return mode == "constant"


@composition(counting.np_pad)
def _np_pad(
    data: Tracer, *, pad_width: Pairs, mode: str, constant_value: float, reflect_type: str
) -> Any:
    if not _can_use_pad(data, pad_width, mode):
        return _padded(data, pad_width, mode, constant_value)
    flat = tuple(chain.from_iterable(pad_width))
    return expanding.pad(data, mode=mode, pad_width=flat, constant_value=constant_value)


@composition(counting.np_pad_backward)
def _np_pad_backward(dy: Tracer, data: Tracer, *, pad_width: Pairs, mode: str) -> Any:
    if not _can_use_pad(data, pad_width, mode):
        return _folded(dy, data, pad_width, mode)
    flat = tuple(chain.from_iterable(pad_width))
    return expanding.pad_backward(dy, data, mode=mode, pad_width=flat)


@composition(slicing.slice_axis)
def _slice_axis(data: Tracer, *, axis: int, begin: int, end: int | None) -> Tracer:
    length = data.shape[axis]
    last = length if end is None else end + length if end < 0 else end
    return part(data, axis, begin + length if begin < 0 else begin, last)


def _corner_sizes(data: Tracer, like: Tracer, axes_: Axes) -> list[int]:
    """Return the shape of ``data`` with the sizes of ``like`` along some axes, by default all."""
    window = [*data.shape]
    for i in axes_ or range(data.ndim):
        window[i] = like.shape[i]
    return window


@composition(slicing.slice_like)
def _slice_like(data: Tracer, shape_like: Tracer, *, axes: Axes) -> Tracer:
    return sliced(data, [0] * data.ndim, _corner_sizes(data, shape_like, axes))


def _embedded_in_zeros(
    dy: Tracer, data: Tracer, begin: Sequence[int | None], end: Sequence[int | None]
) -> Tracer:
    """Return zeros in the shape of ``data`` with ``dy`` in the slices ``begin:end``."""
    # Tables have kernels of this gradient, which copy no zeros.
    result: Tracer = slicing.slice_backward(dy, data, begin=tuple(begin), end=tuple(end))
    return result


@composition(slicing.corner_backward)
def _corner_backward(dy: Tracer, data: Tracer) -> Tracer:
    return _embedded_in_zeros(dy, data, [0] * data.ndim, dy.shape)


@composition(slicing.slice_axis_backward)
def _slice_axis_backward(
    dy: Tracer, data: Tracer, *, axis: int, begin: int, end: int | None
) -> Tracer:
    i = axis % data.ndim
    start = begin + data.shape[i] if begin < 0 else begin
    leading = (None,) * i
    return _embedded_in_zeros(dy, data, (*leading, start), (*leading, start + dy.shape[i]))


@composition(slicing.slice_backward)
def _slice_backward(dy: Tracer, data: Tracer, *, begin: Axes, end: Axes, step: Axes) -> Any:
    zeros = filled(data.shape, 0.0, dy.dtype)
    return slicing.slice_assign(zeros, dy, begin=begin, end=end, step=step)


@composition(slicing.slice_assign_scalar)
def _slice_assign_scalar(data: Tracer, *, scalar: float, begin: Axes, end: Axes, step: Axes) -> Any:
    kind = result(slicing.slice, data, begin=begin, end=end, step=step)
    value = cast(filled(sizes(kind), scalar, "float64"), data.dtype)
    return slicing.slice_assign(data, value, begin=begin, end=end, step=step)


def _corner(
    data: Tracer, shape: Sequence[int], offset: Axes, center_crop: bool
) -> tuple[list[int | None], list[int | None]]:
    """Return the begin and the end of a crop of the last two axes, at an offset or centered."""
    height, width = shape[2:]
    y, x = offset
    if center_crop:
        y, x = (data.shape[2] - height) // 2, (data.shape[3] - width) // 2
    return [None, None, y, x], [None, None, y + height, x + width]


@composition(slicing.crop)
def _crop(*data: Tracer, offset: Axes, h_w: Axes, center_crop: bool) -> Tracer:
    params = {"offset": offset, "h_w": h_w, "center_crop": center_crop}
    shape = sizes(result(slicing.crop, *data, **params))
    return sliced(data[0], *_corner(data[0], shape, offset, center_crop))


@composition(slicing.crop_backward)
def _crop_backward(
    dy: Tracer, data: Tracer, *, offset: Axes, h_w: Axes, center_crop: bool
) -> Tracer:
    return _embedded_in_zeros(dy, data, *_corner(data, dy.shape, offset, center_crop))
