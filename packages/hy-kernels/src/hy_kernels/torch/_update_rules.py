"""The rules by which optimizers change weights: any number of them in one call.

Weights, gradients and states are lists with a tensor for each weight; a rule overwrites weights and
states, which are of at least float32, and takes gradients of any dtype. Where numbers are tensors,
nobody reads them here.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import is_
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._precision import real
from hy_kernels.torch._tensor import PLAIN, Tensor, number

__all__ = [
    "Columns",
    "Numbers",
    "Targets",
    "Tensors",
    "adam",
    "adamw",
    "added",
    "alike",
    "check_shapes",
    "flat",
    "fusable",
    "is_fusable",
    "is_some",
    "kept_if",
    "lamb_directions",
    "lamb_ratios",
    "loaded_adam",
    "overwritten",
    "plain_step",
    "rescaled",
    "solid",
    "stepped",
    "stepped_all",
    "stepped_along",
    "usable",
]

Tensors: TypeAlias = list[Tensor] | tuple[Tensor, ...]
Numbers: TypeAlias = Sequence[Any]
"""A number for each weight; tensors without axes where they are on the device."""

Targets: TypeAlias = tuple[Tensor, ...] | None
Columns: TypeAlias = Sequence[Tensors]
"""Weights, gradients and each kind of state."""
_FUSED = ("cpu", "cuda", "mps")  # where torch has steps in one kernel
_FOREVER = 1e9  # steps, after which Adam's correction of its first ones is none


def check_shapes(columns: Columns) -> None:
    """Raise a ValueError unless the tensors of each weight have its shape."""
    shapes = [weight.shape for weight in columns[0]]
    if any([x.shape for x in column] != shapes for column in columns[1:]):
        raise ValueError("shapes differ")


def stepped(
    rule: Callable[..., tuple[Tensor, ...]],
    weight: Tensor,
    grad: Tensor,
    *states: Tensor,
    out: Targets = None,
) -> tuple[Tensor, ...]:
    """The new weight and states, each in the dtype it had.

    Args:
        rule: Takes weight, gradient and states, all but the gradient in at least float32 and its
            own to overwrite; gives the new weight and states.
        weight: The weight.
        grad: Its gradient.
        states: The optimizer's states.
        out: Contiguous tensors for the results, of their shapes and dtypes; may be weight and
            states themselves.
    """

    def all_of_one(ws: Tensors, gs: Tensors, *columns: Tensors) -> None:
        own = [ws[0], *[column[0] for column in columns]]
        for target, value in zip(own, rule(own[0], gs[0], *own[1:]), strict=True):
            if value is not target:
                target.copy_(value)

    columns = None if out is None else [[x] for x in out]
    return flat(stepped_all(all_of_one, [weight], [grad], *[[x] for x in states], out=columns))


def plain_step(numbers: Numbers, bound: float, weight: Tensor, *others: Tensor) -> bool:
    """Whether numbers are known here, nothing is cut off, and all tensors are alike and plain."""
    if bound >= 0 or set(map(type, numbers)) != {float} or weight.dtype not in PLAIN:
        return False
    alike = [x.dtype is weight.dtype and x.shape == weight.shape for x in others]
    return all(alike)


def overwritten(value: Tensor, out: Targets, k: int) -> Tensor:
    """What a step overwrites: the memory for result ``k``, or a copy, with the content there."""
    if out is None:
        return _copy(value)
    return out[k] if out[k] is value else out[k].copy_(value)


def stepped_all(
    rule: Callable[..., None],
    weights: Tensors,
    grads: Tensors,
    *states: Tensors,
    out: Columns | None = None,
) -> Columns:
    """As :func:`stepped` for many weights; a rule overwrites what it is given but the gradients."""
    check_shapes([weights, grads, *states])
    likes = [weights, *states]
    results = out
    if results is None:
        results = [[_copy(x) for x in column] for column in likes]
    elif not all(map(is_, chain(*results), chain(*likes))):
        for target, like in zip(chain(*results), chain(*likes), strict=True):
            if target is not like:
                target.copy_(like)
    if {x.dtype for column in results for x in column}.issubset(PLAIN):
        rule(results[0], grads, *results[1:])
        return results
    working = [[real(x) for x in column] for column in results]
    rule(working[0], grads, *working[1:])
    for target, value in zip(chain(*results), chain(*working), strict=True):
        if target is not value:
            target.copy_(value)
    return results


def _copy(data: Tensor) -> Tensor:
    return data.clone(memory_format=torch.contiguous_format)


def flat(columns: Columns) -> tuple[Tensor, ...]:
    """The weights, then for one weight after the other its states."""
    return (*columns[0], *chain.from_iterable(zip(*columns[1:], strict=True)))


def rescaled(grads: Tensors, factor: float | Tensor, bound: float, *added: Tensors) -> Tensors:
    """The gradients times ``factor``, plus ``added``, within ``bound`` if it is not negative."""
    gs: Tensors = torch._foreach_mul([real(g) for g in grads], factor)
    for more in added:
        torch._foreach_add_(gs, more)
    if bound >= 0:
        torch._foreach_clamp_min_(gs, -bound)
        torch._foreach_clamp_max_(gs, bound)
    return gs


def is_some(*numbers: Any) -> bool:
    """Whether one is not 0, or not known here."""
    return any(torch.is_tensor(x) or x for x in numbers)


def added(x: Tensor, y: Tensor, factor: float | Tensor) -> Tensor:
    """``x + factor * y``, which overwrites ``x``."""
    return x.add_(y * factor) if torch.is_tensor(factor) else x.add_(y, alpha=factor)


def stepped_along(x: Tensor, y: Tensor, divisor: Tensor, rate: float | Tensor) -> Tensor:
    """``x - rate * y / divisor``, which overwrites ``x``."""
    if torch.is_tensor(rate):
        return x.sub_((y / divisor).mul_(rate))
    return x.addcdiv_(y, divisor, value=-rate)


def is_fusable(weight: Tensor) -> bool:
    """Whether torch has steps in one kernel where the weight is."""
    return weight.is_cpu or weight.device.type in _FUSED  # a device takes time to ask for


def fusable(weights: Tensors, *numbers: Any) -> bool:
    """Whether torch's steps in one kernel take them, and these numbers."""
    return Tensor not in set(map(type, numbers)) and is_fusable(weights[0])


