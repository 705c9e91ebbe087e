"""Compositions of reshaping, transposing, casting and repetition."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    Axes,
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
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.elementwise import broadcast, casting, identity
from hy_ndarray.ops.np import axes as np_axes, shaping as np_shaping
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.shaping import axes, expanding, reshape as shaping, slicing

__all__ = ["moved"]


def _reshaped(name: OperatorFunction) -> None:
    """Declare the composition of an operator that only reshapes, to the shapes of its type rule."""

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
    """Return the array with one axis moved."""
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
def _reverse(data: Tracer, *, axis: Axes) -> Any:
    return np_axes.np_flip(data, axis=tuple(axis))


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
    leading, (n, *back) = x.shape[:i], x.shape[i:]
    grown = expanded(reshape(x, *leading, n, 1, *back), (*leading, n, repeats, *back))
    return reshape(grown, *leading, n * repeats, *back)


@composition(expanding.repeat_backward)
def _repeat_backward(dy: Tracer, data: Tracer, *, repeats: int, axis: int | None) -> Tracer:
    if axis is None:
        return reshape(total(reshape(dy, size(data), repeats), [1]), *data.shape)
    i = axis % data.ndim
    leading, (n, *back) = data.shape[:i], data.shape[i:]
    return total(reshape(dy, *leading, n, repeats, *back), [i + 1])


def _interleaved(shape: Sequence[int], reps: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return repetitions and sizes of all axes, with leading ones added to the shorter list."""
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


@composition(casting.cast_like)
def _cast_like(data: Tracer, like: Tracer) -> Tracer:
    return cast(data, like.dtype)


@composition(casting.amp_cast)
def _amp_cast(data: Tracer, *, dtype: str) -> Tracer:
    return cast(data, dtype) if "float" in data.dtype else data


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
def _trace_backward(dy: Tracer, data: Tracer, *, offset: int, axis1: int, axis2: int) -> Any:
    params = {"offset": offset, "axis1": axis1, "axis2": axis2}
    shape = sizes(result(np_axes.np_diagonal, data, **params))
    values = expanded(reshape(dy, *dy.shape, 1), shape)
    return np_axes.diagonal_backward(values, data, **params)


def _on_diagonal(values: Tracer, shape: Sequence[int], k: int, axis1: int, axis2: int) -> Tracer:
    """Return an array of zeros with ``values`` on a diagonal."""
    zeros = filled(shape, 0.0, values.dtype)
    result: Tracer = np_axes.diagonal_backward(values, zeros, offset=k, axis1=axis1, axis2=axis2)
    return result


@composition(np_axes.np_diagflat)
def _diagflat(data: Tracer, *, k: int) -> Tracer:
    side = size(data) + abs(k)
    return _on_diagonal(reshape(data, size(data)), (side, side), k, 0, 1)


@composition(np_axes.np_diag)
def _np_diag(data: Tracer, *, k: int) -> Any:
    return np_axes.np_diagflat(data, k=k) if data.ndim == 1 else np_axes.np_diagonal(data, offset=k)


@composition(np_axes.np_diag_backward)
def _np_diag_backward(dy: Tracer, data: Tracer, *, k: int) -> Any:
    if data.ndim == 1:
        return np_axes.np_diagonal(dy, offset=k)
    return _on_diagonal(dy, data.shape, k, 0, 1)


@composition(axes.diag)
def _diag(data: Tracer, *, k: int, axis1: int, axis2: int) -> Any:
    return (
        np_axes.np_diagflat(data, k=k)
        if data.ndim == 1
        else np_axes.np_diagonal(data, offset=k, axis1=axis1, axis2=axis2)
    )


@composition(axes.diag_backward)
def _diag_backward(dy: Tracer, data: Tracer, *, k: int, axis1: int, axis2: int) -> Any:
    if data.ndim == 1:
        return np_axes.np_diagonal(dy, offset=k)
    return _on_diagonal(dy, data.shape, k, axis1, axis2)


@composition(np_axes.np_flip)
def _flip(data: Tracer, *, axis: Axes | None) -> Any:
    if not data.ndim:
        return data
    steps = [1] * data.ndim
    for i in range(data.ndim) if axis is None else axis:
        steps[i] = -steps[i]
    whole = (None,) * data.ndim
    return slicing.slice(data, begin=whole, end=whole, step=tuple(steps))
