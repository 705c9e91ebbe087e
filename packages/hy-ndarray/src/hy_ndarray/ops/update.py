"""Steps of optimizers with one learning rate for all elements.

Each takes a weight, its gradient and the optimizer's states; it returns the new weight, and
overwrites the states. ``out=weight`` overwrites the weight too. Before anything else the gradient
is multiplied by ``rescale_grad``; unless ``clip_gradient`` is negative, it is kept within ± that.
"""

from collections.abc import Callable, Sequence

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.rules import same
from hy_ndarray.ops.record.schema import pointwise
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "nag_mom_update",
    "sgd_mom_update",
    "sgd_update",
    "signsgd_update",
    "signum_update",
]


def always(*names: str) -> Callable[[Params, bool], Sequence[str]]:
    """The states that every call overwrites."""

    def updated(params: Params, is_train: bool) -> Sequence[str]:
        return names

    return updated


@pointwise("sgd_update", "_sparse_sgd_update", same="type")
def sgd_update(
    weight: TensorType,
    grad: TensorType,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> TensorType:
    """Gradient descent: ``weight - lr * (grad + wd * weight)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        lr: Learning rate.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Raises:
        ShapeError: ``grad`` has another shape.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sgd_update(nd.array([1]), nd.array([2]), lr=0.25).asnumpy()
        array([0.5], dtype=float32)
    """
    return same(weight, grad)


@pointwise(
    "sgd_mom_update",
    "_sparse_sgd_mom_update",
    same="type",
    aux=("mom",),
    updates=always("mom"),
)
def sgd_mom_update(
    weight: TensorType,
    grad: TensorType,
    mom: TensorType,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> TensorType:
    """Gradient descent with momentum.

    ``mom = momentum * mom - lr * (grad + wd * weight)``; the result is ``weight + mom``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; the type of ``weight``.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.
    """
    return same(weight, grad, mom)


@pointwise("nag_mom_update", same="type", aux=("mom",), updates=always("mom"))
def nag_mom_update(
    weight: TensorType,
    grad: TensorType,
    mom: TensorType,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> TensorType:
    """Nesterov's accelerated gradient.

    With ``g = lr * (grad + wd * weight)``: ``mom = momentum * mom - g``, and the result is
    ``weight + momentum * mom - g``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; the type of ``weight``.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.
    """
    return same(weight, grad, mom)


@pointwise("signsgd_update", same="type")
def signsgd_update(
    weight: TensorType,
    grad: TensorType,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,  # signs are within any bound
) -> TensorType:
    """A step of fixed size against the sign of the gradient.

    ``weight - lr * (sign(grad) + wd * weight)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        lr: Learning rate.
        wd: Weight decay.
        rescale_grad: Factor of the gradient; only its sign matters.
        clip_gradient: Has no effect.

    Returns:
        The new weight.

    Raises:
        ShapeError: ``grad`` has another shape.

    Source:
        Bernstein et al. 2018, arXiv:1802.04434.
    """
    return same(weight, grad)


@pointwise("signum_update", same="type", aux=("mom",), updates=always("mom"))
def signum_update(
    weight: TensorType,
    grad: TensorType,
    mom: TensorType,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
) -> TensorType:
    """A step of fixed size along the sign of the velocity.

    ``mom = momentum * mom - (1 - momentum) * (grad + wd * weight)``; the result is
    ``weight * (1 - lr * wd_lh) + lr * sign(mom)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; the type of ``weight``.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay that goes into the velocity.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        wd_lh: Weight decay that acts on the weight itself.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.

    Source:
        Bernstein et al. 2018, arXiv:1802.04434.
    """
    return same(weight, grad, mom)
