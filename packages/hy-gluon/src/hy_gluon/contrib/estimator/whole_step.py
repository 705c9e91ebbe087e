"""WholeStep: trains an estimator's net with one compiled program per batch."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.contrib.estimator.batch_processor import BatchProcessor, Processed
from hy_gluon.contrib.estimator.events import BatchEnd, EventHandler
from hy_gluon.contrib.estimator.updates import GradientUpdateHandler
from hy_gluon.train import TrainStep

__all__ = ["WholeStep"]


class WholeStep:
    """Trains on a batch and updates the parameters in one program, using :class:`TrainStep`.

    Args:
        estimator: The estimator; its net is hybridized.
        update: The update handler that it replaces.
    """

    def __init__(self, estimator: Any, update: GradientUpdateHandler) -> None:
        self.update = update
        self._processor: BatchProcessor = estimator.batch_processor
        self._net: HybridBlock = estimator.net
        self._step = TrainStep(
            estimator.net,
            estimator.loss,
            estimator.trainer,
            outputs=True,
            batch_axis=estimator.batch_axis,
        )

    @classmethod
    def of(cls, estimator: Any, handlers: Sequence[EventHandler]) -> "WholeStep | None":
        """Return a WholeStep if the estimator and its handlers allow it, else None.

        The net must be hybridized and on one context, the batch processor the default one, and the
        first handler called after a batch the default update handler.

        Args:
            estimator: The estimator.
            handlers: The estimator's handlers, sorted by priority.
        """
        net, processor = estimator.net, estimator.batch_processor
        ends = [handler for handler in handlers if isinstance(handler, BatchEnd)]
        updates = [handler for handler in ends if isinstance(handler, GradientUpdateHandler)]
        if (
            len(updates) != 1
            or ends[0] is not updates[0]
            # The class itself: what a subclass does between gradients and update, one executable
            # cannot.
            or type(updates[0]) is not GradientUpdateHandler
            or type(processor) is not BatchProcessor
            or not (isinstance(net, HybridBlock) and net._active)
            or len(estimator.context) > 1
        ):
            return None
        return cls(estimator, updates[0])

    def fit_batch(self, estimator: Any, batch: Any, batch_axis: int) -> Processed:
        """Train on a batch like :meth:`BatchProcessor.fit_batch`, and update the parameters.

        Args:
            estimator: The estimator.
            batch: The batch.
            batch_axis: Axis of the examples.
        """
        data, label = self._processor._get_data_and_label(batch, estimator.context, batch_axis)
        size = self._step.num_losses(data[0], label[0])
        if size is not None and not self._net._hy_traces.latest.graph:
            self._net._get_graph(data[0])  # which checkpoints save
        loss, prediction = self._step(data[0], label[0], batch_size=size)
        return data, label, [prediction], [loss]
