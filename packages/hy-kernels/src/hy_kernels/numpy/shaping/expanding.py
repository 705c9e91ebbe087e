"""Tiling, repetition, padding and broadcasting."""

from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    accumulator,
    copied,
    expanded,
    out_buffer,
    shaped,
    target,
)
from hy_kernels.numpy._folds import add_up
from hy_kernels.numpy._kernels import kernel


def _sum_over(data: Array, axes: int | tuple[int, ...], out: OutBuffers) -> Array:
    """Return the sum over axes, computed in at least float32."""
    along = (axes,) if isinstance(axes, int) else axes
    summed = add_up(data, along, out=out_buffer(out), dtype=accumulator(data.dtype))
    return summed.astype(data.dtype, copy=False)


class _Tiles(NamedTuple):
    """The shapes by which tiling is one broadcast, and its gradient one sum."""

    result: tuple[int, ...]
    split: tuple[int, ...]
    """The result, with an axis for the repetitions before each axis of the data."""
    data: tuple[int, ...]
    """The data, with axes of size 1 for the repetitions."""
    repeated: tuple[int, ...]
    """The axes of the repetitions."""


@lru_cache(maxsize=256)
def _tiles(shape: tuple[int, ...], reps: tuple[int, ...]) -> _Tiles:
    rank = max(len(shape), len(reps))
    counts = (1,) * (rank - len(reps)) + reps
    sizes = (1,) * (rank - len(shape)) + shape
    pairs = [*zip(counts, sizes, strict=True)]
    return _Tiles(
        result=tuple([count * size for count, size in pairs]),
        split=tuple(chain.from_iterable(pairs)),
        data=tuple(chain.from_iterable([(1, size) for size in sizes])),
        repeated=tuple(range(0, 2 * rank, 2)),
    )


@kernel(out="apart")
def tile(data: Array, *, reps: tuple[int, ...], out: OutBuffers = None) -> Array:
    """Return ``numpy.tile(data, reps)``: the whole array repeated along axes."""
    shapes = _tiles(data.shape, reps)
    y = target(out, shapes.result, data.dtype)
    y.reshape(shapes.split)[...] = data.reshape(shapes.data)
    return y


@kernel(out="apart")
def tile_backward(
    dy: Array, data: Array, *, reps: tuple[int, ...], out: OutBuffers = None
) -> Array:
    """Return the gradient of ``tile``: ``dy`` summed over the repetitions."""
    shapes = _tiles(data.shape, reps)
    memory = shaped(out, shapes.data[1::2])
    return _sum_over(dy.reshape(shapes.split), shapes.repeated, memory).reshape(data.shape)


@kernel(out="apart")
def repeat(data: Array, *, repeats: int, axis: int | None, out: OutBuffers = None) -> Array:
    """Return ``numpy.repeat(data, repeats, axis)``: each element repeated in place."""
    memory = out_buffer(out)
    if memory is None:
        return np.repeat(data, repeats, axis)
    index = np.arange(data.size if axis is None else data.shape[axis]).repeat(repeats)
    return data.take(index, axis=axis, out=memory, mode="clip")


