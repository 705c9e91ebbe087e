"""Metrics of an estimator: checks, defaults, names and updates."""

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.loss import Loss, SoftmaxCrossEntropyLoss
from hy_gluon.metric import Accuracy, CompositeEvalMetric, EvalMetric, Loss as LossMetric

__all__ = [
    "check_metrics",
    "metric_values",
    "named",
    "suggested_metrics",
    "update_metrics",
    "validation_copies",
]

TRAINING, VALIDATION = "training", "validation"


def check_metrics(metrics: Any) -> list[EvalMetric]:
    """Return metrics as a flat list; raise an error for other objects.

    Args:
        metrics: A metric, a list or tuple of metrics, or None; composite metrics are flattened.

    Raises:
        EstimatorError: An object is not a metric.

    Example:
        >>> both = CompositeEvalMetric(["acc", "mae"])
        >>> [metric.name for metric in check_metrics([both, Accuracy(name="again")])]
        ['accuracy', 'mae', 'again']
    """
    if metrics is None:
        return []
    if isinstance(metrics, CompositeEvalMetric):
        return check_metrics(metrics.metrics)
    if isinstance(metrics, EvalMetric):
        return [metrics]
    if isinstance(metrics, list | tuple):
        return [single for metric in metrics for single in check_metrics(metric)]
    raise EstimatorError(
        f"metrics must be an EvalMetric or a list of them, not {metrics!r}; "
        "metric.create makes one from a name"
    )


def suggested_metrics(loss: Loss) -> list[EvalMetric]:
    """Return the default metrics of a loss: its mean, and the accuracy of a classifier.

    Example:
        >>> [metric.name for metric in suggested_metrics(SoftmaxCrossEntropyLoss())]
        ['accuracy', 'softmaxcrossentropyloss']
    """
    own = LossMetric(name=loss.name.rstrip("0123456789"))
    return [Accuracy(), own] if isinstance(loss, SoftmaxCrossEntropyLoss) else [own]


def named(metrics: Sequence[EvalMetric], stage: str) -> list[EvalMetric]:
    """Return the metrics, with ``stage`` (``training`` or ``validation``) prefixed to their names.

    Example:
        >>> named(named([Accuracy()], "training"), "training")[0].name
        'training accuracy'
    """
    for metric in metrics:
        if not metric.name.startswith(f"{stage} "):
            metric.name = f"{stage} {metric.name}"
    return list(metrics)


def validation_copies(metrics: Sequence[EvalMetric]) -> list[EvalMetric]:
    """Return new metrics for validation, with the classes and settings of the training metrics."""
    copies = copy.deepcopy(list(metrics))
    for metric in copies:
        metric.reset()
        metric.name = metric.name.removeprefix(f"{TRAINING} ")
    return named(copies, VALIDATION)


def update_metrics(
    metrics: Iterable[EvalMetric], label: list[Any], pred: list[Any], loss: list[Any]
) -> None:
    """Update each metric with a batch; metrics of class ``Loss`` get the losses."""
    for metric in metrics:
        if isinstance(metric, LossMetric):
            metric.update(None, loss)
        else:
            metric.update(label, pred)


def metric_values(metrics: Iterable[EvalMetric]) -> list[tuple[str, Any]]:
    """Return names and values of all metrics."""
    return [pair for metric in metrics for pair in metric.get_name_value()]
