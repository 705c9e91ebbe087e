"""Matrix products whose rounding does not depend on who else computes.

How OpenBLAS cuts a product among its threads may change the last digit of a sum, and these threads
stall where another process has a core. So large products are cut here, always in the same way, and
OpenBLAS has one thread.
"""

from functools import partial

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._pool import num_chunks, split, together

__all__ = ["is_whole", "matmul", "product", "times_vector"]

_CUT = 1 << 18  # multiplications of matrices above which OpenBLAS uses threads,
_CUT_VECTOR = 9216  # and those of a matrix with a vector
_LARGE = 1 << 25  # multiplications that are worth a thread: some 0.5 ms


def product(a: Array, b: Array, bias: Array | None = None, out: Array | None = None) -> Array:
    """``a [R, S] · b [S, T]``, plus ``bias [T]``, written to ``out`` if it is given."""
    (rows, inner), columns = a.shape, b.shape[1]
    work = rows * inner * columns
    if is_whole(rows, inner, columns):
        return _with(bias, np.asarray(np.dot(a, b, out)))
    result = np.empty((rows, columns), a.dtype) if out is None else out
    count = num_chunks(work, _LARGE)

    def some(own: slice) -> None:
        if rows >= columns:
            _with(bias, np.matmul(a[own], b, out=result[own]))
        else:
            part = np.matmul(a, b[:, own], out=result[:, own])
            _with(None if bias is None else bias[own], part)

    together([partial(some, own) for own in split(max(rows, columns), count)])
    return result


def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """``a [*B, R, S] · b [*B, S, T]`` as ``numpy.matmul``, large stacks in chunks of matrices."""
    if a.ndim < 2 or b.ndim < 2 or is_whole(a.shape[-2], a.shape[-1], b.shape[-1]):
        return np.asarray(np.matmul(a, b, out=out))
    if a.ndim == b.ndim == 2:
        return product(a, b, out=out)
    if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2]:
        return np.asarray(together([partial(np.matmul, a, b, out=out)])[0])
    result = np.empty((*a.shape[:-1], b.shape[-1]), np.result_type(a, b)) if out is None else out

    def some(own: slice) -> None:
        np.matmul(a[own], b[own], out=result[own])

    count = num_chunks(result.size * a.shape[-1], _LARGE)
    together([partial(some, own) for own in split(len(result), count)])
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
