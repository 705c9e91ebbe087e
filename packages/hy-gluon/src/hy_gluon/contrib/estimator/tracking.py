"""TrackingHandler: logs curves, samples, histograms and the graph to a tracker."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_gluon.block import Block, HybridBlock
from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from hy_gluon.contrib.estimator.logs import check_log_interval
from hy_gluon.contrib.estimator.training import Training
from hy_gluon.contrib.estimator.utils import check_metrics, metric_values
from hy_gluon.metric import EvalMetric
from hy_ndarray import NDArray
from hy_ndarray.warning import warn
from hy_symbol import Graph

__all__ = ["Sample", "Tracker", "TrackingHandler"]

Sample: TypeAlias = str | NDArray | npt.NDArray[Any]
"""A text, or an image ``[H, W]`` or ``[H, W, C]`` of bytes, or of floats from 0 to 1."""


class Tracker(Protocol):
    """Interface of an experiment tracker, such as TensorBoard, W&B or MLflow."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> Any:
        """Write one point of a curve."""

    def add_text(self, tag: str, text: str, global_step: int) -> Any:
        """Write a text."""

    def add_image(self, tag: str, image: npt.NDArray[np.uint8], global_step: int) -> Any:
        """Write an image ``[H, W, C]``, of 1, 3 or 4 channels."""

    def add_histogram(self, tag: str, values: npt.NDArray[Any], global_step: int) -> Any:
        """Write a histogram of numbers."""

    def add_graph(self, graph: Graph) -> Any:
        """Write the graph of the net."""

    def flush(self) -> Any:
        """Write all data to the destination."""

    def close(self) -> Any:
        """End the run."""


class TrackingHandler(TrainBegin, TrainEnd, BatchEnd, EpochEnd):
    """Logs metrics and the learning rate to a tracker, optionally also samples and histograms.

    The metric ``training accuracy`` is logged as curve ``training/accuracy``, the learning rate as
    ``learning_rate``. Curves continue after a resumed checkpoint.

    Args:
        tracker: The tracker, which is not closed.
        metrics: A metric or list of metrics; all of the estimator's if None.
        log_interval: ``"epoch"`` for a point after each epoch, with the epoch as step; or the
            number of batches between two points, with the number of trained batches as step.
        priority: Order among handlers; after metrics and validation.
        histograms: Log histograms of parameters and gradients after each epoch, as
            ``parameters/NAME`` and ``gradients/NAME``.
        graph: Log the graph of a hybridized net, once; warn if there is none.
        samples: Function of the estimator that returns texts and images by name; called after each
            epoch.

    Raises:
        EstimatorError: ``log_interval`` is invalid, or ``metrics`` are not metrics.

    Example:
        >>> from hy_gluon.contrib.estimator.tracking import TrackingHandler
        >>> class Printed:
        ...     def add_scalar(self, tag, scalar_value, global_step):
        ...         print(global_step, tag, round(scalar_value, 2))
        ...     def flush(self):
        ...         pass
        >>> from hy_gluon import Trainer, nn
        >>> from hy_gluon.contrib.estimator import Estimator
        >>> from hy_gluon.loss import L2Loss
        >>> from hy_ndarray import nd
        >>> net = nn.Dense(1, in_units=1)
        >>> net.initialize("zeros")
        >>> trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        >>> estimator = Estimator(net, L2Loss(), trainer=trainer)
        >>> estimator.logger.setLevel("WARNING")
        >>> estimator.fit([(nd.ones((2, 1)), nd.ones((2, 1)))], epochs=2,
        ...     event_handlers=[TrackingHandler(Printed())])
        0 training/l2loss 0.5
        0 learning_rate 0.5
        1 training/l2loss 0.0
        1 learning_rate 0.5
    """

    def __init__(
        self,
        tracker: Any = None,
        metrics: Any = None,
        log_interval: int | str = "epoch",
        priority: float = 0,
        *,
        histograms: bool = False,
        graph: bool = False,
        samples: Callable[[Any], Mapping[str, Sample]] | None = None,
    ) -> None:
        self.metrics: list[EvalMetric] = check_metrics(metrics)
        self.log_interval = check_log_interval(log_interval)
        self.priority = priority
        self.histograms = histograms
        self.graph = graph
        self.samples = samples
        self.current_batch = 0
        self._training = False
        self._has_graph = False
        self._tracker: Any = tracker
        self._is_own = tracker is None

    def _open(self) -> Tracker:
        """Return a new tracker owned by the handler; subclasses override this."""
        raise EstimatorError(f"{type(self).__name__} needs a tracker")

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Open the tracker and reset the counts."""
        self._training = True
        self._has_graph = False
        self.current_batch = 0
        self._close()  # that of a training which an error ended

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Write the training metrics every ``log_interval`` batches."""
        self.current_batch += 1
        if self.log_interval != "epoch" and self.current_batch % int(self.log_interval) == 0:
            selected = self._selected(estimator)
            learning = [metric for metric in selected if metric not in estimator.val_metrics]
            self._write_metrics(estimator, learning)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Write all metrics, and the requested histograms and samples."""
        self._write_metrics(estimator, self._selected(estimator))
        tracker, step = self._open_once(), self._global_step(estimator)
        if self.histograms:
            _write_histograms(tracker, estimator, step)
        if self.graph and not self._has_graph:
            self._has_graph = _write_graph(tracker, estimator)
        if self.samples is not None:
            for name, sample in self.samples(estimator).items():
                _write_sample(tracker, name, sample, step)
        tracker.flush()
        if not self._training:  # an evaluation alone: nothing comes after it
            self._close()
        return False

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Close the tracker, if the handler owns it."""
        self._training = False
        self._close()
        if self.graph and not self._has_graph:
            warn(f"{type(self).__name__}: no graph is shown: {_why_no_graph(estimator.net)}")

    def _selected(self, estimator: Training) -> list[EvalMetric]:
        return self.metrics or [*estimator.train_metrics, *estimator.val_metrics]

    def _global_step(self, estimator: Training) -> int:
        if self.log_interval == "epoch":
            return estimator.current_epoch
        return estimator.trained_batches + self.current_batch

    def _write_metrics(self, estimator: Training, metrics: list[EvalMetric]) -> None:
        tracker, step = self._open_once(), self._global_step(estimator)
        for name, value in metric_values(metrics):
            if not math.isnan(value):  # it has seen nothing yet
                # Dashboards group curves by what is before a slash: training/accuracy.
                tag = name.replace(" ", "/", 1).replace(" ", "_")
                tracker.add_scalar(tag, float(value), step)
        tracker.add_scalar("learning_rate", estimator.trainer.learning_rate, step)

    def _open_once(self) -> Any:
        if self._tracker is None:
            self._tracker = self._open()
        return self._tracker

    def _close(self) -> None:
        if self._is_own and self._tracker is not None:
            self._tracker.close()
            self._tracker = None


