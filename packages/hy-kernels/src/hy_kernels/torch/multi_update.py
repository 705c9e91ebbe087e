"""Steps of optimizers on many weights in one call: the new weights, then the new states.

Tensors come weight by weight: the first weight, its gradient and states, then the second weight.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch

from hy_kernels.torch import _sgd_rules as descent, _update_rules as rules
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import wide
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch._update_rules import (
    Numbers,
    Targets,
    Tensors,
    alike,
    flat,
    kept_if,
    rescaled,
    stepped_all,
)

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

Results: TypeAlias = Tensor | tuple[Tensor, ...]


def _one_or_all(results: tuple[Tensor, ...]) -> Results:
    return results[0] if len(results) == 1 else results


def _columns(data: Sequence[Tensor], count: int) -> list[list[Tensor]]:
    """Weights, gradients and each kind of state."""
    size, rest = divmod(len(data), max(count, 1))
    if rest or size < 2 or count < 1:
        raise ValueError(f"{len(data)} tensors for {count} weights")
    return [list(data[k::size]) for k in range(size)]


def _each(
    data: Sequence[Tensor],
    count: int,
    mixed: bool,
    rule: Callable[..., None],
    out: Targets = None,
) -> Results:
    """Change all weights by a rule.

    With ``mixed`` the last tensor of each group is the weight in float32: the rule gets that one,
    and its new value follows the states. With ``out`` the results are written there.
    """
    weights, grads, *states = _columns(data, count)
    if mixed:
        if any(x.shape != w.shape for x, w in zip(states[-1], weights, strict=True)):
            raise ValueError("shapes differ")
        new, *changed = stepped_all(rule, states[-1], grads, *states[:-1])
        narrow = [x.to(w.dtype) for x, w in zip(new, weights, strict=True)]
        return _one_or_all(flat([narrow, *changed, new]))
    if [g.dtype for g in grads] != [w.dtype for w in weights]:
        raise TypeError("dtypes differ")
    if out is None:
        return _one_or_all(flat(stepped_all(rule, weights, grads, *states)))
    own = [out[:count], *[out[count + k :: len(states)] for k in range(len(states))]]
    stepped_all(rule, weights, grads, *states, out=own)
    return _one_or_all(out)


def _sgd(
    data: Sequence[Tensor],
    lrs: Numbers,
    wds: Numbers,
    momentum: float | None,
    rescale_grad: float,
    clip_gradient: float,
    count: int,
    mixed: bool,
    out: Targets = None,
) -> Results:
    def plain(ws: Tensors, gs: Tensors) -> None:
        descent.sgd(ws, gs, lrs, wds, rescale_grad, clip_gradient)

    def rule(ws: Tensors, gs: Tensors, moms: Tensors) -> None:
        assert momentum is not None
        descent.momentum_sgd(ws, gs, moms, lrs, wds, momentum, rescale_grad, clip_gradient)

    if len(lrs) != count or len(wds) != count:
        raise ValueError(f"{len(lrs)} rates and {len(wds)} decays for {count} weights")
    if not mixed and out is not None:
        columns, numbers = _columns(data, count), (momentum or 0.0, rescale_grad, clip_gradient)
        if descent.try_fused_sgd(columns, out, lrs, wds, *numbers):
            return _one_or_all(out)
    return _each(data, count, mixed, plain if momentum is None else rule, out)


@kernel(out="in place")
def multi_sgd_update(
    *data: Tensor,
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
def multi_sgd_mom_update(
    *data: Tensor,
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


@kernel(out="in place")
def multi_adam_update(
    *data: Tensor,
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

    def rule(ws: Tensors, gs: Tensors, ms: Tensors, vs: Tensors) -> None:
        numbers = beta1, beta2, epsilon
        for lr, wd, (w, g, m, v) in alike(lrs, wds, [ws, gs, ms, vs]):
            rules.adam(w, g, m, v, lr, *numbers, wd, rescale_grad, clip_gradient)

    return _each(data, num_weights, False, rule, out)


@kernel()
def multi_mp_sgd_update(
    *data: Tensor,
    lrs: Numbers,
    wds: Numbers,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Gradient descent on 16-bit weights."""
    return _sgd(data, lrs, wds, None, rescale_grad, clip_gradient, num_weights, True)


@kernel()
def multi_mp_sgd_mom_update(
    *data: Tensor,
    lrs: Numbers,
    wds: Numbers,
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
) -> Results:
    """Gradient descent with momentum on 16-bit weights."""
    return _sgd(data, lrs, wds, momentum, rescale_grad, clip_gradient, num_weights, True)


def _loaded(data: Sequence[Tensor]) -> tuple[Sequence[Tensor], Numbers, Numbers]:
    """What comes before rates and decays, the last two tensors; they stay on the device."""
    *tensors, lrs, wds = data
    return tensors, list(wide(lrs).reshape(-1)), list(wide(wds).reshape(-1))


def _loaded_sgd(
    data: Sequence[Tensor],
    momentum: float | None,
    rescale_grad: float,
    clip_gradient: float,
    count: int,
    mixed: bool,
    out: Targets = None,
) -> Results:
    tensors, lrs, wds = _loaded(data)
    return _sgd(tensors, lrs, wds, momentum, rescale_grad, clip_gradient, count, mixed, out)


