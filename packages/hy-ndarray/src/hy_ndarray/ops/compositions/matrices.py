"""Compositions of triangles, diagonals and linear systems."""

from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    Axes,
    cast,
    constant,
    filled,
    reshape,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.compositions.layout import moved
from hy_ndarray.ops.compositions.places import lower_triangle, upper_triangle, where
from hy_ndarray.ops.compositions.products import matmul, swapped
from hy_ndarray.ops.elementwise import exponential
from hy_ndarray.ops.linalg import decomposition, matrices as linalg
from hy_ndarray.ops.np import axes as np_axes, linalg as np_linalg
from hy_ndarray.ops.np.scalar import np_not_equal_scalar
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.reduce import reductions


@composition(linalg.gemm2)
def _gemm2(
    A: Tracer,  # noqa: N803
    B: Tracer,  # noqa: N803
    *,
    transpose_a: bool,
    transpose_b: bool,
    alpha: float,
    axis: int,
) -> Any:
    left, right = (moved(x, axis, -2) for x in (A, B))
    y = matmul(swapped(left, transpose_a), swapped(right, transpose_b))
    return moved(y if alpha == 1.0 else y * alpha, -2, axis)


@composition(linalg.gemm)
def _gemm(
    A: Tracer,  # noqa: N803
    B: Tracer,  # noqa: N803
    C: Tracer,  # noqa: N803
    *,
    beta: float,
    **params: Any,
) -> Any:
    y, addend = _gemm2(wide(A), wide(B), **params), wide(C)
    return cast(y + (addend if beta == 1.0 else addend * beta), C.dtype)


@composition(linalg.syrk)
def _syrk(A: Tracer, *, transpose: bool, alpha: float) -> Any:  # noqa: N803
    y = matmul(swapped(A), A) if transpose else matmul(A, swapped(A))
    return y if alpha == 1.0 else y * alpha


@composition(linalg.triangle)
def _triangle(A: Tracer, *, lower: bool) -> Any:  # noqa: N803
    return lower_triangle(A, 0) if lower else upper_triangle(A, 0)


def _strict_triangle(x: Tracer, lower: bool) -> Any:
    """Return the lower or upper triangle of matrices without the diagonal."""
    return lower_triangle(x, -1) if lower else upper_triangle(x, 1)


@composition(linalg.symmetric_of)
def _symmetric_of(A: Tracer, *, lower: bool) -> Any:  # noqa: N803
    return _triangle(A, lower=lower) + swapped(_strict_triangle(A, lower))


@composition(linalg.symmetric_gradient)
def _symmetric_gradient(A: Tracer, *, lower: bool) -> Any:  # noqa: N803
    return _triangle(A, lower=lower) + _strict_triangle(swapped(A), lower)


@composition(linalg.trmm)
def _trmm(
    A: Tracer,  # noqa: N803
    B: Tracer,  # noqa: N803
    *,
    transpose: bool,
    rightside: bool,
    lower: bool,
    alpha: float,
) -> Any:
    factor = swapped(_triangle(A, lower=lower), transpose)
    y = matmul(B, factor) if rightside else matmul(factor, B)
    return y if alpha == 1.0 else y * alpha


@composition(linalg.extract_diagonal)
def _extract_diagonal(A: Tracer, *, offset: int) -> Any:  # noqa: N803
    return np_axes.np_diagonal(A, offset=offset, axis1=A.ndim - 2, axis2=A.ndim - 1)


@composition(linalg.make_diagonal)
def _make_diagonal(A: Tracer, *, offset: int) -> Any:  # noqa: N803
    side = A.shape[-1] + abs(offset)
    zeros = filled((*A.shape[:-1], side, side), 0.0, A.dtype)
    axes = {"axis1": A.ndim - 1, "axis2": A.ndim}
    return np_axes.diagonal_backward(A, zeros, offset=offset, **axes)


@composition(decomposition.sum_log_diagonal)
def _sum_log_diagonal(A: Tracer) -> Any:  # noqa: N803
    x = wide(np_axes.np_diagonal(A, offset=0, axis1=A.ndim - 2, axis2=A.ndim - 1))
    y = total(exponential.log(x), [-1])
    return cast(y if y.ndim else reshape(y, 1), A.dtype)


@composition(np_linalg.np_det)
def _np_det(A: Tracer) -> Any:  # noqa: N803
    return reshape(decomposition.det(A), *A.shape[:-2])


@composition(np_linalg.np_slogdet)
def _np_slogdet(A: Tracer) -> Any:  # noqa: N803
    return [reshape(x, *A.shape[:-2]) for x in decomposition.slogdet(A)]


