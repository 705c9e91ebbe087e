"""Private classes of ``mxnet.metric``."""

from math import sqrt
from typing import Any

import numpy as np

from mxnet._private.errors import ShapesError


class _BinaryClassificationMetrics:
    """Confusion counts of a binary classifier, with precision, recall and others.

    Attributes whose names begin with ``global_`` are not reset by :meth:`local_reset_stats`.
    """

    def __init__(self) -> None:
        self.reset_stats()

    def reset_stats(self) -> None:
        """Reset all counts."""
        self.global_true_positives = self.global_false_negatives = 0
        self.global_false_positives = self.global_true_negatives = 0
        self.local_reset_stats()

    def local_reset_stats(self) -> None:
        """Reset the local counts."""
        self.true_positives = self.false_negatives = 0
        self.false_positives = self.true_negatives = 0

    def update_binary_stats(self, label: Any, pred: Any) -> None:
        """Count the samples of a batch.

        Args:
            label: ``[N]``: 0 or 1.
            pred: ``[N, 2]``: scores of both classes.

        Raises:
            ShapesError: There are more than two classes, or the lengths differ.
        """
        predicted = np.argmax(pred.asnumpy(), axis=1)
        true = label.asnumpy().astype("int32").ravel()
        if len(true) != len(predicted):
            raise ShapesError(f"{len(true)} labels for {len(predicted)} predictions")
        if len(np.unique(true)) > 2:  # noqa: PLR2004  # two classes
            raise ShapesError(
                f"{type(self).__name__} currently only supports binary classification."
            )
        counts = {
            "true_positives": (predicted == 1) & (true == 1),
            "false_positives": (predicted == 1) & (true == 0),
            "false_negatives": (predicted == 0) & (true == 1),
            "true_negatives": (predicted == 0) & (true == 0),
        }
        for name, samples in counts.items():
            # Local counts restart between lines of a log, global ones with each epoch.
            for attribute in (name, f"global_{name}"):
                setattr(self, attribute, getattr(self, attribute) + int(samples.sum()))

    @staticmethod
    def _ratio(part: float, whole: float) -> float:
        return part / whole if whole else 0.0

    def _precision(self, prefix: str) -> float:
        positives = getattr(self, f"{prefix}true_positives")
        return self._ratio(positives, positives + getattr(self, f"{prefix}false_positives"))

    def _recall(self, prefix: str) -> float:
        positives = getattr(self, f"{prefix}true_positives")
        return self._ratio(positives, positives + getattr(self, f"{prefix}false_negatives"))

    @property
    def precision(self) -> float:
        """Return the precision: the share of true positives among predicted positives."""
        return self._precision("")

    @property
    def global_precision(self) -> float:
        """Return :attr:`precision` over all samples."""
        return self._precision("global_")

    @property
    def recall(self) -> float:
        """Return the recall: the share of positives that were predicted."""
        return self._recall("")

    @property
    def global_recall(self) -> float:
        """Return :attr:`recall` over all samples."""
        return self._recall("global_")

    @property
    def fscore(self) -> float:
        """Return the F1 score: the harmonic mean of precision and recall."""
        return self._ratio(2 * self.precision * self.recall, self.precision + self.recall)

    @property
    def global_fscore(self) -> float:
        """Return :attr:`fscore` over all samples."""
        both = self.global_precision, self.global_recall
        return self._ratio(2 * both[0] * both[1], sum(both))

    def matthewscc(self, use_global: bool = False) -> float:
        """Return the Matthews correlation coefficient of predictions and labels.

        Args:
            use_global: Whether to use all samples, also those before a local reset.
        """
        prefix = "global_" if use_global else ""
        tp, fp, fn, tn = (
            float(getattr(self, prefix + name))
            for name in ("true_positives", "false_positives", "false_negatives", "true_negatives")
        )
        if not tp + fp + fn + tn:
            return 0.0
        sums = (tp + fp, tp + fn, tn + fp, tn + fn)
        divisor = 1.0
        for part in sums:
            # An empty row or column of the table makes the numerator 0, too: the result is 0, not
            # nan.
            divisor *= part or 1.0
        return (tp * tn - fp * fn) / sqrt(divisor)

    @property
    def total_examples(self) -> int:
        """Return the number of samples."""
        return (
            self.false_negatives + self.false_positives + self.true_negatives + self.true_positives
        )

    @property
    def global_total_examples(self) -> int:
        """Return :attr:`total_examples` over all samples."""
        return (
            self.global_false_negatives
            + self.global_false_positives
            + self.global_true_negatives
            + self.global_true_positives
        )
