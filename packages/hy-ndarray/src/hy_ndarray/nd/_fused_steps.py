"""AdamW and LAMB update steps on arrays, under MXNet's names in ``nd.contrib``."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray.array._functions import function_named
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.nd._creation import full


def _scale(rescale_grad: Any, weight: NDArray) -> NDArray:
    """Return the gradient's scale as an array; steps with a non-finite scale are skipped."""
    if isinstance(rescale_grad, NDArray):
        return rescale_grad.as_in_context(weight.ctx)
    return full((1,), rescale_grad, ctx=weight.ctx)


def adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    rescale_grad: Any,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: NDArray | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Run a step of AdamW; ``mean`` and ``var`` are updated in place.

    ``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``.

    Args:
        weight: ``[*S]``.
        grad: ``[*S]``.
        mean: ``[*S]``, the first moment.
        var: ``[*S]``, the second moment.
        rescale_grad: Scale of the gradient: a number, or an array ``[1]``; if it is 0 or not
            finite, the step is skipped.
        lr: Learning rate.
        eta: Multiplier of the whole step.
        beta1: Decay of the first moment.
        beta2: Decay of the second moment.
        epsilon: Added to the denominator.
        wd: Weight decay.
        clip_gradient: Bound of the scaled gradient; none if negative.
        out: Array for the new weight; a new one if None.
        name: No effect.
        kwargs: Further parameters of the operator.

    Source:
        Loshchilov, Hutter 2019, arXiv:1711.05101; MXNet 1.9.1 ``_adamw_update``.
    """
    step = function_named("_adamw_update")
    result: NDArray = step(
        weight,
        grad,
        mean,
        var,
        _scale(rescale_grad, weight),
        lr=lr,
        eta=eta,
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        wd=wd,
        clip_gradient=clip_gradient,
        out=out,
        name=name,
        **kwargs,
    )
    return result


def mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    rescale_grad: Any,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: NDArray | None = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Run a step of :func:`adamw_update` on a 16-bit weight with float32 copy ``weight32``."""
    step = function_named("_mp_adamw_update")
    result: NDArray = step(
        weight,
        grad,
        mean,
        var,
        weight32,
        _scale(rescale_grad, weight),
        lr=lr,
        eta=eta,
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        wd=wd,
        clip_gradient=clip_gradient,
        out=out,
        name=name,
        **kwargs,
    )
    return result


def _interleaved(*groups: Sequence[NDArray]) -> list[NDArray]:
    """Return the arrays grouped by weight: all of the first weight, then the second, and so on."""
    return [array for arrays in zip(*groups, strict=True) for array in arrays]


def multi_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Sequence[NDArray] | None = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """Run a step of :func:`adamw_update` on several weights."""
    step = function_named("_multi_adamw_update")
    arrays = _interleaved(weights, grads, mean, var)
    return step(
        *arrays,
        _scale(rescale_grad, weights[0]),
        lrs=lrs,
        wds=wds,
        etas=etas,
        out=out,
        name=name,
        num_weights=size or len(weights),
        **kwargs,
    )


def multi_mp_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Sequence[NDArray] | None = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """Run a step of :func:`mp_adamw_update` on several weights."""
    step = function_named("_multi_mp_adamw_update")
    arrays = _interleaved(weights, grads, mean, var, weights32)
    return step(
        *arrays,
        _scale(rescale_grad, weights[0]),
        lrs=lrs,
        wds=wds,
        etas=etas,
        out=out,
        name=name,
        num_weights=size or len(weights),
        **kwargs,
    )


def multi_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Sequence[NDArray] | None = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """Run a step of LAMB on several weights; ``mean`` and ``var`` are updated in place.

    Args:
        weights: ``[*S]`` each.
        grads: ``[*S]`` each.
        mean: ``[*S]`` each, the first moments.
        var: ``[*S]`` each, the second moments.
        step_count: The number of steps of each weight, including this one.
        lrs: Learning rate of each weight.
        wds: Weight decay of each weight.
        out: Arrays for the new weights; new ones if None.
        num_tensors: The number of weights; may be omitted.
        kwargs: Further parameters of the operator.

    Source:
        You et al. 2020, arXiv:1904.00962; MXNet 1.9.1 ``_multi_lamb_update``.
    """
    step = function_named("_multi_lamb_update")
    return step(
        *_interleaved(weights, grads, mean, var),
        step_count=step_count,
        learning_rates=lrs,
        wds=wds,
        out=out,
        num_tensors=num_tensors or len(weights),
        **kwargs,
    )


def multi_mp_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Sequence[NDArray] | None = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """Run :func:`multi_lamb_update` on 16-bit weights with float32 copies ``weights32``."""
    step = function_named("_multi_mp_lamb_update")
    return step(
        *_interleaved(weights, grads, mean, var, weights32),
        step_count=step_count,
        learning_rates=lrs,
        wds=wds,
        out=out,
        num_tensors=num_tensors or len(weights),
        **kwargs,
    )
