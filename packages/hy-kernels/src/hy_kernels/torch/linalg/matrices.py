"""Matrix products by BLAS's rules, triangles and diagonals."""
# ruff: noqa: N803  # MXNet names matrices A, B and C

from collections.abc import Mapping
from math import isqrt
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import floating
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, copied, out_buffer, stored, target


def _transposed(matrix: Tensor, transpose: bool) -> Tensor:
    return matrix.mT if transpose else matrix


def _scaled(y: Tensor, factor: float) -> Tensor:
    return y if factor == 1.0 else y.mul_(factor)


def _fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of ``gemm2`` for float32 and float64 matrices, not transposed; or None."""
    if params["transpose_a"] or params["transpose_b"]:
        return None
    if params["axis"] != -2 or params["alpha"] != 1:
        return None

    # mm for matrices: matmul looks at ranks, strides and broadcasting first.
    def multiplied(A: Tensor, B: Tensor) -> Tensor:
        if A.ndim == B.ndim == 2 and A.dtype in PLAIN:
            return torch.mm(A, B)
        return general(A, B)

    return multiplied


@kernel(out="apart", specialize=by_params(_fast_path))
@floating
def gemm2(
    A: Tensor,
    B: Tensor,
    *,
    transpose_a: bool,
    transpose_b: bool,
    alpha: float,
    axis: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``alpha · A · B``."""
    if axis == -2 and alpha == 1 and A.ndim == 2:  # most calls, without a detour
        return torch.mm(
            _transposed(A, transpose_a), _transposed(B, transpose_b), out=out_buffer(out)
        )
    # The matrix axis is not the last but one: moved there, and back in the result.
    moved = axis % A.ndim != A.ndim - 2
    left, right = (A.movedim(axis, -2), B.movedim(axis, -2)) if moved else (A, B)
    memory = None if moved else out_buffer(out)
    y = torch.matmul(_transposed(left, transpose_a), _transposed(right, transpose_b), out=memory)
    y = _scaled(y, alpha)
    return copied(y.movedim(-2, axis), out) if moved else y


@kernel(out="apart")
@floating
def syrk(A: Tensor, *, transpose: bool, alpha: float, out: OutBuffers = None) -> Tensor:
    """Return ``alpha · A · Aᵀ``."""
    left, right = (A.mT, A) if transpose else (A, A.mT)
    return _scaled(torch.matmul(left, right, out=out_buffer(out)), alpha)


def _triangle(A: Tensor, lower: bool, offset: int = 0, out: OutBuffers = None) -> Tensor:
    """Return one triangle of each matrix without its first ``offset`` diagonals."""
    if lower:
        return torch.tril(A, -offset, out=out_buffer(out))
    return torch.triu(A, offset, out=out_buffer(out))


@kernel(out="apart")
def triangle(A: Tensor, *, lower: bool, out: OutBuffers = None) -> Tensor:
    """Return one triangle of each matrix, zeros in the other."""
    return stored(_triangle(A, lower).contiguous(), out)


@kernel(out="apart")
@floating
def trsm(
    A: Tensor,
    B: Tensor,
    *,
    transpose: bool,
    rightside: bool,
    lower: bool,
    alpha: float,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``alpha · A⁻¹ · B``, or ``alpha · B · A⁻¹``, where A is triangular."""
    factor, upper = _transposed(A, transpose), lower == transpose
    x = torch.linalg.solve_triangular(factor, B, upper=upper, left=not rightside)
    return _scaled(copied(x, out), alpha)


def _triangle_indices(
    side: int, offset: int, lower: bool, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Return the rows and columns of a triangle's elements, row by row."""
    along, across = torch.tril_indices(side, side, device=device).unbind()
    if offset > 0 or (offset == 0 and not lower):
        return across, along + offset
    return along - offset, across


@kernel(out="apart")
def extract_triangle(A: Tensor, *, offset: int, lower: bool, out: OutBuffers = None) -> Tensor:
    """Return a triangle as a vector."""
    rows, columns = _triangle_indices(A.shape[-1] - abs(offset), offset, lower, A.device)
    flat = A.reshape(*A.shape[:-2], A.shape[-1] ** 2)
    return torch.index_select(flat, -1, rows * A.shape[-1] + columns, out=out_buffer(out))


@kernel(out="apart")
def make_triangle(A: Tensor, *, offset: int, lower: bool, out: OutBuffers = None) -> Tensor:
    """Return matrices with a triangle filled from vectors, zeros elsewhere."""
    # n (n + 1) / 2 elements, solved for n in integers.
    side = (isqrt(8 * A.shape[-1] + 1) - 1) // 2
    size = side + abs(offset)
    y = target(out, (*A.shape[:-1], size, size), A.dtype, A.device).zero_()
    rows, columns = _triangle_indices(side, offset, lower, A.device)
    y[..., rows, columns] = A
    return y
