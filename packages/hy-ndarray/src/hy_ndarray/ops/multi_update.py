"""Steps of optimizers on many weights in one call.

Arrays come weight by weight: a weight, its gradient, its states (of a 16-bit weight the last one
is the weight in float32), then the next weight. The new weights are returned, the states are
overwritten; ``out=[weights]`` overwrites the weights too.
"""

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops._groups import grouped_step, one_each, preloaded_weights_of, weights_of
from hy_ndarray.ops.adaptive_update import single
from hy_ndarray.ops.record.params import Count, Floats, Shape
from hy_ndarray.ops.record.rules import same_dtype, same_shape
from hy_ndarray.ops.record.schema import operator, pointwise
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "multi_adam_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_lars",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
    "multi_mp_sgd_mom_update",
    "multi_mp_sgd_update",
    "multi_sgd_mom_update",
    "multi_sgd_update",
    "preloaded_multi_adam_update",
    "preloaded_multi_mp_sgd_mom_update",
    "preloaded_multi_mp_sgd_update",
    "preloaded_multi_sgd_mom_update",
    "preloaded_multi_sgd_update",
    "reset_arrays",
]


@operator("multi_sgd_update", **grouped_step(2))
def multi_sgd_update(
    *data: TensorType,
    lrs: Floats,
    wds: Floats,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """Gradient descent on many weights; see ``sgd_update``.

    Args:
        data: ``weight, grad`` for each weight.
        lrs: Learning rates, one for each weight.
        wds: Weight decays, one for each weight.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_weights``.
    """
    one_each(num_weights, lrs=lrs, wds=wds)
    return weights_of(data, num_weights, 2)


@operator("multi_sgd_mom_update", **grouped_step(3))
def multi_sgd_mom_update(
    *data: TensorType,
    lrs: Floats,
    wds: Floats,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """Gradient descent with momentum on many weights; see ``sgd_mom_update``.

    Args:
        data: ``weight, grad, mom`` for each weight; ``mom`` is overwritten.
        lrs: Learning rates, one for each weight.
        wds: Weight decays, one for each weight.
        momentum: How much of the velocities is kept.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_weights``.
    """
    one_each(num_weights, lrs=lrs, wds=wds)
    return weights_of(data, num_weights, 3)


@operator("_multi_adam_update", **grouped_step(4))
def multi_adam_update(
    *data: TensorType,
    lrs: Floats,
    wds: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """Adam on many weights; see ``adam_update``; gives the new ones. MXNet has none.

    Args:
        data: ``weight, grad, mean, var`` for each weight; the last two are overwritten.
        lrs: Learning rates, one for each weight.
        wds: Weight decays, one for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the gradients with decay; none if negative.
        num_weights: How many weights there are.
    """
    one_each(num_weights, lrs=lrs, wds=wds)
    return weights_of(data, num_weights, 4)


@operator("multi_mp_sgd_update", **grouped_step(3))
def multi_mp_sgd_update(
    *data: TensorType,
    lrs: Floats,
    wds: Floats,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """Gradient descent on many 16-bit weights; see ``mp_sgd_update``.

    Args:
        data: ``weight, grad, weight32`` for each weight; ``weight32`` is overwritten.
        lrs: Learning rates, one for each weight.
        wds: Weight decays, one for each weight.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_weights``.
    """
    one_each(num_weights, lrs=lrs, wds=wds)
    return weights_of(data, num_weights, 3, mixed=1)


@operator("multi_mp_sgd_mom_update", **grouped_step(4))
def multi_mp_sgd_mom_update(
    *data: TensorType,
    lrs: Floats,
    wds: Floats,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """Gradient descent with momentum on many 16-bit weights; see ``mp_sgd_mom_update``.

    Args:
        data: ``weight, grad, mom, weight32`` for each weight; the last two are overwritten.
        lrs: Learning rates, one for each weight.
        wds: Weight decays, one for each weight.
        momentum: How much of the velocities is kept.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_weights``.
    """
    one_each(num_weights, lrs=lrs, wds=wds)
    return weights_of(data, num_weights, 4, mixed=2)


@operator("preloaded_multi_sgd_update", **grouped_step(2))
def preloaded_multi_sgd_update(
    *data: TensorType,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """As ``multi_sgd_update``, with learning rates and weight decays in arrays.

    Args:
        data: ``weight, grad`` for each weight, then learning rates and weight decays
            ``[num_weights]``.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.
    """
    return preloaded_weights_of(data, num_weights, 2)


@operator("preloaded_multi_sgd_mom_update", **grouped_step(3))
def preloaded_multi_sgd_mom_update(
    *data: TensorType,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """As ``multi_sgd_mom_update``, with learning rates and weight decays in arrays.

    Args:
        data: ``weight, grad, mom`` for each weight, then learning rates and weight decays
            ``[num_weights]``.
        momentum: How much of the velocities is kept.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.
    """
    return preloaded_weights_of(data, num_weights, 3)


@operator("_preloaded_multi_adam_update", **grouped_step(4))
def preloaded_multi_adam_update(
    *data: TensorType,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """As ``_multi_adam_update``, with learning rates and weight decays in arrays.

    Args:
        data: ``weight, grad, mean, var`` for each weight, then learning rates and weight decays
            ``[num_weights]``.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the gradients with decay; none if negative.
        num_weights: How many weights there are.
    """
    return preloaded_weights_of(data, num_weights, 4)


@operator("preloaded_multi_mp_sgd_update", **grouped_step(3))
def preloaded_multi_mp_sgd_update(
    *data: TensorType,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """As ``multi_mp_sgd_update``, with learning rates and weight decays in arrays.

    Args:
        data: ``weight, grad, weight32`` for each weight, then learning rates and weight decays
            ``[num_weights]``.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.
    """
    return preloaded_weights_of(data, num_weights, 3, mixed=1)


@operator("preloaded_multi_mp_sgd_mom_update", **grouped_step(4))
def preloaded_multi_mp_sgd_mom_update(
    *data: TensorType,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """As ``multi_mp_sgd_mom_update``, with learning rates and weight decays in arrays.

    Args:
        data: ``weight, grad, mom, weight32`` for each weight, then learning rates and weight
            decays ``[num_weights]``.
        momentum: How much of the velocities is kept.
        rescale_grad: Factor of the gradients.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.
    """
    return preloaded_weights_of(data, num_weights, 4, mixed=2)


@operator("_multi_adamw_update", **grouped_step(4))
def multi_adamw_update(
    *data: TensorType,
    lrs: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wds: Floats,
    etas: Floats,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """Adam with decoupled weight decay on many weights; see ``_adamw_update``.

    Args:
        data: ``weight, grad, mean, var`` for each weight, then the factor of the gradients, one
            element; means and mean squares are overwritten.
        lrs: Learning rates, one for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        etas: Factors of the whole steps, one for each weight.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_weights``.
    """
    one_each(num_weights, lrs=lrs, wds=wds, etas=etas)
    single(data[-1])
    return weights_of(data[:-1], num_weights, 4)


@operator("_multi_mp_adamw_update", **grouped_step(5))
def multi_mp_adamw_update(
    *data: TensorType,
    lrs: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wds: Floats,
    etas: Floats,
    clip_gradient: float = -1.0,
    num_weights: Count = 1,
) -> tuple[TensorType, ...]:
    """Adam with decoupled weight decay on many 16-bit weights; see ``_mp_adamw_update``.

    Args:
        data: ``weight, grad, mean, var, weight32`` for each weight, then the factor of the
            gradients, one element; the last three of each weight are overwritten.
        lrs: Learning rates, one for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        etas: Factors of the whole steps, one for each weight.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_weights``.
    """
    one_each(num_weights, lrs=lrs, wds=wds, etas=etas)
    single(data[-1])
    return weights_of(data[:-1], num_weights, 5, mixed=3)


@operator("_multi_lamb_update", **grouped_step(4, count="num_tensors"))
def multi_lamb_update(
    *data: TensorType,
    learning_rates: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    wds: Floats,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Shape,
    num_tensors: Count = 1,
) -> tuple[TensorType, ...]:
    """LAMB on many weights; see ``lamb_update_phase1`` and ``lamb_update_phase2``.

    Args:
        data: ``weight, grad, mean, var`` for each weight; the last two are overwritten.
        learning_rates: One for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        rescale_grad: Factor of the gradients.
        lower_bound: The least norm of a weight; none if negative.
        upper_bound: The largest norm of a weight; none if negative.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        bias_correction: Divide the means by ``1 - beta ** t``.
        step_count: Numbers of the steps ``t``, from 1, one for each weight.
        num_tensors: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_tensors``.
    """
    one_each(num_tensors, learning_rates=learning_rates, wds=wds, step_count=step_count)
    return weights_of(data, num_tensors, 4)


@operator("_multi_mp_lamb_update", **grouped_step(5, count="num_tensors"))
def multi_mp_lamb_update(
    *data: TensorType,
    learning_rates: Floats,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    wds: Floats,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Shape,
    num_tensors: Count = 1,
) -> tuple[TensorType, ...]:
    """LAMB on many 16-bit weights; see ``_multi_lamb_update``.

    Args:
        data: ``weight, grad, mean, var, weight32`` for each weight; the last three are
            overwritten.
        learning_rates: One for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        rescale_grad: Factor of the gradients.
        lower_bound: The least norm of a weight; none if negative.
        upper_bound: The largest norm of a weight; none if negative.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        bias_correction: Divide the means by ``1 - beta ** t``.
        step_count: Numbers of the steps ``t``, from 1, one for each weight.
        num_tensors: How many weights there are.

    Returns:
        The new weights.

    Raises:
        ShapeError: The arrays do not fit each other or ``num_tensors``.
    """
    one_each(num_tensors, learning_rates=learning_rates, wds=wds, step_count=step_count)
    return weights_of(data, num_tensors, 5, mixed=3)


@pointwise("multi_lars", same="type")
def multi_lars(
    lrs: TensorType,
    weights_sum_sq: TensorType,
    grads_sum_sq: TensorType,
    wds: TensorType,
    *,
    eta: float,
    eps: float,
    rescale_grad: float = 1.0,
) -> TensorType:
    """Learning rates by layer: ``lr * eta * |weight| / (|grad| + wd * |weight| + eps)``.

    Args:
        lrs: ``[N]``, the common learning rates.
        weights_sum_sq: ``[N]``, squared norms of the weights.
        grads_sum_sq: ``[N]``, squared norms of the gradients.
        wds: ``[N]``, weight decays.
        eta: Trust in the layers.
        eps: Added to the divisor.
        rescale_grad: Factor of the gradients.

    Returns:
        ``[N]``; the common learning rate where a norm is 0.

    Raises:
        ShapeError: The shapes differ.

    Source:
        You, Gitman, Ginsburg 2017, arXiv:1708.03888.
    """
    same_shape(lrs, weights_sum_sq, grads_sum_sq, wds)
    same_dtype(lrs, weights_sum_sq, grads_sum_sq, wds)
    return lrs


@operator("reset_arrays", outputs=(), updates=lambda params, _: tuple(range(params["num_arrays"])))
def reset_arrays(*data: TensorType, num_arrays: Count) -> tuple[TensorType, ...]:
    """Overwrite arrays with zeros.

    Args:
        data: Arrays of any types, overwritten.
        num_arrays: How many there are.

    Raises:
        ShapeError: There are more or fewer arrays.
    """
    if len(data) != num_arrays:
        raise ShapeError(f"{len(data)} arrays are given, num_arrays={num_arrays}")
    return ()
