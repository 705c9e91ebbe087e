"""ValidationHandler: evaluates every few epochs or batches."""

from collections.abc import Callable, Iterable
from typing import Any

from hy_gluon.contrib.estimator.events import BatchEnd, EpochEnd, EventHandler, TrainBegin
from hy_gluon.contrib.estimator.training import Training

__all__ = ["ValidationHandler"]


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Evaluates a net during training.

    ``fit`` adds one if it is given ``val_data`` and there is none among the given handlers.

    Args:
        val_data: Batches, for ``eval_fn``.
        eval_fn: Called with ``val_data``, ``batch_axis`` and ``event_handlers`` by name; usually
            ``estimator.evaluate``.
        epoch_period: Evaluate after every so many epochs; never if None.
        batch_period: Evaluate after every so many batches, too; never if None.
        priority: When it is called.
        event_handlers: Handlers for the evaluation.
    """

    def __init__(
        self,
        val_data: Iterable[Any],
        eval_fn: Callable[..., Any],
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        priority: float = -1000,
        event_handlers: Iterable[EventHandler] | EventHandler | None = None,
    ) -> None:
        self.val_data = val_data
        self.eval_fn = eval_fn
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.priority = priority
        self.event_handlers = event_handlers
        self.current_batch = 0
        self.current_epoch = 0

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counts."""
        self.current_batch = self.current_epoch = 0

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Evaluate every few batches."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._evaluate(estimator)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Evaluate every few epochs."""
        self.current_epoch += 1
        if self.epoch_period and self.current_epoch % self.epoch_period == 0:
            self._evaluate(estimator)
        return False

    def _evaluate(self, estimator: Training) -> None:
        self.eval_fn(
            val_data=self.val_data,
            batch_axis=estimator.batch_axis,
            event_handlers=self.event_handlers,
        )
