"""Factorisations, inverses and determinants."""
# ruff: noqa: N803  # MXNet names matrices A

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import floating
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied


@kernel()
@floating
def potrf(A: Tensor, *, lower: bool) -> Tensor:
    """Return the Cholesky factor of matrices, lower or upper."""
    factor: Tensor = torch.linalg.cholesky(A if lower else A.mT)
    return factor if lower else factor.mT


@kernel(out="apart")
@floating
def gelqf(A: Tensor, *, out: OutBuffers = None) -> tuple[Tensor, Tensor]:
    """Return the LQ factorisation: Q with orthonormal rows, and L."""
    q, r = torch.linalg.qr(A.mT)
    return copied(q.mT, out), copied(r.mT, out, 1)


@kernel()
@floating
def inverse(A: Tensor) -> Tensor:
    """Return the inverses of matrices."""
    y: Tensor = torch.linalg.inv(A)
    return y


@kernel()
@floating
def det(A: Tensor) -> Tensor:
    """Return the determinants of matrices."""
    y: Tensor = torch.linalg.det(A)
    return y.reshape(A.shape[:-2] or (1,))


@kernel()
@floating
def slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sign and the logarithm of the magnitude of determinants."""
    sign, log = torch.linalg.slogdet(A)
    shape = A.shape[:-2] or (1,)
    return sign.reshape(shape), log.reshape(shape)
