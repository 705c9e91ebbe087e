"""Norms of vectors and of matrices."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.linalg.matrices import floating

_FLAT, _FROBENIUS, _NUCLEAR = -2, 1, 2


@kernel()
@quiet
@floating
def np_norm(
    data: Array, *, ord: float, axis: tuple[int, ...] | None, flag: int, keepdims: bool
) -> Array:
    """Return the norm of vectors or matrices over ``axis``; ``flag`` and ``ord`` select it."""
    if flag in (_FLAT, _FROBENIUS):
        return np.asarray(np.sqrt(np.sum(np.square(data), axis=axis, keepdims=keepdims)))
    kind: Any = "nuc" if flag == _NUCLEAR else ord
    along = axis if axis is None or len(axis) > 1 else axis[0]
    return np.asarray(np.linalg.norm(data, kind, along, keepdims), data.dtype)
