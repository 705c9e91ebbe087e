"""Axes in another order, elements moved along axes, diagonals."""

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, zeroed
from hy_kernels.numpy._kernels import kernel

__all__ = [
    "diagonal_backward",
    "np_diagonal",
    "np_flip",
    "np_transpose",
]

Axes = tuple[int, ...]


@kernel(out="apart")
def np_transpose(a: Array, *, axes: Axes | None, out: Places = None) -> Array:
    """Axes in another order."""
    return copied(a.transpose(axes or None), out)


@kernel(out="apart")
def np_flip(data: Array, *, axis: Axes | None, out: Places = None) -> Array:
    """From last to first."""
    return copied(np.flip(data, axis), out)


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
def np_diagonal(data: Array, *, offset: int, axis1: int, axis2: int, out: Places = None) -> Array:
    """Diagonals."""
    return copied(np.diagonal(data, offset, axis1, axis2), out)


@kernel(out="apart")
def diagonal_backward(
    dy: Array, data: Array, *, offset: int, axis1: int, axis2: int, out: Places = None
) -> Array:
    """Diagonals in the shape of ``data``."""
    return _with_diagonal(dy, data.shape, out, offset, axis1, axis2)
