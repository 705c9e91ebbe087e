"""Steps of optimizers that scale each element: the new weight, then the new states."""

import torch

from hy_kernels.torch import _update_rules as rules
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import real
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch._update_rules import (
    Targets,
    Tensors,
    flat,
    is_some,
    kept_if,
    rescaled,
    stepped,
    stepped_all,
    stepped_along,
)

__all__ = [
    "adagrad_update",
    "adam_update",
    "adamw_update",
    "ftml_update",
    "ftrl_update",
    "group_adagrad_update",
    "lamb_update_phase1",
    "lamb_update_phase2",
    "rmsprop_update",
    "rmspropalex_update",
]


@kernel(out="in place", loads=("lr", "epsilon", "wd"))
def adam_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """Adam."""

    def rule(ws: Tensors, gs: Tensors, ms: Tensors, vs: Tensors) -> None:
        numbers = lr, beta1, beta2, epsilon, wd
        rules.adam(ws, gs, ms, vs, *numbers, rescale_grad, clip_gradient)

    columns = None if out is None else [[x] for x in out]
    return flat(stepped_all(rule, [weight], [grad], [mean], [var], out=columns))


@kernel()
def adamw_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    rescale_grad: Tensor,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
    clip_gradient: float,
) -> tuple[Tensor, ...]:
    """Adam with decoupled weight decay; nothing changes if the loss scale overflowed."""
    scale = rescale_grad.reshape(())

    def rule(ws: Tensors, gs: Tensors, ms: Tensors, vs: Tensors) -> None:
        numbers = [lr], beta1, beta2, epsilon, [wd], [eta]
        rules.adamw(ws, gs, ms, vs, *numbers, scale, clip_gradient)

    found = flat(stepped_all(rule, [weight], [grad], [mean], [var]))
    use = rules.usable(scale)
    new = [kept_if(use, *pair) for pair in zip(found, (weight, mean, var), strict=True)]
    if clip_gradient < 0:
        return tuple(new)
    (clipped,) = rescaled([grad], scale, clip_gradient)
    return new[0], kept_if(use, clipped, grad), *new[1:]


def _prepared(w: Tensor, g: Tensor, factor: float, bound: float, wd: float) -> Tensor:
    """The rescaled gradient with the weight decay in it."""
    return rescaled([g], factor, bound, *([[w * wd]] if is_some(wd) else []))[0]


