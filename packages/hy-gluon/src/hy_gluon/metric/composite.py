"""CompositeEvalMetric: a list of metrics with the interface of one metric."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.metric.base import EvalMetric, MetricError, alias, create, register

__all__ = ["CompositeEvalMetric"]


@register
@alias("composite")
class CompositeEvalMetric(EvalMetric):
    """List of metrics that are updated with the same batches.

    Args:
        metrics: Metrics, or arguments of :func:`create`.
        name: Name of the composite metric.
        output_names: Names of the predictions passed on to the metrics; all if None.
        label_names: Names of the labels passed on to the metrics; all if None.

    Example:
        >>> both = CompositeEvalMetric(["acc", "mae"])
        >>> both.update([nd.array([0, 1])], [nd.array([0, 0])])
        >>> both.get()
        (['accuracy', 'mae'], [0.5, 0.5])
    """

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        if metrics is not None and not isinstance(metrics, list | tuple):
            raise MetricError(f"metrics must be a list, not {metrics!r}")
        self.metrics: list[EvalMetric] = []
        # Resets the metrics there are: those that are given keep what they have counted.
        super().__init__(name, output_names, label_names, has_global_stats=True)
        self.metrics += [create(metric) for metric in metrics or ()]

    def add(self, metric: Any) -> None:
        """Append a metric, or an argument of :func:`create`."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """Return the metric at a position.

        Raises:
            MetricError: ``index`` is out of range.
        """
        if not -len(self.metrics) <= index < len(self.metrics):
            raise MetricError(
                f"metric index {index} is out of range: there are {len(self.metrics)}"
            )
        return self.metrics[index]

    def update_dict(self, labels: Mapping[str, Any], preds: Mapping[str, Any]) -> None:
        """Update every metric with the arrays by name that it uses."""
        if self.label_names is not None:
            # Absent names are left out without a word, as in MXNet; each metric complains of its
            # own.
            labels = {name: labels[name] for name in self.label_names if name in labels}
        if self.output_names is not None:
            preds = {name: preds[name] for name in self.output_names if name in preds}
        for metric in self.metrics:
            metric.update_dict(labels, preds)

    def update(self, labels: Any, preds: Any) -> None:
        """Update every metric with the batch."""
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        """Reset every metric."""
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        """Reset the local counts of every metric."""
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[list[str], list[Any]]:
        """Return all names and values since the last reset, local or not."""
        return _concatenated([metric.get_name_value() for metric in self.metrics])

    def get_global(self) -> tuple[list[str], list[Any]]:
        """Return all names and values since :meth:`reset`."""
        return _concatenated([metric.get_global_name_value() for metric in self.metrics])

    def get_config(self) -> dict[str, Any]:
        """Return the configuration from which :func:`create` makes an equal metric."""
        return super().get_config() | {"metrics": [metric.get_config() for metric in self.metrics]}


def _concatenated(parts: list[list[tuple[str, Any]]]) -> tuple[list[str], list[Any]]:
    flat = [pair for part in parts for pair in part]
    return [name for name, _ in flat], [value for _, value in flat]
