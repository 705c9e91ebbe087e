"""Parts of an array, cut out or written to."""

from builtins import slice as span
from collections.abc import Sequence

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = [
    "corner_backward",
    "slice",
    "slice_axis",
    "slice_axis_backward",
    "slice_backward",
    "slice_like",
]

Places = tuple[int | None, ...]


def _key(begin: Places, end: Places, step: Places) -> tuple[span, ...]:
    """The numpy index of a slice."""
    return tuple(map(span, begin, end, step or (None,) * len(begin)))


def slice(data: Array, *, begin: Places, end: Places, step: Places) -> Array:
    """A copy of the part."""
    if not len(begin) == len(end) == len(step or begin):
        raise ValueError("begin, end and step differ in length")
    return data[_key(begin, end, step)].copy()


def slice_backward(dy: Array, data: Array, *, begin: Places, end: Places, step: Places) -> Array:
    """Zeros with ``dy`` at the part."""
    dx = np.zeros(data.shape, dy.dtype)
    dx[_key(begin, end, step)] = dy
    return dx


def _axis_key(shape: Sequence[int], axis: int, begin: int, end: int | None) -> tuple[span, ...]:
    size = shape[axis]
    first = begin + size if begin < 0 else begin
    last = size if end is None else end + size if end < 0 else end
    if not 0 <= first <= last <= size:
        raise ValueError("the part does not lie within the axis")
    return (*(span(None),) * (axis % len(shape)), span(first, last))


def slice_axis(data: Array, *, axis: int, begin: int, end: int | None) -> Array:
    """A copy of the part."""
    return data[_axis_key(data.shape, axis, begin, end)].copy()


def slice_axis_backward(dy: Array, data: Array, *, axis: int, begin: int, end: int | None) -> Array:
    """Zeros with ``dy`` at the part."""
    dx = np.zeros(data.shape, dy.dtype)
    dx[_axis_key(data.shape, axis, begin, end)] = dy
    return dx


def slice_like(data: Array, shape_like: Array, *, axes: tuple[int, ...]) -> Array:
    """A copy of the leading part."""
    if not axes and data.ndim != shape_like.ndim:
        raise ValueError("the ranks differ")
    key = [span(None)] * data.ndim
    for axis in axes or range(data.ndim):
        size = shape_like.shape[axis]
        if size > data.shape[axis]:
            raise ValueError("shape_like is larger")
        key[axis] = span(size)
    return data[tuple(key)].copy()


def corner_backward(dy: Array, data: Array) -> Array:
    """Zeros with ``dy`` at the beginning of every axis."""
    dx = np.zeros(data.shape, dy.dtype)
    dx[tuple(map(span, dy.shape))] = dy
    return dx
