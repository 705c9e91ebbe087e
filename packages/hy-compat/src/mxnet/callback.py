"""Callbacks of training loops: checkpoints after epochs, and log messages after batches."""

import logging
import math
import time
from collections.abc import Callable
from typing import Any, Protocol

from hy_ndarray import ArgumentError, NDArray
from hy_ndarray.suggestion import suggest_members as _suggest_members
from hy_symbol import Symbol
from mxnet._checkpoint import BatchEndParams, save_checkpoint

__all__ = [
    "LogValidationMetricsCallback",
    "ProgressBar",
    "Speedometer",
    "do_checkpoint",
    "log_train_metric",
    "module_checkpoint",
    "save_checkpoint",
]

# Lines go to the root logger, like MXNet's: programs set up that one, or rely on its first call.
_info = logging.info


class _SavesCheckpoints(Protocol):
    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False, /
    ) -> None: ...


def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]:
    """Return a callback that saves the model after every ``period`` epochs.

    Args:
        prefix: Prefix of the file names.
        period: Number of epochs; values below 1 mean 1.

    Returns:
        ``callback(epoch, symbol, arg_params, aux_params)``; epochs count from 0, files from 1.

    Example:
        >>> import mxnet as mx
        >>> net, params = mx.sym.var("a") * 2, {"a": mx.nd.ones((2,))}
        >>> callback = mx.callback.do_checkpoint("net", period=2)
        >>> for epoch in range(4):
        ...     callback(epoch, net, params, {})
        >>> mx.model.load_params("net", 4)[0]["a"].asnumpy()
        array([1., 1.], dtype=float32)
    """
    period = max(1, int(period))

    def _callback(
        iter_no: int, sym: Symbol, arg: dict[str, NDArray], aux: dict[str, NDArray]
    ) -> None:
        # Epochs count from 0, files from 1, as MXNet's do.
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return _callback


def module_checkpoint(
    mod: _SavesCheckpoints, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> Callable[..., None]:
    """Return a callback that saves a module after every ``period`` epochs.

    Args:
        mod: Object with ``save_checkpoint(prefix, epoch, save_optimizer_states)``.
        prefix: Prefix of the file names.
        period: Number of epochs; values below 1 mean 1.
        save_optimizer_states: Whether to save the states of the optimizer, too.
    """
    period = max(1, int(period))

    def _callback(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:  # noqa: ARG001  # the loop passes them
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return _callback


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[BatchEndParams], None]:
    """Return a callback that logs the training metric every ``period`` batches.

    Args:
        period: Number of batches between two lines.
        auto_reset: Reset the local values of the metric after each line.
    """

    def _callback(param: BatchEndParams) -> None:
        if param.nbatch % period == 0 and param.eval_metric is not None:
            for name, value in param.eval_metric.get_name_value():
                _info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
            if auto_reset:
                param.eval_metric.reset_local()

    return _callback


class Speedometer:
    """Callback that logs the number of samples per second, and the metric.

    Args:
        batch_size: Number of samples in a batch.
        frequent: Number of batches between two lines.
        auto_reset: Reset the local values of the metric after each line; otherwise, they cover all
            batches of the epoch.

    Example:
        >>> import mxnet as mx
        >>> callback = mx.callback.Speedometer(batch_size=32, frequent=10)
        >>> for i in range(20):
        ...     callback(mx.model.BatchEndParam(epoch=0, nbatch=i, eval_metric=None, locals=None))
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self.init = False
        self.tic = 0.0
        self.last_count = 0
        self.auto_reset = auto_reset

    def __call__(self, param: BatchEndParams) -> None:
        """Log a line every ``frequent`` batches."""
        count = param.nbatch
        if self.last_count > count:  # another epoch began
            self.init = False
        self.last_count = count
        if not self.init:
            self.init = True
            self.tic = time.time()
        elif count % self.frequent == 0:
            elapsed = time.time() - self.tic
            samples = self.frequent * self.batch_size
            # Clocks of some systems stand still for 15 ms.
            self._log(param, samples / elapsed if elapsed > 0 else math.inf)
            self.tic = time.time()

    def _log(self, param: BatchEndParams, speed: float) -> None:
        epoch, count, metric = param.epoch, param.nbatch, param.eval_metric
        if metric is None:
            _info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", epoch, count, speed)
            return
        values = "".join(f"\t{name}={value:f}" for name, value in metric.get_name_value())
        first = 0
        if self.auto_reset:
            # The line is to show the batches since the last one; the epoch's own totals stay.
            metric.reset_local()
            first = count - self.frequent
        line = "Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec%s"
        _info(line, epoch, first, count, speed, values)


class ProgressBar:
    """Callback that logs a progress bar of the epoch.

    Args:
        total: Number of batches per epoch.
        length: Number of characters of the bar.

    Raises:
        ArgumentError: ``total`` is not positive.
    """

    def __init__(self, total: int, length: int = 80) -> None:
        if total <= 0:
            raise ArgumentError(f"ProgressBar: total={total} batches; there must be at least one")
        self.bar_len = length
        self.total = total

    def __call__(self, param: BatchEndParams) -> None:
        """Log the bar."""
        part = param.nbatch / self.total
        filled = round(self.bar_len * part)
        bar = "=" * filled + "-" * (self.bar_len - filled)
        _info("[%s] %s%%\r", bar, math.ceil(100 * part))


class LogValidationMetricsCallback:
    """Callback that logs the metric of the validation data."""

    def __call__(self, param: BatchEndParams) -> None:
        """Log one line per value."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            _info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)


_suggest_members(globals())
