"""LoggingHandler: logs the progress of training."""

import math
import time
from typing import Any

from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.contrib.estimator.events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    TrainBegin,
    TrainEnd,
)
from hy_gluon.contrib.estimator.utils import check_metrics, metric_values
from hy_gluon.metric import EvalMetric

__all__ = ["LoggingHandler", "check_log_interval"]


def check_log_interval(interval: Any) -> int | str:
    """Return ``interval`` if it is ``"epoch"`` or a positive number.

    Raises:
        EstimatorError: ``interval`` is invalid.
    """
    if interval == "epoch" or (isinstance(interval, int) and interval > 0):
        checked: int | str = interval
        return checked
    raise EstimatorError(f"log_interval must be 'epoch' or an int above 0, not {interval!r}")


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Logs the progress of training and of epochs to the estimator's logger.

    ``fit`` and ``evaluate`` add one by default, for the estimator's metrics.

    Args:
        log_interval: ``"epoch"``, or the number of batches between two lines, beginning with the
            first batch.
        metrics: A metric or list of metrics of the estimator, whose values are logged.
        priority: Order among handlers; last by default.

    Raises:
        EstimatorError: ``log_interval`` is invalid, or ``metrics`` are not metrics.
    """

    def __init__(
        self,
        log_interval: int | str = "epoch",
        metrics: Any = None,
        priority: float = math.inf,
    ) -> None:
        self.log_interval = check_log_interval(log_interval)
        self.metrics: list[EvalMetric] = check_metrics(metrics)
        self.priority = priority
        self.batch_index = 0
        self.current_epoch = 0
        self.processed_samples = 0
        self.log_interval_time = 0.0
        self._training = False
        self._train_start = self._epoch_start = self._batch_start = 0.0

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the settings of the training."""
        self._training = True
        self._train_start = time.perf_counter()
        self.batch_index = self.processed_samples = 0
        self.current_epoch = estimator.trained_epochs
        self.log_interval_time = 0.0
        trainer = estimator.trainer
        estimator.logger.info(
            "Training begin: using optimizer %s with current learning rate %.4f",
            type(trainer.optimizer).__name__,
            trainer.learning_rate,
        )
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the duration and final metrics."""
        self._training = False
        seconds = time.perf_counter() - self._train_start
        epochs = self.current_epoch - estimator.trained_epochs
        metrics = self._format_metrics()
        text = f"Train finished using total {int(seconds)}s with {epochs} epochs. {metrics}"
        estimator.logger.info(text.rstrip())

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the start of an epoch."""
        self._epoch_start = time.perf_counter()
        if self._training:
            estimator.logger.info(
                "[Epoch %d] Begin, current learning rate: %.4f",
                self.current_epoch,
                estimator.trainer.learning_rate,
            )
        else:
            self.current_epoch = estimator.current_epoch
            self.processed_samples = 0
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Log the metrics and duration of an epoch."""
        seconds = time.perf_counter() - self._epoch_start
        text = f"[Epoch {self.current_epoch}] Finished in {seconds:.3f}s, {self._format_metrics()}"
        estimator.logger.info(text.rstrip(", "))
        self.current_epoch += 1
        self.batch_index = 0
        return False

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Record the start time of the batch."""
        self._batch_start = time.perf_counter()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Log the progress every ``log_interval`` batches."""
        if self.log_interval == "epoch":
            return False
        assert isinstance(self.log_interval, int)
        self.log_interval_time += time.perf_counter() - self._batch_start
        self.processed_samples += _num_examples(kwargs, estimator.batch_axis)
        if self.batch_index % self.log_interval == 0:
            text = (
                f"[Epoch {self.current_epoch}][Batch {self.batch_index}]"
                f"[Samples {self.processed_samples}] "
                f"time/interval: {self.log_interval_time:.3f}s {self._format_metrics()}"
            )
            estimator.logger.info(text.rstrip())
            self.log_interval_time = 0.0
        self.batch_index += 1
        return False

    def _format_metrics(self) -> str:
        return ", ".join(f"{name}: {value:.4f}" for name, value in metric_values(self.metrics))


def _num_examples(batch_end: dict[str, Any], batch_axis: int) -> int:
    """Return the number of examples in a batch, from its data or, if unknown, its losses."""
    batch = batch_end["batch"]
    if isinstance(batch, list | tuple) and hasattr(batch[0], "shape"):
        return int(batch[0].shape[batch_axis])
    return sum(loss.shape[0] for loss in batch_end["loss"])
