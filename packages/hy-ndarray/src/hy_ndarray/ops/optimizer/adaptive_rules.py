"""Adaptive update rules, which scale each element's step by its past gradients."""

from typing import Any

from hy_ndarray.ops.elementwise.unary import clip, sqrt, square
from hy_ndarray.ops.optimizer.declaration import rule
from hy_ndarray.ops.optimizer.terms import decayed, running_mean, within
from hy_ndarray.ops.record.ranges import Probability
from hy_ndarray.ops.reduce.reductions import mean as mean_of
from hy_ndarray.ops.shaping.reshape import flatten, reshape_like


@rule("adam_update", "_sparse_adam_update", forms=("_multi", "_preloaded_multi"))
def adam_update(
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,  # for row-sparse gradients
) -> Any:
    """Adam; the caller puts the bias correction into ``lr``.

    With ``g = grad + wd * weight``, clipped to the bound:
    ``mean = beta1 * mean + (1 - beta1) * g``, ``var = beta2 * var + (1 - beta2) * g²``, and the
    result is ``weight - lr * mean / (sqrt(var) + epsilon)``.

    Where:
        mean: Running mean of ``g``, overwritten; the type of ``weight``.
        var: Running mean of ``g²``, overwritten; the type of ``weight``.
        clip_gradient: Bound of ``g``; none if negative.

    Source:
        Kingma, Ba 2014, arXiv:1412.6980.
    """
    slope = within(decayed(grad * rescale_grad, weight, wd), clip_gradient)
    mean, var = running_mean(mean, slope, beta1), running_mean(var, square(slope), beta2)
    return weight - mean / (sqrt(var) + epsilon) * lr, mean, var


@rule("_adamw_update", forms=("_mp", "_multi", "_multi_mp"), guard="rescale_grad", lists=False)
def adamw_update(
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    rescale_grad: Any,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
) -> Any:
    """Adam with decoupled weight decay.

    As ``adam_update`` without decay in the gradient; the result is
    ``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``. Where the factor of the
    gradient is 0, nan or infinite, because a loss scale overflowed, nothing changes.

    Where:
        rescale_grad: Factor of the gradient, one element.
        eta: Factor of the whole step: the schedule.
        clip_gradient: Bound of the rescaled gradient, which then replaces ``grad``; none if
            negative.

    Source:
        Loshchilov, Hutter 2017, arXiv:1711.05101.
    """
    slope = within(grad * rescale_grad, clip_gradient)
    mean, var = running_mean(mean, slope, beta1), running_mean(var, square(slope), beta2)
    decayed = weight * (1 - eta * wd) if wd else weight
    return decayed - mean / (sqrt(var) + epsilon) * (eta * lr), mean, var


