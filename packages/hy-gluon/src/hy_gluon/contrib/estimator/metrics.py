"""MetricHandler: updates the metrics with each batch."""

from typing import Any

from hy_gluon.contrib.estimator.events import BatchEnd, EpochBegin
from hy_gluon.contrib.estimator.utils import check_metrics, update_metrics
from hy_gluon.metric import EvalMetric

__all__ = ["MetricHandler"]


class MetricHandler(EpochBegin, BatchEnd):
    """Resets metrics before each pass over the data, and updates them after each batch.

    ``fit`` and ``evaluate`` add one by default, for the estimator's metrics.

    Args:
        metrics: A metric or list of metrics of the estimator.
        priority: Order among handlers; lower numbers are called first.

    Raises:
        EstimatorError: ``metrics`` are not metrics.
    """

    def __init__(self, metrics: Any, priority: float = -1000) -> None:
        self.metrics: list[EvalMetric] = check_metrics(metrics)
        self.priority = priority

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the metrics."""
        for metric in self.metrics:
            metric.reset()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Update the metrics with the batch."""
        update_metrics(self.metrics, kwargs["label"], kwargs["pred"], kwargs["loss"])
        return False