@kernel(out="apart")
def repeat_backward(
    dy: Array, data: Array, *, repeats: int, axis: int | None, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``repeat``: ``dy`` summed over the repetitions of each element."""
    # The repetitions of an element are adjacent: an axis right after that of the elements.
    at = data.ndim if axis is None else axis % data.ndim + 1
    return _sum_over(dy.reshape(*data.shape[:at], repeats, *data.shape[at:]), at, out)


def _pairs(pad_width: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(pad_width[::2], pad_width[1::2], strict=True))


def _write_padding(y: Array, axis: int, size: int, widths: tuple[int, int], mode: str) -> None:
    """Write the padding along ``axis`` into ``y``, which already holds the ``size`` inner rows."""
    before, after = widths
    rows = y.swapaxes(axis, 0)
    inner = rows[before : before + size]
    # Row by row: of the last axis, all at once would be a loop of few elements for each place.
    step = 0 if mode == "edge" else 1
    for k in range(1, before + 1):
        rows[before - k] = inner[k * step]
    for k in range(1, after + 1):
        rows[before + size - 1 + k] = inner[size - 1 - k * step]


@kernel(out="apart")
def pad(
    data: Array,
    *,
    mode: str,
    pad_width: tuple[int, ...],
    constant_value: float,
    out: OutBuffers = None,
) -> Array:
    """Return the array padded with a constant, its edge values or its reflection."""
    pairs = _pairs(pad_width)
    inside = tuple([slice(a, a + n) for (a, _), n in zip(pairs, data.shape, strict=True)])
    shape = tuple([n + a + b for (a, b), n in zip(pairs, data.shape, strict=True)])
    y = target(out, shape, data.dtype)
    if mode == "constant":
        np.copyto(y, constant_value, casting="unsafe")
    y[inside] = data
    if mode != "constant":
        # Axis after axis: padding a later axis also fills the corners.
        for axis, (size, widths) in enumerate(zip(data.shape, pairs, strict=True)):
            if widths != (0, 0):
                _write_padding(y, axis, size, widths, mode)
    return y


def _fold_padding(y: Array, axis: int, size: int, widths: tuple[int, int], mode: str) -> None:
    """Add the padding along ``axis`` to the ``size`` inner rows that it was copied from."""
    before, after = widths
    rows = y.swapaxes(axis, 0)
    inner = rows[before : before + size]
    # Row by row: inner loops over the few rows of a side would take longer than their additions.
    for k in range(before):
        inner[0 if mode == "edge" else before - k] += rows[k]
    for k in range(after):
        inner[size - 1 if mode == "edge" else size - 2 - k] += rows[before + size + k]


@kernel(out="apart")
def pad_backward(
    dy: Array, data: Array, *, mode: str, pad_width: tuple[int, ...], out: OutBuffers = None
) -> Array:
    """Return the gradient of ``pad``: each element of ``dy`` is added to its source."""
    pairs = _pairs(pad_width)
    inside = tuple([slice(a, a + n) for (a, _), n in zip(pairs, data.shape, strict=True)])
    if mode == "constant":
        return copied(dy[inside], out)
    dx = dy.astype(accumulator(dy.dtype))
    # The other way round than padding, so that corners are added to edges first.
    for axis in reversed(range(data.ndim)):
        if pairs[axis] != (0, 0):
            _fold_padding(dx, axis, data.shape[axis], pairs[axis], mode)
    return copied(dx[inside], out, dtype=dy.dtype)


@kernel(out="apart")
def broadcast_to(data: Array, *, shape: tuple[int, ...], out: OutBuffers = None) -> Array:
    """Return ``data`` broadcast to ``shape``, in which 0 stands for the size of ``data``."""
    sizes = [want or have for have, want in zip(data.shape, shape, strict=True)]
    return expanded(data, tuple(sizes), out)


@kernel(out="apart")
def broadcast_axis(
    data: Array, *, axis: tuple[int, ...], size: tuple[int, ...], out: OutBuffers = None
) -> Array:
    """Return ``data`` with the axes ``axis``, of size 1, broadcast to ``size``."""
    sizes = list(data.shape)
    for i, n in zip(axis, size, strict=True):
        sizes[i] = n
    return expanded(data, tuple(sizes), out)


@kernel(out="apart")
def broadcast_like(
    lhs: Array,
    rhs: Array,
    *,
    lhs_axes: tuple[int, ...] | None,
    rhs_axes: tuple[int, ...] | None,
    out: OutBuffers = None,
) -> Array:
    """Return ``lhs`` broadcast to the shape of ``rhs``, or only ``lhs_axes`` to ``rhs_axes``."""
    if lhs_axes is None or rhs_axes is None:
        return expanded(lhs, rhs.shape, out)
    sizes = list(lhs.shape)
    for i, j in zip(lhs_axes, rhs_axes, strict=True):
        sizes[i] = rhs.shape[j]
    return expanded(lhs, tuple(sizes), out)
