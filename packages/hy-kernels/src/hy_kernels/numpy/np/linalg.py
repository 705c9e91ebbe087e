"""Linear algebra; 16-bit floats go through float32."""
# ruff: noqa: N803  # MXNet names matrices A and B

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Places, place, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.decomposition import det, slogdet
from hy_kernels.numpy.linalg import floating

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
    def converted(A: Array, **kwargs: Any) -> Any:
        return function(A.astype(np.float64) if A.dtype.kind in "biu" else A, **kwargs)

    return converted


def _signs(columns: Array) -> Array:
    """-1 for columns whose largest element is negative, else 1; ``[..., 1, K]``."""
    if not columns.size:
        return np.ones((*columns.shape[:-2], 1, columns.shape[-1]), columns.dtype)
    largest = np.abs(columns).argmax(-2)[..., None, :]
    return np.where(np.take_along_axis(columns, largest, -2) < 0, -1, 1).astype(columns.dtype)


@kernel()
@floating
def np_cholesky(A: Array) -> Array:
    """Cholesky factor."""
    return np.linalg.cholesky(A)


@kernel()
def np_det(A: Array) -> Array:
    """Determinant; without axes for a single matrix."""
    y: Array = det(A)
    return y.reshape(A.shape[:-2])


@kernel()
def np_slogdet(A: Array) -> tuple[Array, Array]:
    """Sign and logarithm of the determinant; without axes for a single matrix."""
    sign, log = slogdet(A)
    return sign.reshape(A.shape[:-2]), log.reshape(A.shape[:-2])


@kernel()
@floating
def np_svd(A: Array) -> tuple[Array, Array, Array]:
    """Singular values and vectors."""
    u, s, v = np.linalg.svd(A, full_matrices=False)
    signs = _signs(v.swapaxes(-1, -2))
    return u * signs, s, v * signs.swapaxes(-1, -2)


@kernel()
@_of_integers
@floating
def np_eigh(A: Array, *, UPLO: str) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors."""
    w, v = np.linalg.eigh(A, "L" if UPLO == "L" else "U")
    return w, v * _signs(v)


@kernel()
@_of_integers
@floating
def np_eigvalsh(A: Array, *, UPLO: str) -> Array:
    """Eigenvalues."""
    return np.linalg.eigvalsh(A, "L" if UPLO == "L" else "U")


def _real(values: Array) -> Array:
    if values.dtype.kind != "c":
        return values
    if values.imag.any():
        raise ValueError("an eigenvalue is not real")
    return np.ascontiguousarray(values.real)  # numpy from 2.5 on always gives complex ones


@kernel()
@_of_integers
@floating
def np_eig(A: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of any square matrix."""
    w, v = np.linalg.eig(A)
    vectors = _real(v)
    return _real(w), vectors * _signs(vectors)


@kernel()
@_of_integers
@floating
def np_eigvals(A: Array) -> Array:
    """Eigenvalues of any square matrix."""
    return _real(np.linalg.eigvals(A))


@kernel()
@floating
def np_solve(A: Array, B: Array) -> Array:
    """Solution of linear equations."""
    if B.ndim == 1:
        return np.asarray(np.linalg.solve(A, B[:, None])[:, 0])
    return np.linalg.solve(A, B)


@kernel(out="apart")
@floating
def solve_backward(dB: Array, x: Array, A: Array, *, out: Places = None) -> Array:
    """``-dB · xᵀ``."""
    if x.ndim == 1:
        product = np.outer(dB, x, out=place(out))
    else:
        product = np.matmul(dB, x.swapaxes(-1, -2), out=place(out))
    return np.negative(product, out=product)


@kernel()
@floating
def np_pinv(A: Array, rcond: Array, *, hermitian: bool) -> Array:
    """Pseudo-inverse."""
    return np.linalg.pinv(A, rcond, hermitian)


@kernel()
@floating
def np_pinv_scalar_rcond(A: Array, *, rcond: float, hermitian: bool) -> Array:
    """Pseudo-inverse."""
    return np.linalg.pinv(A, rcond, hermitian)


@kernel()
@floating
def np_tensorinv(a: Array, *, ind: int) -> Array:
    """Inverse for ``tensordot``."""
    return np.linalg.tensorinv(a, ind)


@kernel(out="apart")
@floating
def tensorinv_backward(dy: Array, y: Array, a: Array, *, ind: int, out: Places = None) -> Array:
    """``-yᵀ · dy · yᵀ``."""
    rows = prod(a.shape[:ind])
    inverse = y.reshape(-1, rows).T
    da = target(out, a.shape, a.dtype)
    np.matmul(inverse @ dy.reshape(-1, rows), inverse, out=da.reshape(inverse.shape))
    return np.negative(da, out=da)


def _matrix(a: Array, b: Array, axes: tuple[int, ...] | None) -> Array:
    """``a`` as the matrix of equations."""
    order = [i for i in range(a.ndim) if i not in (axes or ())] + list(axes or ())
    return a.transpose(order).reshape(b.size, -1)


@kernel()
@floating
def np_tensorsolve(a: Array, b: Array, *, a_axes: tuple[int, ...] | None) -> Array:
    """Solution of tensor equations."""
    return np.linalg.tensorsolve(a, b, a_axes or None)


@kernel()
@floating
def tensorsolve_backward(dy: Array, a: Array, b: Array, *, a_axes: tuple[int, ...] | None) -> Array:
    """Gradient to ``b``."""
    return np.linalg.solve(_matrix(a, b, a_axes).T, dy.reshape(-1, 1)).reshape(b.shape)
