"""Softmax and cross-entropy as functions of PyTorch."""

from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._arguments import FLOATS, INTEGERS, check_dtypes, require, runs_here
from hy_kernels.triton.functional._calls import LIBRARY, like, run, run_one


@custom_op(f"{LIBRARY}::softmax", mutates_args=())
def _softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    runs_here("softmax", x)
    return run_one("softmax", x, axis=dim, temperature=None, dtype=None, use_length=False)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Return the softmax along an axis.

    Args:
        x: Tensor of any shape, float16, bfloat16, float32 or float64.
        dim: The axis.

    Returns:
        A tensor of the shape and dtype of ``x``; sums are float32, or float64 for float64.

    Raises:
        TypeError: There is no kernel for the dtype.
        ValueError: There is no such axis.
    """
    check_dtypes("softmax", FLOATS, x=x)
    require(-x.ndim <= dim < x.ndim, "softmax", f"has no axis {dim}", x=x)
    y: Tensor = _softmax(x, dim)
    return y


@custom_op(f"{LIBRARY}::softmax_backward", mutates_args=())
def _softmax_backward(dy: torch.Tensor, y: torch.Tensor, dim: int) -> torch.Tensor:
    return run_one("softmax_backward", dy, y, y, axis=dim, temperature=None)


def _keep_result(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(output)
    ctx.dim = inputs[1]


def _softmax_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return _softmax_backward(dy, ctx.saved_tensors[0], ctx.dim), None


_softmax.register_fake(lambda x, dim: like(x))
_softmax_backward.register_fake(lambda dy, y, dim: like(y))
_softmax.register_autograd(_softmax_gradient, setup_context=_keep_result)


@custom_op(f"{LIBRARY}::cross_entropy", mutates_args=())
def _cross_entropy(x: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    runs_here("cross_entropy", x, target)
    if x.numel() == 0:
        return _cross_entropy_fake(x, target)
    params = {"keepdims": False, "mode": "clip", "negative": True}
    y, statistics = run("log_softmax_pick", x, target, **params)
    return y.view(x.shape[:-1]), statistics


@custom_op(f"{LIBRARY}::cross_entropy_backward", mutates_args=())
def _cross_entropy_backward(
    dy: torch.Tensor, x: torch.Tensor, target: torch.Tensor, statistics: torch.Tensor
) -> torch.Tensor:
    if x.numel() == 0:
        return like(x)
    params = {"keepdims": False, "mode": "clip", "negative": True}
    return run_one("log_softmax_pick_backward", dy, x, target, statistics, **params)


def _cross_entropy_fake(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    compute_dtype = torch.float64 if x.dtype is torch.float64 else torch.float32
    numbers = 3 if target.dtype.is_floating_point else 2
    return x.new_empty(x.shape[:-1]), x.new_empty((*x.shape[:-1], numbers), dtype=compute_dtype)


def _cross_entropy_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs, output[1])


def _cross_entropy_gradient(ctx: Any, dy: Tensor, _: Any) -> tuple[Any, ...]:
    return _cross_entropy_backward(dy, *ctx.saved_tensors), None


_cross_entropy.register_fake(_cross_entropy_fake)
_cross_entropy_backward.register_fake(lambda dy, x, target, statistics: like(x))
_cross_entropy.register_autograd(_cross_entropy_gradient, setup_context=_cross_entropy_keep)


@custom_op(f"{LIBRARY}::soft_cross_entropy", mutates_args=())
def _soft_cross_entropy(x: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    runs_here("cross_entropy", x, target)
    if x.numel() == 0:
        return _cross_entropy_fake(x, target)
    y, statistics = run("log_softmax_dot", x, target)
    return -y.view(x.shape[:-1]), statistics


@custom_op(f"{LIBRARY}::soft_cross_entropy_backward", mutates_args=())
def _soft_cross_entropy_backward(
    dy: torch.Tensor, x: torch.Tensor, target: torch.Tensor, statistics: torch.Tensor
) -> torch.Tensor:
    if x.numel() == 0:
        return like(x)
    return run_one("log_softmax_dot_backward", -dy, x, target, statistics)


def _soft_cross_entropy_gradient(ctx: Any, dy: Tensor, _: Any) -> tuple[Any, ...]:
    x, target, statistics = ctx.saved_tensors
    dx = dtarget = None
    if ctx.needs_input_grad[0]:
        dx = _soft_cross_entropy_backward(dy, x, target, statistics)
    if ctx.needs_input_grad[1]:
        # The derivative is -log_softmax(x), from the maximum and the sum of exponentials.
        peak, total, _ = statistics.split(1, -1)
        dtarget = ((peak - x + total.log()) * dy.unsqueeze(-1)).to(target.dtype)
    return dx, dtarget


_soft_cross_entropy.register_fake(_cross_entropy_fake)
_soft_cross_entropy_backward.register_fake(lambda dy, x, target, statistics: like(x))
_soft_cross_entropy.register_autograd(
    _soft_cross_entropy_gradient, setup_context=_cross_entropy_keep
)


def cross_entropy(x: Tensor, target: Tensor) -> Tensor:
    """Return ``-log(softmax(x)[target])`` of each row; probabilities are not stored.

    Args:
        x: ``[*, classes]``, float16, bfloat16, float32 or float64.
        target: ``[*]``, integers; those out of range count as the nearest class. Or of the shape of
            ``x``: a weight for each class, such as its probability with label smoothing.

    Raises:
        TypeError: There is no kernel for the dtypes.
        ValueError: There is no class, or not a target for each row.
    """
    check_dtypes("cross_entropy", FLOATS, x=x)
    if target.dtype.is_floating_point:
        check_dtypes("cross_entropy", FLOATS, x=x, target=target)
        rule = "target needs a number for each class of x, and x a class"
        fits = x.ndim > 0 and target.shape == x.shape and x.shape[-1] > 0
        require(fits, "cross_entropy", rule, x=x, target=target)
        loss: Tensor = _soft_cross_entropy(x, target)[0]
        return loss
    check_dtypes("cross_entropy: target", INTEGERS, target=target)
    rule = "target needs an element for each row of x, and x a class"
    fits = x.ndim > 0 and target.shape == x.shape[:-1] and x.shape[-1] > 0
    require(fits, "cross_entropy", rule, x=x, target=target)
    losses: Tensor = _cross_entropy(x, target)[0]
    return losses
