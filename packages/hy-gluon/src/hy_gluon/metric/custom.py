"""CustomMetric and np: metrics from functions of numpy arrays."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hy_gluon.metric.base import (
    Array,
    EvalMetric,
    check_label_shapes,
    register,
    to_numpy,
)

__all__ = ["CustomMetric", "np"]

_Function: TypeAlias = Callable[[Array, Array], Any]


@register
class CustomMetric(EvalMetric):
    """Metric computed by a function of labels and predictions.

    Args:
        feval: Function of labels and predictions (numpy arrays) that returns a value, whose mean
            over all calls is the metric; or a sum and a number of instances.
        name: Name of the metric; the function's if None.
        allow_extra_outputs: Whether there may be more predictions than labels; they are not used.
        output_names: Names of the predictions to use; all if None.
        label_names: Names of the labels to use; all if None.

    Example:
        >>> worst = CustomMetric(lambda label, pred: abs(label - pred).max(), "worst")
        >>> worst.update([nd.array([1, 2])], [nd.array([1, 5])])
        >>> worst.get()
        ('worst', 3.0)
    """

    def __init__(
        self,
        feval: _Function,
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(
            _name_of(feval) if name is None else name,
            output_names,
            label_names,
            feval=feval,
            allow_extra_outputs=allow_extra_outputs,
            has_global_stats=True,
        )
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        """Call the function on each pair of arrays."""
        if not self._allow_extra_outputs:
            labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=not self._allow_extra_outputs):
            value = self._feval(to_numpy(label), to_numpy(pred))
            if isinstance(value, tuple):
                self._hy_count(*value)
            else:
                self._hy_count(value)

    def get_config(self) -> dict[str, Any]:
        """Raise an error: a function has no description.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{self.name}: a metric out of a function has no configuration")


def _name_of(function: _Function) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return f"custom({name})" if "<" in name else name


def np(
    numpy_feval: _Function, name: str | None = None, allow_extra_outputs: bool = False
) -> CustomMetric:
    """Return a metric from a function of numpy arrays.

    Args:
        numpy_feval: See :class:`CustomMetric`.
        name: Name of the metric; the function's if None.
        allow_extra_outputs: Whether there may be more predictions than labels.

    Example:
        >>> def largest(label, pred):
        ...     return pred.max()
        >>> np(largest).get()
        ('largest', nan)
    """
    return CustomMetric(numpy_feval, name, allow_extra_outputs)
