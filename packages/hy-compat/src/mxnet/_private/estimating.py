"""Private functions of ``mxnet.gluon.contrib.estimator``."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.contrib.estimator import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    TrainBegin,
    TrainEnd,
)
from hy_gluon.contrib.estimator.utils import check_metrics
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.metric import Accuracy, EvalMetric
from mxnet._private.errors import OperandError, ShapesError

EVENTS = (TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd)


def _check_metrics(metrics: Any) -> list[EvalMetric]:
    """Return metrics as a flat list; composite metrics are replaced by their metrics.

    Raises:
        EstimatorError: An element is not a metric.
    """
    return check_metrics(metrics)


def _check_event_handlers(handlers: Any) -> list[Any]:
    """Return event handlers as a list.

    Raises:
        OperandError: ``handlers`` is neither a handler nor a list.
        ShapesError: An element of the list is not a handler.
    """
    if handlers is None:
        return []
    if isinstance(handlers, EVENTS):
        return [handlers]
    if not isinstance(handlers, list | tuple):
        raise OperandError(f"handlers must be an EventHandler or a list of them, not {handlers!r}")
    if not all(isinstance(handler, EVENTS) for handler in handlers):
        raise ShapesError(f"handlers must be an EventHandler or a list of them, got: {handlers}")
    return list(handlers)


def _check_metric_known(handler: Any, metric: Any, known_metrics: Sequence[Any]) -> None:
    """Raise an error if the estimator does not update a handler's metric.

    Raises:
        ShapesError: The metric is not one of the estimator's objects.
    """
    if not any(metric is known for known in known_metrics):
        raise ShapesError(
            f"Event handler {type(handler).__name__} refers to a metric instance {metric} outside "
            "of the known training and validation metrics. Please use the metrics from "
            "estimator.train_metrics and estimator.val_metrics instead."
        )


def _check_handler_metric_ref(handler: Any, known_metrics: Sequence[Any]) -> None:
    """Check a handler's ``metrics`` and ``monitor`` by :func:`_check_metric_known`.

    As in MXNet, only attributes whose names contain ``metric`` or ``monitor`` are checked, and only
    metrics with the name of a known metric.
    """
    # By the names of attributes: handlers declare no list of their metrics.
    for name in dir(handler):
        if "metric" not in name and "monitor" not in name:
            continue
        value = getattr(handler, name)
        for metric in value if isinstance(value, list | tuple) else [value]:
            is_named = any(getattr(metric, "name", None) == known.name for known in known_metrics)
            if isinstance(metric, EvalMetric) and is_named:
                _check_metric_known(handler, metric, known_metrics)


def _suggest_metric_for_loss(loss: Any) -> EvalMetric | None:
    """Return the default metric for a loss: accuracy for classification losses, otherwise None."""
    return Accuracy() if isinstance(loss, SoftmaxCrossEntropyLoss) else None
