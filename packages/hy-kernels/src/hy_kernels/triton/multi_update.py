"""Steps of SGD, Adam, AdamW and LAMB on many weights in one launch for each rate and decay.

Of rates and decays in arrays there is one launch whatever they are, and nobody waits for them.
Float16 and bfloat16 are computed in float32, so that a step has one rounding; LAMB has lengths in
float32, and its step follows from states that have been rounded. Bytes moved by SGD: three times
those of the weights, with a velocity five times; by Adam and AdamW seven times; by LAMB, which
needs lengths before it can step, ten times. Weights kept in float32 are read and written in place
of those of 16 bits, which are written beside them.
"""

from collections.abc import Sequence
from typing import Any

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._steps import Rates, stepped_by_adam, stepped_by_lamb, stepped_by_sgd
from hy_kernels.triton._weights import ALL, NARROW, Results, Targets, Weights, supporting

__all__ = [
    "multi_adam_update",
    "multi_adamw_update",
    "multi_lamb_update",
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
]

_LISTS: dict[str, Any] = {"numbers": ("lrs", "wds", "etas"), "after": 1}
_LAMB: dict[str, Any] = {
    "numbers": ("learning_rates", "wds", "step_count"),
    "count": "num_tensors",
}
_LOADED: dict[str, Any] = {"numbers": (), "after": 2}


@overlay(supports=supporting(2, ALL))
def multi_sgd_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent."""
    weights, results = Weights.of(data, num_weights, out)
    stepped_by_sgd(weights, Rates(lrs, wds), None, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(3, ALL))
def multi_sgd_mom_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent with momentum."""
    weights, results = Weights.of(data, num_weights, out)
    stepped_by_sgd(weights, Rates(lrs, wds), momentum, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(4, ALL))
def multi_adam_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Adam (Kingma and Ba, 2015) without its bias correction, which the caller puts into rates."""
    weights, results = Weights.of(data, num_weights, out)
    betas = beta1, beta2, epsilon
    stepped_by_adam(weights, Rates(lrs, wds), *betas, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(3, NARROW, mixed=1))
def multi_mp_sgd_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Gradient descent on 16-bit weights, which are kept in float32."""
    weights, results = Weights.of(data, num_weights, None, mixed=True)
    stepped_by_sgd(weights, Rates(lrs, wds), None, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(4, NARROW, mixed=2))
def multi_mp_sgd_mom_update(
    *data: Tensor,
    lrs: Sequence[float],
    wds: Sequence[float],
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Gradient descent with momentum on 16-bit weights, which are kept in float32."""
    weights, results = Weights.of(data, num_weights, None, mixed=True)
    stepped_by_sgd(weights, Rates(lrs, wds), momentum, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(2, ALL, **_LOADED))
def preloaded_multi_sgd_update(
    *data: Tensor,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent; rates and decays are tensors."""
    *arrays, lrs, wds = data
    weights, results = Weights.of(arrays, num_weights, out)
    stepped_by_sgd(weights, Rates(lrs, wds), None, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(3, ALL, **_LOADED))
def preloaded_multi_sgd_mom_update(
    *data: Tensor,
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent with momentum; rates and decays are tensors."""
    *arrays, lrs, wds = data
    weights, results = Weights.of(arrays, num_weights, out)
    stepped_by_sgd(weights, Rates(lrs, wds), momentum, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(4, ALL, **_LOADED))
def preloaded_multi_adam_update(
    *data: Tensor,
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Adam as :func:`multi_adam_update`; rates and decays are tensors."""
    *arrays, lrs, wds = data
    weights, results = Weights.of(arrays, num_weights, out)
    betas = beta1, beta2, epsilon
    stepped_by_adam(weights, Rates(lrs, wds), *betas, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(3, NARROW, mixed=1, **_LOADED))
def preloaded_multi_mp_sgd_update(
    *data: Tensor, rescale_grad: float, clip_gradient: float, num_weights: int
) -> Results:
    """Gradient descent on 16-bit weights, kept in float32; rates and decays are tensors."""
    *arrays, lrs, wds = data
    weights, results = Weights.of(arrays, num_weights, None, mixed=True)
    stepped_by_sgd(weights, Rates(lrs, wds), None, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(4, NARROW, mixed=2, **_LOADED))
def preloaded_multi_mp_sgd_mom_update(
    *data: Tensor, momentum: float, rescale_grad: float, clip_gradient: float, num_weights: int
) -> Results:
    """With momentum on 16-bit weights, kept in float32; rates and decays are tensors."""
    *arrays, lrs, wds = data
    weights, results = Weights.of(arrays, num_weights, None, mixed=True)
    stepped_by_sgd(weights, Rates(lrs, wds), momentum, rescale_grad, clip_gradient)
    return results


def _adamw(
    data: Sequence[Tensor],
    lrs: Sequence[float],
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Sequence[float],
    etas: Sequence[float],
    clip_gradient: float,
    num_weights: int,
    *,
    mixed: bool,
) -> Results:
    *arrays, rescale_grad = data
    weights, results = Weights.of(arrays, num_weights, None, mixed=mixed)
    each = zip(lrs, wds, etas, strict=True)
    scaled = [(eta * lr, eta * wd) for lr, wd, eta in each]
    rates = Rates([lr for lr, _ in scaled], [wd for _, wd in scaled])
    stepped_by_adam(weights, rates, beta1, beta2, epsilon, rescale_grad, clip_gradient)
    return results


@overlay(supports=supporting(4, ALL, **_LISTS))
def multi_adamw_update(*data: Tensor, **params: Any) -> Results:
    """Adam with decay beside the gradient (Loshchilov and Hutter, 2019).

    The factor of the gradients is a tensor; where that is 0 or not finite nothing changes.
    """
    return _adamw(data, **params, mixed=False)


@overlay(supports=supporting(5, NARROW, mixed=3, **_LISTS))
def multi_mp_adamw_update(*data: Tensor, **params: Any) -> Results:
    """As :func:`multi_adamw_update`, on 16-bit weights, which are kept in float32."""
    return _adamw(data, **params, mixed=True)


def _lamb(
    data: Sequence[Tensor],
    learning_rates: Sequence[float],
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Sequence[float],
    rescale_grad: float,
    lower_bound: float,
    upper_bound: float,
    clip_gradient: float,
    bias_correction: bool,
    step_count: Sequence[int],
    num_tensors: int,
    out: Targets = None,
    *,
    mixed: bool,
) -> Results:
    weights, results = Weights.of(data, num_tensors, out, mixed=mixed)
    left = [(1 - beta1**t, 1 - beta2**t) if bias_correction else (1.0, 1.0) for t in step_count]
    rates = Rates(learning_rates, wds, [one for one, _ in left], [two for _, two in left])
    bounds = lower_bound, upper_bound
    stepped_by_lamb(weights, rates, beta1, beta2, epsilon, rescale_grad, clip_gradient, *bounds)
    return results


@overlay(supports=supporting(4, ALL, **_LAMB))
def multi_lamb_update(*data: Tensor, **params: Any) -> Results:
    """LAMB (You et al., 2020); three launches, as a step needs the lengths of weights and steps."""
    return _lamb(data, **params, mixed=False)


@overlay(supports=supporting(5, NARROW, mixed=3, **_LAMB))
def multi_mp_lamb_update(*data: Tensor, **params: Any) -> Results:
    """As :func:`multi_lamb_update`, on 16-bit weights, which are kept in float32.

    A weight's length is that of its 16 bits, as MXNet has it.
    """
    return _lamb(data, **params, mixed=True)
