"""Parts of an array, cut out or written to."""

from builtins import slice as span
from collections.abc import Sequence

from hy_kernels.numpy._array import Array, Places, copied, zeroed
from hy_kernels.numpy._kernels import kernel

__all__ = [
    "slice",
    "slice_assign",
    "slice_axis",
    "slice_backward",
    "slice_like",
]

Ends = tuple[int | None, ...]


def _key(begin: Ends, end: Ends, step: Ends) -> tuple[span, ...]:
    """The numpy index of a slice."""
    return tuple(map(span, begin, end, step or (None,) * len(begin)))


@kernel(out="apart")
def slice(data: Array, *, begin: Ends, end: Ends, step: Ends, out: Places = None) -> Array:
    """A copy of the part."""
    if not len(begin) == len(end) == len(step or begin):
        raise ValueError("begin, end and step differ in length")
    return copied(data[_key(begin, end, step)], out)


@kernel(out="apart")
def slice_backward(
    dy: Array, data: Array, *, begin: Ends, end: Ends, step: Ends, out: Places = None
) -> Array:
    """Zeros with ``dy`` at the part."""
    dx = zeroed(out, data.shape, dy.dtype)
    dx[_key(begin, end, step)] = dy
    return dx


def _axis_key(shape: Sequence[int], axis: int, begin: int, end: int | None) -> tuple[span, ...]:
    size = shape[axis]
    first = begin + size if begin < 0 else begin
    last = size if end is None else end + size if end < 0 else end
    if not 0 <= first <= last <= size:
        raise ValueError("the part does not lie within the axis")
    return (*(span(None),) * (axis % len(shape)), span(first, last))


@kernel(out="apart")
def slice_axis(data: Array, *, axis: int, begin: int, end: int | None, out: Places = None) -> Array:
    """A copy of the part."""
    return copied(data[_axis_key(data.shape, axis, begin, end)], out)


@kernel(out="apart")
def slice_like(
    data: Array, shape_like: Array, *, axes: tuple[int, ...], out: Places = None
) -> Array:
    """A copy of the leading part."""
    if not axes and data.ndim != shape_like.ndim:
        raise ValueError("the ranks differ")
    key = [span(None)] * data.ndim
    for axis in axes or range(data.ndim):
        size = shape_like.shape[axis]
        if size > data.shape[axis]:
            raise ValueError("shape_like is larger")
        key[axis] = span(size)
    return copied(data[tuple(key)], out)


@kernel(out="apart")
def slice_assign(
    lhs: Array, rhs: Array, *, begin: Ends, end: Ends, step: Ends, out: Places = None
) -> Array:
    """A copy of ``lhs`` with ``rhs`` at the part."""
    y = copied(lhs, out)
    part = y[_key(begin, end, step)]
    if part.shape != rhs.shape or rhs.dtype != y.dtype or len(begin) != len(end):
        raise ValueError("rhs does not fit")
    part[...] = rhs
    return y
