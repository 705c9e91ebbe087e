"""Steps of optimizers with one learning rate: the new weight, then the new states."""

from hy_kernels.numpy import _update_rules as rules
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._update_rules import Targets, rescaled, stepped
from hy_kernels.numpy.elementwise import sign

__all__ = ["nag_mom_update", "sgd_mom_update", "sgd_update", "signsgd_update", "signum_update"]


@kernel(out="in place")
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
    out: Targets = None,
) -> Array:
    """Gradient descent."""
    rule = rules.descent(rescale_grad, clip_gradient, lr, wd)
    return stepped(rule, weight, grad, out=out)[0]


@kernel(out="in place")
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
    out: Targets = None,
) -> tuple[Array, ...]:
    """Gradient descent with momentum."""
    rule = rules.velocity(rescale_grad, clip_gradient, lr, wd, momentum)
    return stepped(rule, weight, grad, mom, out=out)


@kernel(out="in place")
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
    out: Targets = None,
) -> tuple[Array, ...]:
    """Nesterov's accelerated gradient."""

    def rule(w: Array, g: Array, m: Array) -> tuple[Array, Array]:
        g = rescaled(g, rescale_grad, clip_gradient)
        return rules.nesterov(w, g, m, lr, wd, momentum)

    return stepped(rule, weight, grad, mom, out=out)


@kernel(out="in place")
@quiet
def signsgd_update(
    weight: Array,
    grad: Array,
    *,
    lr: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    out: Targets = None,
) -> Array:
    """A step of fixed size against the sign of the gradient."""

    def rule(w: Array, g: Array) -> tuple[Array]:
        return rules.sgd(w, sign(g * rescale_grad), lr, wd)

    return stepped(rule, weight, grad, out=out)[0]


@kernel(out="in place")
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
    out: Targets = None,
) -> tuple[Array, ...]:
    """A step of fixed size along the sign of the velocity."""

    def rule(w: Array, g: Array, m: Array) -> tuple[Array, Array]:
        g = rescaled(g, rescale_grad, clip_gradient)
        if wd:
            g += w * wd
        m = m * momentum
        m -= g * (1 - momentum)
        return w * (1 - lr * wd_lh) + lr * sign(m), m

    return stepped(rule, weight, grad, mom, out=out)
