"""Factorisations, inverses and determinants."""
# ruff: noqa: N803  # MXNet names matrices A

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.linalg.matrices import floating


@kernel()
@floating
def potrf(A: Array, *, lower: bool) -> Array:
    """Return the Cholesky factor of matrices, lower triangular if ``lower``, else upper."""
    if lower:
        return np.linalg.cholesky(A)
    return np.ascontiguousarray(np.linalg.cholesky(A.swapaxes(-1, -2)).swapaxes(-1, -2))


@kernel(out="apart")
@floating
def gelqf(A: Array, *, out: OutBuffers = None) -> tuple[Array, Array]:
    """Return Q (orthonormal rows) and L (lower triangular) of the factorisation ``A = L Q``."""
    # A = L Q is the transpose of the QR factorisation of Aᵀ.
    q, r = np.linalg.qr(A.swapaxes(-1, -2))
    return copied(q.swapaxes(-1, -2), out), copied(r.swapaxes(-1, -2), out, 1)


@kernel()
@floating
def inverse(A: Array) -> Array:
    """Return the inverses of matrices."""
    return np.linalg.inv(A)


@kernel()
@floating
def det(A: Array) -> Array:
    """Return the determinants of matrices."""
    return np.asarray(np.linalg.det(A)).reshape(A.shape[:-2] or (1,))


@kernel()
@floating
def slogdet(A: Array) -> tuple[Array, Array]:
    """Return the sign of determinants and the logarithm of their absolute value."""
    sign, log = np.linalg.slogdet(A)
    shape = A.shape[:-2] or (1,)
    return np.asarray(sign).reshape(shape), np.asarray(log).reshape(shape)
