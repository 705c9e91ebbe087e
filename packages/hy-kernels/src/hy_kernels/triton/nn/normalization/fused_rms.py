"""Fused root mean square normalisation, for graphs that spell it out as operators.

Graph rewritings insert :func:`fused_rms_norm` (:mod:`hy_kernels.triton.lower.rms_norm`). Rows that
fit a tile are read once, longer ones twice; the result is written once. Float16 and bfloat16 are
computed in float32 and rounded once, where separate operators round five times.
"""

from typing import Any

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored, target_like
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.nn.normalization.norm import normalized
from hy_kernels.triton.runtime._launch import runs_on


def _by_torch(data: Tensor, gamma: Tensor, *, eps: float, out: OutBuffers = None) -> Tensor:
    """Compute :func:`fused_rms_norm` by separate torch operators."""
    wide = data.to(accumulator(data.dtype))
    result = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps) * gamma
    return stored(result.to(data.dtype), out)


def _supports(data: Tensor, gamma: Tensor, **_: Any) -> bool:
    return data.numel() > 0 and runs_on(data, gamma)


@overlay(supports=_supports, below=Kernel("fused_rms_norm", _by_torch, out="apart"))
def fused_rms_norm(data: Tensor, gamma: Tensor, *, eps: float, out: OutBuffers = None) -> Tensor:
    """Return ``data / sqrt(mean(data²) + eps) * gamma`` along the last axis.

    Bytes moved: ``data``, twice for rows longer than a tile, and the result; and two numbers per
    row.

    Args:
        data: ``[*, columns]``, floating.
        gamma: ``[columns]``, of the dtype of ``data``.
        eps: Added to mean squares.
        out: Memory for the result.
    """
    y = target_like(data, data.shape, out)
    statistics = data.new_empty((2, *data.shape[:-1]), dtype=accumulator(data.dtype))
    results = (y, statistics[0], statistics[1])
    normalized(data.contiguous(), data.shape[-1], gamma.contiguous(), None, eps, results)
    return y
