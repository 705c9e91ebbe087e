"""Layer and root mean square normalisation as functions of PyTorch."""

from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._arguments import FLOATS, check_dtypes, require, runs_here
from hy_kernels.triton.functional._calls import LIBRARY, like
from hy_kernels.triton.nn.normalization.norm import normalized, normalized_backward


@custom_op(f"{LIBRARY}::norm", mutates_args=())
def _norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    runs_here("norm", x, weight, bias)
    results = _norm_fake(x, weight, bias, eps)
    if x.numel() == 0:
        return results
    vector = None if bias is None else bias.contiguous()
    normalized(x.contiguous(), x.shape[-1], weight.contiguous(), vector, eps, results)
    return results


@custom_op(f"{LIBRARY}::norm_backward", mutates_args=())
def _norm_backward(
    dy: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    mean: torch.Tensor,
    deviation: torch.Tensor,
    centered: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    results = _norm_backward_fake(dy, x, weight, mean, deviation, centered)
    if x.numel() == 0:
        return results[0], results[1].zero_(), results[2].zero_()
    operands = dy.contiguous(), x.contiguous(), x.shape[-1], weight.contiguous(), (mean, deviation)
    normalized_backward(*operands, results, centered=centered)
    return results


def _norm_fake(
    x: Tensor, weight: Tensor, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    compute_dtype = torch.float64 if x.dtype is torch.float64 else torch.float32
    statistics = (x.new_empty(x.shape[:-1], dtype=compute_dtype) for _ in range(2))
    return (like(x), *statistics)


def _norm_backward_fake(
    dy: Tensor, x: Tensor, weight: Tensor, mean: Tensor, deviation: Tensor, centered: bool
) -> tuple[Tensor, Tensor, Tensor]:
    return like(x), like(weight), like(weight)


def _norm_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    x, weight, bias, _ = inputs
    ctx.save_for_backward(x, weight, *output[1:])
    ctx.centered = bias is not None


def _norm_gradient(ctx: Any, dy: Tensor, *_: Any) -> tuple[Any, ...]:
    dx, dweight, dbias = _norm_backward(dy, *ctx.saved_tensors, ctx.centered)
    return dx, dweight, dbias if ctx.centered else None, None


_norm.register_fake(_norm_fake)
_norm_backward.register_fake(_norm_backward_fake)
_norm.register_autograd(_norm_gradient, setup_context=_norm_keep)


def _normalized(
    function: str, x: Tensor, weight: Tensor, bias: Tensor | None, eps: float
) -> Tensor:
    arrays = {"x": x, "weight": weight, "bias": bias}
    check_dtypes(function, FLOATS, **arrays)
    vectors = [each for each in (weight, bias) if each is not None]
    fit = x.ndim > 0 and all(each.shape == x.shape[-1:] for each in vectors)
    names = "weight needs" if bias is None else "weight and bias need"
    require(fit, function, f"{names} an element for each of the last axis of x", **arrays)
    y: Tensor = _norm(x, weight, bias, eps)[0]
    return y


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Return vectors of the last axis normalised to mean 0 and deviation 1, times weight.

    The bias, of the same shape as the weight, is added to the product.

    Args:
        x: ``[*, columns]``, float16, bfloat16, float32 or float64.
        weight: ``[columns]``, of the dtype of ``x``.
        bias: As ``weight``.
        eps: Added to variances.

    Raises:
        TypeError: The dtypes differ, or there is no kernel for them.
        ValueError: The shapes do not fit.
    """
    return _normalized("layer_norm", x, weight, bias, eps)


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """Return each vector of the last axis divided by the root of its mean square, times weight.

    Args:
        x: ``[*, columns]``, float16, bfloat16, float32 or float64.
        weight: ``[columns]``, of the dtype of ``x``.
        eps: Added to mean squares.

    Raises:
        TypeError: The dtypes differ, or there is no kernel for them.
        ValueError: The shapes do not fit.
    """
    return _normalized("rms_norm", x, weight, None, eps)
