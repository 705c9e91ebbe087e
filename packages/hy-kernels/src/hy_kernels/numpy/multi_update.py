"""Steps of optimizers on many weights in one call: the new weights, then the new states.

Arrays come weight by weight: the first weight, its gradient and states, then the second weight.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from hy_kernels.numpy import _update_rules as rules
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._update_rules import Targets, rescaled, scalar_of, stepped, wide

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

Step: TypeAlias = Callable[..., tuple[Array, ...]]
"""``(weight, grad, *states, out=)`` to the new weight and states."""
Results: TypeAlias = Array | tuple[Array, ...]
Numbers: TypeAlias = Sequence[float] | Array


def _each(
    data: Sequence[Array], mixed: bool, steps: Sequence[Step], out: Targets = None
) -> Results:
    """Do the step of each weight.

    With ``mixed`` the last array of each group is the weight in float32: the step gets that one,
    and its new value follows the states. With ``out`` the steps write there themselves.
    """
    count = len(steps)
    size, rest = divmod(len(data), max(count, 1))
    if rest or size < 2:
        raise ValueError(f"{len(data)} arrays for {count} weights")
    rows = []
    for start in range(0, len(data), size):  # all of them, before any weight is changed
        row = data[start : start + size]
        for x in row[1:]:
            if x.shape != row[0].shape:
                raise ValueError("shapes differ")
        rows.append(row)
    weights: list[Array] = []
    states: list[Array] = []
    each = size - 2  # states of a weight
    for i, (step, row) in enumerate(zip(steps, rows, strict=True)):
        if out is not None:
            step(*row, out=(out[i], *out[count + i * each : count + (i + 1) * each]))
        elif mixed:
            weight, grad, *more, wide_weight = row
            new, *changed = step(wide_weight, grad, *more)
            weights.append(new.astype(weight.dtype))
            states += [*changed, new]
        else:
            new, *changed = step(*row)
            weights.append(new)
            states += changed
    results = (*weights, *states) if out is None else out
    return results[0] if len(results) == 1 else results


def _sgd(
    data: Sequence[Array],
    lrs: Numbers,
    wds: Numbers,
    momentum: float | None,
    rescale_grad: float,
    clip_gradient: float,
    count: int,
    mixed: bool,
    out: Targets = None,
) -> Results:
    if len(lrs) != count or len(wds) != count:
        raise ValueError(f"{len(lrs)} rates and {len(wds)} decays for {count} weights")
    steps: list[Step] = []
    for rate, wd in zip(lrs, wds, strict=True):
        numbers = rescale_grad, clip_gradient, float(rate), float(wd)
        rule = rules.descent(*numbers) if momentum is None else rules.velocity(*numbers, momentum)
        steps.append(partial(stepped, rule))
    return _each(data, mixed, steps, out)


@kernel(out="in place")
@quiet
def multi_sgd_update(
    *data: Array,
    lrs: Numbers,
    wds: Numbers,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent."""
    return _sgd(data, lrs, wds, None, rescale_grad, clip_gradient, num_weights, False, out)


