"""EvalMetric: base class of all metrics, and their registry."""

import json
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from hy_ndarray import DTypeError, HyError, NDArray, ShapeError
from hy_ndarray.suggestion import Suggesting, hint

__all__ = [
    "Array",
    "Arrays",
    "EvalMetric",
    "MetricError",
    "alias",
    "check_label_shapes",
    "create",
    "pairs",
    "register",
    "registered",
    "to_numpy",
]

Array: TypeAlias = npt.NDArray[Any]
Arrays: TypeAlias = NDArray | npt.ArrayLike | Sequence[NDArray | npt.ArrayLike]
"""One array, or a list of one for each device."""

_log = logging.getLogger(__name__)
registered: dict[str, type["EvalMetric"]] = {}
_Class = TypeVar("_Class", bound="type[EvalMetric]")


class MetricError(HyError, ValueError, AssertionError):
    """A metric is unknown, has invalid arguments, or does not support its inputs."""


class MissingOutputError(MetricError, KeyError):
    """Outputs or labels lack a name that the metric uses."""

    __str__ = Exception.__str__  # KeyError's is that of the message's repr


class LabelError(MetricError, IndexError):
    """A label is not one of the classes of the predictions."""


# --- what metrics are given ------------------------------------------------------------------


def check_label_shapes(
    labels: Any, preds: Any, wrap: bool = False, shape: bool = False
) -> tuple[Any, Any]:
    """Return labels and predictions if their numbers (or shapes) match, else raise an error.

    Args:
        labels: An array, or a list of arrays.
        preds: An array, or a list of arrays.
        wrap: Put single arrays into lists.
        shape: Compare the shapes of two arrays instead of their lengths.

    Raises:
        DTypeError: An argument is neither an array nor a list.
        ShapeError: The numbers of labels and predictions differ.

    Example:
        >>> check_label_shapes([1, 2], [3, 4])
        ([1, 2], [3, 4])
    """
    for which, one in (("labels", labels), ("predictions", preds)):
        if not hasattr(one, "__len__"):
            raise DTypeError(
                f"{which} of a metric are an array or a list of arrays, not a {type(one).__name__}"
            )
    ours, theirs = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if ours != theirs:
        raise ShapeError(
            f"Shape of labels {ours} does not match shape of predictions {theirs}; "
            "give as many of one as of the other"
        )
    if wrap:
        labels = [labels] if isinstance(labels, NDArray | np.ndarray) else labels
        preds = [preds] if isinstance(preds, NDArray | np.ndarray) else preds
    return labels, preds


def to_numpy(array: Any) -> Array:
    """Return an array of any kind as a numpy array."""
    return array.asnumpy() if isinstance(array, NDArray) else np.asarray(array)


def pairs(labels: Any, preds: Any) -> Iterator[tuple[Array, Array]]:
    """Yield each label array with its prediction array.

    Raises:
        ShapeError: The numbers of labels and predictions differ.
    """
    labels, preds = check_label_shapes(labels, preds, wrap=True)
    for label, pred in zip(labels, preds, strict=True):
        yield to_numpy(label), to_numpy(pred)


# --- the base --------------------------------------------------------------------------------


