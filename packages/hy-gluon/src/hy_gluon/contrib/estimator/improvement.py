"""Comparison of metric values, for the best checkpoint and for early stopping."""

import math
from typing import Any

import numpy as np

from hy_gluon import metric as metrics
from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.metric import CompositeEvalMetric, EvalMetric
from hy_ndarray.warning import warn

__all__ = ["check_monitor", "comparison", "observed", "worst"]

_MINIMIZED = (
    metrics.CrossEntropy,
    metrics.Loss,
    metrics.MAE,
    metrics.MSE,
    metrics.NegativeLogLikelihood,
    metrics.Perplexity,
    metrics.RMSE,
)
_MAXIMIZED = (
    metrics.Accuracy,
    metrics.F1,
    metrics.MCC,
    metrics.PCC,
    metrics.PearsonCorrelation,
    metrics.TopKAccuracy,
)


def check_monitor(monitor: Any, handler: str) -> EvalMetric:
    """Return ``monitor`` if it is a single metric.

    Raises:
        EstimatorError: ``monitor`` is not a single metric.
    """
    if isinstance(monitor, EvalMetric) and not isinstance(monitor, CompositeEvalMetric):
        return monitor
    raise EstimatorError(
        f"{handler}: monitor must be a single metric out of estimator.train_metrics or "
        f"estimator.val_metrics, not {monitor!r}"
    )


def comparison(monitor: EvalMetric, mode: str) -> np.ufunc:
    """Return the ufunc that tells whether a value is better: ``numpy.less`` or ``greater``.

    Args:
        monitor: The metric.
        mode: ``"min"``, ``"max"``, or ``"auto"``: lower is better for losses and errors, higher for
            all other metrics. ``"auto"`` warns about a metric that is not derived from one of hy's.

    Raises:
        EstimatorError: ``mode`` is unknown.

    Example:
        >>> comparison(metrics.MSE(), "auto").__name__
        'less'
    """
    if mode not in ("auto", "max", "min"):
        raise EstimatorError(f"mode must be 'auto', 'min' or 'max', not {mode!r}")
    if mode == "min" or (mode == "auto" and isinstance(monitor, _MINIMIZED)):
        return np.less
    if mode == "auto" and not isinstance(monitor, _MAXIMIZED):
        warn(
            f"larger values of {monitor.name} are taken for better ones; say mode='max' if that "
            "is so, or mode='min' if smaller ones are"
        )
    return np.greater


def worst(compare: np.ufunc) -> float:
    """Return the worst possible value under a comparison: infinity or its negative."""
    return math.inf if compare is np.less else -math.inf


def observed(monitor: EvalMetric, handler: str) -> float | None:
    """Return the current value of a metric; None, with a warning, if it has no data."""
    name, value = monitor.get()
    if not math.isnan(value):
        return float(value)
    warn(
        f"{handler}: {name} has no value; is it one of estimator.train_metrics or "
        "estimator.val_metrics, and is there validation data for it?",
        RuntimeWarning,
    )
    return None
