"""Steps of optimizers that scale each element by what its gradients were.

Called as those of ``update``: they return the new weight and overwrite the states.
"""

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.ranges import Probability
from hy_ndarray.ops.record.rules import expect_axes, same, same_dtype, same_shape
from hy_ndarray.ops.record.schema import operator, pointwise
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.update import always

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


def single(*types: TensorType) -> None:
    """:class:`ShapeError` unless each operand has one element."""
    for t in types:
        if t.sizes is not None and t.sizes not in ((1,), ()):
            raise ShapeError(f"{t.label}{show(t.shape)} must have one element")


@pointwise(
    "adam_update",
    "_sparse_adam_update",
    same="type",
    aux=("mean", "var"),
    updates=always("mean", "var"),
)
def adam_update(
    weight: TensorType,
    grad: TensorType,
    mean: TensorType,
    var: TensorType,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> TensorType:
    """Adam; the caller puts the bias correction into ``lr``.

    With ``g = grad + wd * weight`` (which is then kept within the bound):
    ``mean = beta1 * mean + (1 - beta1) * g``, ``var = beta2 * var + (1 - beta2) * g²``, and the
    result is ``weight - lr * mean / (sqrt(var) + epsilon)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mean: Running mean of ``g``, overwritten; the type of ``weight``.
        var: Running mean of ``g²``, overwritten; the type of ``weight``.
        lr: Learning rate.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of ``g``; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.

    Source:
        Kingma, Ba 2014, arXiv:1412.6980.
    """
    return same(weight, grad, mean, var)


def _adamw_updated(params: Params, _: bool) -> tuple[str, ...]:
    """MXNet leaves the rescaled and clipped gradient in its place."""
    return ("grad", "mean", "var") if params["clip_gradient"] >= 0 else ("mean", "var")


@operator("_adamw_update", aux=("mean", "var"), updates=_adamw_updated)
def adamw_update(
    weight: TensorType,
    grad: TensorType,
    mean: TensorType,
    var: TensorType,
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
    """Adam with decoupled weight decay.

    As ``adam_update`` without decay in the gradient; the result is
    ``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``. Where the factor of the
    gradient is 0, nan or infinite, because a loss scale overflowed, nothing changes.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mean: Running mean of the gradient, overwritten; the type of ``weight``.
        var: Running mean of its square, overwritten; the type of ``weight``.
        rescale_grad: Factor of the gradient, one element.
        lr: Learning rate.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        wd: Weight decay.
        eta: Factor of the whole step: the schedule.
        clip_gradient: Bound of the rescaled gradient, which then replaces ``grad``; none if
            negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.

    Source:
        Loshchilov, Hutter 2017, arXiv:1711.05101.
    """
    single(rescale_grad)
    return same(weight, grad, mean, var)


@pointwise("ftml_update", same="type", aux=("d", "v", "z"), updates=always("d", "v", "z"))
def ftml_update(
    weight: TensorType,
    grad: TensorType,
    d: TensorType,
    v: TensorType,
    z: TensorType,
    *,
    lr: float,
    beta1: Probability = 0.6,
    beta2: Probability = 0.999,
    epsilon: float = 1e-08,
    t: int,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
) -> TensorType:
    """Follow the moving leader.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        d: Scale of the last step, overwritten; the type of ``weight``.
        v: Running mean of the squared gradient, overwritten; the type of ``weight``.
        z: The leader, overwritten; the type of ``weight``.
        lr: Learning rate.
        beta1: How much of the leader is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        t: Number of the step, from 1.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_grad: Bound of the gradient with its decay; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.

    Source:
        Zheng, Kwok 2017, "Follow the Moving Leader in Deep Learning", ICML, algorithm 1.
    """
    return same(weight, grad, d, v, z)


@pointwise(
    "ftrl_update",
    "_sparse_ftrl_update",
    same="type",
    aux=("z", "n"),
    updates=always("z", "n"),
)
def ftrl_update(
    weight: TensorType,
    grad: TensorType,
    z: TensorType,
    n: TensorType,
    *,
    lr: float,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> TensorType:
    """Follow the regularised leader: steps per coordinate, and weights that become exactly 0.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        z: The leader, overwritten; the type of ``weight``.
        n: Sum of the squared gradients, overwritten; the type of ``weight``.
        lr: Learning rate.
        lamda1: Strength of the pull to 0.
        beta: Added to the root of the sum.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.

    Source:
        McMahan et al. 2013, "Ad Click Prediction: a View from the Trenches", KDD, algorithm 1.
    """
    return same(weight, grad, z, n)


@pointwise("rmsprop_update", same="type", aux=("n",), updates=always("n"))
def rmsprop_update(
    weight: TensorType,
    grad: TensorType,
    n: TensorType,
    *,
    lr: float,
    gamma1: float = 0.95,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> TensorType:
    """RMSProp.

    With ``g = grad + wd * weight`` (which is then kept within the bound):
    ``n = gamma1 * n + (1 - gamma1) * g²``, and the result is
    ``weight - lr * g / sqrt(n + epsilon)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        n: Running mean of ``g²``, overwritten; the type of ``weight``.
        lr: Learning rate.
        gamma1: How much of the mean square is kept.
        epsilon: Added to the mean square.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of ``g``; none if negative.
        clip_weights: Bound of the result; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.
    """
    return same(weight, grad, n)


@pointwise(
    "rmspropalex_update",
    same="type",
    aux=("n", "g", "delta"),
    updates=always("n", "g", "delta"),
)
def rmspropalex_update(
    weight: TensorType,
    grad: TensorType,
    n: TensorType,
    g: TensorType,
    delta: TensorType,
    *,
    lr: float,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> TensorType:
    """RMSProp with the variance of the gradient in place of its mean square, and momentum.

    ``delta = gamma2 * delta - lr * grad / sqrt(n - g² + epsilon)``; the result is
    ``weight + delta``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        n: Running mean of the squared gradient, overwritten; the type of ``weight``.
        g: Running mean of the gradient, overwritten; the type of ``weight``.
        delta: The last step, overwritten; the type of ``weight``.
        lr: Learning rate.
        gamma1: How much of the means is kept.
        gamma2: How much of the last step is kept.
        epsilon: Added to the variance.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the gradient with its decay; none if negative.
        clip_weights: Bound of the result; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.

    Source:
        Graves 2013, arXiv:1308.0850, eq. 38-45.
    """
    return same(weight, grad, n, g, delta)


@pointwise("_sparse_adagrad_update", same="type", aux=("history",), updates=always("history"))
def adagrad_update(
    weight: TensorType,
    grad: TensorType,
    history: TensorType,
    *,
    lr: float,
    epsilon: float = 1e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> TensorType:
    """AdaGrad: ``history += grad²``, then a step of ``lr * grad / sqrt(history + epsilon)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        history: Sum of the squared gradients, overwritten; the type of ``weight``.
        lr: Learning rate.
        epsilon: Added to the sum.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.
    """
    return same(weight, grad, history)


@operator(
    "_contrib_group_adagrad_update",
    aux=("history",),
    updates=always("history"),
)
def group_adagrad_update(
    weight: TensorType,
    grad: TensorType,
    history: TensorType,
    *,
    lr: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-05,
) -> TensorType:
    """AdaGrad with one history for each row: the sum of the means of its squared gradients.

    Args:
        weight: ``[N, *rest]``, floating.
        grad: The type of ``weight``.
        history: ``[N, 1]``, overwritten; the dtype of ``weight``.
        lr: Learning rate.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        epsilon: Added to the history.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes do not fit.
    """
    same_dtype(weight, grad, history)
    same_shape(weight, grad)
    expect_axes(weight, 1)
    history.set_shape((None if weight.shape is None else weight.shape[0], 1))
    return weight


@pointwise("lamb_update_phase1", same="type", aux=("mean", "var"), updates=always("mean", "var"))
def lamb_update_phase1(
    weight: TensorType,
    grad: TensorType,
    mean: TensorType,
    var: TensorType,
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
    """The direction of LAMB's step: Adam's, plus ``wd * weight``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mean: Running mean of the gradient, overwritten; the type of ``weight``.
        var: Running mean of its square, overwritten; the type of ``weight``.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        t: Number of the step, from 1.
        bias_correction: Divide the means by ``1 - beta ** t``.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The direction, in the type of ``weight``.

    Raises:
        ShapeError: The shapes differ.

    Source:
        You et al. 2019, arXiv:1904.00962, algorithm 2.
    """
    return same(weight, grad, mean, var)


@operator("lamb_update_phase2")
def lamb_update_phase2(
    weight: TensorType,
    g: TensorType,
    r1: TensorType,
    r2: TensorType,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> TensorType:
    """LAMB's step along ``g``: ``weight - lr * (r1 / r2) * g``.

    Args:
        weight: ``[*shape]``, floating.
        g: The direction; the type of ``weight``.
        r1: Norm of the weight, one element; the step is plain if it is 0.
        r2: Norm of the direction, one element; the step is plain if it is 0.
        lr: Learning rate.
        lower_bound: The least ``r1``; none if negative.
        upper_bound: The largest ``r1``; none if negative.

    Returns:
        The new weight.

    Raises:
        ShapeError: The shapes differ.

    Source:
        You et al. 2019, arXiv:1904.00962, algorithm 2.
    """
    single(r1, r2)
    same_dtype(weight, r1, r2)
    return same(weight, g)
