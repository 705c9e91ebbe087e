"""Compositions of slices, crops and padding."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray.ops.compositions._terms import Axes, cast, filled, part, result, sizes, sliced
from hy_ndarray.ops.np import counting
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.shaping import expanding, slicing


def _pairs(width: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(width[::2], width[1::2], strict=True))


_MODES = {"constant": "constant", "edge": "edge", "reflect": "reflect"}


@composition(expanding.pad)
def _pad(data: Tracer, *, mode: str, pad_width: Sequence[int], constant_value: float) -> Any:
    return counting.np_pad(
        data, pad_width=_pairs(pad_width), mode=_MODES[mode], constant_value=constant_value
    )


@composition(expanding.pad_backward)
def _pad_backward(dy: Tracer, data: Tracer, *, mode: str, pad_width: Sequence[int]) -> Any:
    return counting.np_pad_backward(dy, data, pad_width=_pairs(pad_width), mode=_MODES[mode])


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
    zeros = filled(data.shape, 0.0, dy.dtype)
    result: Tracer = slicing.slice_assign(zeros, dy, begin=tuple(begin), end=tuple(end))
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
def _slice_backward(dy: Tracer, data: Tracer, *, begin: Axes, end: Axes, step: Axes) -> Tracer:
    zeros = filled(data.shape, 0.0, dy.dtype)
    result: Tracer = slicing.slice_assign(zeros, dy, begin=begin, end=end, step=step)
    return result


@composition(slicing.slice_assign_scalar)
def _slice_assign_scalar(
    data: Tracer, *, scalar: float, begin: Axes, end: Axes, step: Axes
) -> Tracer:
    kind = result(slicing.slice, data, begin=begin, end=end, step=step)
    value = cast(filled(sizes(kind), scalar, "float64"), data.dtype)
    assigned: Tracer = slicing.slice_assign(data, value, begin=begin, end=end, step=step)
    return assigned


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
