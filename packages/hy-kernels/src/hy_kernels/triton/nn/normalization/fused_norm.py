"""Batch normalisation fused with the pointwise operators after it, and the fused gradient.

Graph rewritings insert these (:mod:`hy_kernels.triton.lower.batch_norm`). Bytes moved: those of
:mod:`hy_kernels.triton.nn.normalization.batch_norm`, and other operands of the operators, each
once; intermediate values are float32 in registers. The gradient recomputes the normalised value and
the result, whose last bit may differ: near a kink, such as that of ReLU, the derivative may be that
of the other side.
"""

from functools import lru_cache
from typing import Any

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch import table as torch_table
from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored, target_like
from hy_kernels.triton._formula import Step
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.elementwise.fused import FusedCalls, present_inputs
from hy_kernels.triton.elementwise.pointwise import steps_of
from hy_kernels.triton.nn.normalization.batch_norm import (
    batch_norm_backward,
    normalized_batch,
    supports,
)

_OPERANDS = 5  # of batch normalisation
_IGNORED: dict[str, Any] = {
    "cudnn_off": False,
    "max_calib_range": None,
    "min_calib_range": None,
    "output_mean_var": False,
}


@lru_cache(maxsize=1024)
def _formula_steps(calls: FusedCalls, dtype: torch.dtype) -> tuple[Step, ...] | None:
    """Return the fused steps, or None if Triton does not support one for the dtype."""
    return steps_of(calls.steps, dtype)


def _torch_s(name: str, *arrays: Tensor, **params: Any) -> tuple[Tensor, ...]:
    record = torch_table().find(name)
    assert record is not None, name
    result: tuple[Tensor, ...] = record.function(*arrays, **params)
    return result


def _by_torch(
    *arrays: Tensor | None, calls: FusedCalls, out: OutBuffers = None, **params: Any
) -> tuple[Tensor, ...]:
    """Compute :func:`fused_batch_norm` by separate torch operators."""
    operands = present_inputs(arrays)
    whole, *rest = _torch_s("batch_norm", *operands[:_OPERANDS], **params, **_IGNORED)
    return stored(calls.by_torch(whole, *operands[_OPERANDS:]), out), *rest


def _supports(*arrays: Tensor | None, calls: FusedCalls, **_: Any) -> bool:
    operands = present_inputs(arrays)
    return supports(*operands) and _formula_steps(calls, operands[0].dtype) is not None


@overlay(supports=_supports, below=Kernel("fused_batch_norm", _by_torch, out="apart"))
def fused_batch_norm(
    *arrays: Tensor | None, calls: FusedCalls, **params: Any
) -> tuple[Tensor, ...]:
    """Return the last operator's result, means, inverse deviations, and new values of states.

    Args:
        arrays: Operands of ``BatchNorm``, then other operands of the operators after it.
        calls: These operators; their first input is the result of ``BatchNorm``.
        params: Parameters of ``BatchNorm``.
    """
    operands = present_inputs(arrays)
    after = _formula_steps(calls, operands[0].dtype)
    assert after is not None
    return normalized_batch(operands, after, params)


def _gradient_by_torch(
    dy: Tensor,
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    mean: Tensor,
    inverse: Tensor,
    *,
    calls: FusedCalls,
    axis: int,
    fix_gamma: bool,
    **params: Any,
) -> tuple[Tensor, ...]:
    """Compute :func:`fused_batch_norm_backward` by separate torch operators."""
    spread = [-1 if i == axis % data.ndim else 1 for i in range(data.ndim)]
    scale = torch.ones_like(gamma) if fix_gamma else gamma
    wide = accumulator(data.dtype)
    m, i, g, b = (x.to(wide).reshape(spread) for x in (mean, inverse, scale, beta))
    # Rounded like the forward result, which is not kept.
    whole = ((data.to(wide) - m) * i * g + b).to(data.dtype)
    gradient = calls.by_torch(dy, whole)
    arrays = (gradient, data, gamma, mean, inverse)
    return _torch_s("normalize_backward", *arrays, axis=axis, fix_gamma=fix_gamma, **params)


def _supports_gradient(
    dy: Tensor, data: Tensor, *vectors: Tensor, calls: FusedCalls, **_: Any
) -> bool:
    return supports(data, dy, *vectors) and _formula_steps(calls, data.dtype) is not None


_BELOW = Kernel("fused_batch_norm_backward", _gradient_by_torch, out="apart")


@overlay(supports=_supports_gradient, below=_BELOW)
def fused_batch_norm_backward(
    dy: Tensor,
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    mean: Tensor,
    inverse: Tensor,
    *,
    calls: FusedCalls,
    axis: int,
    fix_gamma: bool,
    frozen: bool,
    out: OutBuffers = None,
    **_: Any,
) -> tuple[Tensor, ...]:
    """Return the gradients to data, gamma and beta.

    Args:
        dy: First input of the calls: the gradient that the backward pass provides.
        data: Data of the normalisation.
        gamma: Its scale.
        beta: Its shift.
        mean: Its means.
        inverse: Its inverse deviations.
        calls: Operators that compute the gradient of the normalised value from dy and that value.
        axis: Axis of the channels.
        fix_gamma: Whether gamma counts as one.
        frozen: Whether the statistics were constants.
        out: Memory for the results.
    """
    before = _formula_steps(calls, data.dtype)
    assert before is not None
    result = [target_like(x, x.shape, out, k) for k, x in enumerate((data, gamma, beta))]
    arrays = (dy, data, gamma, mean, inverse)
    batch_norm_backward(arrays, axis % data.ndim, fix_gamma, frozen, result, beta, before)
    return tuple(result)
