"""Callback that writes metrics for TensorBoard."""

from typing import Any

from hy_ndarray import HyError

__all__ = ["LogMetricsCallback"]


class LogMetricsCallback:
    """Callback that writes a metric as scalars for TensorBoard, by epoch.

    Args:
        logging_dir: The folder to write to.
        prefix: Prefix of the metric's name, followed by ``-``.

    Raises:
        HyError: tensorboardX is not installed (``pip install hy-gluon[tensorboard]``).
    """

    def __init__(self, logging_dir: str, prefix: str | None = None) -> None:
        try:
            from tensorboardX import SummaryWriter  # noqa: PLC0415  # optional
        except ImportError as error:
            raise HyError(
                "LogMetricsCallback needs tensorboardX: pip install hy-gluon[tensorboard]"
            ) from error
        self.prefix = prefix
        self.summary_writer: Any = SummaryWriter(logging_dir)

    def __call__(self, param: Any) -> None:
        """Write the metric of ``param``, if there is one, for its epoch."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            label = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(label, value, global_step=param.epoch)