class EvalMetric(Suggesting):
    """Base class of all metrics; subclasses define :meth:`update`.

    A metric has a sum and a number of instances, ``sum_metric`` and ``num_inst``, to which a
    subclass adds. ``global_sum_metric`` and ``global_num_inst`` are the same, but not reset by
    :meth:`reset_local`.

    Args:
        name: Name of the metric.
        output_names: Names of the predictions that :meth:`update_dict` uses; all if None.
        label_names: Names of the labels to use; all if None.
        kwargs: Other entries of :meth:`get_config`. ``has_global_stats=True`` if the subclass
            updates the global counts.

    Example:
        >>> class Largest(EvalMetric):
        ...     def update(self, labels, preds):
        ...         for _, pred in pairs(labels, preds):
        ...             self.sum_metric += pred.max()
        ...             self.num_inst += 1
        >>> metric = Largest("largest")
        >>> metric.update([nd.array([0])], [nd.array([1, 5])])
        >>> metric.update([nd.array([0])], [nd.array([2, 0])])
        >>> metric.get()
        ('largest', 3.5)
    """

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = bool(kwargs.pop("has_global_stats", False))
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def get_config(self) -> dict[str, Any]:
        """Return the configuration from which :func:`create` makes an equal metric.

        Example:
            >>> from hy_gluon.metric import CrossEntropy
            >>> CrossEntropy(1e-9).get_config()["eps"]
            1e-09
        """
        return {
            **self._kwargs,
            "metric": type(self).__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """Update the metric with arrays by name.

        Raises:
            MetricError: An array of ``label_names`` or ``output_names`` is missing.
        """
        self.update(
            select_by_name(label, self.label_names, f"{self.name}: label"),
            select_by_name(pred, self.output_names, f"{self.name}: output"),
        )

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with a batch; subclasses define it.

        Args:
            labels: Correct values: a list of arrays.
            preds: Predictions: a list of as many arrays.
        """
        raise NotImplementedError(f"{type(self).__name__} must define update")

    def reset(self) -> None:
        """Reset all counts."""
        self.num_inst: float = 0
        self.sum_metric: float = 0.0
        self.global_num_inst: float = 0
        self.global_sum_metric: float = 0.0

    def reset_local(self) -> None:
        """Reset the counts of :meth:`get`, but not those of :meth:`get_global`."""
        self.num_inst = 0
        self.sum_metric = 0.0

    def get(self) -> tuple[Any, Any]:
        """Return name and value since the last reset, local or not; nan without data."""
        return self.name, self._hy_value(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """Return name and value since :meth:`reset`."""
        if not self._has_global_stats:
            return self.get()
        return self.name, self._hy_value(self.global_sum_metric, self.global_num_inst)

    def get_name_value(self) -> list[tuple[str, Any]]:
        """Return the result of :meth:`get` as a list of pairs."""
        return _as_pairs(*self.get())

    def get_global_name_value(self) -> list[tuple[str, Any]]:
        """Return the result of :meth:`get_global` as a list of pairs."""
        return _as_pairs(*self.get_global())

    def _hy_count(self, total: float, instances: float = 1) -> None:
        """Add to the local and global sums and numbers of instances."""
        self.sum_metric += total
        self.num_inst += instances
        self.global_sum_metric += total
        self.global_num_inst += instances

    def _hy_value(self, total: float, instances: float) -> float:
        """Return the value of the metric from a sum and a number of instances."""
        return float(total / instances) if instances else math.nan


def _as_pairs(name: Any, value: Any) -> list[tuple[str, Any]]:
    names = name if isinstance(name, list) else [name]
    values = value if isinstance(value, list) else [value]
    # Metrics of programs may have more values than names; MXNet gives those that have both.
    return list(zip(names, values, strict=False))


def select_by_name(arrays: Mapping[str, Any], names: Sequence[str] | None, what: str) -> list[Any]:
    """Return the arrays called ``names``; all arrays if None."""
    if names is None:
        return list(arrays.values())
    for name in names:
        if name not in arrays:
            raise MissingOutputError(f"{what} {name!r} is missing; there are {sorted(arrays)}")
    return [arrays[name] for name in names]


# --- registry --------------------------------------------------------------------------------


def register(klass: _Class, name: str | None = None) -> _Class:
    """Register a metric for :func:`create`, by its class name or another one.

    Example:
        >>> @register
        ... class Zero(EvalMetric):
        ...     def __init__(self, name="zero", **kwargs):
        ...         super().__init__(name, **kwargs)
        >>> str(create("zero"))
        "EvalMetric: {'zero': nan}"
    """
    return alias(getattr(klass, "__name__", "") if name is None else name)(klass)


def alias(*aliases: str) -> Callable[[_Class], _Class]:
    """Return a decorator that registers a metric under other names."""

    def add(klass: _Class) -> _Class:
        if not issubclass(klass, EvalMetric):
            raise MetricError(f"only subclasses of EvalMetric can be registered, not {klass}")
        for name in aliases:
            before = registered.get(name.lower())
            if before is not None and before is not klass:
                _log.warning("metric %r is now %s instead of %s", name, klass, before)
            registered[name.lower()] = klass
        return klass

    return add


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Return a metric from its name, a function, a list of these, or a description.

    Args:
        metric: A registered name; a function of labels and predictions; a list, for a
            :class:`CompositeEvalMetric`; the result of :meth:`EvalMetric.get_config`, or JSON of
            it; or a metric, which is returned.
        args: Arguments of the class.
        kwargs: Named arguments of the class.

    Raises:
        MetricError: ``metric`` is of another type, or the name is not registered.

    Example:
        >>> create("acc", axis=2).get_config()["axis"], create(["acc", "mse"]).get()
        (2, (['accuracy', 'mse'], [nan, nan]))
    """
    if isinstance(metric, EvalMetric):
        if args or kwargs:
            raise MetricError(f"{metric} is an instance already, so it takes no arguments")
        return metric
    if isinstance(metric, list):
        children = [create(child, *args, **kwargs) for child in metric]
        return create("composite", children)
    if callable(metric):
        return create("custommetric", metric, *args, **kwargs)
    if isinstance(metric, str) and metric.startswith(("[", "{")):
        metric = _parsed(metric)
        if isinstance(metric, list):
            metric, kwargs = metric[0], {**metric[1], **kwargs}
    if isinstance(metric, Mapping):
        kwargs = {**metric, **kwargs}
        metric = kwargs.pop("metric", None)
    if not isinstance(metric, str):
        raise MetricError(f"a metric, a function or a name was expected, not {metric!r}")
    klass = registered.get(metric.lower())
    if klass is None:
        known = ", ".join(sorted(registered))
        raise MetricError(
            f"{metric} is not registered as metric; known: {known}{hint(metric, registered)}"
        )
    return klass(*args, **kwargs)


def _parsed(text: str) -> Any:
    """Return the metric described by JSON."""
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise MetricError(f"metric {text!r} is no JSON: {error}") from error
    pair = isinstance(parsed, list) and len(parsed) == 2 and isinstance(parsed[1], dict)  # noqa: PLR2004
    if not pair and not isinstance(parsed, dict):
        raise MetricError(f"metric {text!r} is neither ['name', {{arguments}}] nor a configuration")
    return parsed
