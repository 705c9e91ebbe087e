"""Products of matrices by BLAS's rules, and parts of matrices."""
# ruff: noqa: N803  # MXNet names matrices A, B and C

from math import isqrt

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import floating
from hy_kernels.torch._tensor import Places, Tensor, copied, place, stored, target

__all__ = [
    "extract_triangle",
    "make_triangle",
    "triangle",
    "trsm",
]


def _transposed(matrix: Tensor, turn: bool) -> Tensor:
    return matrix.mT if turn else matrix


def _scaled(y: Tensor, factor: float) -> Tensor:
    return y if factor == 1.0 else y.mul_(factor)


def _part(A: Tensor, lower: bool, offset: int = 0, out: Places = None) -> Tensor:
    """One triangle; ``offset`` diagonals of it are left out."""
    if lower:
        return torch.tril(A, -offset, out=place(out))
    return torch.triu(A, offset, out=place(out))


@kernel(out="apart")
def triangle(A: Tensor, *, lower: bool, out: Places = None) -> Tensor:
    """One triangle."""
    return stored(_part(A, lower).contiguous(), out)


def _check_fit(a: Tensor, b: Tensor, rightside: bool) -> None:
    if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.dtype != b.dtype:
        raise ValueError("operands differ")
    if not a.shape[-2] == a.shape[-1] == b.shape[-1 if rightside else -2]:
        raise ValueError("sizes differ")


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
    out: Places = None,
) -> Tensor:
    """``alpha · A⁻¹ · B``, or ``alpha · B · A⁻¹``."""
    _check_fit(A, B, rightside)
    factor, upper = _transposed(A, transpose), lower == transpose
    x = torch.linalg.solve_triangular(factor, B, upper=upper, left=not rightside)
    return _scaled(copied(x, out), alpha)


def _positions(side: int, offset: int, lower: bool, device: torch.device) -> tuple[Tensor, Tensor]:
    """Rows and columns of a triangle's elements."""
    along, across = torch.tril_indices(side, side, device=device).unbind()
    if offset > 0 or (offset == 0 and not lower):
        return across, along + offset
    return along - offset, across


@kernel(out="apart")
def extract_triangle(A: Tensor, *, offset: int, lower: bool, out: Places = None) -> Tensor:
    """A triangle as a vector."""
    if A.shape[-1] != A.shape[-2] or A.shape[-1] <= abs(offset):
        raise ValueError("no such triangle")
    rows, columns = _positions(A.shape[-1] - abs(offset), offset, lower, A.device)
    flat = A.reshape(*A.shape[:-2], A.shape[-1] ** 2)
    return torch.index_select(flat, -1, rows * A.shape[-1] + columns, out=place(out))


@kernel(out="apart")
def make_triangle(A: Tensor, *, offset: int, lower: bool, out: Places = None) -> Tensor:
    """Matrices with one triangle."""
    side = (isqrt(8 * A.shape[-1] + 1) - 1) // 2
    size = side + abs(offset)
    y = target(out, (*A.shape[:-1], size, size), A.dtype, A.device).zero_()
    rows, columns = _positions(side, offset, lower, A.device)
    y[..., rows, columns] = A
    return y
