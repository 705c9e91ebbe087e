"""Launches of the optimizer steps that update many weights at once: SGD, Adam and LAMB."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._weights import Weights, numbers_on
from hy_kernels.triton.device import update as device
from hy_kernels.triton.runtime._launch import launch

Numbers: TypeAlias = Sequence[float] | Tensor
Launches: TypeAlias = Iterator[tuple[Weights, list[Any], bool]]
# One program sums the blocks of a weight, this many at a time; 100 million elements have 24,414.
_PARTS = 1024  # partial sums


class Rates:
    """Hyperparameters with a value for each weight, such as its learning rate and weight decay.

    Args:
        numbers: For each hyperparameter the values of all weights: a list, or a tensor.
    """

    def __init__(self, *numbers: Numbers) -> None:
        self._numbers = numbers

    def launches(self, weights: Weights) -> Launches:
        """Yield each launch's weights, their hyperparameters, and whether those are tensors."""
        where = weights.first.device
        tensors = [x for x in self._numbers if isinstance(x, torch.Tensor)]
        lists = [x for x in self._numbers if not isinstance(x, torch.Tensor)]
        if not tensors and not weights.is_double:
            for own, some in weights.group_by_hyperparameters(*lists).items():
                yield some, list(map(float, own)), False
        elif tensors:
            # A captured step has them in float64, which would widen what is computed with them.
            dtype = accumulator(weights.first.dtype)
            yield weights, [x.to(dtype).contiguous() for x in tensors], True
        else:
            yield weights, [numbers_on(where, *map(float, x)) for x in lists], True


def _scalars(weights: Weights, *numbers: float) -> list[Any]:
    """Return the scalar arguments of a launch; tensors for float64 weights, to be exact."""
    if weights.is_double:
        return [numbers_on(weights.first.device, float(x)) for x in numbers]
    return list(map(float, numbers))


def stepped_by_sgd(
    weights: Weights, rates: Rates, momentum: float | None, factor: float, bound: float
) -> None:
    """Take a step of gradient descent; with a velocity if ``momentum`` is not None."""
    for some, own, loaded in rates.launches(weights):
        entries, owners, constants = some.table()
        launch(
            device.sgd_steps,
            owners.shape,
            *(entries, owners, *own, *_scalars(weights, momentum or 0.0, factor, bound)),
            LOADED=loaded,
            HAS_BOUND=bound >= 0,
            HAS_MOMENTUM=momentum is not None,
            **constants,
        )


def stepped_by_adam(
    weights: Weights,
    rates: Rates,
    beta1: float,
    beta2: float,
    factor: float | Tensor,
    bound: float,
) -> None:
    """Take a step of Adam; if ``factor`` is a tensor, of AdamW, with decoupled weight decay.

    The last of ``rates`` is epsilon, which Gluon's AdamW corrects in each step.
    """
    (values,) = _scalars(weights, bound)
    beside = isinstance(factor, torch.Tensor)
    scale = factor if isinstance(factor, torch.Tensor) else _scalars(weights, factor)[0]
    for some, own, loaded in rates.launches(weights):
        entries, owners, constants = some.table()
        launch(
            device.adam_steps,
            owners.shape,
            *(entries, owners, *own, scale, values),
            LOADED=loaded,
            BESIDE=beside,
            BETA1=beta1,
            BETA2=beta2,
            HAS_BOUND=bound >= 0,
            **constants,
        )


def stepped_by_lamb(
    weights: Weights,
    rates: Rates,
    beta1: float,
    beta2: float,
    epsilon: float,
    factor: float,
    bound: float,
    lower: float,
    upper: float,
) -> None:
    """Take a step of LAMB; ``rates`` end with the bias corrections of mean and variance."""
    for some, (lr, wd, *left), loaded in rates.launches(weights):
        entries, owners, constants = some.table()
        compute_dtype = accumulator(some.first.dtype)
        parts = some.first.new_empty((*owners.shape, 2), dtype=compute_dtype)
        ratios = some.first.new_empty(len(some), dtype=compute_dtype)
        # Three launches, as the step needs two lengths of the whole weight before its first
        # element: one for moments and partial sums, one for ratios, one for steps, which compute
        # the direction again.
        launch(
            device.lamb_moments,
            owners.shape,
            *(entries, owners, parts, wd, *left, *_scalars(weights, factor, bound)),
            LOADED=loaded,
            BETA1=beta1,
            BETA2=beta2,
            EPSILON=epsilon,
            HAS_BOUND=bound >= 0,
            **constants,
        )
        launch(
            device.lamb_ratios,
            ratios.shape,
            *(entries, parts, ratios),
            LOWER=float(lower),
            UPPER=float(upper),
            ARRAYS=constants["ARRAYS"],
            BLOCK=constants["BLOCK"],
            PARTS=_PARTS,
        )
        launch(
            device.lamb_steps,
            owners.shape,
            *(entries, owners, ratios, lr, wd, *left),
            LOADED=loaded,
            EPSILON=epsilon,
            **constants,
        )
