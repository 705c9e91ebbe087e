"""F1, MCC, PCC: metrics of a confusion matrix."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon.metric.base import Array, EvalMetric, LabelError, MetricError, pairs, register
from hy_gluon.metric.classification import classes_of
from hy_ndarray import ShapeError

__all__ = ["F1", "MCC", "PCC"]


def _tables(counts: object) -> dict[str, Array]:
    """Return the confusion counts in a pickled F1 or MCC of MXNet, as attributes of `_Binary`."""
    rows = (("true_negatives", "false_positives"), ("false_negatives", "true_positives"))
    return {
        f"_{since}counts": np.array(
            [[vars(counts)[since + name] for name in row] for row in rows], np.float64
        )
        for since in ("", "global_")
    }


class _Binary(EvalMetric):
    """Base class of F1 and MCC: confusion counts of two classes, local and global."""

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None,
        label_names: Sequence[str] | None,
        average: str,
    ) -> None:
        if average not in ("macro", "micro"):
            raise MetricError(f"{name}: average must be 'macro' or 'micro', not {average!r}")
        self.average = average
        super().__init__(name, output_names, label_names, average=average, has_global_stats=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        counts = state.get("metrics", state.get("_metrics"))
        if counts is not None:  # MXNet pickled it
            average = state.get("average", state.get("_average"))
            state = {**state, "average": average, **_tables(counts)}
        self.__dict__.update(state)

    @staticmethod
    def _score(counts: Array) -> float:
        """Return the metric's value from ``[label, prediction]`` counts."""
        raise NotImplementedError

    def reset(self) -> None:
        """Reset all counts."""
        super().reset()
        self._counts = np.zeros((2, 2))
        self._global_counts = np.zeros((2, 2))

    def reset_local(self) -> None:
        """Reset the counts of :meth:`get`, but not those of :meth:`get_global`."""
        super().reset_local()
        self._counts = np.zeros((2, 2))

    def update(self, labels: Any, preds: Any) -> None:
        """Count pairs of labels, 0 or 1, and predictions, scores ``[N, 2]``."""
        seen = sum((self._counted(*pair) for pair in pairs(labels, preds)), np.zeros((2, 2)))
        if self.average == "macro":
            self._hy_count(self._score(seen))
            return
        self._counts += seen
        self._global_counts += seen
        self.num_inst = int(self._counts.sum())
        self.global_num_inst = int(self._global_counts.sum())
        # get() divides by the number of instances, so that the score of all counts is multiplied by
        # it.
        self.sum_metric = self._score(self._counts) * self.num_inst
        self.global_sum_metric = self._score(self._global_counts) * self.global_num_inst

    def _counted(self, label: Array, pred: Array) -> Array:
        if pred.ndim < 2 or pred.shape[1] < 2:  # noqa: PLR2004  # two classes
            raise ShapeError(f"{self.name}: predictions must be scores [N, 2], not {pred.shape}")
        flat = label.astype(np.int64).ravel()
        if len(np.unique(flat)) > 2:  # noqa: PLR2004  # two classes
            raise MetricError(f"{self.name}: labels must be of two classes; there are more")
        true, predicted = classes_of(flat, pred, 1, self.name)
        return _table((true == 1).astype(np.int64), (predicted == 1).astype(np.int64), 2)


def _table(true: Array, predicted: Array, classes: int) -> Array:
    """Return the confusion matrix: true classes in rows, predicted ones in columns."""
    cells = true * classes + predicted
    # One bincount over pairs: no loop over the samples.
    counts = np.bincount(cells, minlength=classes * classes)
    return counts.reshape(classes, classes).astype(np.float64)