@rule("_sparse_adagrad_update")
def adagrad_update(
    weight: Any,
    grad: Any,
    history: Any,
    *,
    lr: float,
    epsilon: float = 1e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """AdaGrad: ``history += grad²``, then a step of ``lr * grad / sqrt(history + epsilon)``.

    Where:
        history: Sum of the squared gradients, overwritten; the type of ``weight``.
        epsilon: Added to the sum.
    """
    slope = within(grad * rescale_grad, clip_gradient)
    history = history + square(slope)
    decayed = weight * (1 - lr * wd) if wd else weight
    return decayed - slope / sqrt(history + epsilon) * lr, history


@rule("_contrib_group_adagrad_update", by_rows=True)
def group_adagrad_update(
    weight: Any,
    grad: Any,
    history: Any,
    *,
    lr: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-05,
) -> Any:
    """AdaGrad with one history for each row: the sum of the means of its squared gradients.

    Where:
        weight: ``[N, *rest]``, floating.
        history: ``[N, 1]``, overwritten; the dtype of ``weight``.
        epsilon: Added to the history.
    """
    slope = flatten(within(grad * rescale_grad, clip_gradient))
    squares = mean_of(square(slope), axis=(1,), keepdims=True)
    history = history + reshape_like(squares, history)
    step = reshape_like(slope / sqrt(flatten(history) + epsilon) * lr, weight)
    return weight - step, history


@rule("rmsprop_update")
def rmsprop_update(
    weight: Any,
    grad: Any,
    n: Any,
    *,
    lr: float,
    gamma1: float = 0.95,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """RMSProp.

    With ``g = grad + wd * weight``, clipped to the bound:
    ``n = gamma1 * n + (1 - gamma1) * g²``, and the result is
    ``weight - lr * g / sqrt(n + epsilon)``.

    Where:
        n: Running mean of ``g²``, overwritten; the type of ``weight``.
        gamma1: Decay rate of the mean square.
        epsilon: Added to the mean square.
        clip_gradient: Bound of ``g``; none if negative.
    """
    slope = within(decayed(grad * rescale_grad, weight, wd), clip_gradient)
    n = running_mean(n, square(slope), gamma1)
    return within(weight - slope / sqrt(n + epsilon) * lr, clip_weights), n


@rule("rmspropalex_update")
def rmspropalex_update(
    weight: Any,
    grad: Any,
    n: Any,
    g: Any,
    delta: Any,
    *,
    lr: float,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """RMSProp with the variance of the gradient in place of its mean square, and momentum.

    ``delta = gamma2 * delta - lr * grad / sqrt(n - g² + epsilon)``; the result is
    ``weight + delta``.

    Where:
        n: Running mean of the squared gradient, overwritten; the type of ``weight``.
        g: Running mean of the gradient, overwritten; the type of ``weight``.
        delta: The last step, overwritten; the type of ``weight``.
        gamma1: Decay rate of the means.
        gamma2: Momentum: the factor of the last step.
        epsilon: Added to the variance.
        clip_gradient: Bound of the gradient with weight decay; none if negative.

    Source:
        Graves 2013, arXiv:1308.0850, eq. 38-45.
    """
    slope = within(decayed(grad * rescale_grad, weight, wd), clip_gradient)
    n, g = running_mean(n, square(slope), gamma1), running_mean(g, slope, gamma1)
    delta = delta * gamma2 - slope / sqrt(n - square(g) + epsilon) * lr
    return within(weight + delta, clip_weights), n, g, delta


@rule("ftrl_update", "_sparse_ftrl_update")
def ftrl_update(
    weight: Any,
    grad: Any,
    z: Any,
    n: Any,
    *,
    lr: float,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Follow the regularised leader: per-coordinate learning rates, and exactly sparse weights.

    Where:
        z: The leader, overwritten; the type of ``weight``.
        n: Sum of the squared gradients, overwritten; the type of ``weight``.
        lamda1: Strength of the pull to 0.
        beta: Added to the root of the sum.

    Source:
        McMahan et al. 2013, "Ad Click Prediction: a View from the Trenches", KDD, algorithm 1.
    """
    slope = within(grad * rescale_grad, clip_gradient)
    total = n + square(slope)
    root = sqrt(total)
    z = z + slope - (root - sqrt(n)) * weight / lr
    scale = (root + beta) / lr
    reach = clip(z, a_min=-lamda1, a_max=lamda1) - z  # the other way, as far as |z| is more
    return reach / (scale + wd if wd else scale), z, total


@rule("ftml_update", bounds=("clip_grad",), zeros=("wd", "lr"))
def ftml_update(
    weight: Any,
    grad: Any,
    d: Any,
    v: Any,
    z: Any,
    *,
    lr: float,
    beta1: Probability = 0.6,
    beta2: Probability = 0.999,
    epsilon: float = 1e-08,
    t: int,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
) -> Any:
    """FTML (follow the moving leader), an adaptive method.

    Where:
        d: Scale of the last step, overwritten; the type of ``weight``.
        v: Running mean of the squared gradient, overwritten; the type of ``weight``.
        z: Accumulated linear term, overwritten; the type of ``weight``.
        beta1: Decay rate of ``z`` and ``d``.
        clip_grad: Bound of the gradient with weight decay; none if negative.

    Source:
        Zheng, Kwok 2017, "Follow the Moving Leader in Deep Learning", ICML, algorithm 1.
    """
    slope = within(decayed(grad * rescale_grad, weight, wd), clip_grad)
    v = running_mean(v, square(slope), beta2)
    if not lr:  # the scale would be infinite, and the next step nan
        return weight, d, v, z
    scale = (sqrt(v * (1 / (1 - beta2**t))) + epsilon) * ((1 - beta1**t) / lr)
    z = running_mean(z, slope, beta1) - (scale - d * beta1) * weight
    return -(z / scale), scale, v, z
