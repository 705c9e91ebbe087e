"""Optimizer steps that torch computes as one kernel, or in few list calls: SGD and Adam.

They override the rules' formulas: for 50 weights of 1,024 elements they take a third of the time,
for one weight of 10 million elements half.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._tensor import Tensor, number

__all__ = ["FUSED", "Fused", "is_fusable"]

Columns: TypeAlias = Sequence[list[Tensor]]
Named: TypeAlias = Mapping[str, Any]
Fused: TypeAlias = Callable[[Columns], None]
"""Function that overwrites weights and states, which are all of one dtype."""
_DEVICES = ("cpu", "cuda", "mps")  # devices with fused steps in torch
# beta ** 1e9 is 0, so the bias correction of torch's kernel divides by 1.
_MANY_STEPS = 1e9  # steps, after which Adam's correction of its first ones is none


def is_fusable(weight: Tensor) -> bool:
    """Return whether torch has fused steps on a weight's device."""
    return weight.is_cpu or weight.device.type in _DEVICES  # a device takes time to ask for


def _contiguous(grads: list[Tensor]) -> list[Tensor]:
    """Return the gradients as contiguous tensors."""
    return [g if g.is_contiguous() else g.contiguous() for g in grads]


def _sgd(n: Named) -> Fused | None:
    """Return a fused step of gradient descent, with or without momentum; None if torch has none.

    Torch's velocity is that of gradients, MXNet's that of weights: the same with a learning rate of
    -1, if the real rate is passed as the factor ``1 - dampening`` of the gradient.
    """
    factor, momentum = n["rescale_grad"], n.get("momentum", 0.0)
    # torch's kernel clips no gradients, and leaves velocities alone without momentum.
    if n["clip_gradient"] >= 0 or not factor or ("momentum" in n and not momentum):
        return None
    if momentum and torch.is_tensor(n["lr"]):  # torch's kernel reads it, but no dampening
        return partial(_step_with_velocity, n["lr"] * -factor, momentum, n["wd"] / factor)
    # rescale_grad goes into the rate, and decay is divided by it: the same step.
    rate = n["lr"] * factor
    fused = partial(
        torch._fused_sgd_,
        weight_decay=n["wd"] / factor,
        momentum=momentum,
        lr=-1.0 if momentum else rate,
        dampening=1 + rate if momentum else 0.0,
        nesterov=False,
        maximize=False,
        is_first_step=False,
    )

    def step(columns: Columns) -> None:
        weights, grads, *velocities = columns
        fused(weights, _contiguous(grads), velocities[0] if velocities else [])

    return step


def _step_with_velocity(rate: Tensor, momentum: float, decay: float, columns: Columns) -> None:
    """Add velocities by a rate on the device: in two calls, or three with decay.

    The rate scales gradients beforehand, decay included. Torch's own velocities, which no rate
    scales, would have to be divided by rates, which may be 0.

    Args:
        rate: Factor of gradients, a 0-d tensor.
        momentum: Factor of the old velocity.
        decay: Weight decay, divided by the gradients' factor.
        columns: Weights, gradients and velocities.
    """
    weights, grads, velocities = columns
    if decay:
        changes = torch._foreach_add(_contiguous(grads), weights, alpha=decay)
        torch._foreach_mul_(changes, rate)
    else:
        changes = torch._foreach_mul(_contiguous(grads), rate)
    torch._fused_sgd_(
        weights,
        list(changes),
        velocities,
        weight_decay=0.0,
        momentum=momentum,
        lr=-1.0,
        dampening=0.0,
        nesterov=False,
        maximize=False,
        is_first_step=False,
    )


def _adam(n: Named) -> Fused | None:
    """Return a fused step of Adam; its learning rate includes the bias correction.

    None for means that never change: torch's kernel would divide by the correction, which is 0.
    """
    if 1.0 in (n["beta1"], n["beta2"]):
        return None
    factor, bound, decay = n["rescale_grad"], n["clip_gradient"], n["wd"]
    fused = partial(
        torch._fused_adam_,
        lr=n["lr"],
        beta1=n["beta1"],
        beta2=n["beta2"],
        weight_decay=decay if bound < 0 else 0.0,
        eps=n["epsilon"],
        amsgrad=False,
        maximize=False,
    )

    def step(columns: Columns) -> None:
        weights, grads, means, variances = columns
        # torch's kernel has no rescaling; the caller's gradients stay as they are.
        if factor != 1 or bound >= 0:
            grads = list(torch._foreach_mul(grads, factor))
        if bound >= 0:
            # MXNet clips after decay was added.
            if decay:
                torch._foreach_add_(grads, weights, alpha=decay)
            torch._foreach_clamp_min_(grads, -bound)
            torch._foreach_clamp_max_(grads, bound)
        count = number(_MANY_STEPS, torch.float32, weights[0].device)
        counts = [count] * len(weights)
        fused(weights, _contiguous(grads), means, variances, [], counts)

    return step


FUSED: Mapping[str, Callable[[Named], Fused | None]] = {
    "sgd_update": _sgd,
    "sgd_mom_update": _sgd,
    "adam_update": _adam,
}
"""By the rule's name: function that returns the fused step for hyperparameters, or None."""
