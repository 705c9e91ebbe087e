"""StoppingHandler and EarlyStoppingHandler: end training at a limit, or without improvement."""

from typing import Any

from hy_gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from hy_gluon.contrib.estimator.improvement import check_monitor, comparison, observed, worst

__all__ = ["EarlyStoppingHandler", "StoppingHandler"]


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """Ends training after a number of epochs or batches, given here or to ``fit``.

    ``fit`` always adds such a handler, without limits.

    Args:
        max_epoch: Maximum number of epochs; no limit if None.
        max_batch: Maximum number of batches; no limit if None.
    """

    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None:
        self.max_epoch = max_epoch
        self.max_batch = max_batch
        self.current_batch = 0
        self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counts."""
        self.current_batch = self.current_epoch = 0
        self.stop_training = False

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Return True after the last batch."""
        self.current_batch += 1
        if self.current_batch in (self.max_batch, estimator.max_batch):
            self.stop_training = True
        return self.stop_training

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Return True after the last epoch."""
        self.current_epoch += 1
        if self.current_epoch in (self.max_epoch, estimator.max_epoch):
            self.stop_training = True
        return self.stop_training


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Ends training if a metric has not improved for ``patience`` epochs.

    Args:
        monitor: A metric of the estimator.
        min_delta: Minimum change of the value that counts as an improvement.
        patience: Number of epochs without improvement after which training ends.
        mode: ``"min"`` or ``"max"``, whether small or large values are better, or ``"auto"``; see
            :func:`comparison`.
        baseline: Value that the metric must exceed to count as an improvement at all.

    Raises:
        EstimatorError: ``monitor`` is not a single metric, or ``mode`` is unknown.

    Example:
        >>> from hy_gluon.metric import Accuracy
        >>> EarlyStoppingHandler(Accuracy(), patience=3).monitor_op.__name__
        'greater'
    """

    def __init__(
        self,
        monitor: Any,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        self.monitor = check_monitor(monitor, type(self).__name__)
        self.monitor_op = comparison(self.monitor, mode)
        # Subtracted from the value either way, whichever direction is better.
        self.min_delta = min_delta if worst(self.monitor_op) < 0 else -min_delta
        self.patience = patience
        self.baseline = baseline
        self._reset()

    def _reset(self) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False
        self.best = worst(self.monitor_op) if self.baseline is None else self.baseline

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the best value and the number of epochs without improvement."""
        self._reset()

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Return True if the metric has not improved for ``patience`` epochs."""
        value = observed(self.monitor, type(self).__name__)
        if value is not None:
            if self.monitor_op(value - self.min_delta, self.best):
                self.best = value
                self.wait = 0
            else:
                self.wait += 1
                if self.wait >= self.patience:
                    self.stopped_epoch = estimator.current_epoch
                    self.stop_training = True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the epoch at which training was stopped early."""
        if self.stop_training:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHandler: early stopping due to %s not improving",
                self.stopped_epoch,
                self.monitor.name,
            )
