"""Rules of gradient descent, with one learning rate for all elements.

Each update rule is written once, with catalogue operators: it takes a weight, its gradient, the
optimizer's states and hyperparameters, and returns the new weight and states. Its signature is the
schema of the operator of its name; ``declaration`` derives the other forms.

The gradient is first multiplied by ``rescale_grad`` and then, unless ``clip_gradient`` is negative,
clipped to ± ``clip_gradient``.
"""

from typing import Any

from hy_ndarray.ops.elementwise.unary import sign
from hy_ndarray.ops.optimizer.declaration import rule
from hy_ndarray.ops.optimizer.terms import decayed, within


@rule(
    "sgd_update",
    "_sparse_sgd_update",
    forms=("mp", "multi", "multi_mp", "preloaded_multi", "preloaded_multi_mp"),
)
def sgd_update(
    weight: Any,
    grad: Any,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> Any:
    """Gradient descent: ``weight - lr * (grad + wd * weight)``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sgd_update(nd.array([1]), nd.array([2]), lr=0.25).asnumpy()
        array([0.5], dtype=float32)
    """
    decayed = weight * (1 - lr * wd) if wd else weight
    return decayed - within(grad * rescale_grad, clip_gradient) * lr


@rule(
    "sgd_mom_update",
    "_sparse_sgd_mom_update",
    forms=("mp", "multi", "multi_mp", "preloaded_multi", "preloaded_multi_mp"),
    zeros=("momentum", "wd"),
)
def sgd_mom_update(
    weight: Any,
    grad: Any,
    mom: Any,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> Any:
    """Gradient descent with momentum.

    ``mom = momentum * mom - lr * (grad + wd * weight)``; the result is ``weight + mom``.
    """
    step = within(grad * rescale_grad, clip_gradient) * -lr
    mom = mom * momentum + step if momentum else step
    if wd:
        mom = mom - weight * (lr * wd)
    return weight + mom, mom


@rule("nag_mom_update", forms=("mp",))
def nag_mom_update(
    weight: Any,
    grad: Any,
    mom: Any,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Nesterov's accelerated gradient.

    With ``g = lr * (grad + wd * weight)``: ``mom = momentum * mom - g``, and the result is
    ``weight + momentum * mom - g``.
    """
    step = decayed(within(grad * rescale_grad, clip_gradient) * lr, weight, lr * wd if wd else 0)
    mom = mom * momentum - step
    return weight - step + mom * momentum, mom


@rule("signsgd_update")
def signsgd_update(
    weight: Any,
    grad: Any,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,  # signs are within any bound
) -> Any:
    """A step of fixed size against the sign of the gradient.

    ``weight - lr * (sign(grad) + wd * weight)``.

    Where:
        rescale_grad: Factor of the gradient; only its sign matters.
        clip_gradient: Accepted and ignored.

    Source:
        Bernstein et al. 2018, arXiv:1802.04434.
    """
    decayed = weight * (1 - lr * wd) if wd else weight
    return decayed - sign(grad * rescale_grad) * lr


@rule("signum_update")
def signum_update(
    weight: Any,
    grad: Any,
    mom: Any,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
) -> Any:
    """Step of fixed size by the sign of the momentum.

    ``mom = momentum * mom - (1 - momentum) * (grad + wd * weight)``; the result is
    ``weight * (1 - lr * wd_lh) + lr * sign(mom)``.

    Where:
        wd: Weight decay that goes into the velocity.
        wd_lh: Weight decay that acts on the weight itself.

    Source:
        Bernstein et al. 2018, arXiv:1802.04434.
    """
    slope = decayed(within(grad * rescale_grad, clip_gradient), weight, wd)
    mom = mom * momentum - slope * (1 - momentum)
    shrunk = weight * (1 - lr * wd_lh) if wd_lh else weight
    return shrunk + sign(mom) * lr, mom
