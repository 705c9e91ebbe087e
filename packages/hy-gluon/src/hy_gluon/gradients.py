"""Gradients before an update: which of them are fresh, and clipping by norm."""

from collections.abc import Sequence
from typing import TypeAlias

from hy_gluon.parameter import Parameter
from hy_gluon.utils import clip_global_norm
from hy_ndarray import ArgumentError, HyError, NDArray, autograd, nd
from hy_ndarray.core.casting import without_casting

__all__ = [
    "ContextGradients",
    "StaleGradientError",
    "checked_norm",
    "clip",
    "fresh",
    "norm_limit",
    "stale",
    "with_stale",
]

ContextGradients: TypeAlias = tuple[list[int], list[NDArray], list[NDArray]]
"""Numbers, gradients and weights of parameters on one context."""


class StaleGradientError(HyError, UserWarning):
    """A step would reuse a gradient that no backward pass wrote since the previous step."""


def stale(parameters: Sequence[Parameter]) -> StaleGradientError:
    """Return the error that names the first parameter with a stale gradient."""
    name, context = next(
        (parameter.name, array.context)
        for parameter in parameters
        if parameter.grad_req != "null"
        for array in parameter._arrays()
        if not autograd.is_fresh(array)
    )
    return StaleGradientError(
        f"Gradient of Parameter `{name}` on context {context} has not been updated by backward "
        "since last `step`. If only some of the parameters take part on purpose, call step "
        "with ignore_stale_grad=True: it leaves the others as they are"
    )


def fresh(numbers: Sequence[int], weights: Sequence[NDArray]) -> ContextGradients:
    """Return numbers, gradients and weights of those parameters that have a fresh gradient."""
    rows: ContextGradients = [], [], []
    flags = autograd.fresh_gradients(weights)
    for number, gradient, weight in zip(numbers, flags, weights, strict=True):
        if gradient is not None:
            rows[0].append(number)
            rows[1].append(gradient)
            rows[2].append(weight)
    return rows


def with_stale(
    parameters: Sequence[Parameter],
    wanted: list[int],
    rows: Sequence[ContextGradients],
    on_store: bool,
) -> list[ContextGradients]:
    """Return gradients for the exchange with other workers, stale ones included.

    Args:
        parameters: All parameters of the trainer.
        wanted: Numbers of the parameters that have a fresh gradient on some worker.
        rows: The fresh gradients of this worker, by context.
        on_store: Whether gradients are still to be summed, on the store that updates weights.
    """
    gathered = []
    for k, (numbers, grads, _) in enumerate(rows):
        own = dict(zip(numbers, grads, strict=True))
        every = []
        for number in wanted:
            gradient = own.get(number)
            if gradient is None:
                # Sums on a store need a zero; sums that are done already must not be added again.
                old = parameters[number].list_grad()[k]
                gradient = nd.zeros_like(old) if on_store else old
            every.append(gradient)
        gathered.append((wanted, every, [parameters[i]._arrays()[k] for i in wanted]))
    return gathered


def checked_norm(max_norm: float | None, update_on_kvstore: bool | None) -> float | None:
    """Return ``max_norm`` after checking it and its compatibility with the store.

    Raises:
        ArgumentError: ``max_norm`` is not above 0, or ``update_on_kvstore`` is true; the trainer
            then never gets the summed gradients.
    """
    if max_norm is None:
        return None
    if not max_norm > 0:
        raise ArgumentError(f"max_norm={max_norm} must be above 0, or None")
    if update_on_kvstore:
        raise ArgumentError(
            "max_norm is of gradients that are summed, which a trainer does not see when weights "
            "are updated on this store; leave out update_on_kvstore=True"
        )
    return max_norm


def norm_limit(max_norm: float | None, rescale: float) -> float | None:
    """Return the limit of the norm before gradients are multiplied by ``rescale``; None: no limit.

    Args:
        max_norm: The limit after that; None for no limit.
        rescale: The factor; 0 makes all gradients 0, whatever their norm.
    """
    return None if max_norm is None or not rescale else max_norm / abs(rescale)


def clip(contexts: Sequence[Sequence[NDArray]], limit: float) -> None:
    """Scale each context's gradients down in place so that their norm is at most ``limit``.

    Nothing waits for the norm, and all operators are kernels: a table can capture them.

    Source:
        Pascanu, Mikolov, Bengio 2013, arXiv:1211.5063, algorithm 1.
    """
    # Mixed precision must not compute the norm in 16 bits.
    with without_casting():
        for gradients in contexts:
            if gradients:
                clip_global_norm(gradients, limit, check_isfinite=False)
