"""Matrix products whose rounding does not depend on who else computes.

How OpenBLAS cuts a product among its threads may change the last digit of a sum, and it has one
thread while parts of a program run. So what it would cut is computed by one of its threads
everywhere. Only large products are cut, here while parts run and by OpenBLAS else.
"""

from functools import partial

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._threads import is_leading, split, together, worth

__all__ = ["is_whole", "product", "times_vector"]

_CUT = 1 << 18  # multiplications of matrices above which OpenBLAS uses threads,
_CUT_VECTOR = 9216  # and those of a matrix with a vector
_LARGE = 1 << 21  # multiplications of a large product


def product(a: Array, b: Array, bias: Array | None = None, out: Array | None = None) -> Array:
    """``a [R, S] · b [S, T]``, plus ``bias [T]``, written to ``out`` if it is given."""
    (rows, inner), columns = a.shape, b.shape[1]
    work = rows * inner * columns
    if is_whole(rows, inner, columns) or (work >= _LARGE and not is_leading()):
        return _with(bias, np.asarray(np.dot(a, b, out)))
    result = np.empty((rows, columns), a.dtype) if out is None else out
    count = worth(work, _LARGE)

    def some(own: slice) -> None:
        if rows >= columns:
            _with(bias, np.matmul(a[own], b, out=result[own]))
        else:
            part = np.matmul(a, b[:, own], out=result[:, own])
            _with(None if bias is None else bias[own], part)

    together([partial(some, own) for own in split(max(rows, columns), count)])
    return result


def is_whole(rows: int, inner: int, columns: int) -> bool:
    """Whether a product of these sizes is never cut."""
    return rows == 1 or rows * inner * columns <= _CUT


def _with(bias: Array | None, result: Array) -> Array:
    if bias is not None:
        result += bias
    return result


def times_vector(matrix: Array, vector: Array) -> Array:
    """``matrix · vector``."""
    if matrix.size < _CUT_VECTOR:
        return np.asarray(np.matmul(matrix, vector))
    result: Array = together([partial(np.matmul, matrix, vector)])[0]
    return result
