"""Arrays in another shape or order, repeated, cut, joined: the same elements in other places."""

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    expanded,
    filled,
    joined,
    part,
    reshape,
    result,
    results,
    size,
    sizes,
    sliced,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.elementwise import broadcast, casting, identity
from hy_ndarray.ops.np import axes as np_axes, joining as np_joining, shaping as np_shaping
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.shaping import axes, expanding, joining, reshape as shaping, slicing

__all__ = ["moved"]

Axes = Sequence[int]


def _reshaped(name: OperatorFunction) -> None:
    """An operator that gives its first input in the shape that its rule says."""

    @composition(name)
    def reshaped(*data: Tracer, **params: Any) -> list[Tracer]:
        kinds = results(name, *data, **params)
        return [reshape(x, *sizes(kind)) for x, kind in zip(data, kinds, strict=False)]


for _name in (
    shaping.reshape,
    shaping.flatten,
    shaping.expand_dims,
    shaping.squeeze,
    shaping.reshape_like,
    np_shaping.np_squeeze,
    np_shaping.npx_reshape,
    np_shaping.np_atleast_1d,
    np_shaping.np_atleast_2d,
    np_shaping.np_atleast_3d,
):
    _reshaped(_name)


@composition(shaping.shape_array)
def _shape_array(data: Tracer) -> Tracer:
    return joined([filled((1,), float(n), "int64") for n in data.shape], 0)


@composition(shaping.size_array)
def _size_array(data: Tracer) -> Tracer:
    return filled((1,), float(size(data)), "int64")


@composition(axes.transpose)
def _transpose(data: Tracer, *, axes: Axes) -> Tracer:
    return transposed(data, *(axes or reversed(range(data.ndim))))


@composition(axes.swapaxes)
def _swapaxes(data: Tracer, *, dim1: int, dim2: int) -> Tracer:
    order = [*range(data.ndim)]
    order[dim1], order[dim2] = order[dim2], order[dim1]
    return transposed(data, *order)


def moved(x: Tracer, source: int, destination: int) -> Tracer:
    """One axis in another position."""
    order = [i for i in range(x.ndim) if i != source % x.ndim]
    order.insert(destination % x.ndim, source % x.ndim)
    return x if order == [*range(x.ndim)] else transposed(x, *order)


@composition(np_axes.np_moveaxis)
def _moveaxis(a: Tracer, *, source: Axes, destination: Axes) -> Tracer:
    to = {i % a.ndim: k % a.ndim for i, k in zip(source, destination, strict=True)}
    rest = iter(i for i in range(a.ndim) if i not in to)
    goals = {k: i for i, k in to.items()}
    return transposed(a, *[goals[k] if k in goals else next(rest) for k in range(a.ndim)])