def solid(weights: Tensors, grads: Tensors) -> Tensors:
    """The gradients in the dtype of weights, without gaps."""
    return [
        g if g.dtype is w.dtype and g.is_contiguous() else g.to(w.dtype).contiguous()
        for w, g in zip(weights, grads, strict=True)
    ]


def alike(
    lrs: Numbers, wds: Numbers, columns: Columns
) -> Iterator[tuple[Any, Any, Sequence[Tensors]]]:
    """Each rate and decay, and of the columns the tensors of the weights that have these."""
    pairs = list(zip(lrs, wds, strict=True))
    for pair in dict.fromkeys(pairs):
        if pairs.count(pair) == len(pairs):
            yield *pair, columns
            continue
        own = [
            [x for x, other in zip(column, pairs, strict=True) if other == pair]
            for column in columns
        ]
        yield *pair, own


def _moments(gs: Tensors, means: Tensors, variances: Tensors, beta1: float, beta2: float) -> None:
    """The running means of the gradients and of their squares."""
    torch._foreach_mul_(means, beta1)
    torch._foreach_add_(means, gs, alpha=1 - beta1)
    torch._foreach_mul_(variances, beta2)
    torch._foreach_addcmul_(variances, gs, gs, value=1 - beta2)


def adam(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    lr: float | Tensor,
    beta1: float,
    beta2: float,
    epsilon: float | Tensor,
    wd: float | Tensor,
    factor: float,
    bound: float,
) -> None:
    """Adam without its bias correction, which the caller puts into ``lr``."""
    if Tensor in {type(lr), type(epsilon), type(wd)}:
        each = [lr] * len(weights), [wd] * len(weights), beta1, beta2, epsilon, factor, bound
        loaded_adam(weights, grads, means, variances, *each)
        return
    fused = fusable(weights)
    if not fused or (bound >= 0 and wd):
        grads = rescaled(grads, factor, bound, *([torch._foreach_mul(weights, wd)] if wd else []))
        wd = 0.0
    elif bound >= 0 or factor != 1:
        grads = rescaled(grads, factor, bound)
    if not fused:
        _moments(grads, means, variances, beta1, beta2)
        _adam_steps(weights, means, variances, [lr] * len(weights), epsilon)
        return
    step = number(_FOREVER, torch.float32, weights[0].device)
    torch._fused_adam_(
        list(weights),
        solid(weights, grads),
        list(means),
        list(variances),
        [],
        [step] * len(weights),
        lr=lr,
        beta1=beta1,
        beta2=beta2,
        weight_decay=wd,
        eps=epsilon,
        amsgrad=False,
        maximize=False,
    )


