"""Permutation of axes, roll, flip and rotation, triangles and diagonals."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    accumulator,
    copied,
    out_buffer,
    target,
    zeroed,
)
from hy_kernels.numpy._kernels import kernel

Axes = tuple[int, ...]


@kernel(out="apart")
def np_transpose(a: Array, *, axes: Axes | None, out: OutBuffers = None) -> Array:
    """Return a copy with its axes permuted."""
    return copied(a.transpose(axes or None), out)


@kernel(out="apart")
def np_roll(data: Array, *, shift: Axes, axis: Axes | None, out: OutBuffers = None) -> Array:
    """Return a copy with its elements shifted cyclically along axes."""
    y = target(out, data.shape, data.dtype)
    if axis is None:
        _roll(data.reshape(-1), [sum(shift)], y.reshape(-1))
        return y
    shifts = [0] * data.ndim
    for i, n in np.broadcast(axis, shift):
        shifts[i] += n
    _roll(data, shifts, y)
    return y


def _roll(data: Array, shifts: Sequence[int], y: Array) -> None:
    """Write ``data`` to ``y``, rolled along each axis by its shift."""
    # Each axis is cut into two parts that change places: at most 2**rank block copies, one pass.
    for halves in product(*map(_halves, data.shape, shifts)):
        y[tuple([goal for _, goal in halves])] = data[tuple([source for source, _ in halves])]


def _halves(size: int, shift: int) -> list[tuple[slice, slice]]:
    """Return ``(source, target)`` slices of the parts of an axis that a roll exchanges."""
    ahead = shift % size if size else 0
    if not ahead:
        return [(slice(None), slice(None))]
    return [(slice(-ahead), slice(ahead, None)), (slice(-ahead, None), slice(ahead))]


@kernel(out="apart")
def np_rot90(data: Array, *, k: int, axes: Axes | None, out: OutBuffers = None) -> Array:
    """Return a copy rotated by ``k`` times 90 degrees in the plane of two axes."""
    return copied(np.rot90(data, k, (0, 1) if axes is None else (axes[0], axes[1])), out)


@kernel(out="apart")
def np_flip(data: Array, *, axis: Axes | None, out: OutBuffers = None) -> Array:
    """Return a copy with the elements reversed along axes, as often as an axis is listed."""
    steps = [1] * data.ndim
    for i in range(data.ndim) if axis is None else axis:
        steps[i] = -steps[i]
    return copied(data[tuple([slice(None, None, step) for step in steps])], out)


def _with_diagonal(
    values: Array,
    shape: tuple[int, ...],
    out: OutBuffers,
    offset: int,
    axis1: int = 0,
    axis2: int = 1,
) -> Array:
    """Return zeros of ``shape``, with ``values`` on the diagonals ``offset``."""
    y = zeroed(out, shape, values.dtype)
    view = np.diagonal(y, offset, axis1, axis2)
    # numpy.diagonal returns a read-only view, but the memory was allocated here.
    view.flags.writeable = True
    view[...] = values
    return y


@kernel(out="apart")
def np_diag(data: Array, *, k: int, out: OutBuffers = None) -> Array:
    """Return a diagonal of a matrix, or the matrix that has a vector as diagonal."""
    return np_diagflat(data, k=k, out=out) if data.ndim == 1 else copied(np.diag(data, k), out)


@kernel(out="apart")
def np_diag_backward(dy: Array, data: Array, *, k: int, out: OutBuffers = None) -> Array:
    """Return the gradient of ``np_diag``: the diagonal of ``dy``, or zeros with it."""
    if data.ndim == 1:
        return copied(np.diag(dy, k), out)
    return _with_diagonal(dy, data.shape, out, k)


@kernel(out="apart")
def np_diagflat(data: Array, *, k: int, out: OutBuffers = None) -> Array:
    """Return the square matrix with all elements of ``data`` on diagonal ``k``."""
    size = data.size + abs(k)
    return _with_diagonal(data.reshape(-1), (size, size), out, k)


@kernel(out="apart")
def np_diagonal(
    data: Array, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Array:
    """Return the diagonal ``offset`` of the matrices in two axes."""
    return copied(np.diagonal(data, offset, axis1, axis2), out)


@kernel(out="apart")
def diagonal_backward(
    dy: Array, data: Array, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``np_diagonal``: zeros with ``dy`` on the diagonals."""
    return _with_diagonal(dy, data.shape, out, offset, axis1, axis2)


@kernel(out="apart")
def np_trace(data: Array, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None) -> Array:
    """Return the sum of the diagonal ``offset`` of the matrices in two axes."""
    diagonals = np.diagonal(data, offset, axis1, axis2)
    total = diagonals.sum(-1, dtype=accumulator(data.dtype), out=out_buffer(out))
    return np.asarray(total, data.dtype)


@kernel(out="apart")
def trace_backward(
    dy: Array, data: Array, *, offset: int, axis1: int, axis2: int, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``np_trace``: zeros with ``dy`` repeated along each diagonal."""
    return _with_diagonal(dy[..., None], data.shape, out, offset, axis1, axis2)
