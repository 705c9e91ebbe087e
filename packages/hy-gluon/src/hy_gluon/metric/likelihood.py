"""Perplexity, CrossEntropy, NegativeLogLikelihood: metrics of the probability of labels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon.metric.base import Array, EvalMetric, LabelError, alias, pairs, register
from hy_ndarray import ShapeError

__all__ = ["CrossEntropy", "NegativeLogLikelihood", "Perplexity"]


def _probabilities(label: Array, pred: Array, axis: int, who: str, *, clip: bool = False) -> Array:
    """Return the predicted probability of each label as a flat array.

    Negative labels count from the last class; with ``clip``, labels out of range become the nearest
    class.
    """
    if not -pred.ndim <= axis < pred.ndim:
        raise ShapeError(f"{who}: predictions {pred.shape} have no axis {axis}")
    classes = pred.shape[axis]
    rows = np.moveaxis(pred, axis, -1).reshape(-1, classes) if classes else pred.reshape(0, 0)
    if label.size != len(rows):
        raise ShapeError(
            f"{who}: {label.size} labels do not fit predictions {pred.shape}, which are "
            f"{len(rows)} times {classes} probabilities"
        )
    if clip and classes:
        label = label.clip(0, classes - 1)
    if label.size and not (label.min() >= -classes and label.max() < classes):
        raise LabelError(
            f"{who}: labels reach from {label.min()} to {label.max()}, but there are {classes} "
            "classes"
        )
    return np.asarray(rows[np.arange(len(rows)), label], np.float64)


@register
class Perplexity(EvalMetric):
    """Exponential of the mean negative log probability of the labels.

    Labels out of range become the nearest class, since a vocabulary may have one word less than the
    labels.

    Args:
        ignore_label: A label that is skipped, such as padding; no label if None.
        axis: Axis of the classes in predictions.
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Example:
        >>> perplexity = Perplexity(ignore_label=None)
        >>> perplexity.update([nd.array([0, 1])], [nd.array([[0.5, 0.5], [0.5, 0.5]])])
        >>> round(perplexity.get()[1], 6)
        2.0
    """

    _SMALLEST = 1e-10

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(
            name,
            output_names,
            label_names,
            ignore_label=ignore_label,
            axis=axis,
            has_global_stats=True,
        )
        self.ignore_label = ignore_label
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        """Add the log probabilities of the labels."""
        for label, pred in pairs(labels, preds):
            counted = np.ones(label.size, bool)
            if self.ignore_label is not None:
                counted = label.ravel() != self.ignore_label
            classes = label.astype(np.int64).ravel()
            p = _probabilities(classes, pred, self.axis, self.name, clip=True)
            # MXNet's bound: a probability of 0 costs 23 and not infinity.
            logs = np.log(np.maximum(p[counted], self._SMALLEST))
            self._hy_count(-float(logs.sum()), int(counted.sum()))

    def _hy_value(self, total: float, instances: float) -> float:
        return math.exp(total / instances) if instances else math.nan


@register
@alias("ce")
class CrossEntropy(EvalMetric):
    """Mean negative log probability of the labels.

    Negative labels count from the last class: -1 is the last.

    Args:
        eps: Added to the probabilities, so that 0 has a logarithm.
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Example:
        >>> entropy = CrossEntropy()
        >>> entropy.update([nd.array([0, 1])], [nd.array([[0.5, 0.5], [0.5, 0.5]])])
        >>> round(entropy.get()[1], 6)
        0.693147
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, eps=eps, has_global_stats=True)
        self.eps = eps

    def update(self, labels: Any, preds: Any) -> None:
        """Add the log probabilities of the labels; axis 1 is that of the classes."""
        for label, pred in pairs(labels, preds):
            p = _probabilities(label.astype(np.int64).ravel(), pred, 1, self.name)
            self._hy_count(-float(np.log(p + self.eps).sum()), p.size)


@register
@alias("nll_loss")
class NegativeLogLikelihood(CrossEntropy):
    """Mean negative log probability of the labels; another name of :class:`CrossEntropy`.

    Args:
        eps: Added to the probabilities, so that 0 has a logarithm.
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)
