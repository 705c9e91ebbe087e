"""Axes in another order, elements moved along axes, diagonals."""

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

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


def _copy(view: Array) -> Array:
    return np.array(view, order="C")


def np_transpose(a: Array, *, axes: Axes | None) -> Array:
    """Axes in another order."""
    return _copy(a.transpose(axes or None))


def np_moveaxis(a: Array, *, source: Axes, destination: Axes) -> Array:
    """Some axes at other places."""
    return _copy(np.moveaxis(a, source, destination))


def np_roll(data: Array, *, shift: Axes | None, axis: Axes | None) -> Array:
    """Around the end."""
    if shift is None:
        raise ValueError("shift is missing")
    if axis is None:
        return np.roll(data, sum(shift))
    return np.roll(data, shift, axis)


def np_rot90(data: Array, *, k: int, axes: Axes | None) -> Array:
    """Turned by right angles."""
    return _copy(np.rot90(data, k, (0, 1) if axes is None else (axes[0], axes[1])))


def np_flip(data: Array, *, axis: Axes | None) -> Array:
    """From last to first."""
    return _copy(np.flip(data, axis))


def np_tril(data: Array, *, k: int) -> Array:
    """On and below a diagonal."""
    return np.tril(data, k)


def tril_backward(dy: Array, data: Array, *, k: int) -> Array:
    """On and below a diagonal; the sum of rows that were equal."""
    inside = np.tril(dy, k)
    return np.asarray(inside.sum(axis=0), dy.dtype) if data.ndim == 1 else inside


def np_diag(data: Array, *, k: int) -> Array:
    """A diagonal, or the matrix of one."""
    return _copy(np.diag(data, k))


def np_diag_backward(dy: Array, data: Array, *, k: int) -> Array:
    """A diagonal in the shape of a matrix, or the diagonal of a matrix."""
    if data.ndim == 1:
        return _copy(np.diag(dy, k))
    return diagonal_backward(dy, data, offset=k, axis1=0, axis2=1)


def np_diagflat(data: Array, *, k: int) -> Array:
    """The matrix with all elements on a diagonal."""
    return np.diagflat(data, k)


def np_diagonal(data: Array, *, offset: int, axis1: int, axis2: int) -> Array:
    """Diagonals."""
    return _copy(np.diagonal(data, offset, axis1, axis2))


def diagonal_backward(dy: Array, data: Array, *, offset: int, axis1: int, axis2: int) -> Array:
    """Diagonals in the shape of ``data``."""
    dx = np.zeros(data.shape, dy.dtype)
    view = np.diagonal(dx, offset, axis1, axis2)
    view.flags.writeable = True
    view[...] = dy
    return dx


def np_trace(data: Array, *, offset: int, axis1: int, axis2: int) -> Array:
    """Sums of diagonals."""
    diagonals = np.diagonal(data, offset, axis1, axis2)
    return np.asarray(diagonals.sum(-1, dtype=accumulator(data.dtype)), data.dtype)


def trace_backward(dy: Array, data: Array, *, offset: int, axis1: int, axis2: int) -> Array:
    """One number all along each diagonal."""
    return diagonal_backward(dy[..., None], data, offset=offset, axis1=axis1, axis2=axis2)
