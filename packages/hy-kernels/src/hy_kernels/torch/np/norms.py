"""Norms of vectors and of matrices."""

from math import inf
from typing import Any

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import floating
from hy_kernels.torch._tensor import Tensor

_FLAT, _FROBENIUS, _NUCLEAR = -2, 1, 2


@kernel()
@floating
def np_norm(
    data: Tensor, *, ord: float, axis: tuple[int, ...] | None, flag: int, keepdims: bool
) -> Tensor:
    """Return the norm of vectors or matrices over axes."""
    if flag in (_FLAT, _FROBENIUS):
        if axis == ():
            return torch.abs(data)
        along = tuple(range(data.ndim)) if axis is None else axis
        return torch.sum(data.square(), along, keepdim=keepdims).sqrt_()
    if ord == inf and not data.numel():  # the largest of nothing, which torch refuses
        ord = 1.0
    kind: Any = "nuc" if flag == _NUCLEAR else ord
    y: Tensor = torch.linalg.norm(data, kind, axis, keepdims)
    return y