def loaded_adam(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    lrs: Numbers,
    wds: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float | Tensor,
    factor: float,
    bound: float,
) -> None:
    """As :func:`adam`, with rates and decays in tensors without axes, which nobody reads here."""
    gs = rescaled(grads, factor, bound, torch._foreach_mul(weights, list(wds)))
    _moments(gs, means, variances, beta1, beta2)
    roots = torch._foreach_sqrt(variances)
    torch._foreach_add_(roots, [epsilon] * len(roots))
    steps = torch._foreach_div(means, roots)
    torch._foreach_mul_(steps, list(lrs))
    torch._foreach_sub_(weights, steps)


def _adam_steps(
    weights: Tensors, means: Tensors, variances: Tensors, lrs: Numbers, epsilon: float
) -> None:
    roots = torch._foreach_sqrt(variances)
    torch._foreach_add_(roots, epsilon)
    torch._foreach_addcdiv_(weights, means, roots, [-lr for lr in lrs])


def adamw(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    lrs: Numbers,
    beta1: float,
    beta2: float,
    epsilon: float,
    wds: Numbers,
    etas: Numbers,
    factor: Tensor,
    bound: float,
) -> None:
    """Adam with the weight decay beside the gradient, both scaled by ``eta``."""
    gs = rescaled(grads, factor, bound)
    if is_some(*wds):
        torch._foreach_mul_(weights, [1 - eta * wd for eta, wd in zip(etas, wds, strict=True)])
    _moments(gs, means, variances, beta1, beta2)
    rates = [eta * lr for eta, lr in zip(etas, lrs, strict=True)]
    _adam_steps(weights, means, variances, rates, epsilon)


def usable(scale: Tensor) -> Tensor:
    """Whether a loss scale did not overflow: it is finite and not 0; without axes."""
    factor = scale.reshape(())
    return torch.isfinite(factor) & (factor != 0)


def kept_if(condition: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """One or the other, in the dtype of the old one."""
    return torch.where(condition, new.to(old.dtype), old)


def lamb_directions(
    weights: Tensors,
    gs: Tensors,
    means: Tensors,
    variances: Tensors,
    beta1: float,
    beta2: float,
    epsilon: float,
    counts: Sequence[int],
    bias_correction: bool,
    wds: Numbers,
) -> list[Tensor]:
    """The directions of LAMB's steps; overwrites the running means."""
    _moments(gs, means, variances, beta1, beta2)
    if bias_correction:
        roots = torch._foreach_div(variances, [1 - beta2**t for t in counts])
        torch._foreach_sqrt_(roots)
    else:
        roots = torch._foreach_sqrt(variances)
    torch._foreach_add_(roots, epsilon)
    steps: list[Tensor] = list(torch._foreach_div(means, roots))
    if bias_correction:
        torch._foreach_div_(steps, [1 - beta1**t for t in counts])
    if is_some(*wds):
        torch._foreach_add_(steps, torch._foreach_mul(weights, list(wds)))
    return steps


def lamb_ratios(r1: Tensor, r2: Tensor, lower: float, upper: float) -> Tensor:
    """The factors of LAMB's rates, of the norms of weights (r1) and directions (r2)."""
    if lower >= 0:
        r1 = r1.clamp(min=lower)
    if upper >= 0:
        r1 = r1.clamp(max=upper)
    return torch.where((r1 == 0) | (r2 == 0), 1, r1 / r2)