@composition(np_linalg.solve_backward)
def _solve_backward(dB: Tracer, x: Tracer, A: Tracer) -> Any:  # noqa: N803
    if x.ndim == 1:
        return -matmul(reshape(dB, -1, 1), reshape(x, 1, -1))
    return -matmul(dB, swapped(x))


@composition(np_linalg.np_eigvalsh)
def _eigvalsh(A: Tracer, *, UPLO: str) -> Any:  # noqa: N803
    return np_linalg.np_eigh(A, UPLO=UPLO)[0]


@composition(np_linalg.np_eigvals)
def _eigvals(A: Tracer) -> Any:  # noqa: N803
    return np_linalg.np_eig(A)[0]


@composition(np_linalg.np_pinv_scalar_rcond)
def _pinv(A: Tracer, *, rcond: float, hermitian: bool) -> Any:  # noqa: N803
    return np_linalg.np_pinv(A, filled(A.shape[:-2], rcond, A.dtype), hermitian=hermitian)


@composition(np_linalg.tensorinv_backward)
def _tensorinv_backward(dy: Tracer, y: Tracer, a: Tracer, *, ind: int) -> Any:
    rows = prod(a.shape[:ind])
    inverse = swapped(reshape(wide(y), -1, rows))
    gradient = matmul(inverse, reshape(wide(dy), -1, rows))
    return cast(reshape(-matmul(gradient, inverse), *a.shape), a.dtype)


@composition(np_linalg.np_tensorinv)
def _tensorinv(a: Tracer, *, ind: int) -> Any:
    rows = prod(a.shape[:ind])
    inverse = decomposition.inverse(reshape(a, rows, rows))
    return reshape(inverse, *a.shape[ind:], *a.shape[:ind])


def _with_leading_axes(a: Tracer, b: Tracer, axes: Axes | None) -> Tracer:
    """Return the matrix of ``tensorsolve``, with the solution's axes as columns."""
    last = [*(axes or ())]
    order = [i for i in range(a.ndim) if i not in last] + last
    return reshape(transposed(a, *order), prod(b.shape), -1)


@composition(np_linalg.np_tensorsolve)
def _tensorsolve(a: Tracer, b: Tracer, *, a_axes: Axes | None) -> Any:
    last = [*(a_axes or ())]
    order = [i for i in range(a.ndim) if i not in last] + last
    shape = [a.shape[i] for i in order[b.ndim :]]
    return reshape(np_linalg.np_solve(_with_leading_axes(a, b, a_axes), reshape(b, -1)), *shape)


@composition(np_linalg.tensorsolve_backward)
def _tensorsolve_backward(dy: Tracer, a: Tracer, b: Tracer, *, a_axes: Axes | None) -> Any:
    matrix = swapped(_with_leading_axes(a, b, a_axes))
    return reshape(np_linalg.np_solve(matrix, reshape(dy, -1)), *b.shape)


@composition(np_linalg.np_cholesky)
def _cholesky(A: Tracer) -> Any:  # noqa: N803
    return decomposition.potrf(A)


@composition(decomposition.potri)
def _potri(A: Tracer, *, lower: bool) -> Any:  # noqa: N803
    factor = _triangle(A, lower=lower)
    inverse = decomposition.inverse(factor)
    return matmul(swapped(inverse), inverse) if lower else matmul(inverse, swapped(inverse))


@composition(decomposition.cofactor)
def _cofactor(A: Tracer) -> Any:  # noqa: N803
    # det(A) A⁻ᵀ = det(U) det(V) U diag(products of all other singular values) Vᵀ, without a
    # division, so it is finite for singular matrices, too.
    u, s, v = np_linalg.np_svd(wide(A))
    batch = A.shape[:-2]
    sign = decomposition.det(u) * decomposition.det(v)
    rest = reductions.others(s, axis=(-1,), exclude=False)
    y = matmul(u * reshape(rest, *batch, 1, A.shape[-1]), v) * reshape(sign, *batch, 1, 1)
    return cast(y, A.dtype)


@composition(decomposition.inverse_gaps)
def _inverse_gaps(values: Tracer) -> Any:
    x, shape = wide(values), values.shape
    gaps = reshape(x, *shape[:-1], 1, shape[-1]) - reshape(x, *shape, 1)
    is_apart = np_not_equal_scalar(gaps, scalar=0.0)
    return cast(where(is_apart, 1.0 / gaps, constant(gaps, 0.0)), values.dtype)


@composition(decomposition.syevd)
def _syevd(A: Tracer) -> Any:  # noqa: N803
    values, vectors = np_linalg.np_eigh(wide(A), UPLO="L")
    return [cast(swapped(vectors), A.dtype), cast(values, A.dtype)]
