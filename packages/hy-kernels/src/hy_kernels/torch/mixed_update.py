"""Steps of optimizers on 16-bit weights that are kept in float32 beside."""

from hy_kernels.torch import _sgd_rules as descent, _update_rules as rules
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch._update_rules import Tensors, flat, kept_if, rescaled, stepped, stepped_all

__all__ = [
    "mp_adamw_update",
    "mp_lamb_update_phase1",
    "mp_lamb_update_phase2",
    "mp_nag_mom_update",
    "mp_sgd_mom_update",
    "mp_sgd_update",
]


def _check(weight: Tensor, *others: Tensor) -> None:
    if any(x.shape != weight.shape for x in others):
        raise ValueError("shapes differ")


@kernel()
def mp_sgd_update(
    weight: Tensor,
    grad: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
) -> tuple[Tensor, Tensor]:
    """Gradient descent."""
    _check(weight, grad, weight32)

    def rule(ws: Tensors, gs: Tensors) -> None:
        descent.sgd(ws, gs, [lr], [wd], rescale_grad, clip_gradient)

    (new,) = flat(stepped_all(rule, [weight32], [grad]))
    return new.to(weight.dtype), new


@kernel()
def mp_sgd_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradient descent with momentum."""
    _check(weight, grad, mom, weight32)

    def rule(ws: Tensors, gs: Tensors, ms: Tensors) -> None:
        descent.momentum_sgd(ws, gs, ms, [lr], [wd], momentum, rescale_grad, clip_gradient)

    new, velocity = flat(stepped_all(rule, [weight32], [grad], [mom]))
    return new.to(weight.dtype), velocity, new


@kernel()
def mp_nag_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Nesterov's accelerated gradient."""
    _check(weight, grad, mom, weight32)

    def rule(ws: Tensors, gs: Tensors, ms: Tensors) -> None:
        descent.nesterov(ws, gs, ms, lr, wd, momentum, rescale_grad, clip_gradient)

    new, velocity = flat(stepped_all(rule, [weight32], [grad], [mom]))
    return new.to(weight.dtype), velocity, new


@kernel()
def mp_adamw_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    weight32: Tensor,
    rescale_grad: Tensor,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
    clip_gradient: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Adam with decoupled weight decay; nothing changes if the loss scale overflowed."""
    _check(weight, grad, mean, var, weight32)
    scale = rescale_grad.reshape(())

    def rule(ws: Tensors, gs: Tensors, ms: Tensors, vs: Tensors) -> None:
        numbers = [lr], beta1, beta2, epsilon, [wd], [eta]
        rules.adamw(ws, gs, ms, vs, *numbers, scale, clip_gradient)

    new, *moments = flat(stepped_all(rule, [weight32], [grad], [mean], [var]))
    use = rules.usable(scale)
    pairs = zip((new, *moments, new), (weight, mean, var, weight32), strict=True)
    weight, mean, var, weight32 = [kept_if(use, after, before) for after, before in pairs]
    return weight, mean, var, weight32


@kernel()
def mp_lamb_update_phase1(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    weight32: Tensor,
    *,
    beta1: float,
    beta2: float,
    epsilon: float,
    t: int,
    bias_correction: bool,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> tuple[Tensor, ...]:
    """The direction of LAMB's step."""
    _check(weight, grad, mean, var, weight32)

    def rule(w: Tensor, g: Tensor, m: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        gs = rescaled([g], rescale_grad, clip_gradient)
        numbers = beta1, beta2, epsilon, [t], bias_correction, [wd]
        return rules.lamb_directions([w], gs, [m], [v], *numbers)[0], m, v

    return stepped(rule, weight32, grad, mean, var)


@kernel()
def mp_lamb_update_phase2(
    weight: Tensor,
    g: Tensor,
    r1: Tensor,
    r2: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    lower_bound: float,
    upper_bound: float,
) -> tuple[Tensor, Tensor]:
    """LAMB's step."""
    _check(weight, g, weight32)
    ratio = rules.lamb_ratios(r1.reshape(()), r2.reshape(()), lower_bound, upper_bound)
    new = weight32 - g * (ratio * lr)
    return new.to(weight.dtype), new
