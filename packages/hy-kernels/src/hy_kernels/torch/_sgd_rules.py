"""The rules of gradient descent, with a velocity or without: any number of weights in one call.

Arguments are those of :mod:`hy_kernels.torch._update_rules`.
"""

from collections.abc import Callable
from functools import partial
from itertools import chain
from operator import is_

import torch

from hy_kernels.torch._tensor import PLAIN, Tensor, number
from hy_kernels.torch._update_rules import (
    Columns,
    Numbers,
    Targets,
    Tensors,
    alike,
    check_shapes,
    fusable,
    is_fusable,
    is_some,
    rescaled,
    solid,
)

__all__ = ["fused_sgd", "momentum_sgd", "nesterov", "sgd", "sgd_zero_momentum", "try_fused_sgd"]

_CPU = torch.device("cpu")  # where numbers beside tensors of every device are


def fused_sgd(
    lr: float, wd: float, momentum: float, factor: float, *, has_velocity: bool
) -> Callable[..., None]:
    """Gradient descent on weights, solid gradients and velocities, if any, in one kernel.

    Torch's velocity is of the gradients, ours is of the weights: it is theirs with a rate of -1 and
    the real rate as what dampens the gradient.
    """
    return partial(
        torch._fused_sgd_,
        weight_decay=wd / factor,
        momentum=momentum,
        lr=-1.0 if has_velocity else lr * factor,
        dampening=1 + lr * factor if has_velocity else 0.0,
        nesterov=False,
        maximize=False,
        is_first_step=False,
    )


def _fused_sgd(
    weights: Tensors,
    grads: Tensors,
    moms: Tensors,
    lrs: Numbers,
    wds: Numbers,
    momentum: float,
    factor: float,
) -> None:
    """Gradient descent, in one kernel for all weights of a rate and a decay."""
    grads = solid(weights, grads)
    for lr, wd, own in alike(lrs, wds, [weights, grads, moms] if moms else [weights, grads]):
        step = fused_sgd(lr, wd, momentum, factor, has_velocity=bool(moms))
        step(own[0], own[1], own[2] if moms else [])


def try_fused_sgd(
    columns: Columns,
    targets: Targets,
    lrs: Numbers,
    wds: Numbers,
    momentum: float,
    factor: float,
    bound: float,
) -> bool:
    """Whether a step on weights, gradients and velocities was the usual one, which is done then.

    It writes over plain floats of one dtype, at one rate and decay, and cuts nothing off.
    """
    weights, grads, *moms = columns
    is_one = len({*lrs}) == len({*wds}) == 1 and type(lrs[0]) is type(wds[0]) is float
    if targets is None or bound >= 0 or not (factor and is_one and bool(momentum) is bool(moms)):
        return False
    if len({x.dtype for column in columns for x in column}) > 1 or weights[0].dtype not in PLAIN:
        return False
    changed = [*weights, *chain(*moms)]
    is_over = len(targets) == len(changed) and all(map(is_, targets, changed))
    if not (is_over and all(map(Tensor.is_contiguous, grads)) and is_fusable(weights[0])):
        return False
    check_shapes(columns)
    step = fused_sgd(lrs[0], wds[0], momentum, factor, has_velocity=bool(moms))
    step(weights, grads, moms[0] if moms else ())
    return True


def sgd(
    weights: Tensors, grads: Tensors, lrs: Numbers, wds: Numbers, factor: float, bound: float
) -> None:
    """``weight - lr * (g + wd * weight)`` of the rescaled gradient ``g``."""
    if bound < 0 and factor and fusable(weights, factor, *lrs, *wds):
        _fused_sgd(weights, grads, [], lrs, wds, 0.0, factor)
        return
    gs = rescaled(grads, factor, bound)
    _decayed(weights, gs, lrs, wds)


def _decayed(weights: Tensors, gs: Tensors, lrs: Numbers, wds: Numbers) -> None:
    """``weight - lr * (g + wd * weight)``; overwrites the gradients."""
    if is_some(*wds):
        torch._foreach_mul_(weights, [1 - lr * wd for lr, wd in zip(lrs, wds, strict=True)])
    torch._foreach_mul_(gs, list(lrs))
    torch._foreach_sub_(weights, gs)


def momentum_sgd(
    weights: Tensors,
    grads: Tensors,
    moms: Tensors,
    lrs: Numbers,
    wds: Numbers,
    momentum: float,
    factor: float,
    bound: float,
) -> None:
    """Gradient descent with a velocity."""
    if bound < 0 and factor and momentum and fusable(weights, factor, *lrs, *wds):
        _fused_sgd(weights, grads, moms, lrs, wds, momentum, factor)
        return
    if bound < 0 and not momentum and fusable(weights, factor, *lrs, *wds):
        grads = solid(weights, grads)
        for w, g, m, lr, wd in zip(weights, grads, moms, lrs, wds, strict=True):
            sgd_zero_momentum(w, g, m, lr, wd, factor)
        return
    gs = rescaled(grads, factor, bound)
    torch._foreach_mul_(moms, momentum)
    torch._foreach_mul_(gs, list(lrs))
    torch._foreach_sub_(moms, gs)
    if is_some(*wds):
        lost = [lr * wd for lr, wd in zip(lrs, wds, strict=True)]
        torch._foreach_sub_(moms, torch._foreach_mul(weights, lost))
    torch._foreach_add_(weights, moms)


def sgd_zero_momentum(w: Tensor, g: Tensor, m: Tensor, lr: float, wd: float, factor: float) -> None:
    """A step with a velocity of which nothing stays, which torch's kernel does not take."""
    m.mul_(number(0.0, m.dtype, _CPU)).sub_(g, alpha=lr * factor)
    if wd:
        m.sub_(w, alpha=lr * wd)
    w.add_(m)


def nesterov(
    weights: Tensors,
    grads: Tensors,
    moms: Tensors,
    lr: float | Tensor,
    wd: float | Tensor,
    momentum: float,
    factor: float,
    bound: float,
) -> None:
    """Nesterov's accelerated gradient: the step is taken where the velocity leads."""
    gs = rescaled(grads, factor, bound)
    if torch.is_tensor(wd):
        torch._foreach_add_(gs, torch._foreach_mul(weights, wd))
    elif wd:
        torch._foreach_add_(gs, weights, alpha=wd)
    torch._foreach_mul_(gs, lr)
    torch._foreach_mul_(moms, momentum)
    torch._foreach_sub_(moms, gs)
    torch._foreach_sub_(weights, gs)
    torch._foreach_add_(weights, moms, alpha=momentum)
