"""MAE, MSE, RMSE, PearsonCorrelation: distance and correlation of predictions and labels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_gluon.metric.base import (
    Array,
    EvalMetric,
    MetricError,
    alias,
    check_label_shapes,
    pairs,
    register,
)
from hy_ndarray import ShapeError

__all__ = ["MAE", "MSE", "RMSE", "PearsonCorrelation"]


def _differences(label: Array, pred: Array, who: str) -> Array:
    """Return labels minus predictions in float64; 1-D arrays become columns."""
    label = label.astype(np.float64)
    pred = pred.astype(np.float64)
    # Axes of size 1 are no difference; else [N] and [N, 1] would broadcast to [N, N].
    if label.squeeze().shape == pred.squeeze().shape:
        return label.reshape(pred.shape) - pred
    label = label.reshape(-1, 1) if label.ndim == 1 else label
    pred = pred.reshape(-1, 1) if pred.ndim == 1 else pred
    try:
        return np.asarray(label - pred)
    except ValueError as error:
        raise ShapeError(
            f"{who}: labels {label.shape} do not broadcast with predictions {pred.shape}"
        ) from error


class _Distance(EvalMetric):
    """Base class of MAE, MSE and RMSE: the mean of one value per pair of arrays."""

    @staticmethod
    def _distance(difference: Array) -> float:
        raise NotImplementedError

    def update(self, labels: Any, preds: Any) -> None:
        """Add the value of each pair of arrays."""
        for label, pred in pairs(labels, preds):
            self._hy_count(self._distance(_differences(label, pred, self.name)))


@register
class MAE(_Distance):
    """Mean absolute error, averaged over batches.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Example:
        >>> mae = MAE()
        >>> mae.update([nd.array([3, -0.5])], [nd.array([2.5, 0])])
        >>> mae.get()
        ('mae', 0.5)
    """

    def __init__(
        self,
        name: str = "mae",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    @staticmethod
    def _distance(difference: Array) -> float:
        return float(np.abs(difference).mean())


@register
class MSE(_Distance):
    """Mean squared error, averaged over batches.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Example:
        >>> mse = MSE()
        >>> mse.update([nd.array([3, -0.5])], [nd.array([2.5, 0])])
        >>> mse.get()
        ('mse', 0.25)
    """

    def __init__(
        self,
        name: str = "mse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    @staticmethod
    def _distance(difference: Array) -> float:
        return float(np.square(difference).mean())


@register
class RMSE(_Distance):
    """Root mean squared error of each batch, averaged over batches.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Example:
        >>> rmse = RMSE()
        >>> rmse.update([nd.array([3, -0.5])], [nd.array([2.5, 0])])
        >>> rmse.get()
        ('rmse', 0.5)
    """

    def __init__(
        self,
        name: str = "rmse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    @staticmethod
    def _distance(difference: Array) -> float:
        return math.sqrt(np.square(difference).mean())


class _Moments:
    """Running means, variances and covariance of two sequences, numerically stable."""

    def __init__(self) -> None:
        self._count = 0
        self._means = np.zeros(2)
        self._products = np.zeros((2, 2))

    @classmethod
    def of_mxnet(cls, state: dict[str, Any]) -> "_Moments":
        """Return the moments from the state of a metric that MXNet pickled."""
        moments = cls()
        moments._count = int(state["_label_nums"])
        moments._means = np.array([state["_mean_l"], state["_mean_p"]], np.float64)
        both = state["_conv"]
        products = [[state["_sse_l"], both], [both, state["_sse_p"]]]
        moments._products = np.array(products, np.float64)
        return moments

    def add(self, label: Array, pred: Array) -> None:
        """Add the elements of two flat arrays to the moments."""
        if not label.size:
            return
        values = np.stack([label, pred]).astype(np.float64)
        count, means = values.shape[1], values.mean(axis=1)
        centred = values - means[:, None]
        total = self._count + count
        step = means - self._means
        # Chan, Golub and LeVeque 1979: sums about the means are merged, where sums of squares would
        # cancel.
        self._products += centred @ centred.T + np.outer(step, step) * self._count * count / total
        self._means += step * count / total
        self._count = total

    def correlation(self) -> float:
        """Return the correlation of the two sequences; nan if a sequence is constant."""
        spread = math.sqrt(self._products[0, 0] * self._products[1, 1])
        return float(self._products[0, 1] / spread) if spread else math.nan


@register
@alias("pearsonr")
class PearsonCorrelation(EvalMetric):
    """Pearson correlation of labels and predictions.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.
        average: ``"macro"``: the mean of the correlations of all pairs of arrays; ``"micro"``:
            the correlation of everything seen.

    Raises:
        MetricError: ``average`` is another string.

    Example:
        >>> pearson = PearsonCorrelation()
        >>> pearson.update([nd.array([1, 2, 3])], [nd.array([1, 2, 2])])
        >>> round(pearson.get()[1], 6)
        0.866025
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        if average not in ("macro", "micro"):
            raise MetricError(f"{name}: average must be 'macro' or 'micro', not {average!r}")
        self.average = average
        super().__init__(name, output_names, label_names, average=average, has_global_stats=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_local" not in state:  # MXNet pickled it, which has one for both
            micro = self.average == "micro"
            self._local, self._global = (
                _Moments.of_mxnet(state) if micro else _Moments() for _ in range(2)
            )
            if micro:
                self._take_sums()

    def reset(self) -> None:
        """Reset all counts."""
        super().reset()
        self._local = _Moments()
        self._global = _Moments()

    def reset_local(self) -> None:
        """Reset the counts of :meth:`get`, but not those of :meth:`get_global`."""
        super().reset_local()
        self._local = _Moments()

    def update(self, labels: Any, preds: Any) -> None:
        """Update with pairs of arrays of equal shapes."""
        for label, pred in pairs(labels, preds):
            check_label_shapes(label, pred, shape=True)
            if self.average == "macro":
                own = _Moments()
                own.add(label.ravel(), pred.ravel())
                self._hy_count(own.correlation())
                continue
            for moments in (self._local, self._global):
                moments.add(label.ravel(), pred.ravel())
            self.num_inst += 1
            self.global_num_inst += 1
            self._take_sums()

    def _take_sums(self) -> None:
        self.sum_metric = self._local.correlation() * self.num_inst
        self.global_sum_metric = self._global.correlation() * self.global_num_inst
