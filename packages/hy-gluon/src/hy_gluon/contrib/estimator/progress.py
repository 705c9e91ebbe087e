"""ProgressBarHandler: shows the progress of each epoch as a bar on the terminal."""

import logging
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

from hy_gluon.contrib.estimator.events import (
    BatchEnd,
    EpochBegin,
    EpochEnd,
    TrainBegin,
    TrainEnd,
)
from hy_gluon.contrib.estimator.utils import TRAINING, VALIDATION, check_metrics, metric_values
from hy_gluon.metric import EvalMetric

__all__ = ["ProgressBarHandler", "default_bars"]


class ProgressBarHandler(TrainBegin, TrainEnd, EpochBegin, BatchEnd, EpochEnd):
    """Shows a progress bar for each epoch, then the metrics; needs ``tqdm`` (``progress``).

    Log lines are printed above the bar. ``fit`` and ``evaluate`` add one by default if standard
    error is a terminal and tqdm is installed, unless ``TQDM_DISABLE=1`` is set in the environment.
    To change the bar of an evaluation during ``fit``, pass a handler to :class:`ValidationHandler`.

    Args:
        metrics: A metric or list of metrics; the estimator's training or validation metrics if
            None.
        total: Number of batches per epoch; the length of the data if None.
        priority: Order among handlers; lower numbers are called first.
        options: Options of ``tqdm``, such as ``file``, ``ncols``, ``leave`` or ``disable``; bars
            disappear after the epoch unless ``leave=True``.

    Raises:
        ImportError: tqdm is not installed.
        EstimatorError: ``metrics`` are not metrics.
    """

    def __init__(
        self, metrics: Any = None, total: int | None = None, priority: float = 0, **options: Any
    ) -> None:
        self._tqdm, self._redirected = _tqdm()
        self.metrics: list[EvalMetric] = check_metrics(metrics)
        self.total = total
        self.priority = priority
        self.options = {"leave": False, "unit": "batch", "file": sys.stderr, **options}
        self._training = False
        self._bar: Any = None
        self._redirection = ExitStack()

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Label the following bars as training epochs."""
        self._training = True

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Label the following bars as evaluations."""
        self._training = False

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Show an empty bar."""
        self._close()  # that of a pass which an error ended
        total = estimator.batches_per_epoch if self.total is None else self.total
        title = f"Epoch {estimator.current_epoch}" if self._training else "Validation"
        self._bar = self._tqdm(total=total, desc=title, **self.options)
        if _logs_to_console(estimator.logger):  # else a log line would begin after the bar
            redirected = self._redirected([estimator.logger], tqdm_class=self._tqdm)
            self._redirection.enter_context(redirected)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Advance the bar."""
        own = estimator.train_metrics if self._training else estimator.val_metrics
        values = {
            name.removeprefix(f"{TRAINING} ").removeprefix(f"{VALIDATION} "): f"{value:.4f}"
            for name, value in metric_values(self.metrics or own)
        }
        # update() redraws the bar as often as tqdm finds right; a refresh here would draw every
        # batch.
        self._bar.set_postfix(values, refresh=False)
        self._bar.update(1)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Remove the bar."""
        self._close()
        return False

    def _close(self) -> None:
        if self._bar is not None:
            self._redirection.close()
            self._bar.close()
            self._bar = None


def default_bars() -> list[ProgressBarHandler]:
    """Return a bar handler in a list if output is a terminal or notebook, else an empty list."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()  # None under pythonw
    return [ProgressBarHandler()] if is_terminal and find_spec("tqdm") is not None else []


def _logs_to_console(logger: logging.Logger) -> bool:
    return any(
        isinstance(handler, logging.StreamHandler) and handler.stream in (sys.stdout, sys.stderr)
        for handler in logger.handlers
    )


def _tqdm() -> tuple[Any, Any]:
    """Return tqdm's class of bars, and its function that prints log lines above bars."""
    try:
        from tqdm import tqdm  # noqa: PLC0415  # an extra
        from tqdm.contrib.logging import logging_redirect_tqdm  # noqa: PLC0415
    except ImportError:
        raise ImportError(
            'ProgressBarHandler needs tqdm: try `pip install "hy-gluon[progress]"`', name="tqdm"
        ) from None
    return tqdm, logging_redirect_tqdm
