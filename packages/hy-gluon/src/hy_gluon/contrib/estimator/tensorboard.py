"""TensorBoardHandler: metrics and the learning rate as curves in TensorBoard."""

import math
import os
import time
from pathlib import Path
from typing import Any, Protocol

from hy_gluon.contrib.estimator._errors import EstimatorError
from hy_gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from hy_gluon.contrib.estimator.logs import check_log_interval
from hy_gluon.contrib.estimator.training import Training
from hy_gluon.contrib.estimator.utils import check_metrics, metric_values
from hy_gluon.metric import EvalMetric

__all__ = ["ScalarWriter", "TensorBoardHandler"]


class ScalarWriter(Protocol):
    """Interface of a writer; those of tensorboardX, PyTorch and mxboard have it."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> Any:
        """Write one point of a curve."""

    def flush(self) -> Any:
        """Bring everything to the disk."""

    def close(self) -> Any:
        """End the file."""


class TensorBoardHandler(TrainBegin, TrainEnd, BatchEnd, EpochEnd):
    """Writes event files for TensorBoard; needs the extra ``tensorboard`` (tensorboardX).

    The metric ``training accuracy`` is the curve ``training/accuracy``, the learning rate is
    ``learning_rate``. After a resumed checkpoint the curves go on where they were.

    Args:
        log_dir: The folder of the event files, or None if there is a ``writer``.
        metrics: One metric or several; all of the estimator's if None.
        log_interval: ``"epoch"``: a point after each epoch, at the epoch's number. Or after how
            many batches there is a point, and one at the end of the epoch, at the number of batches
            trained so far.
        priority: When it is called; after metrics and validation.
        writer: Writes the points, instead of tensorboardX; is left open in the end.

    Raises:
        ImportError: tensorboardX is not installed.
        EstimatorError: There are both a ``log_dir`` and a ``writer``, or neither; ``log_interval``
            is something else; ``metrics`` are none.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        metrics: Any = None,
        log_interval: int | str = "epoch",
        priority: float = 0,
        writer: ScalarWriter | None = None,
    ) -> None:
        if (log_dir is None) == (writer is None):
            raise EstimatorError("TensorBoardHandler takes either a log_dir or a writer")
        if log_dir is not None:
            _require_tensorboardx()
        self.log_dir = None if log_dir is None else os.fspath(log_dir)
        self.metrics: list[EvalMetric] = check_metrics(metrics)
        self.log_interval = check_log_interval(log_interval)
        self.priority = priority
        self.current_batch = 0
        self._training = False
        self._writer: ScalarWriter | None = writer

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Begin a new file."""
        self._training = True
        self.current_batch = 0
        self._close()  # that of a training which an error ended

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Write the metrics of training, if it is time to."""
        self.current_batch += 1
        if self.log_interval != "epoch" and self.current_batch % int(self.log_interval) == 0:
            metrics = self._selected_metrics(estimator)
            learning = [metric for metric in metrics if metric not in estimator.val_metrics]
            self._write(estimator, learning)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Write all metrics, and bring them to the disk."""
        self._write(estimator, self._selected_metrics(estimator))
        self._opened().flush()
        if not self._training:  # an evaluation alone: nothing comes after it
            self._close()
        return False

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Close the file."""
        self._training = False
        self._close()

    def _selected_metrics(self, estimator: Training) -> list[EvalMetric]:
        return self.metrics or [*estimator.train_metrics, *estimator.val_metrics]

    def _write(self, estimator: Training, metrics: list[EvalMetric]) -> None:
        writer = self._opened()
        if self.log_interval == "epoch":
            step = estimator.current_epoch
        else:
            step = estimator.trained_batches + self.current_batch
        for name, value in metric_values(metrics):
            if not math.isnan(value):  # it has seen nothing yet
                writer.add_scalar(_tag(name), float(value), step)
        writer.add_scalar("learning_rate", estimator.trainer.learning_rate, step)

    def _opened(self) -> ScalarWriter:
        if self._writer is None:
            assert self.log_dir is not None
            self._writer = _EventFile(self.log_dir)
        return self._writer

    def _close(self) -> None:
        if self.log_dir is not None and self._writer is not None:
            self._writer.close()
            self._writer = None


def _tag(name: str) -> str:
    """The name of a curve: TensorBoard groups them by what is before the slash."""
    return name.replace(" ", "/", 1).replace(" ", "_")


class _EventFile:
    """A new event file. tensorboardX's SummaryWriter is not used: its ``flush`` waits for nothing.

    It leaves points to a thread, so that a crash would lose those of the last minutes.
    """

    def __init__(self, folder: str) -> None:
        from tensorboardX.event_file_writer import EventsWriter  # noqa: PLC0415  # an extra

        Path(folder).mkdir(parents=True, exist_ok=True)
        # Names have the second; another file within the same one would take its place.
        self._file = EventsWriter(str(Path(folder) / "events"), f".{time.time_ns()}")

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Write one point of a curve."""
        from tensorboardX.proto.event_pb2 import Event  # noqa: PLC0415
        from tensorboardX.summary import scalar  # noqa: PLC0415

        point = scalar(tag, scalar_value)
        self._file.write_event(Event(wall_time=time.time(), step=global_step, summary=point))

    def flush(self) -> None:
        """Bring everything to the disk."""
        self._file.flush()

    def close(self) -> None:
        """End the file."""
        self._file.close()


def _require_tensorboardx() -> None:
    try:
        import tensorboardX  # noqa: F401, PLC0415  # an extra
    except ImportError:
        raise ImportError(
            'TensorBoardHandler needs tensorboardX: try `pip install "hy-gluon[tensorboard]"`, or '
            "give it a writer",
            name="tensorboardX",
        ) from None
