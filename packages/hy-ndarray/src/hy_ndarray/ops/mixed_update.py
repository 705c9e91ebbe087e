"""Steps of optimizers on 16-bit weights that are kept in float32 beside.

The rules are those of the operators without ``mp_``; the step is taken in float32, the result is
the new float32 weight rounded, and that weight and the states are overwritten.
"""

from hy_ndarray.ops.adaptive_update import single
from hy_ndarray.ops.record.rules import same, same_dtype, same_shape
from hy_ndarray.ops.record.schema import operator, pointwise
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.update import always

__all__ = [
    "mp_adamw_update",
    "mp_lamb_update_phase1",
    "mp_lamb_update_phase2",
    "mp_nag_mom_update",
    "mp_sgd_mom_update",
    "mp_sgd_update",
]


def _mixed(weight: TensorType, grad: TensorType, *wide: TensorType) -> TensorType:
    """One shape for all; one dtype for weight and gradient, float32 for the others."""
    same_shape(weight, grad, *wide)
    same_dtype(weight, grad)
    for t in wide:
        t.set_dtype("float32")
    return weight


@pointwise("mp_sgd_update", aux=("weight32",), updates=always("weight32"))
def mp_sgd_update(
    weight: TensorType,
    grad: TensorType,
    weight32: TensorType,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> TensorType:
    """Gradient descent on a 16-bit weight; see ``sgd_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        weight32: The weight in float32, overwritten.
        lr: Learning rate.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.
    """
    return _mixed(weight, grad, weight32)


@pointwise("mp_sgd_mom_update", aux=("mom", "weight32"), updates=always("mom", "weight32"))
def mp_sgd_mom_update(
    weight: TensorType,
    grad: TensorType,
    mom: TensorType,
    weight32: TensorType,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> TensorType:
    """Gradient descent with momentum on a 16-bit weight; see ``sgd_mom_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mom: Velocity in float32, overwritten.
        weight32: The weight in float32, overwritten.
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
    return _mixed(weight, grad, mom, weight32)


@pointwise("mp_nag_mom_update", aux=("mom", "weight32"), updates=always("mom", "weight32"))
def mp_nag_mom_update(
    weight: TensorType,
    grad: TensorType,
    mom: TensorType,
    weight32: TensorType,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> TensorType:
    """Nesterov's accelerated gradient on a 16-bit weight; see ``nag_mom_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mom: Velocity in float32, overwritten.
        weight32: The weight in float32, overwritten.
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
    return _mixed(weight, grad, mom, weight32)


@operator(
    "_mp_adamw_update",
    aux=("mean", "var", "weight32"),
    updates=always("mean", "var", "weight32"),
)
def mp_adamw_update(
    weight: TensorType,
    grad: TensorType,
    mean: TensorType,
    var: TensorType,
    weight32: TensorType,
    rescale_grad: TensorType,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
) -> TensorType:
    """Adam with decoupled weight decay on a 16-bit weight; see ``_adamw_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mean: Running mean of the gradient in float32, overwritten.
        var: Running mean of its square in float32, overwritten.
        weight32: The weight in float32, overwritten.
        rescale_grad: Factor of the gradient, one element.
        lr: Learning rate.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        wd: Weight decay.
        eta: Factor of the whole step: the schedule.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.
    """
    single(rescale_grad)
    return _mixed(weight, grad, mean, var, weight32)


@pointwise("mp_lamb_update_phase1", aux=("mean", "var"), updates=always("mean", "var"))
def mp_lamb_update_phase1(
    weight: TensorType,
    grad: TensorType,
    mean: TensorType,
    var: TensorType,
    weight32: TensorType,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int,
    bias_correction: bool = True,
    wd: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> TensorType:
    """The direction of LAMB's step for a 16-bit weight; see ``lamb_update_phase1``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mean: Running mean of the gradient in float32, overwritten.
        var: Running mean of its square in float32, overwritten.
        weight32: The weight in float32.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        t: Number of the step, from 1.
        bias_correction: Divide the means by ``1 - beta ** t``.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The direction, float32.

    Raises:
        ShapeError: The shapes differ.
    """
    _mixed(weight, grad, mean, var, weight32)
    return weight32


@operator("mp_lamb_update_phase2", aux=("weight32",), updates=always("weight32"))
def mp_lamb_update_phase2(
    weight: TensorType,
    g: TensorType,
    r1: TensorType,
    r2: TensorType,
    weight32: TensorType,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> TensorType:
    """LAMB's step on a 16-bit weight; see ``lamb_update_phase2``.

    Args:
        weight: ``[*shape]``, 16-bit.
        g: The direction, float32.
        r1: Norm of the weight, one element.
        r2: Norm of the direction, one element.
        weight32: The weight in float32, overwritten.
        lr: Learning rate.
        lower_bound: The least ``r1``; none if negative.
        upper_bound: The largest ``r1``; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.
    """
    single(r1, r2)
    same(g, weight32)
    same_shape(weight, g)
    return weight