@kernel(out="in place", loads=("lr", "t", "wd"))
def ftml_update(
    weight: Tensor,
    grad: Tensor,
    d: Tensor,
    v: Tensor,
    z: Tensor,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    t: int,
    wd: float,
    rescale_grad: float,
    clip_grad: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """Follow the moving leader."""

    def rule(
        w: Tensor, g: Tensor, last: Tensor, second: Tensor, first: Tensor
    ) -> tuple[Tensor, ...]:
        g = _prepared(w, g, rescale_grad, clip_grad, wd)
        second.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        if not is_some(lr):  # the scale would be infinite, and the next step nan
            return w, last, second, first
        scale = (second / (1 - beta2**t)).sqrt_().add_(epsilon).mul_((1 - beta1**t) / lr)
        leader = beta1 * first + (1 - beta1) * g - (scale - beta1 * last).mul_(w)
        new = -leader / scale, scale, leader
        if torch.is_tensor(lr):
            new = tuple(kept_if(lr != 0, *pair) for pair in zip(new, (w, last, first), strict=True))
        return new[0], new[1], second, new[2]

    return stepped(rule, weight, grad, d, v, z, out=out)


@kernel(out="in place", loads=("lr", "wd"))
def ftrl_update(
    weight: Tensor,
    grad: Tensor,
    z: Tensor,
    n: Tensor,
    *,
    lr: float,
    lamda1: float,
    beta: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """Follow the regularised leader, per coordinate."""

    def rule(w: Tensor, g: Tensor, leader: Tensor, total: Tensor) -> tuple[Tensor, ...]:
        g = _prepared(w, g, rescale_grad, clip_gradient, 0.0)
        squares = torch.addcmul(total, g, g)
        root = squares.sqrt()
        leader = leader + g - (root - total.sqrt()) * w / lr
        reach = torch.sign(leader) * (leader.abs() - lamda1).clamp_(min=0)
        return -reach / ((beta + root) / lr + wd), leader, squares

    return stepped(rule, weight, grad, z, n, out=out)


def _within(weight: Tensor, bound: float) -> Tensor:
    return weight.clamp_(-bound, bound) if bound >= 0 else weight


@kernel(out="in place", loads=("lr", "wd"))
def rmsprop_update(
    weight: Tensor,
    grad: Tensor,
    n: Tensor,
    *,
    lr: float,
    gamma1: float,
    epsilon: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    clip_weights: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """RMSProp."""

    def rule(w: Tensor, g: Tensor, squares: Tensor) -> tuple[Tensor, ...]:
        g = _prepared(w, g, rescale_grad, clip_gradient, wd)
        squares.mul_(gamma1).addcmul_(g, g, value=1 - gamma1)
        stepped_along(w, g, (squares + epsilon).sqrt_(), lr)
        return _within(w, clip_weights), squares

    return stepped(rule, weight, grad, n, out=out)


@kernel(out="in place", loads=("lr", "wd"))
def rmspropalex_update(
    weight: Tensor,
    grad: Tensor,
    n: Tensor,
    g: Tensor,
    delta: Tensor,
    *,
    lr: float,
    gamma1: float,
    gamma2: float,
    epsilon: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    clip_weights: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """RMSProp with the variance in place of the mean square, and momentum."""

    def rule(
        w: Tensor, slope: Tensor, squares: Tensor, mean: Tensor, step: Tensor
    ) -> tuple[Tensor, ...]:
        slope = _prepared(w, slope, rescale_grad, clip_gradient, wd)
        squares.mul_(gamma1).addcmul_(slope, slope, value=1 - gamma1)
        mean.mul_(gamma1).add_(slope, alpha=1 - gamma1)
        spread = torch.addcmul(squares, mean, mean, value=-1).add_(epsilon).sqrt_()
        stepped_along(step.mul_(gamma2), slope, spread, lr)
        return _within(w.add_(step), clip_weights), squares, mean, step

    return stepped(rule, weight, grad, n, g, delta, out=out)


@kernel(out="in place", loads=("lr", "wd"))
def adagrad_update(
    weight: Tensor,
    grad: Tensor,
    history: Tensor,
    *,
    lr: float,
    epsilon: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """AdaGrad."""

    def rule(w: Tensor, g: Tensor, total: Tensor) -> tuple[Tensor, ...]:
        g = _prepared(w, g, rescale_grad, clip_gradient, 0.0)
        total.addcmul_(g, g)
        if is_some(wd):
            w.mul_(1 - lr * wd)
        return stepped_along(w, g, (total + epsilon).sqrt_(), lr), total

    return stepped(rule, weight, grad, history, out=out)


@kernel(loads=("lr",))
def group_adagrad_update(
    weight: Tensor,
    grad: Tensor,
    history: Tensor,
    *,
    lr: float,
    rescale_grad: float,
    clip_gradient: float,
    epsilon: float,
) -> tuple[Tensor, ...]:
    """AdaGrad with one history for each row."""
    (g,) = rescaled([grad], rescale_grad, clip_gradient)
    squares = g.square().flatten(1).mean(1) if g.numel() else g.new_zeros(len(g))
    total = real(history) + squares.reshape(history.shape)
    g.div_((total + epsilon).sqrt_().reshape(-1, *(1,) * (g.ndim - 1)))
    new = real(weight) - g.mul_(lr)
    return new.to(weight.dtype), total.to(history.dtype)


@kernel(out="in place")
def lamb_update_phase1(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    beta1: float,
    beta2: float,
    epsilon: float,
    t: int,
    bias_correction: bool,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """The direction of LAMB's step."""

    def rule(w: Tensor, g: Tensor, m: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        gs = rescaled([g], rescale_grad, clip_gradient)
        numbers = beta1, beta2, epsilon, [t], bias_correction, [wd]
        return rules.lamb_directions([w], gs, [m], [v], *numbers)[0], m, v

    return stepped(rule, weight, grad, mean, var, out=out)


@kernel()
def lamb_update_phase2(
    weight: Tensor,
    g: Tensor,
    r1: Tensor,
    r2: Tensor,
    *,
    lr: float,
    lower_bound: float,
    upper_bound: float,
) -> Tensor:
    """LAMB's step."""
    ratio = rules.lamb_ratios(r1.reshape(()), r2.reshape(()), lower_bound, upper_bound)
    return (real(weight) - real(g) * (ratio * lr)).to(weight.dtype)
