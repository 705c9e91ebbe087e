"""Axes in another order, elements moved along axes, diagonals."""

from collections.abc import Sequence

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor, copied, stored, target

__all__ = [
    "diagonal_backward",
    "np_diagonal",
    "np_flip",
    "np_transpose",
]

Axes = tuple[int, ...]


@kernel(out="apart")
def np_transpose(a: Tensor, *, axes: Axes | None, out: Places = None) -> Tensor:
    """Axes in another order."""
    return copied(a.permute(axes or tuple(range(a.ndim))[::-1]), out)


@kernel(out="apart")
def np_flip(data: Tensor, *, axis: Axes | None, out: Places = None) -> Tensor:
    """From last to first."""
    along = tuple(range(data.ndim)) if axis is None else axis
    return stored(torch.flip(data, along).contiguous(), out)


def _with_diagonal(
    values: Tensor, shape: Sequence[int], out: Places, offset: int, axis1: int = 0, axis2: int = 1
) -> Tensor:
    """Zeros with ``values`` on diagonals."""
    y = target(out, shape, values.dtype, values.device).zero_()
    y.diagonal(offset, axis1, axis2).copy_(values)
    return y


@kernel(out="apart")
def np_diagonal(data: Tensor, *, offset: int, axis1: int, axis2: int, out: Places = None) -> Tensor:
    """Diagonals."""
    return copied(data.diagonal(offset, axis1, axis2), out)


@kernel(out="apart")
def diagonal_backward(
    dy: Tensor, data: Tensor, *, offset: int, axis1: int, axis2: int, out: Places = None
) -> Tensor:
    """Diagonals in the shape of ``data``."""
    return _with_diagonal(dy, data.shape, out, offset, axis1, axis2)
