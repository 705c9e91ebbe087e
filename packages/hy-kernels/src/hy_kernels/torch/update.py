"""Steps of optimizers with one learning rate: the new weight, then the new states."""

from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch import _sgd_rules as descent, _update_rules as rules
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import PLAIN, Tensor
from hy_kernels.torch._update_rules import (
    Targets,
    Tensors,
    added,
    flat,
    is_some,
    overwritten,
    plain_step,
    rescaled,
    stepped,
    stepped_all,
)

__all__ = ["nag_mom_update", "sgd_mom_update", "sgd_update", "signsgd_update", "signum_update"]


def _short(params: Mapping[str, Any], general: Function) -> Function | None:
    """Gradient descent on a plain weight in one call of torch."""
    lr, wd, factor = params["lr"], params["wd"], params["rescale_grad"]
    if params["clip_gradient"] >= 0 or not factor:
        return None
    step = descent.fused_sgd(lr, wd, 0.0, factor, has_velocity=False)
    rate = lr * factor

    def update(weight: Tensor, grad: Tensor, out: Targets = None) -> Tensor:
        if weight.dtype not in PLAIN:
            return general(weight, grad, out=out)
        if not wd:
            return overwritten(weight, out, 0).sub_(grad, alpha=rate)
        if not grad.is_contiguous() or not rules.is_fusable(weight):
            return general(weight, grad, out=out)
        w = overwritten(weight, out, 0)
        step([w], [grad], [])
        return w

    return update


def _short_with_velocity(params: Mapping[str, Any], general: Function) -> Function | None:
    """Gradient descent with momentum on a plain weight, without lists of what there is once."""
    lr, wd, factor = params["lr"], params["wd"], params["rescale_grad"]
    momentum = params["momentum"]
    if params["clip_gradient"] >= 0 or not factor:
        return None
    fused = descent.fused_sgd(lr, wd, momentum, factor, has_velocity=True)

    def update(
        weight: Tensor, grad: Tensor, mom: Tensor, out: Targets = None
    ) -> tuple[Tensor, Tensor]:
        if weight.dtype not in PLAIN or (
            momentum and not (grad.is_contiguous() and rules.is_fusable(weight))
        ):
            found: tuple[Tensor, Tensor] = general(weight, grad, mom, out=out)
            return found
        w, m = overwritten(weight, out, 0), overwritten(mom, out, 1)
        if momentum:
            fused([w], [grad], [m])
        else:
            descent.sgd_zero_momentum(w, grad, m, lr, wd, factor)
        return w, m

    return update


@kernel(out="in place", specialize=by_params(_short), loads=("lr", "wd"))
def sgd_update(
    weight: Tensor,
    grad: Tensor,
    *,
    lr: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
    out: Targets = None,
) -> Tensor:
    """Gradient descent."""
    if plain_step((lr, wd, rescale_grad), clip_gradient, weight, grad):
        w = overwritten(weight, out, 0)
        descent.sgd([w], [grad], [lr], [wd], rescale_grad, clip_gradient)
        return w

    def rule(ws: Tensors, gs: Tensors) -> None:
        descent.sgd(ws, gs, [lr], [wd], rescale_grad, clip_gradient)

    return stepped_all(rule, [weight], [grad], out=None if out is None else [out])[0][0]


@kernel(out="in place", specialize=by_params(_short_with_velocity))
def sgd_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """Gradient descent with momentum."""
    if plain_step((lr, wd, rescale_grad), clip_gradient, weight, grad, mom):
        w, m = overwritten(weight, out, 0), overwritten(mom, out, 1)
        descent.momentum_sgd([w], [grad], [m], [lr], [wd], momentum, rescale_grad, clip_gradient)
        return w, m

    def rule(ws: Tensors, gs: Tensors, ms: Tensors) -> None:
        descent.momentum_sgd(ws, gs, ms, [lr], [wd], momentum, rescale_grad, clip_gradient)

    columns = None if out is None else [[x] for x in out]
    return flat(stepped_all(rule, [weight], [grad], [mom], out=columns))


@kernel(out="in place", loads=("lr", "wd"))
def nag_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """Nesterov's accelerated gradient."""

    def rule(ws: Tensors, gs: Tensors, ms: Tensors) -> None:
        descent.nesterov(ws, gs, ms, lr, wd, momentum, rescale_grad, clip_gradient)

    columns = None if out is None else [[x] for x in out]
    return flat(stepped_all(rule, [weight], [grad], [mom], out=columns))


@kernel(out="in place", loads=("lr", "wd"))
def signsgd_update(
    weight: Tensor,
    grad: Tensor,
    *,
    lr: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> Tensor:
    """A step of fixed size against the sign of the gradient."""

    def rule(w: Tensor, g: Tensor) -> tuple[Tensor]:
        if is_some(wd):
            w.mul_(1 - lr * wd)
        return (added(w, torch.sign(g * rescale_grad), -lr),)

    return stepped(rule, weight, grad, out=out)[0]


@kernel(out="in place", loads=("lr", "wd"))
def signum_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    wd_lh: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """A step of fixed size along the sign of the velocity."""

    def rule(w: Tensor, g: Tensor, m: Tensor) -> tuple[Tensor, Tensor]:
        (g,) = rescaled([g], rescale_grad, clip_gradient)
        if is_some(wd):
            added(g, w, wd)
        m.mul_(momentum).sub_(g, alpha=1 - momentum)
        return added(w.mul_(1 - lr * wd_lh), torch.sign(m), lr), m

    return stepped(rule, weight, grad, mom, out=out)
