"""Steps of optimizers with one learning rate: the new weight, then the new states."""

import numpy as np

from hy_kernels.numpy import _update_rules as rules
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._update_rules import rescaled, rounded, wide

__all__ = ["nag_mom_update", "sgd_mom_update", "sgd_update", "signsgd_update", "signum_update"]


@quiet
def sgd_update(
    weight: Array,
    grad: Array,
    *,
    lr: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
) -> Array:
    """Gradient descent."""
    g = rescaled(grad, rescale_grad, clip_gradient)
    return rounded(rules.sgd(wide(weight), g, lr, wd), weight)[0]


@quiet
def sgd_mom_update(
    weight: Array,
    grad: Array,
    mom: Array,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    lazy_update: bool,
) -> tuple[Array, ...]:
    """Gradient descent with momentum."""
    g = rescaled(grad, rescale_grad, clip_gradient)
    new = rules.momentum_sgd(wide(weight), g, wide(mom), lr, wd, momentum)
    return rounded(new, weight, mom)


@quiet
def nag_mom_update(
    weight: Array,
    grad: Array,
    mom: Array,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> tuple[Array, ...]:
    """Nesterov's accelerated gradient."""
    g = rescaled(grad, rescale_grad, clip_gradient)
    new = rules.nesterov(wide(weight), g, wide(mom), lr, wd, momentum)
    return rounded(new, weight, mom)


@quiet
def signsgd_update(
    weight: Array,
    grad: Array,
    *,
    lr: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> Array:
    """A step of fixed size against the sign of the gradient."""
    g = np.sign(wide(grad) * rescale_grad)
    return rounded(rules.sgd(wide(weight), g, lr, wd), weight)[0]


@quiet
def signum_update(
    weight: Array,
    grad: Array,
    mom: Array,
    *,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    wd_lh: float,
) -> tuple[Array, ...]:
    """A step of fixed size along the sign of the velocity."""
    w = wide(weight)
    g = rescaled(grad, rescale_grad, clip_gradient)
    if wd:
        g += w * wd
    new = wide(mom) * momentum
    new -= g * (1 - momentum)
    return rounded((w * (1 - lr * wd_lh) + lr * np.sign(new), new), weight, mom)
