"""Gradient checks before an update: stale gradients, and clipping by norm."""

from collections.abc import Sequence

from hy_gluon.parameter import Parameter
from hy_gluon.utils import clip_global_norm
from hy_ndarray import ArgumentError, HyError, NDArray, autograd

__all__ = ["StaleGradientError", "checked_norm", "clip", "stale"]


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
            "are updated on the store; leave out update_on_kvstore=True"
        )
    return max_norm


def clip(contexts: Sequence[Sequence[NDArray]], max_norm: float, rescale: float) -> None:
    """Scale each context's gradients down in place so that their norm is at most ``max_norm``.

    The norm is that after multiplication by ``rescale``.

    Source:
        Pascanu, Mikolov, Bengio 2013, arXiv:1211.5063, algorithm 1.
    """
    for gradients in contexts:
        if gradients and rescale:
            # The step multiplies by rescale afterwards, so that the bound is divided by it. A check
            # for finite norms would wait for the GPU.
            clip_global_norm(gradients, max_norm / abs(rescale), check_isfinite=False)
