"""Linear algebra; 16-bit floats go through float32."""
# ruff: noqa: N803  # MXNet names matrices A and B

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from hy_kernels.torch._dtypes import refuse_complex
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import floating
from hy_kernels.torch._tensor import Tensor


def _of_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` with integers and booleans computed in float64."""

    @wraps(function)
    def converted(A: Tensor, **kwargs: Any) -> Any:
        if A.is_floating_point():
            return function(A, **kwargs)
        refuse_complex(A.dtype)
        return function(A.to(torch.float64), **kwargs)

    return converted


def _signs(columns: Tensor) -> Tensor:
    """Return ``[..., 1, K]``: the sign of each column's element of largest magnitude, never 0."""
    if not columns.numel():
        return columns.new_ones((*columns.shape[:-2], 1, columns.shape[-1]))
    # Signs of eigenvectors are arbitrary in LAPACK and cuSOLVER; the largest element is positive.
    largest = columns.gather(-2, columns.abs().argmax(-2, keepdim=True))
    return torch.where(largest < 0, -1, 1).to(columns.dtype)


@kernel()
@floating
def np_svd(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the reduced singular value decomposition: left vectors, values, right vectors."""
    u, s, v = torch.linalg.svd(A, full_matrices=False)
    signs = _signs(v.mT)
    return u * signs, s, v * signs.mT


@kernel()
@_of_integers
@floating
def np_eigh(A: Tensor, *, UPLO: str) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues and eigenvectors of symmetric matrices."""
    w, v = torch.linalg.eigh(A, "L" if UPLO == "L" else "U")
    return w, v * _signs(v)


def _to_real(values: Tensor) -> Tensor:
    # MXNet's eig has no complex results.
    if bool(values.imag.any()):
        raise ValueError("an eigenvalue is not real")
    return values.real.contiguous()


@kernel()
@_of_integers
@floating
def np_eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues and eigenvectors of square matrices, which must be real."""
    w, v = torch.linalg.eig(A)
    vectors = _to_real(v)
    return _to_real(w), vectors * _signs(vectors)


@kernel()
@floating
def np_solve(A: Tensor, B: Tensor) -> Tensor:
    """Return the solution of linear equations."""
    y: Tensor = torch.linalg.solve(A, B[:, None])[:, 0] if B.ndim == 1 else torch.linalg.solve(A, B)
    return y


@kernel()
@floating
def np_pinv(A: Tensor, rcond: Tensor, *, hermitian: bool) -> Tensor:
    """Return the pseudo-inverse of matrices."""
    y: Tensor = torch.linalg.pinv(A, rtol=rcond, hermitian=hermitian)
    return y