@kernel(out="in place")
@quiet
def multi_sgd_mom_update(
    *data: Array,
    lrs: Numbers,
    wds: Numbers,
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent with momentum."""
    return _sgd(data, lrs, wds, momentum, rescale_grad, clip_gradient, num_weights, False, out)


def _adam(
    data: Sequence[Array],
    lrs: Numbers,
    wds: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float,
    clip_gradient: float,
    count: int,
    out: Targets,
) -> Results:
    def step(i: int) -> Step:
        def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
            g = rescaled(g, rescale_grad, clip_gradient, rules.decay(w, float(wds[i])))
            return rules.adam(w, g, m, v, float(lrs[i]), beta1, beta2, epsilon)

        return partial(stepped, rule)

    return _each(data, False, [*map(step, range(count))], out)


@kernel(out="in place")
@quiet
def multi_adam_update(
    *data: Array,
    lrs: Numbers,
    wds: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Adam."""
    numbers = beta1, beta2, epsilon, rescale_grad, clip_gradient
    return _adam(data, lrs, wds, *numbers, num_weights, out)


@kernel()
@quiet
def multi_mp_sgd_update(
    *data: Array,
    lrs: Numbers,
    wds: Numbers,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Gradient descent on 16-bit weights."""
    return _sgd(data, lrs, wds, None, rescale_grad, clip_gradient, num_weights, True)


@kernel()
@quiet
def multi_mp_sgd_mom_update(
    *data: Array,
    lrs: Numbers,
    wds: Numbers,
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Gradient descent with momentum on 16-bit weights."""
    return _sgd(data, lrs, wds, momentum, rescale_grad, clip_gradient, num_weights, True)


@kernel(out="in place")
@quiet
def preloaded_multi_sgd_update(
    *data: Array,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent; rates and decays are arrays."""
    *arrays, lrs, wds = data
    return _sgd(arrays, lrs, wds, None, rescale_grad, clip_gradient, num_weights, False, out)


@kernel(out="in place")
@quiet
def preloaded_multi_sgd_mom_update(
    *data: Array,
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent with momentum; rates and decays are arrays."""
    *arrays, lrs, wds = data
    return _sgd(arrays, lrs, wds, momentum, rescale_grad, clip_gradient, num_weights, False, out)


@kernel(out="in place")
@quiet
def preloaded_multi_adam_update(
    *data: Array,
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Adam; rates and decays are arrays."""
    *arrays, lrs, wds = data
    numbers = beta1, beta2, epsilon, rescale_grad, clip_gradient
    return _adam(arrays, lrs, wds, *numbers, num_weights, out)


@kernel()
@quiet
def preloaded_multi_mp_sgd_update(
    *data: Array, rescale_grad: float, clip_gradient: float, num_weights: int
) -> Results:
    """Gradient descent on 16-bit weights; rates and decays are arrays."""
    *arrays, lrs, wds = data
    return _sgd(arrays, lrs, wds, None, rescale_grad, clip_gradient, num_weights, True)


@kernel()
@quiet
def preloaded_multi_mp_sgd_mom_update(
    *data: Array, momentum: float, rescale_grad: float, clip_gradient: float, num_weights: int
) -> Results:
    """Gradient descent with momentum on 16-bit weights; rates and decays are arrays."""
    *arrays, lrs, wds = data
    return _sgd(arrays, lrs, wds, momentum, rescale_grad, clip_gradient, num_weights, True)


def _adamw(
    data: Sequence[Array],
    lrs: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Numbers,
    etas: Numbers,
    clip_gradient: float,
    count: int,
    mixed: bool,
) -> Results:
    *arrays, rescale_grad = data
    scale = scalar_of(rescale_grad)
    overflow = not np.isfinite(scale) or scale == 0

    def step(i: int) -> Step:
        if overflow:
            return lambda weight, _, *states: (weight.copy(), *states)

        def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
            g = rescaled(g, scale, clip_gradient)
            return rules.adamw(w, g, m, v, lrs[i], beta1, beta2, epsilon, wds[i], etas[i])

        return partial(stepped, rule)

    if not len(lrs) == len(wds) == len(etas) == count:
        raise ValueError(f"{len(lrs)} rates for {count} weights")
    return _each(arrays, mixed, [*map(step, range(count))])


@kernel()
@quiet
def multi_adamw_update(
    *data: Array,
    lrs: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Numbers,
    etas: Numbers,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Adam with decoupled weight decay."""
    numbers = lrs, beta1, beta2, epsilon, wds, etas, clip_gradient
    return _adamw(data, *numbers, num_weights, False)


@kernel()
@quiet
def multi_mp_adamw_update(
    *data: Array,
    lrs: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Numbers,
    etas: Numbers,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Adam with decoupled weight decay on 16-bit weights."""
    numbers = lrs, beta1, beta2, epsilon, wds, etas, clip_gradient
    return _adamw(data, *numbers, num_weights, True)


def _lamb(
    data: Sequence[Array],
    learning_rates: Numbers,
    betas: tuple[float, float],
    epsilon: float,
    wds: Numbers,
    rescale_grad: float,
    bounds: tuple[float, float],
    clip_gradient: float,
    bias_correction: bool,
    step_count: Sequence[int],
    count: int,
    mixed: bool,
    out: Targets = None,
) -> Results:
    size = len(data) // max(count, 1)

    def step(
        i: int, weight: Array, grad: Array, *states: Array, out: Targets = None
    ) -> tuple[Array, ...]:
        def rule(w: Array, g: Array, m: Array, v: Array) -> tuple[Array, ...]:
            g = rescaled(g, rescale_grad, clip_gradient)
            return rules.lamb_direction(
                w, g, m, v, *betas, epsilon, step_count[i], bias_correction, wds[i]
            )

        direction = np.empty(weight.shape, weight.dtype)
        kept = out[1:] if out is not None else tuple([x.copy() for x in states])
        stepped(rule, weight, grad, *states, out=(direction, *kept))
        r1 = float(np.linalg.norm(wide(data[i * size])))  # of a 16-bit weight: as it is
        r2 = float(np.linalg.norm(wide(direction)))
        lr = learning_rates[i]
        if out is not None and weight.itemsize > 2:
            direction *= lr * rules.lamb_ratio(r1, r2, *bounds)
            np.subtract(weight, direction, out=out[0])
            return out
        new = rules.lamb_step(wide(weight), wide(direction), r1, r2, lr, *bounds)
        if out is None:
            return new.astype(weight.dtype, copy=False), *kept
        out[0][...] = new
        return out

    if not len(learning_rates) == len(wds) == len(step_count) == count:
        raise ValueError(f"{len(learning_rates)} rates for {count} weights")
    return _each(data, mixed, [partial(step, i) for i in range(count)], out)


@kernel(out="in place")
@quiet
def multi_lamb_update(
    *data: Array,
    learning_rates: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Numbers,
    rescale_grad: float,
    lower_bound: float,
    upper_bound: float,
    clip_gradient: float,
    bias_correction: bool,
    step_count: Sequence[int],
    num_tensors: int,
    out: Targets = None,
) -> Results:
    """LAMB."""
    numbers = (beta1, beta2), epsilon, wds, rescale_grad, (lower_bound, upper_bound)
    more = clip_gradient, bias_correction, step_count, num_tensors
    return _lamb(data, learning_rates, *numbers, *more, False, out)


@kernel()
@quiet
def multi_mp_lamb_update(
    *data: Array,
    learning_rates: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Numbers,
    rescale_grad: float,
    lower_bound: float,
    upper_bound: float,
    clip_gradient: float,
    bias_correction: bool,
    step_count: Sequence[int],
    num_tensors: int,
) -> Results:
    """LAMB on 16-bit weights."""
    numbers = (beta1, beta2), epsilon, wds, rescale_grad, (lower_bound, upper_bound)
    more = clip_gradient, bias_correction, step_count, num_tensors
    return _lamb(data, learning_rates, *numbers, *more, True)


@kernel()
@quiet
def multi_lars(
    lrs: Array,
    weights_sum_sq: Array,
    grads_sum_sq: Array,
    wds: Array,
    *,
    eta: float,
    eps: float,
    rescale_grad: float,
) -> Array:
    """Learning rates by layer."""
    weight = np.sqrt(weights_sum_sq)
    grad = np.sqrt(grads_sum_sq) * rescale_grad
    trust = eta * weight / (grad + wds * weight + eps)
    return np.asarray(lrs * np.where((weight > 0) & (grad > 0), trust, 1), lrs.dtype)


@kernel()
def reset_arrays(*data: Array, num_arrays: int) -> Results:
    """Zeros for each array."""
    if len(data) != num_arrays:
        raise ValueError(f"{num_arrays} arrays")
    zeros = tuple(np.zeros(x.shape, x.dtype) for x in data)
    return zeros[0] if num_arrays == 1 else zeros
