"""ValidationHandler: evaluates the net every few epochs or batches."""

from collections.abc import Callable, Iterable
from typing import Any

from hy_gluon.contrib.estimator.events import BatchEnd, EpochEnd, EventHandler, TrainBegin
from hy_gluon.contrib.estimator.training import Training

__all__ = ["ValidationHandler"]


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Evaluates a net during training, every few epochs or batches.

    ``fit`` adds one by default if ``val_data`` is given.

    Args:
        val_data: Batches that are passed to ``eval_fn``.
        eval_fn: Called with ``val_data``, ``batch_axis`` and ``event_handlers`` by name; usually
            ``estimator.evaluate``.
        epoch_period: Number of epochs between two evaluations; None to evaluate by batches only.
        batch_period: Number of batches between two evaluations; None to evaluate by epochs only.
        priority: Order among handlers; lower numbers are called first.
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
        """Evaluate every ``batch_period`` batches."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._evaluate(estimator)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Evaluate every ``epoch_period`` epochs."""
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