def _write_histograms(tracker: Tracker, estimator: Training, step: int) -> None:
    """Write histograms of parameters and their gradients on the first context."""
    for name, parameter in estimator.net.collect_params().items():
        if parameter._data is None:
            continue
        array = parameter.list_data()[0]
        tracker.add_histogram(f"parameters/{name}", _finite_values(array), step)
        if parameter.grad_req != "null":
            tracker.add_histogram(
                f"gradients/{name}", _finite_values(parameter.list_grad()[0]), step
            )


def _finite_values(array: NDArray) -> npt.NDArray[Any]:
    """Return the finite elements of an array."""
    values = array.tostype("default").asnumpy().astype(np.float64).reshape(-1)
    # numpy.histogram raises for a range that is not finite.
    return values[np.isfinite(values)]


def _write_graph(tracker: Tracker, estimator: Training) -> bool:
    """Write the graph of the net if it has been traced; return whether it was written."""
    traces = getattr(estimator.net, "_hy_traces", None)
    if traces is None or not traces.latest.graph:
        return False
    tracker.add_graph(traces.latest.graph[1].graph)
    return True


def _why_no_graph(net: Block) -> str:
    if not isinstance(net, HybridBlock):
        return f"{net.name} is a {type(net).__name__}, and no HybridBlock"
    if not net._active:
        return f"{net.name} is not hybridized"
    return net._hy_traces.why_eager or f"{net.name} was not traced"


def _write_sample(tracker: Tracker, name: str, sample: Sample, step: int) -> None:
    """Write a text or an image.

    Raises:
        EstimatorError: ``sample`` is neither a text nor an image.
    """
    if isinstance(sample, str):
        tracker.add_text(name, sample, step)
        return
    image = np.asarray(sample.asnumpy() if isinstance(sample, NDArray) else sample)
    if image.ndim == 2:  # noqa: PLR2004  # rows and columns
        image = image[:, :, None]
    if image.ndim != 3 or image.shape[2] not in (1, 3, 4):  # noqa: PLR2004
        raise EstimatorError(
            f"sample {name!r} of shape {image.shape} is no image [H, W] or [H, W, C] of 1, 3 or 4 "
            "channels"
        )
    if image.dtype != np.uint8:
        # Half is added, since the cast rounds down.
        image = (np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8)
    tracker.add_image(name, image, step)
