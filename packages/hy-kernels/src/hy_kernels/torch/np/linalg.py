"""Linear algebra; 16-bit floats go through float32."""
# ruff: noqa: N803  # MXNet names matrices A and B

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any

import torch

from hy_kernels.torch._dtypes import refuse_complex
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import floating
from hy_kernels.torch._tensor import Places, Tensor, stored
from hy_kernels.torch.decomposition import det, slogdet

__all__ = [
    "np_cholesky",
    "np_det",
    "np_eig",
    "np_eigh",
    "np_eigvals",
    "np_eigvalsh",
    "np_pinv",
    "np_pinv_scalar_rcond",
    "np_slogdet",
    "np_solve",
    "np_svd",
    "np_tensorinv",
    "np_tensorsolve",
    "solve_backward",
    "tensorinv_backward",
    "tensorsolve_backward",
]


def _of_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, in float64 for integers and booleans."""

    @wraps(function)
    def converted(A: Tensor, **kwargs: Any) -> Any:
        if A.is_floating_point():
            return function(A, **kwargs)
        refuse_complex(A.dtype)
        return function(A.to(torch.float64), **kwargs)

    return converted


def _signs(columns: Tensor) -> Tensor:
    """-1 for columns whose largest element is negative, else 1; ``[..., 1, K]``."""
    if not columns.numel():
        return columns.new_ones((*columns.shape[:-2], 1, columns.shape[-1]))
    largest = columns.gather(-2, columns.abs().argmax(-2, keepdim=True))
    return torch.where(largest < 0, -1, 1).to(columns.dtype)


@kernel()
@floating
def np_cholesky(A: Tensor) -> Tensor:
    """Cholesky factor."""
    y: Tensor = torch.linalg.cholesky(A)
    return y


@kernel()
def np_det(A: Tensor) -> Tensor:
    """Determinant; without axes for a single matrix."""
    y: Tensor = det(A)
    return y.reshape(A.shape[:-2])


@kernel()
def np_slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """Sign and logarithm of the determinant; without axes for a single matrix."""
    sign, log = slogdet(A)
    return sign.reshape(A.shape[:-2]), log.reshape(A.shape[:-2])


@kernel()
@floating
def np_svd(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values and vectors."""
    u, s, v = torch.linalg.svd(A, full_matrices=False)
    signs = _signs(v.mT)
    return u * signs, s, v * signs.mT


@kernel()
@_of_integers
@floating
def np_eigh(A: Tensor, *, UPLO: str) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors."""
    w, v = torch.linalg.eigh(A, "L" if UPLO == "L" else "U")
    return w, v * _signs(v)


@kernel()
@_of_integers
@floating
def np_eigvalsh(A: Tensor, *, UPLO: str) -> Tensor:
    """Eigenvalues."""
    y: Tensor = torch.linalg.eigvalsh(A, "L" if UPLO == "L" else "U")
    return y


def _real(values: Tensor) -> Tensor:
    if bool(values.imag.any()):
        raise ValueError("an eigenvalue is not real")
    return values.real.contiguous()


@kernel()
@_of_integers
@floating
def np_eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of any square matrix."""
    w, v = torch.linalg.eig(A)
    vectors = _real(v)
    return _real(w), vectors * _signs(vectors)


@kernel()
@_of_integers
@floating
def np_eigvals(A: Tensor) -> Tensor:
    """Eigenvalues of any square matrix."""
    if not bool(torch.isfinite(A).all()):  # for which LAPACK ends the process
        raise ValueError("A has infs or NaNs")
    return _real(torch.linalg.eigvals(A))


@kernel()
@floating
def np_solve(A: Tensor, B: Tensor) -> Tensor:
    """Solution of linear equations."""
    y: Tensor = torch.linalg.solve(A, B[:, None])[:, 0] if B.ndim == 1 else torch.linalg.solve(A, B)
    return y


@kernel(out="apart")
@floating
def solve_backward(dB: Tensor, x: Tensor, A: Tensor, *, out: Places = None) -> Tensor:
    """``-dB · xᵀ``."""
    product = torch.outer(dB, x) if x.ndim == 1 else torch.matmul(dB, x.mT)
    return stored(product.neg_(), out)


@kernel()
@floating
def np_pinv(A: Tensor, rcond: Tensor, *, hermitian: bool) -> Tensor:
    """Pseudo-inverse."""
    y: Tensor = torch.linalg.pinv(A, rtol=rcond, hermitian=hermitian)
    return y


@kernel()
@floating
def np_pinv_scalar_rcond(A: Tensor, *, rcond: float, hermitian: bool) -> Tensor:
    """Pseudo-inverse."""
    y: Tensor = torch.linalg.pinv(A, rtol=rcond, hermitian=hermitian)
    return y


@kernel()
@floating
def np_tensorinv(a: Tensor, *, ind: int) -> Tensor:
    """Inverse for ``tensordot``."""
    y: Tensor = torch.linalg.tensorinv(a, ind)
    return y


@kernel(out="apart")
@floating
def tensorinv_backward(dy: Tensor, y: Tensor, a: Tensor, *, ind: int, out: Places = None) -> Tensor:
    """``-yᵀ · dy · yᵀ``."""
    rows = prod(a.shape[:ind])
    inverse = y.reshape(-1, rows).T
    da = torch.matmul(inverse @ dy.reshape(-1, rows), inverse).neg_()
    return stored(da.reshape(a.shape), out)


def _matrix(a: Tensor, b: Tensor, axes: tuple[int, ...] | None) -> Tensor:
    """``a`` as the matrix of equations."""
    last = [i % a.ndim for i in axes or ()]
    order = [i for i in range(a.ndim) if i not in last] + last
    return a.permute(order).reshape(b.numel(), -1)


@kernel()
@floating
def np_tensorsolve(a: Tensor, b: Tensor, *, a_axes: tuple[int, ...] | None) -> Tensor:
    """Solution of tensor equations."""
    y: Tensor = torch.linalg.tensorsolve(a, b, a_axes or None)
    return y


@kernel()
@floating
def tensorsolve_backward(
    dy: Tensor, a: Tensor, b: Tensor, *, a_axes: tuple[int, ...] | None
) -> Tensor:
    """Gradient to ``b``."""
    y: Tensor = torch.linalg.solve(_matrix(a, b, a_axes).T, dy.reshape(-1, 1))
    return y.reshape(b.shape)
