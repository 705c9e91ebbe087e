"""Root mean square normalisation that a graph spells out, as one kernel.

Rules put :func:`fused_rms_norm` in the place of the operators
(:mod:`hy_kernels.triton.lower.rms_norm`). Rows that fit a tile are read once, longer ones twice;
the result is written once. Float16 and bfloat16 are computed in float32, and have one rounding,
where the operators in turn have five.
"""

from typing import Any

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored, target_like
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.nn.normalization.norm import normalized
from hy_kernels.triton.runtime._launch import runs_on

__all__ = ["fused_rms_norm"]


def _by_torch(data: Tensor, gamma: Tensor, *, eps: float, out: OutBuffers = None) -> Tensor:
    """Return the operators in turn."""
    wide = data.to(accumulator(data.dtype))
    result = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps) * gamma
    return stored(result.to(data.dtype), out)


def _supports(data: Tensor, gamma: Tensor, **_: Any) -> bool:
    return data.numel() > 0 and runs_on(data, gamma)


@overlay(supports=_supports, below=Kernel("fused_rms_norm", _by_torch, out="apart"))
def fused_rms_norm(data: Tensor, gamma: Tensor, *, eps: float, out: OutBuffers = None) -> Tensor:
    """``data / sqrt(mean(data²) + eps) * gamma`` along the last axis.

    Bytes moved: those of ``data``, of rows beyond a tile twice, and of the result; two numbers of
    each row are written besides.

    Args:
        data: ``[*, columns]``, floating.
        gamma: ``[columns]``, of its dtype.
        eps: Added to mean squares.
        out: Memory for the result.
    """
    y = target_like(data, data.shape, out)
    statistics = data.new_empty((2, *data.shape[:-1]), dtype=accumulator(data.dtype))
    results = (y, statistics[0], statistics[1])
    normalized(data.contiguous(), data.shape[-1], gamma.contiguous(), None, eps, results)
    return y
