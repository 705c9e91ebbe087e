"""Triangular solves, and extraction of triangles of matrices."""
# ruff: noqa: N803  # MXNet names matrices A, B and C

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from math import isqrt, prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, out_buffer, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._blas import single_thread


def floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``function`` to reject other than floating arrays and compute 16-bit ones in float32.

    BLAS is limited to one thread for matrices that are too small for LAPACK to gain from more.
    """

    @wraps(function)
    def checked(*args: Array, **kwargs: Any) -> Any:
        dtype = args[0].dtype
        if dtype.kind not in "fV":
            raise TypeError(f"{dtype.name} is not floating")
        compute_dtype = accumulator(dtype)
        is_small = prod(args[0].shape[-2:]) < COSTS.threads.decomposition
        with single_thread if is_small else nullcontext():
            if compute_dtype == dtype:
                return function(*args, **kwargs)
            result = function(*(x.astype(compute_dtype) for x in args), **kwargs)
        if isinstance(result, tuple):
            return tuple(y.astype(dtype) for y in result)
        return result.astype(dtype)

    return checked


def _transposed(matrix: Array, transpose: bool) -> Array:
    return matrix.swapaxes(-1, -2) if transpose else matrix


@kernel(out="apart")
def triangle(A: Array, *, lower: bool, out: OutBuffers = None) -> Array:
    """Return the lower or upper triangle of matrices, including the diagonal; zeros elsewhere."""
    rows, columns = A.shape[-2:]
    is_inside = np.greater_equal if lower else np.less_equal
    y = zeroed(out, A.shape, A.dtype)
    np.copyto(y, A, where=is_inside.outer(np.arange(rows), np.arange(columns)))
    return y


@kernel(out="apart")
@floating
def trsm(
    A: Array,
    B: Array,
    *,
    transpose: bool,
    rightside: bool,
    lower: bool,
    alpha: float,
    out: OutBuffers = None,
) -> Array:
    """Return ``alpha · A⁻¹ · B``, or ``alpha · B · A⁻¹`` if ``rightside``, for a triangular A.

    ``transpose`` replaces A by its transpose.
    """
    factor = triangle(A, lower=lower)
    if transpose != rightside:
        factor = factor.swapaxes(-1, -2)
        lower = not lower
    x = solve_triangular(factor, _transposed(B, rightside), lower)
    y = copied(_transposed(x, rightside), out)
    if alpha != 1.0:
        y *= alpha
    return y


def solve_triangular(a: Array, b: Array, lower: bool) -> Array:
    """Return ``a⁻¹ · b`` for a triangular ``a``, lower or upper."""
    # NumPy has no triangular solve. LU leaves an upper triangle unchanged, so that only back
    # substitution remains; a lower triangle with both axes reversed is upper.
    if lower:
        return np.linalg.solve(a[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :]
    return np.linalg.solve(a, b)


def _triangle_indices(side: int, offset: int, lower: bool) -> tuple[Array, Array]:
    """Return the row and column indices of a triangle of ``side``, row by row.

    ``side`` is the number of elements on the diagonal ``offset``, where the triangle begins.
    """
    along, across = np.nonzero(np.tri(side, dtype=np.bool_))
    if offset > 0 or (offset == 0 and not lower):
        return across, along + offset
    return along - offset, across


@kernel(out="apart")
def extract_triangle(A: Array, *, offset: int, lower: bool, out: OutBuffers = None) -> Array:
    """Return the triangle of each matrix from the diagonal ``offset`` on, as a vector."""
    rows, columns = _triangle_indices(A.shape[-1] - abs(offset), offset, lower)
    flat = A.reshape(*A.shape[:-2], A.shape[-1] ** 2)
    return np.take(flat, rows * A.shape[-1] + columns, -1, out_buffer(out), "clip")


@kernel(out="apart")
def make_triangle(A: Array, *, offset: int, lower: bool, out: OutBuffers = None) -> Array:
    """Return matrices with a triangle filled from vectors ``A``: inverse of the extraction."""
    side = (isqrt(8 * A.shape[-1] + 1) - 1) // 2
    size = side + abs(offset)
    y = zeroed(out, (*A.shape[:-1], size, size), A.dtype)
    rows, columns = _triangle_indices(side, offset, lower)
    y[..., rows, columns] = A
    return y