@composition(axes.depth_to_space)
def _depth_to_space(data: Tracer, *, block_size: int) -> Tracer:
    n, c, h, w = data.shape
    b = block_size
    x = transposed(reshape(data, n, b, b, c // b**2, h, w), 0, 3, 4, 1, 5, 2)
    return reshape(x, n, c // b**2, h * b, w * b)


@composition(axes.space_to_depth)
def _space_to_depth(data: Tracer, *, block_size: int) -> Tracer:
    n, c, h, w = data.shape
    b = block_size
    x = transposed(reshape(data, n, c, h // b, b, w // b, b), 0, 3, 5, 1, 2, 4)
    return reshape(x, n, c * b**2, h // b, w // b)


@composition(axes.reverse)
def _reverse(data: Tracer, *, axis: Axes) -> Tracer:
    result: Tracer = np_axes.np_flip(data, axis=tuple(axis))
    return result


@composition(np_axes.np_rot90)
def _rot90(data: Tracer, *, k: int, axes: Axes | None) -> Tracer:
    first, second = (i % data.ndim for i in (axes or (0, 1)))
    order = [*range(data.ndim)]
    order[first], order[second] = second, first
    turns = k % 4
    flipped = {1: second, 2: first, 3: first}
    x = data if not turns else np_axes.np_flip(data, axis=(flipped[turns],))
    if turns == 2:
        x = np_axes.np_flip(x, axis=(second,))
    return transposed(x, *order) if turns % 2 else x


@composition(np_axes.np_roll)
def _roll(data: Tracer, *, shift: Axes, axis: Axes | None) -> Tracer:
    x = reshape(data, size(data)) if axis is None else data
    along = (0,) if axis is None else tuple(i % x.ndim for i in axis)
    shifts = (sum(shift),) if axis is None else tuple(shift)
    by: dict[int, int] = {}
    for k in range(max(len(along), len(shifts))):
        i = along[k % len(along)]
        by[i] = by.get(i, 0) + shifts[k % len(shifts)]
    for i, n in by.items():
        length = x.shape[i]
        start = -n % length if length else 0
        if start:
            x = joined([part(x, i, start, length), part(x, i, 0, start)], i)
    return reshape(x, *data.shape)


@composition(broadcast.like_of)
def _like_of(data: Tracer, like: Tracer) -> Tracer:
    return expanded(data, like.shape)


def _expanded(name: OperatorFunction) -> None:
    @composition(name)
    def grown(data: Tracer, *others: Tracer, **params: Any) -> Tracer:
        return expanded(data, sizes(result(name, data, *others, **params)))


for _name in (expanding.broadcast_to, expanding.broadcast_axis, expanding.broadcast_like):
    _expanded(_name)


@composition(broadcast.sum_like)
def _sum_like(data: Tracer, like: Tracer) -> Tracer:
    extra = data.ndim - like.ndim
    summed = [
        i for i, n in enumerate(data.shape) if i < extra or (like.shape[i - extra] == 1 and n != 1)
    ]
    return reshape(total(data, summed), *like.shape) if summed else reshape(data, *like.shape)


@composition(expanding.repeat)
def _repeat(data: Tracer, *, repeats: int, axis: int | None) -> Tracer:
    x = reshape(data, size(data)) if axis is None else data
    i = 0 if axis is None else axis % x.ndim
    front, (n, *back) = x.shape[:i], x.shape[i:]
    grown = expanded(reshape(x, *front, n, 1, *back), (*front, n, repeats, *back))
    return reshape(grown, *front, n * repeats, *back)


@composition(expanding.repeat_backward)
def _repeat_backward(dy: Tracer, data: Tracer, *, repeats: int, axis: int | None) -> Tracer:
    if axis is None:
        return reshape(total(reshape(dy, size(data), repeats), [1]), *data.shape)
    i = axis % data.ndim
    front, (n, *back) = data.shape[:i], data.shape[i:]
    return total(reshape(dy, *front, n, repeats, *back), [i + 1])


def _interleaved(shape: Sequence[int], reps: Sequence[int]) -> tuple[list[int], list[int]]:
    """Repetitions and sizes of all axes, of which the shorter list begins with ones."""
    rank = max(len(shape), len(reps))
    return [1] * (rank - len(reps)) + [*reps], [1] * (rank - len(shape)) + [*shape]


@composition(expanding.tile)
def _tile(data: Tracer, *, reps: Axes) -> Tracer:
    times, shape = _interleaved(data.shape, reps)
    small = [n for size_ in shape for n in (1, size_)]
    large = [n for pair in zip(times, shape, strict=True) for n in pair]
    grown = expanded(reshape(data, *small), large)
    return reshape(grown, *[a * b for a, b in zip(times, shape, strict=True)])


@composition(expanding.tile_backward)
def _tile_backward(dy: Tracer, data: Tracer, *, reps: Axes) -> Tracer:
    times, shape = _interleaved(data.shape, reps)
    large = [n for pair in zip(times, shape, strict=True) for n in pair]
    return reshape(total(reshape(dy, *large), range(0, len(large), 2)), *data.shape)


@composition(slicing.slice_axis)
def _slice_axis(data: Tracer, *, axis: int, begin: int, end: int | None) -> Tracer:
    length = data.shape[axis]
    last = length if end is None else end + length if end < 0 else end
    return part(data, axis, begin + length if begin < 0 else begin, last)


def _window(data: Tracer, like: Tracer, axes_: Axes) -> list[int]:
    """The sizes of the corner of ``data`` that has those of ``like`` along some axes."""
    window = [*data.shape]
    for i in axes_ or range(data.ndim):
        window[i] = like.shape[i]
    return window


@composition(slicing.slice_like)
def _slice_like(data: Tracer, shape_like: Tracer, *, axes: Axes) -> Tracer:
    return sliced(data, [0] * data.ndim, _window(data, shape_like, axes))


def _put(
    dy: Tracer, data: Tracer, begin: Sequence[int | None], end: Sequence[int | None]
) -> Tracer:
    """Zeros with values from one position to another."""
    zeros = filled(data.shape, 0.0, dy.dtype)
    result: Tracer = slicing.slice_assign(zeros, dy, begin=tuple(begin), end=tuple(end))
    return result


@composition(slicing.corner_backward)
def _corner_backward(dy: Tracer, data: Tracer) -> Tracer:
    return _put(dy, data, [0] * data.ndim, dy.shape)


@composition(slicing.slice_axis_backward)
def _slice_axis_backward(
    dy: Tracer, data: Tracer, *, axis: int, begin: int, end: int | None
) -> Tracer:
    i = axis % data.ndim
    start = begin + data.shape[i] if begin < 0 else begin
    front = (None,) * i
    return _put(dy, data, (*front, start), (*front, start + dy.shape[i]))


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
    """Return begin and end of a crop of the two last axes."""
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
    return _put(dy, data, *_corner(data, dy.shape, offset, center_crop))


@composition(joining.concat, joining.rnn_param_concat)
def _concat(*data: Tracer, dim: int) -> Tracer:
    return joined(data, dim)


def _stacked(data: Sequence[Tracer], axis: int) -> Tracer:
    shape = [*data[0].shape]  # others may have more axes of one element
    i = axis % (len(shape) + 1)
    return joined([reshape(x, *shape[:i], 1, *shape[i:]) for x in data], i)


@composition(joining.stack, np_joining.np_stack)
def _stack(*data: Tracer, axis: int) -> Tracer:
    return _stacked(data, axis)


@composition(np_joining.np_vstack)
def _vstack(*data: Tracer) -> Tracer:
    return joined([x if x.ndim > 1 else reshape(x, 1, size(x)) for x in data], 0)


@composition(np_joining.np_hstack)
def _hstack(*data: Tracer, dim: int) -> Tracer:
    return joined([x if x.ndim else reshape(x, 1) for x in data], int(data[0].ndim > 1))


@composition(np_joining.np_dstack)
def _dstack(*data: Tracer, dim: int) -> Tracer:
    deep = [
        x if x.ndim > 2 else reshape(x, *((1, size(x))[x.ndim > 1 :] if x.ndim < 2 else x.shape), 1)
        for x in data
    ]
    return joined(deep, 2)


@composition(np_joining.np_column_stack)
def _column_stack(*data: Tracer) -> Tracer:
    return joined([x if x.ndim > 1 else reshape(x, size(x), 1) for x in data], 1)


def _cut(data: Tracer, ends: Sequence[int], axis: int, shapes: Sequence[Any]) -> list[Tracer]:
    """Pieces along an axis, each in a shape."""
    starts = [0, *ends]
    return [
        reshape(part(data, axis, start, end), *sizes(shape))
        for start, end, shape in zip(starts, ends, shapes, strict=False)
    ]


def _split(name: OperatorFunction) -> None:
    @composition(name)
    def split(data: Tracer, **params: Any) -> list[Tracer]:
        kinds = results(name, data, **params)
        axis = params["axis"] if name is not np_joining.np_hsplit else int(data.ndim > 1)
        slab = size(data) // max(data.shape[axis], 1)
        if not slab:  # nothing tells where pieces without elements end
            return [filled(sizes(kind), 0.0, data.dtype) for kind in kinds]
        ends = [*accumulate(prod(sizes(kind)) // slab for kind in kinds)]
        return _cut(data, ends, axis, kinds)


for _name in (joining.slice_channel, joining.split_v2, np_joining.np_hsplit):
    _split(_name)


@composition(joining.concat_backward)
def _concat_backward(dy: Tracer, *data: Tracer, dim: int, parts: int) -> list[Tracer]:
    ends = [*accumulate(x.shape[dim] for x in data)]
    return [part(dy, dim, end - x.shape[dim], end) for x, end in zip(data, ends, strict=True)]


@composition(np_joining.join_backward)
def _join_backward(dy: Tracer, *data: Tracer, axis: int | None, parts: int) -> list[Tracer]:
    at = int(dy.ndim > 1) if axis is None else axis % dy.ndim
    slab = size(dy) // dy.shape[at] if size(dy) else 0
    if not slab:
        return [filled(x.shape, 0.0, dy.dtype) for x in data]
    counts = [size(x) // slab for x in data]
    return [
        reshape(part(dy, at, end - n, end), *x.shape)
        for x, n, end in zip(data, counts, accumulate(counts), strict=True)
    ]


@composition(np_joining.join_like)
def _join_like(like: Tracer, *parts: Tracer, axis: int | None) -> Tracer:
    at = int(like.ndim > 1) if axis is None else axis % like.ndim
    slab = size(like) // like.shape[at] if size(like) else 0
    if not slab:
        return filled(like.shape, 0.0, parts[0].dtype)
    front, back = like.shape[:at], like.shape[at + 1 :]
    return joined([reshape(x, *front, size(x) // slab, *back) for x in parts], at)


@composition(casting.cast_like)
def _cast_like(data: Tracer, like: Tracer) -> Tracer:
    return cast(data, like.dtype)


def _is_floating(x: Tracer) -> bool:
    return "float" in x.dtype


@composition(casting.amp_cast)
def _amp_cast(data: Tracer, *, dtype: str) -> Tracer:
    return cast(data, dtype) if _is_floating(data) else data


@composition(casting.amp_multicast)
def _amp_multicast(*data: Tracer, num_outputs: int, cast_narrow: bool) -> list[Tracer]:
    kinds = results(casting.amp_multicast, *data, num_outputs=num_outputs, cast_narrow=cast_narrow)
    return [cast(x, kind.dtype or x.dtype) for x, kind in zip(data, kinds, strict=True)]


@composition(identity.copyto, identity.cast_storage)
def _copied(data: Tracer, **_: Any) -> Tracer:
    return data


@composition(np_axes.np_trace)
def _trace(data: Tracer, *, offset: int, axis1: int, axis2: int) -> Tracer:
    diagonal = np_axes.np_diagonal(data, offset=offset, axis1=axis1, axis2=axis2)
    return cast(total(wide(diagonal), [-1]), data.dtype)


@composition(np_axes.trace_backward)
def _trace_backward(dy: Tracer, data: Tracer, *, offset: int, axis1: int, axis2: int) -> Tracer:
    params = {"offset": offset, "axis1": axis1, "axis2": axis2}
    shape = sizes(result(np_axes.np_diagonal, data, **params))
    values = expanded(reshape(dy, *dy.shape, 1), shape)
    diagonal: Tracer = np_axes.diagonal_backward(values, data, **params)
    return diagonal


def _on_diagonal(values: Tracer, shape: Sequence[int], k: int, axis1: int, axis2: int) -> Tracer:
    """Zeros with values on a diagonal."""
    zeros = filled(shape, 0.0, values.dtype)
    result: Tracer = np_axes.diagonal_backward(values, zeros, offset=k, axis1=axis1, axis2=axis2)
    return result


@composition(np_axes.np_diagflat)
def _diagflat(data: Tracer, *, k: int) -> Tracer:
    side = size(data) + abs(k)
    return _on_diagonal(reshape(data, size(data)), (side, side), k, 0, 1)


@composition(np_axes.np_diag)
def _np_diag(data: Tracer, *, k: int) -> Tracer:
    result: Tracer = (
        np_axes.np_diagflat(data, k=k) if data.ndim == 1 else np_axes.np_diagonal(data, offset=k)
    )
    return result


@composition(np_axes.np_diag_backward)
def _np_diag_backward(dy: Tracer, data: Tracer, *, k: int) -> Tracer:
    if data.ndim == 1:
        result: Tracer = np_axes.np_diagonal(dy, offset=k)
        return result
    return _on_diagonal(dy, data.shape, k, 0, 1)


@composition(axes.diag)
def _diag(data: Tracer, *, k: int, axis1: int, axis2: int) -> Tracer:
    result: Tracer = (
        np_axes.np_diagflat(data, k=k)
        if data.ndim == 1
        else np_axes.np_diagonal(data, offset=k, axis1=axis1, axis2=axis2)
    )
    return result


@composition(axes.diag_backward)
def _diag_backward(dy: Tracer, data: Tracer, *, k: int, axis1: int, axis2: int) -> Tracer:
    if data.ndim == 1:
        result: Tracer = np_axes.np_diagonal(dy, offset=k)
        return result
    return _on_diagonal(dy, data.shape, k, axis1, axis2)


@composition(np_axes.np_flip)
def _flip(data: Tracer, *, axis: Axes | None) -> Any:
    if not data.ndim:
        return data
    along = {i % data.ndim for i in (range(data.ndim) if axis is None else axis)}
    steps = tuple(-1 if i in along else 1 for i in range(data.ndim))
    return slicing.slice(data, begin=(None,) * data.ndim, end=(None,) * data.ndim, step=steps)
