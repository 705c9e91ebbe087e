"""Axes in another order, elements moved along axes, diagonals."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from hy_kernels.numpy._array import Array, Places, accumulator, copied, place, target, zeroed
from hy_kernels.numpy._kernels import kernel

__all__ = [
    "diagonal_backward",
    "np_diag",
    "np_diag_backward",
    "np_diagflat",
    "np_diagonal",
    "np_flip",
    "np_moveaxis",
    "np_roll",
    "np_rot90",
    "np_trace",
    "np_transpose",
    "np_tril",
    "trace_backward",
    "tril_backward",
]

Axes = tuple[int, ...]


@kernel(out="apart")
def np_transpose(a: Array, *, axes: Axes | None, out: Places = None) -> Array:
    """Axes in another order."""
    return copied(a.transpose(axes or None), out)


@kernel(out="apart")
def np_moveaxis(a: Array, *, source: Axes, destination: Axes, out: Places = None) -> Array:
    """Some axes at other places."""
    return copied(np.moveaxis(a, source, destination), out)


@kernel(out="apart")
def np_roll(data: Array, *, shift: Axes | None, axis: Axes | None, out: Places = None) -> Array:
    """Around the end."""
    if shift is None:
        raise ValueError("shift is missing")
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
    """Write ``data`` to ``y``, each axis moved around its end."""
    for halves in product(*map(_halves, data.shape, shifts)):
        y[tuple([goal for _, goal in halves])] = data[tuple([source for source, _ in halves])]


def _halves(size: int, shift: int) -> list[tuple[slice, slice]]:
    """Return the sources and targets of the two parts of an axis."""
    ahead = shift % size if size else 0
    if not ahead:
        return [(slice(None), slice(None))]
    return [(slice(-ahead), slice(ahead, None)), (slice(-ahead, None), slice(ahead))]


@kernel(out="apart")
def np_rot90(data: Array, *, k: int, axes: Axes | None, out: Places = None) -> Array:
    """Turned by right angles."""
    return copied(np.rot90(data, k, (0, 1) if axes is None else (axes[0], axes[1])), out)


@kernel(out="apart")
def np_flip(data: Array, *, axis: Axes | None, out: Places = None) -> Array:
    """From last to first."""
    return copied(np.flip(data, axis), out)


@kernel(out="apart")
def np_tril(data: Array, *, k: int, out: Places = None) -> Array:
    """On and below a diagonal."""
    rows, columns = (data.shape * 2)[-2:]
    inside = np.tri(rows, columns, k, np.bool_)
    y = zeroed(out, data.shape if data.ndim > 1 else inside.shape, data.dtype)
    np.copyto(y, data, where=inside)
    return y


@kernel(out="apart")
def tril_backward(dy: Array, data: Array, *, k: int, out: Places = None) -> Array:
    """On and below a diagonal; the sum of rows that were equal."""
    if data.ndim > 1:
        return np_tril(dy, k=k, out=out)
    return np.asarray(np_tril(dy, k=k).sum(axis=0, out=place(out)), dy.dtype)


def _with_diagonal(
    values: Array, shape: tuple[int, ...], out: Places, offset: int, axis1: int = 0, axis2: int = 1
) -> Array:
    """Zeros with ``values`` on diagonals."""
    y = zeroed(out, shape, values.dtype)
    view = np.diagonal(y, offset, axis1, axis2)
    view.flags.writeable = True
    view[...] = values
    return y


@kernel(out="apart")
def np_diag(data: Array, *, k: int, out: Places = None) -> Array:
    """A diagonal, or the matrix of one."""
    return np_diagflat(data, k=k, out=out) if data.ndim == 1 else copied(np.diag(data, k), out)


@kernel(out="apart")
def np_diag_backward(dy: Array, data: Array, *, k: int, out: Places = None) -> Array:
    """A diagonal in the shape of a matrix, or the diagonal of a matrix."""
    if data.ndim == 1:
        return copied(np.diag(dy, k), out)
    return _with_diagonal(dy, data.shape, out, k)


@kernel(out="apart")
def np_diagflat(data: Array, *, k: int, out: Places = None) -> Array:
    """The matrix with all elements on a diagonal."""
    size = data.size + abs(k)
    return _with_diagonal(data.reshape(-1), (size, size), out, k)


@kernel(out="apart")
def np_diagonal(data: Array, *, offset: int, axis1: int, axis2: int, out: Places = None) -> Array:
    """Diagonals."""
    return copied(np.diagonal(data, offset, axis1, axis2), out)


@kernel(out="apart")
def diagonal_backward(
    dy: Array, data: Array, *, offset: int, axis1: int, axis2: int, out: Places = None
) -> Array:
    """Diagonals in the shape of ``data``."""
    return _with_diagonal(dy, data.shape, out, offset, axis1, axis2)


@kernel(out="apart")
def np_trace(data: Array, *, offset: int, axis1: int, axis2: int, out: Places = None) -> Array:
    """Sums of diagonals."""
    diagonals = np.diagonal(data, offset, axis1, axis2)
    total = diagonals.sum(-1, dtype=accumulator(data.dtype), out=place(out))
    return np.asarray(total, data.dtype)


@kernel(out="apart")
def trace_backward(
    dy: Array, data: Array, *, offset: int, axis1: int, axis2: int, out: Places = None
) -> Array:
    """One number all along each diagonal."""
    return _with_diagonal(dy[..., None], data.shape, out, offset, axis1, axis2)
