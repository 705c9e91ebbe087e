"""Steps of optimizers that scale each element: the new weight, then the new states."""

import numpy as np

from hy_kernels.numpy import _update_rules as rules
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._update_rules import (
    Targets,
    rescaled,
    scalar_of,
    stepped,
    temporary,
    wide,
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


@kernel(out="in place")
@quiet
def adam_update(
    weight: Array,
    grad: Array,
    mean: Array,
    var: Array,
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
) -> tuple[Array, ...]:
    """Adam."""

    def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
        g = rescaled(g, rescale_grad, clip_gradient, rules.decay(w, wd))
        return rules.adam(w, g, m, v, lr, beta1, beta2, epsilon)

    return stepped(rule, weight, grad, mean, var, out=out)


@kernel()
@quiet
def adamw_update(
    weight: Array,
    grad: Array,
    mean: Array,
    var: Array,
    rescale_grad: Array,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
    clip_gradient: float,
) -> tuple[Array, ...]:
    """Adam with decoupled weight decay; nothing changes if the loss scale overflowed."""
    scale = scalar_of(rescale_grad)
    if not np.isfinite(scale) or scale == 0:
        kept = (grad, mean, var) if clip_gradient >= 0 else (mean, var)
        return weight.copy(), *kept

    def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
        g = rescaled(g, scale, clip_gradient)
        return rules.adamw(w, g, m, v, lr, beta1, beta2, epsilon, wd, eta)

    values = stepped(rule, weight, grad, mean, var)
    if clip_gradient < 0:
        return values
    clipped = rescaled(grad, scale, clip_gradient).astype(grad.dtype)
    return values[0], clipped, *values[1:]


@kernel(out="in place")
@quiet
def ftml_update(
    weight: Array,
    grad: Array,
    d: Array,
    v: Array,
    z: Array,
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
) -> tuple[Array, ...]:
    """Follow the moving leader."""

    def rule(w: Array, g: Array, last: Array, second: Array, first: Array) -> tuple[Array, ...]:
        g = rescaled(g, rescale_grad, clip_grad, rules.decay(w, wd))
        second = second * beta2 + (1 - beta2) * np.square(g)
        if lr == 0:  # the scale would be infinite, and the next step nan
            return w, last, second, first
        scale = (np.sqrt(second / (1 - beta2**t)) + epsilon) * ((1 - beta1**t) / lr)
        first = first * beta1 + (1 - beta1) * g - (scale - beta1 * last) * w
        return -first / scale, scale, second, first

    return stepped(rule, weight, grad, d, v, z, out=out)


@kernel(out="in place")
@quiet
def ftrl_update(
    weight: Array,
    grad: Array,
    z: Array,
    n: Array,
    *,
    lr: float,
    lamda1: float,
    beta: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> tuple[Array, ...]:
    """Follow the regularised leader, per coordinate."""

    def rule(w: Array, g: Array, leader: Array, total: Array) -> tuple[Array, ...]:
        g = rescaled(g, rescale_grad, clip_gradient)
        squares = total + np.square(g)
        root = np.sqrt(squares)
        leader = leader + g - (root - np.sqrt(total)) * w / lr
        reach = np.sign(leader) * np.maximum(np.abs(leader) - lamda1, 0)
        return -reach / ((beta + root) / lr + wd), leader, squares

    return stepped(rule, weight, grad, z, n, out=out)


def _within(weight: Array, bound: float) -> Array:
    return np.clip(weight, -bound, bound) if bound >= 0 else weight


@kernel(out="in place")
@quiet
def rmsprop_update(
    weight: Array,
    grad: Array,
    n: Array,
    *,
    lr: float,
    gamma1: float,
    epsilon: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    clip_weights: float,
    out: Targets = None,
) -> tuple[Array, ...]:
    """RMSProp."""

    def rule(w: Array, g: Array, squares: Array) -> tuple[Array, ...]:
        g = rescaled(g, rescale_grad, clip_gradient, rules.decay(w, wd))
        root = np.square(g, out=temporary(g, 1))
        root *= 1 - gamma1
        squares *= gamma1
        squares += root
        g *= lr
        g /= np.sqrt(np.add(squares, epsilon, out=root), out=root)
        w -= g
        return _within(w, clip_weights), squares

    return stepped(rule, weight, grad, n, out=out)


@kernel(out="in place")
@quiet
def rmspropalex_update(
    weight: Array,
    grad: Array,
    n: Array,
    g: Array,
    delta: Array,
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
) -> tuple[Array, ...]:
    """RMSProp with the variance in place of the mean square, and momentum."""

    def rule(w: Array, slope: Array, squares: Array, mean: Array, step: Array) -> tuple[Array, ...]:
        slope = rescaled(slope, rescale_grad, clip_gradient, rules.decay(w, wd))
        squares = squares * gamma1 + (1 - gamma1) * np.square(slope)
        mean = mean * gamma1 + (1 - gamma1) * slope
        spread = np.sqrt(squares - np.square(mean) + epsilon)
        step = step * gamma2 - lr * slope / spread
        return _within(w + step, clip_weights), squares, mean, step

    return stepped(rule, weight, grad, n, g, delta, out=out)


@kernel(out="in place")
@quiet
def adagrad_update(
    weight: Array,
    grad: Array,
    history: Array,
    *,
    lr: float,
    epsilon: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> tuple[Array, ...]:
    """AdaGrad."""

    def rule(w: Array, g: Array, total: Array) -> tuple[Array, ...]:
        g = rescaled(g, rescale_grad, clip_gradient)
        root = np.square(g, out=temporary(g, 1))
        total += root
        g /= np.sqrt(np.add(total, epsilon, out=root), out=root)
        return *rules.sgd(w, g, lr, wd), total

    return stepped(rule, weight, grad, history, out=out)


@kernel()
@quiet
def group_adagrad_update(
    weight: Array,
    grad: Array,
    history: Array,
    *,
    lr: float,
    rescale_grad: float,
    clip_gradient: float,
    epsilon: float,
) -> tuple[Array, ...]:
    """AdaGrad with one history for each row."""
    g = rescaled(grad, rescale_grad, clip_gradient)
    squares = np.square(g).reshape(len(g), -1).mean(1) if g.size else np.zeros(len(g), g.dtype)
    total = wide(history) + squares.reshape(history.shape)
    g /= np.sqrt(total + epsilon).reshape(-1, *(1,) * (g.ndim - 1))
    g *= lr
    new = wide(weight) - g
    return new.astype(weight.dtype, copy=False), total.astype(history.dtype, copy=False)


@kernel(out="in place")
@quiet
def lamb_update_phase1(
    weight: Array,
    grad: Array,
    mean: Array,
    var: Array,
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
) -> tuple[Array, ...]:
    """The direction of LAMB's step."""

    def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
        g = rescaled(g, rescale_grad, clip_gradient)
        return rules.lamb_direction(w, g, m, v, beta1, beta2, epsilon, t, bias_correction, wd)

    return stepped(rule, weight, grad, mean, var, out=out)


@kernel()
@quiet
def lamb_update_phase2(
    weight: Array,
    g: Array,
    r1: Array,
    r2: Array,
    *,
    lr: float,
    lower_bound: float,
    upper_bound: float,
) -> Array:
    """LAMB's step."""
    norms = scalar_of(r1), scalar_of(r2)
    moved = rules.lamb_step(wide(weight), wide(g), *norms, lr, lower_bound, upper_bound)
    return moved.astype(weight.dtype, copy=False)
