"""Accuracy and TopKAccuracy: the share of correctly predicted labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon.metric.base import Array, EvalMetric, MetricError, alias, pairs, register
from hy_ndarray import ShapeError

__all__ = ["Accuracy", "TopKAccuracy", "classes_of"]


def classes_of(label: Array, pred: Array, axis: int, who: str) -> tuple[Array, Array]:
    """Return true and predicted classes as flat arrays.

    Args:
        label: Classes.
        pred: Scores of every class along ``axis``; or classes, in the shape of ``label``.
        axis: Axis of the classes in ``pred``.
        who: Name of the metric, for messages.

    Raises:
        ShapeError: The numbers of labels and predictions differ.
    """
    predicted = pred
    if pred.shape != label.shape:
        if not -pred.ndim <= axis < pred.ndim:
            raise ShapeError(
                f"{who}: predictions {pred.shape} have neither the shape of the labels "
                f"{label.shape} nor scores along axis {axis}"
            )
        predicted = pred.argmax(axis)
    true, guessed = label.astype(np.int64).ravel(), predicted.astype(np.int64).ravel()
    if true.size != guessed.size:
        raise ShapeError(
            f"{who}: labels {label.shape} are {true.size} classes, predictions {pred.shape} are "
            f"{guessed.size}"
        )
    return true, guessed


@register
@alias("acc")
class Accuracy(EvalMetric):
    """Share of labels that were predicted correctly.

    Args:
        axis: Axis of the classes in predictions. Has no effect if predictions have
            the shape of the labels: then they are classes.
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Example:
        >>> accuracy = Accuracy()
        >>> accuracy.update([nd.array([0, 1])], [nd.array([[0.9, 0.1], [0.6, 0.4]])])
        >>> accuracy.get()
        ('accuracy', 0.5)
    """

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, axis=axis, has_global_stats=True)
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        """Count correct predictions."""
        for label, pred in pairs(labels, preds):
            true, predicted = classes_of(label, pred, self.axis, self.name)
            self._hy_count(int((true == predicted).sum()), true.size)


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(EvalMetric):
    """Share of labels among the ``top_k`` classes with the highest scores.

    Args:
        top_k: Number of classes; above 1.
        name: Name of the metric; ``top_k`` is appended.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Raises:
        MetricError: ``top_k`` is below 2.

    Example:
        >>> top2 = TopKAccuracy(2)
        >>> top2.update([nd.array([0, 1])], [nd.array([[3, 2, 1], [3, 1, 2]])])
        >>> top2.get()
        ('top_k_accuracy_2', 0.5)
    """

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        if top_k < 2:  # noqa: PLR2004  # one class is accuracy
            raise MetricError(f"{name}: top_k={top_k} must be above 1; use Accuracy for one class")
        super().__init__(name, output_names, label_names, top_k=top_k, has_global_stats=True)
        self.top_k = top_k
        self.name += f"_{top_k}"

    def get_config(self) -> dict[str, Any]:
        """Return the configuration from which :func:`create` makes an equal metric."""
        return super().get_config() | {"name": self.name.removesuffix(f"_{self.top_k}")}

    def update(self, labels: Any, preds: Any) -> None:
        """Count labels that are among the classes with the highest scores."""
        for label, pred in pairs(labels, preds):
            if pred.ndim not in (1, 2):
                raise ShapeError(f"{self.name}: predictions must be [N, classes], not {pred.shape}")
            if label.size != pred.shape[0]:
                raise ShapeError(
                    f"{self.name}: there are {label.size} labels, {pred.shape[0]} predictions"
                )
            true = label.astype(np.int64).ravel()
            if pred.ndim == 1:
                best = pred.astype(np.int64)[:, None]
            else:
                first = max(pred.shape[1] - self.top_k, 0)
                # Partitioned and not sorted: the order among the best does not matter.
                best = np.argpartition(pred, first, axis=1)[:, first:]
            self._hy_count(int((best == true[:, None]).sum()), true.size)
