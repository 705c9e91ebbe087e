"""Steps of optimizers on 16-bit weights that are kept in float32 beside."""

import numpy as np

from hy_kernels.numpy import _update_rules as rules
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._update_rules import rescaled, scalar_of, stepped

__all__ = [
    "mp_adamw_update",
    "mp_lamb_update_phase1",
    "mp_lamb_update_phase2",
    "mp_nag_mom_update",
    "mp_sgd_mom_update",
    "mp_sgd_update",
]


def _check(weight: Array, *others: Array) -> None:
    """What numpy would broadcast instead of refusing."""
    if any(x.shape != weight.shape for x in others):
        raise ValueError("shapes differ")


@kernel()
@quiet
def mp_sgd_update(
    weight: Array,
    grad: Array,
    weight32: Array,
    *,
    lr: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
) -> tuple[Array, Array]:
    """Gradient descent."""
    _check(weight, grad, weight32)
    rule = rules.descent(rescale_grad, clip_gradient, lr, wd)
    (new,) = stepped(rule, weight32, grad)
    return new.astype(weight.dtype), new


@kernel()
@quiet
def mp_sgd_mom_update(
    weight: Array,
    grad: Array,
    mom: Array,
    weight32: Array,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
) -> tuple[Array, Array, Array]:
    """Gradient descent with momentum."""
    _check(weight, grad, mom, weight32)
    rule = rules.velocity(rescale_grad, clip_gradient, lr, wd, momentum)
    new, mom = stepped(rule, weight32, grad, mom)
    return new.astype(weight.dtype), mom, new


@kernel()
@quiet
def mp_nag_mom_update(
    weight: Array,
    grad: Array,
    mom: Array,
    weight32: Array,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> tuple[Array, Array, Array]:
    """Nesterov's accelerated gradient."""
    _check(weight, grad, mom, weight32)

    def rule(w: Array, g: Array, m: Array) -> tuple[Array, Array]:
        g = rescaled(g, rescale_grad, clip_gradient)
        return rules.nesterov(w, g, m, lr, wd, momentum)

    new, mom = stepped(rule, weight32, grad, mom)
    return new.astype(weight.dtype), mom, new


@kernel()
@quiet
def mp_adamw_update(
    weight: Array,
    grad: Array,
    mean: Array,
    var: Array,
    weight32: Array,
    rescale_grad: Array,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
    clip_gradient: float,
) -> tuple[Array, Array, Array, Array]:
    """Adam with decoupled weight decay; nothing changes if the loss scale overflowed."""
    _check(weight, grad, mean, var, weight32)
    scale = scalar_of(rescale_grad)
    if not np.isfinite(scale) or scale == 0:
        return weight.copy(), mean, var, weight32

    def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
        g = rescaled(g, scale, clip_gradient)
        return rules.adamw(w, g, m, v, lr, beta1, beta2, epsilon, wd, eta)

    new, mean, var = stepped(rule, weight32, grad, mean, var)
    return new.astype(weight.dtype), mean, var, new


@kernel()
@quiet
def mp_lamb_update_phase1(
    weight: Array,
    grad: Array,
    mean: Array,
    var: Array,
    weight32: Array,
    *,
    beta1: float,
    beta2: float,
    epsilon: float,
    t: int,
    bias_correction: bool,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> tuple[Array, ...]:
    """The direction of LAMB's step."""
    _check(weight, grad, mean, var, weight32)

    def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
        g = rescaled(g, rescale_grad, clip_gradient)
        return rules.lamb_direction(w, g, m, v, beta1, beta2, epsilon, t, bias_correction, wd)

    return stepped(rule, weight32, grad, mean, var)


@kernel()
@quiet
def mp_lamb_update_phase2(
    weight: Array,
    g: Array,
    r1: Array,
    r2: Array,
    weight32: Array,
    *,
    lr: float,
    lower_bound: float,
    upper_bound: float,
) -> tuple[Array, Array]:
    """LAMB's step."""
    _check(weight, g, weight32)
    norms = scalar_of(r1), scalar_of(r2)
    new = rules.lamb_step(weight32, g, *norms, lr, lower_bound, upper_bound)
    return new.astype(weight.dtype), new
