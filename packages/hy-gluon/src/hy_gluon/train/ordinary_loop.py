"""OrdinaryLoop: training steps by record, backward and trainer, as TrainStep's fallback."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_gluon.amp import scale_loss
from hy_gluon.block import Block
from hy_gluon.parameter.arrays import gradient_of
from hy_gluon.trace.structure import flatten
from hy_gluon.train.net_with_loss import run_with_loss
from hy_gluon.trainer import Trainer
from hy_ndarray import NDArray, autograd, nd

__all__ = ["OrdinaryLoop"]


class OrdinaryLoop:
    """Training step in the ordinary way: record net and loss, backward, ``trainer.step``.

    Args:
        net: The net.
        loss: Called with the prediction and the labels.
        trainer: Updates the parameters.
        adds: Accumulate gradients of several runs before an update.
    """

    def __init__(
        self, net: Block, loss: Callable[..., Any], trainer: Trainer, *, adds: bool
    ) -> None:
        self._net, self._loss, self._trainer, self._adds = net, loss, trainer, adds
        # Sums by the weight's id; the weight beside each sum keeps that id its own.
        self._sums: dict[int, tuple[NDArray, NDArray]] = {}

    def run(self, parts: Sequence[Sequence[Any]], *, added: bool) -> tuple[list[Any], list[Any]]:
        """Compute the gradients; return the losses and the predictions of each context.

        Args:
            parts: Data and labels for each context.
            added: Add the gradients to those of earlier runs.
        """
        trainer = self._trainer
        with autograd.record():
            pairs = [run_with_loss(self._net, self._loss, x, tuple(y)) for x, *y in parts]
            losses = [loss for loss, _ in pairs]
            heads: Any = flatten(losses, "output")[0]
            if trainer._amp_loss_scaler is not None:
                # The scaler's context scales the losses when it is entered; there is nothing to do
                # inside.
                with scale_loss(heads, trainer) as heads:
                    pass
        autograd.backward(heads)
        if self._adds:
            self._add_up(added)
        return losses, [prediction for _, prediction in pairs]

    def update(self, examples: float) -> None:
        """Update the parameters by the gradients, or by the accumulated ones.

        Args:
            examples: Number of examples, by which gradients are divided.
        """
        # The trainer looks at the parameters' own gradients, so the sum goes back there.
        for weight, total in self._sums.values():
            gradient_of(weight)[:] = total
            autograd.set_fresh(weight)
        self._sums = {}
        self._trainer.step(examples)

    def _add_up(self, added: bool) -> None:
        """Add the gradients to the accumulated ones; with ``added`` false, start from zero."""
        weights = [array for _, arrays in self._trainer._learned_arrays() for array in arrays]
        fresh = [weight for weight in weights if autograd.is_fresh(weight)]
        if not added:
            # grad_req="write" overwrites, so sums of the earlier batches are kept beside.
            self._sums = {id(weight): (weight, gradient_of(weight).copy()) for weight in fresh}
            return
        for weight in fresh:
            _, total = self._sums.setdefault(id(weight), (weight, nd.zeros_like(weight)))
            total += gradient_of(weight)