@register
class F1(_Binary):
    """F1 score of class 1: the harmonic mean of precision and recall.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.
        average: ``"macro"``: the mean of the scores of all updates; ``"micro"``: the score of
            all examples.

    Example:
        >>> f1 = F1()
        >>> scores = nd.array([[0.3, 0.7], [0.0, 1.0], [0.4, 0.6]])
        >>> f1.update([nd.array([0, 1, 1])], [scores])
        >>> f1.get()
        ('f1', 0.8)
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    @staticmethod
    def _score(counts: Array) -> float:
        hits, missed, false = counts[1, 1], counts[1, 0], counts[0, 1]
        return float(2 * hits / (2 * hits + missed + false)) if hits else 0.0


@register
class MCC(_Binary):
    """Matthews correlation coefficient of two classes.

    The value is 1 for perfect predictions, about 0 for random predictions and for a single
    predicted class, and -1 if all predictions are wrong.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.
        average: ``"macro"``: the mean of the values of all updates; ``"micro"``: the value of
            all examples.

    Source:
        Matthews, Comparison of the predicted and observed secondary structure of T4 phage
        lysozyme, 1975.

    Example:
        >>> mcc = MCC()
        >>> mcc.update([nd.array([0, 1, 1])], [nd.array([[1, 0], [0, 1], [0, 1]])])
        >>> mcc.get()
        ('mcc', 1.0)
    """

    def __init__(
        self,
        name: str = "mcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    @staticmethod
    def _score(counts: Array) -> float:
        value = _correlation(counts)
        return 0.0 if math.isnan(value) else value


def _correlation(counts: Array) -> float:
    """Return the correlation of a confusion matrix's rows and columns; nan if one is constant."""
    total = counts.sum()
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    # Gorodkin 2004: the correlation of K classes, which for two is Matthews'.
    both = (np.diagonal(counts) * total - rows * columns).sum()
    spread = (rows * (total - rows)).sum() * (columns * (total - columns)).sum()
    return float(both / math.sqrt(spread)) if spread else math.nan


@register
class PCC(EvalMetric):
    """Correlation of labels and predictions, for any number of classes.

    Equal to :class:`MCC` for two classes, and nan if all labels, or all predictions, are of the
    same class.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.
        has_global_stats: Whether :meth:`get_global` counts since :meth:`reset`.

    Source:
        Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient,
        2004.

    Example:
        >>> pcc = PCC()
        >>> pcc.update([nd.array([0, 1, 2, 2])], [nd.array([0, 1, 2, 1])])
        >>> round(pcc.get()[1], 4)
        0.7
    """

    def __init__(
        self,
        name: str = "pcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        has_global_stats: bool = True,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=has_global_stats)

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "lcm" in state:  # MXNet pickled it: predictions are its rows, and there is no sum
            tables = {"_counts": state["lcm"].T, "_global_counts": state["gcm"].T}
            self.__dict__.update(state | tables)
            self._take_sums()
        else:
            self.__dict__.update(state)

    def reset(self) -> None:
        """Reset all counts."""
        self._counts = np.zeros((2, 2))
        self._global_counts = np.zeros((2, 2))
        super().reset()

    def reset_local(self) -> None:
        """Reset the counts of :meth:`get`, but not those of :meth:`get_global`."""
        self._counts = np.zeros((2, 2))
        super().reset_local()

    def update(self, labels: Any, preds: Any) -> None:
        """Count pairs of labels and predictions: classes, or scores along axis 1."""
        for label, pred in pairs(labels, preds):
            true, predicted = classes_of(label, pred, 1, self.name)
            largest = max(
                true.max(initial=0), predicted.max(initial=0), len(self._global_counts) - 1
            )
            classes = int(largest) + 1
            true, predicted = (_counted(each, classes, self.name) for each in (true, predicted))
            seen = _table(true, predicted, classes)
            self._counts = _grown(self._counts, classes) + seen
            self._global_counts = _grown(self._global_counts, classes) + seen
        self.num_inst += 1
        self.global_num_inst += 1
        self._take_sums()

    def _take_sums(self) -> None:
        self.sum_metric = _correlation(self._counts) * self.num_inst
        self.global_sum_metric = _correlation(self._global_counts) * self.global_num_inst


def _counted(labels: Array, classes: int, name: str) -> Array:
    """Return class indices, with negative ones replaced by ``classes`` plus the index."""
    if labels.min(initial=0) < -classes:
        raise LabelError(
            f"{name}: label {labels.min()} must be at least {-classes}, minus the number of classes"
        )
    return np.where(labels < 0, labels + classes, labels)


def _grown(counts: Array, classes: int) -> Array:
    new = classes - len(counts)
    return np.pad(counts, (0, new)) if new else counts
