"""Products of matrices by BLAS's rules, and parts of matrices."""
# ruff: noqa: N803  # MXNet names matrices A, B and C

from collections.abc import Callable
from functools import wraps
from math import isqrt
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Places, accumulator, copied, place, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.runtime._product import matmul

__all__ = [
    "extract_diagonal",
    "extract_triangle",
    "gemm",
    "gemm2",
    "make_diagonal",
    "make_triangle",
    "symmetric_gradient",
    "symmetric_of",
    "syrk",
    "triangle",
    "trmm",
    "trsm",
]


def floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` for floating arrays alone; 16-bit ones go through float32."""

    @wraps(function)
    def checked(*args: Array, **kwargs: Any) -> Any:
        dtype = args[0].dtype
        if dtype.kind not in "fV":
            raise TypeError(f"{dtype.name} is not floating")
        wide = accumulator(dtype)
        if wide == dtype:
            return function(*args, **kwargs)
        result = function(*(x.astype(wide) for x in args), **kwargs)
        if isinstance(result, tuple):
            return tuple(y.astype(dtype) for y in result)
        return result.astype(dtype)

    return checked


def _transposed(matrix: Array, turn: bool) -> Array:
    return matrix.swapaxes(-1, -2) if turn else matrix


def _scaled(y: Array, factor: float) -> Array:
    if factor != 1.0:
        y *= factor
    return y


@kernel(out="apart")
@floating
def gemm2(
    A: Array,
    B: Array,
    *,
    transpose_a: bool,
    transpose_b: bool,
    alpha: float,
    axis: int,
    out: Places = None,
) -> Array:
    """``alpha · A · B``."""
    if A.ndim < 2 or A.ndim != B.ndim:
        raise ValueError("ranks differ")
    left, right = np.moveaxis(A, axis, -2), np.moveaxis(B, axis, -2)
    if left.shape[:-2] != right.shape[:-2]:
        raise ValueError("numbers of matrices differ")
    moved = axis % A.ndim != A.ndim - 2
    memory = None if moved else place(out)
    y = matmul(_transposed(left, transpose_a), _transposed(right, transpose_b), out=memory)
    y = _scaled(y, alpha)
    return copied(np.moveaxis(y, -2, axis), out) if moved else y


@kernel(out="apart")
@floating
def gemm(
    A: Array,
    B: Array,
    C: Array,
    *,
    transpose_a: bool,
    transpose_b: bool,
    alpha: float,
    beta: float,
    axis: int,
    out: Places = None,
) -> Array:
    """``alpha · A · B + beta · C``."""
    turn = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    y: Array = gemm2(A, B, **turn, alpha=alpha, axis=axis, out=out)
    if y.shape != C.shape or y.dtype != C.dtype:
        raise ValueError("C does not fit")
    y += C if beta == 1.0 else C * np.asarray(beta, C.dtype)
    return y


@kernel(out="apart")
@floating
def syrk(A: Array, *, transpose: bool, alpha: float, out: Places = None) -> Array:
    """``alpha · A · Aᵀ``."""
    transposed = A.swapaxes(-1, -2)
    left, right = (transposed, A) if transpose else (A, transposed)
    return _scaled(matmul(left, right, out=place(out)), alpha)


@kernel(out="apart")
def triangle(A: Array, *, lower: bool, out: Places = None) -> Array:
    """One triangle."""
    rows, columns = A.shape[-2:]
    is_inside = np.greater_equal if lower else np.less_equal
    y = zeroed(out, A.shape, A.dtype)
    np.copyto(y, A, where=is_inside.outer(np.arange(rows), np.arange(columns)))
    return y


@kernel(out="apart")
def symmetric_of(A: Array, *, lower: bool, out: Places = None) -> Array:
    """One triangle, and its mirror image."""
    inside = triangle(A, lower=lower, out=out)
    strict = np.tril(A, -1) if lower else np.triu(A, 1)
    inside += strict.swapaxes(-1, -2)
    return inside


@kernel(out="apart")
def symmetric_gradient(A: Array, *, lower: bool, out: Places = None) -> Array:
    """The sum of both triangles in the place of one."""
    whole = triangle(A, lower=lower, out=out)
    mirror = A.swapaxes(-1, -2)
    whole += np.tril(mirror, -1) if lower else np.triu(mirror, 1)
    return whole


def _check_fit(a: Array, b: Array, rightside: bool) -> None:
    if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.dtype != b.dtype:
        raise ValueError("operands differ")
    if not a.shape[-2] == a.shape[-1] == b.shape[-1 if rightside else -2]:
        raise ValueError("sizes differ")


@kernel(out="apart")
@floating
def trmm(
    A: Array,
    B: Array,
    *,
    transpose: bool,
    rightside: bool,
    lower: bool,
    alpha: float,
    out: Places = None,
) -> Array:
    """``alpha · A · B``, or ``alpha · B · A``."""
    _check_fit(A, B, rightside)
    factor = _transposed(triangle(A, lower=lower), transpose)
    left, right = (B, factor) if rightside else (factor, B)
    return _scaled(matmul(left, right, out=place(out)), alpha)


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
    out: Places = None,
) -> Array:
    """``alpha · A⁻¹ · B``, or ``alpha · B · A⁻¹``."""
    _check_fit(A, B, rightside)
    factor = triangle(A, lower=lower)
    if transpose != rightside:
        factor = factor.swapaxes(-1, -2)
        lower = not lower
    x = solve_triangular(factor, _transposed(B, rightside), lower)
    return _scaled(copied(_transposed(x, rightside), out), alpha)


def solve_triangular(a: Array, b: Array, lower: bool) -> Array:
    """``a⁻¹ · b``.

    The elimination in ``numpy.linalg.solve`` leaves an upper triangle as it is, so only the back
    substitution remains; a lower triangle is an upper one seen from the other end.
    """
    if lower:
        return np.linalg.solve(a[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :]
    return np.linalg.solve(a, b)


def _diagonal(matrix: Array, offset: int) -> Array:
    """A view of a diagonal; writeable."""
    start = matrix[..., offset:] if offset >= 0 else matrix[..., -offset:, :]
    size = min(start.shape[-2:])
    view: Array = np.einsum("...ii->...i", start[..., :size, :size])
    return view


@kernel(out="apart")
def extract_diagonal(A: Array, *, offset: int, out: Places = None) -> Array:
    """A diagonal of each matrix."""
    if A.shape[-1] != A.shape[-2] or A.shape[-1] <= abs(offset):
        raise ValueError("no such diagonal")
    return copied(_diagonal(A, offset), out)


@kernel(out="apart")
def make_diagonal(A: Array, *, offset: int, out: Places = None) -> Array:
    """Matrices with one diagonal."""
    size = A.shape[-1] + abs(offset)
    y = zeroed(out, (*A.shape[:-1], size, size), A.dtype)
    _diagonal(y, offset)[...] = A
    return y


def _positions(side: int, offset: int, lower: bool) -> tuple[Array, Array]:
    """Rows and columns of a triangle's elements."""
    along, across = np.nonzero(np.tri(side, dtype=np.bool_))
    if offset > 0 or (offset == 0 and not lower):
        return across, along + offset
    return along - offset, across


@kernel(out="apart")
def extract_triangle(A: Array, *, offset: int, lower: bool, out: Places = None) -> Array:
    """A triangle as a vector."""
    if A.shape[-1] != A.shape[-2] or A.shape[-1] <= abs(offset):
        raise ValueError("no such triangle")
    rows, columns = _positions(A.shape[-1] - abs(offset), offset, lower)
    flat = A.reshape(*A.shape[:-2], A.shape[-1] ** 2)
    return np.take(flat, rows * A.shape[-1] + columns, -1, place(out), "clip")


@kernel(out="apart")
def make_triangle(A: Array, *, offset: int, lower: bool, out: Places = None) -> Array:
    """Matrices with one triangle."""
    side = (isqrt(8 * A.shape[-1] + 1) - 1) // 2
    size = side + abs(offset)
    y = zeroed(out, (*A.shape[:-1], size, size), A.dtype)
    rows, columns = _positions(side, offset, lower)
    y[..., rows, columns] = A
    return y