@kernel(out="in place")
def preloaded_multi_sgd_update(
    *data: Tensor,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent; rates and decays are tensors."""
    return _loaded_sgd(data, None, rescale_grad, clip_gradient, num_weights, False, out)


@kernel(out="in place")
def preloaded_multi_sgd_mom_update(
    *data: Tensor,
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
    num_weights: int,
    out: Targets = None,
) -> Results:
    """Gradient descent with momentum; rates and decays are tensors."""
    return _loaded_sgd(data, momentum, rescale_grad, clip_gradient, num_weights, False, out)


@kernel(out="in place")
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
    """Adam; rates and decays are tensors."""
    tensors, lrs, wds = _loaded(data)

    def rule(ws: Tensors, gs: Tensors, ms: Tensors, vs: Tensors) -> None:
        numbers = lrs, wds, beta1, beta2, epsilon, rescale_grad, clip_gradient
        rules.loaded_adam(ws, gs, ms, vs, *numbers)

    if len(lrs) != num_weights or len(wds) != num_weights:
        raise ValueError(f"{len(lrs)} rates and {len(wds)} decays for {num_weights} weights")
    return _each(tensors, num_weights, False, rule, out)


@kernel()
def preloaded_multi_mp_sgd_update(
    *data: Tensor, rescale_grad: float, clip_gradient: float, num_weights: int
) -> Results:
    """Gradient descent on 16-bit weights; rates and decays are tensors."""
    return _loaded_sgd(data, None, rescale_grad, clip_gradient, num_weights, True)


@kernel()
def preloaded_multi_mp_sgd_mom_update(
    *data: Tensor, momentum: float, rescale_grad: float, clip_gradient: float, num_weights: int
) -> Results:
    """Gradient descent with momentum on 16-bit weights; rates and decays are tensors."""
    return _loaded_sgd(data, momentum, rescale_grad, clip_gradient, num_weights, True)


def _adamw(
    data: Sequence[Tensor],
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
    *tensors, rescale_grad = data
    scale = rescale_grad.reshape(())

    def rule(ws: Tensors, gs: Tensors, ms: Tensors, vs: Tensors) -> None:
        numbers = lrs, beta1, beta2, epsilon, wds, etas
        rules.adamw(ws, gs, ms, vs, *numbers, scale, clip_gradient)

    if not len(lrs) == len(wds) == len(etas) == count:
        raise ValueError(f"{len(lrs)} rates for {count} weights")
    weights, _, *states = _columns(tensors, count)
    found: Any = _each(tensors, count, mixed, rule)
    use = rules.usable(scale)
    before = flat([weights, *states])
    return tuple([kept_if(use, new, old) for new, old in zip(found, before, strict=True)])


@kernel()
def multi_adamw_update(
    *data: Tensor,
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
def multi_mp_adamw_update(
    *data: Tensor,
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
    data: Sequence[Tensor],
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
    if not len(learning_rates) == len(wds) == len(step_count) == count:
        raise ValueError(f"{len(learning_rates)} rates for {count} weights")
    given = [wide(w) for w in _columns(data, count)[0]]  # of a 16-bit weight: as it is

    def rule(ws: Tensors, grads: Tensors, ms: Tensors, vs: Tensors) -> None:
        r1 = torch.stack(list(torch._foreach_norm(given)))
        gs = rescaled(grads, rescale_grad, clip_gradient)
        numbers = *betas, epsilon, step_count, bias_correction, wds
        steps = rules.lamb_directions(ws, gs, ms, vs, *numbers)
        ratios = rules.lamb_ratios(r1, torch.stack(list(torch._foreach_norm(steps))), *bounds)
        torch._foreach_mul_(steps, [r * lr for r, lr in zip(ratios, learning_rates, strict=True)])
        torch._foreach_sub_(ws, steps)

    return _each(data, count, mixed, rule, out)


@kernel(out="in place", loads=("learning_rates", "wds", "step_count"))
def multi_lamb_update(
    *data: Tensor,
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
def multi_mp_lamb_update(
    *data: Tensor,
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
def multi_lars(
    lrs: Tensor,
    weights_sum_sq: Tensor,
    grads_sum_sq: Tensor,
    wds: Tensor,
    *,
    eta: float,
    eps: float,
    rescale_grad: float,
) -> Tensor:
    """Learning rates by layer."""
    weight = torch.sqrt(weights_sum_sq)
    grad = torch.sqrt(grads_sum_sq) * rescale_grad
    trust = eta * weight / (grad + wds * weight + eps)
    return (lrs * torch.where((weight > 0) & (grad > 0), trust, 1)).to(lrs.dtype)


@kernel()
def reset_arrays(*data: Tensor, num_arrays: int) -> Results:
    """Zeros for each tensor."""
    if len(data) != num_arrays:
        raise ValueError(f"{num_arrays} tensors")
    made = [torch.zeros(x.shape, dtype=x.dtype, device=x.device) for x in data]
    return _one_or_all(tuple(made))
