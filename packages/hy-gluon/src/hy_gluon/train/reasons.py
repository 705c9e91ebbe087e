"""Reasons why a training step's update is not part of its program, or not captured."""

from collections.abc import Sequence

from hy_gluon.train.compiled_gradients import CompiledGradients
from hy_gluon.trainer import Trainer

__all__ = ["ending_in_words", "why_not_captured", "why_not_overlapped", "why_not_updated"]

_OWN = "step", "update", "_update", "_prepare_gradients", "_check_and_rescale_grad"
"""Methods that a subclass of Trainer may override."""


def why_not_updated(trainer: Trainer, gradients: Sequence[CompiledGradients]) -> str | None:
    """Return the reason why ``trainer.step`` must update the weights; None if it need not.

    Args:
        trainer: The trainer.
        gradients: Programs of the gradients, one for each context.
    """
    optimizer = trainer._optimizer
    reasons = {
        "there are several contexts": len(gradients) > 1,
        "a store sums the gradients of several contexts or processes": (
            trainer._kvstore is not None
        ),
        f"{type(trainer).__name__} defines what a step does": _defines_steps(trainer),
        f"{type(optimizer).__name__} defines update": not optimizer._hy_uses_rule(),
        # The update changes only what the program computes, else stale gradients would be applied.
        "a parameter of the trainer gets no gradient": _lacks_gradients(trainer, gradients),
    }
    return next((why for why, holds in reasons.items() if holds), None)


def why_not_overlapped(trainer: Trainer, gradients: Sequence[CompiledGradients]) -> str | None:
    """Return the reason why no sum over workers begins in the backward pass; None if they do.

    Args:
        trainer: The trainer.
        gradients: Programs of the gradients, one for each context.
    """
    store = trainer._kvstore
    if store is None:
        return "there is no store"
    reasons = {
        f"a store of type {store.type!r} sums gradients in its update": not store.overlaps_sums,
        "weights are not updated on the store": not trainer._update_on_kvstore,
        "there are several contexts": len(gradients) > 1,
        # It may change gradients before they are summed.
        f"{type(trainer).__name__} defines what a step does": _defines_steps(trainer),
        "a parameter of the trainer gets no gradient": _lacks_gradients(trainer, gradients),
    }
    return next((why for why, holds in reasons.items() if holds), None)


def _defines_steps(trainer: Trainer) -> bool:
    # A user's subclass, or a method set on the instance, counts as its own definition.
    kind, own = type(trainer), vars(trainer)
    return any(getattr(kind, name) is not getattr(Trainer, name) or name in own for name in _OWN)


def _lacks_gradients(trainer: Trainer, gradients: Sequence[CompiledGradients]) -> bool:
    computed = {id(weight) for weight in gradients[0].weights}
    weights = trainer._learned_arrays()[0][1]
    return not weights or any(id(weight) not in computed for weight in weights)


def why_not_captured(trainer: Trainer, by_trainer: str | None) -> str | None:
    """Return the reason why no kernel table could capture a step whole; None if one could.

    Args:
        trainer: The trainer.
        by_trainer: Reason why ``trainer.step`` updates the weights; None if it does not.
    """
    if by_trainer is not None:
        return "the trainer's own step follows the program"
    if trainer._amp_loss_scaler is not None:
        return "loss scaling looks for overflows on the host, and skips such steps"
    return None


def ending_in_words(trainer: Trainer, by_trainer: str | None, accumulate: int) -> str:
    """Return a description of the work that follows the backward pass.

    Args:
        trainer: The trainer.
        by_trainer: Result of :func:`why_not_updated`.
        accumulate: Number of calls whose gradients are summed before an update.
    """
    when = "at once" if accumulate == 1 else f"when {accumulate} calls have added their gradients"
    if by_trainer is not None:
        after = "" if accumulate == 1 else f" {when}"
        return f"then the trainer's own step{after}: {by_trainer}"
    steps = []
    if trainer._amp_loss_scaler is not None:
        steps.append("a check for overflows")
    if trainer._max_norm is not None:
        steps.append("the clipping of gradients")
    last = "the update follows" if not steps else "and the update follow"
    return f"{', '.join(steps)}{', ' if len(steps) > 1 else ' ' if steps else ''}{last} {when}"
