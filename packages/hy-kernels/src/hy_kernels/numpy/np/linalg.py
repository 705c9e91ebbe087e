"""Linear algebra of mx.np; 16-bit floats are computed in float32."""
# ruff: noqa: N803  # MXNet names matrices A and B

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.linalg.matrices import floating


def _of_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``function`` to convert a matrix of integers or booleans to float64."""

    @wraps(function)
    def converted(A: Array, **kwargs: Any) -> Any:
        return function(A.astype(np.float64) if A.dtype.kind in "biu" else A, **kwargs)

    return converted


def _signs(columns: Array) -> Array:
    """Return ``[..., 1, K]``: -1 for columns whose element of largest magnitude is negative.

    1 for all others.
    """
    if not columns.size:
        return np.ones((*columns.shape[:-2], 1, columns.shape[-1]), columns.dtype)
    # The sign of singular vectors and eigenvectors is arbitrary and differs between LAPACKs: with
    # the largest element positive, all tables agree.
    largest = np.abs(columns).argmax(-2)[..., None, :]
    return np.where(np.take_along_axis(columns, largest, -2) < 0, -1, 1).astype(columns.dtype)


@kernel()
@floating
def np_svd(A: Array) -> tuple[Array, Array, Array]:
    """Return ``U``, ``s`` and ``Vᵀ`` of the reduced singular value decomposition."""
    u, s, v = np.linalg.svd(A, full_matrices=False)
    signs = _signs(v.swapaxes(-1, -2))
    return u * signs, s, v * signs.swapaxes(-1, -2)


@kernel()
@_of_integers
@floating
def np_eigh(A: Array, *, UPLO: str) -> tuple[Array, Array]:
    """Return the eigenvalues and eigenvectors of symmetric matrices."""
    w, v = np.linalg.eigh(A, "L" if UPLO == "L" else "U")
    return w, v * _signs(v)


def _to_real(values: Array) -> Array:
    if values.dtype.kind != "c":
        return values
    if values.imag.any():
        raise ValueError("an eigenvalue is not real")
    # From version 2.5 on, NumPy returns complex eigenvalues for real matrices.
    return np.ascontiguousarray(values.real)


@kernel()
@_of_integers
@floating
def np_eig(A: Array) -> tuple[Array, Array]:
    """Return the eigenvalues and eigenvectors of square matrices.

    Raises:
        ValueError: An eigenvalue is not real.
    """
    w, v = np.linalg.eig(A)
    vectors = _to_real(v)
    return _to_real(w), vectors * _signs(vectors)


@kernel()
@floating
def np_solve(A: Array, B: Array) -> Array:
    """Return ``x`` with ``A · x = B``; a one-dimensional ``B`` is a vector."""
    if B.ndim == 1:
        return np.asarray(np.linalg.solve(A, B[:, None])[:, 0])
    return np.linalg.solve(A, B)


@kernel()
@floating
def np_pinv(A: Array, rcond: Array, *, hermitian: bool) -> Array:
    """Return the Moore-Penrose pseudo-inverse of matrices."""
    return np.linalg.pinv(A, rcond, hermitian)
