"""Callbacks that record training in pandas tables, and plot it with bokeh."""

import time
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from mxnet.notebook._packages import Pandas_Failed_To_Import, bokeh, pd

__all__ = [
    "LiveBokehChart",
    "LiveLearningCurve",
    "LiveTimeSeries",
    "PandasLogger",
    "Pandas_Failed_To_Import",
    "args_wrapper",
    "pd",
]

Callbacks: TypeAlias = dict[str, Any]


class PandasLogger:
    """Recorder of training metrics in pandas tables: ``fit(..., **logger.callback_args())``.

    Args:
        batch_size: Number of examples in a batch.
        frequent: Number of training batches per row.

    Raises:
        Pandas_Failed_To_Import: pandas is not installed (``pip install hy-compat[notebook]``).
    """

    def __init__(self, batch_size: int, frequent: int = 50) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        _ = pd.DataFrame  # its absence shows before training
        self._rows: dict[str, list[dict[str, Any]]] = {"train": [], "eval": [], "epoch": []}
        self.last_time = time.time()
        self.start_time = datetime.now()  # a duration is measured
        self.last_epoch_time = datetime.now()

    @property
    def train_df(self) -> Any:
        """Table of training batches: epoch, metrics, batch, speed, time since the start."""
        return pd.DataFrame(self._rows["train"])

    @property
    def eval_df(self) -> Any:
        """Table of evaluations, with the same columns."""
        return pd.DataFrame(self._rows["eval"])

    @property
    def epoch_df(self) -> Any:
        """Table of epochs: time since the start, and duration."""
        return pd.DataFrame(self._rows["epoch"])

    @property
    def all_dataframes(self) -> dict[str, Any]:
        """Tables ``"train"``, ``"eval"`` and ``"epoch"`` as a dictionary."""
        return {name: pd.DataFrame(rows) for name, rows in self._rows.items()}

    def elapsed(self) -> timedelta:
        """Return the time since this logger was created."""
        return datetime.now() - self.start_time

    def append_metrics(self, metrics: dict[str, Any], df_name: str) -> None:
        """Append a row to the table ``"train"``, ``"eval"`` or ``"epoch"``."""
        self._rows[df_name].append(dict(metrics))

    def train_cb(self, param: Any) -> None:
        """Append a row for a training batch."""
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")

    def eval_cb(self, param: Any) -> None:
        """Append a row for an evaluation."""
        self._process_batch(param, "eval")

    def _process_batch(self, param: Any, dataframe: str) -> None:
        now = time.time()
        metrics = dict(param.eval_metric.get_name_value()) if param.eval_metric else {}
        # 1e-9: two lines may fall into one tick of the clock.
        speed = self.frequent / max(now - self.last_time, 1e-9)
        row = {
            "epoch": param.epoch,
            **metrics,
            "minibatch_count": param.nbatch,
            "records_per_sec": speed * self.batch_size,
            "batches_per_sec": speed,
            "elapsed": self.elapsed(),
        }
        self.append_metrics(row, dataframe)
        self.last_time = now

    def epoch_cb(self, *_: Any) -> None:
        """Append a row for an epoch."""
        now = datetime.now()
        row = {"elapsed": self.elapsed(), "epoch_time": now - self.last_epoch_time}
        self.append_metrics(row, "epoch")
        self.last_epoch_time = now

    def callback_args(self) -> Callbacks:
        """Return the keyword arguments of ``fit`` that install the logger."""
        return {
            "batch_end_callback": self.train_cb,
            "eval_end_callback": self.eval_cb,
            "epoch_end_callback": self.epoch_cb,
        }


class LiveBokehChart:
    """Base class of charts that are updated during training; subclasses define the content.

    Args:
        pandas_logger: The logger whose tables are shown; a new logger if None.
        metric_name: Name of the metric shown.
        display_freq: Minimum number of seconds between two drawings.
        batch_size: Argument of the new logger.
        frequent: Argument of the new logger.

    Raises:
        Bokeh_Failed_To_Import: bokeh is not installed (``pip install hy-compat[notebook]``).
        Pandas_Failed_To_Import: pandas is not installed.
        NotImplementedError: ``setup_chart`` or ``update_chart_data`` is not defined.
    """

    def __init__(
        self,
        pandas_logger: PandasLogger | None,
        metric_name: str | None,
        display_freq: float = 10,
        batch_size: int | None = None,
        frequent: int = 50,
    ) -> None:
        self.pandas_logger = pandas_logger or PandasLogger(batch_size or 1, frequent)
        self.display_freq = display_freq
        self.last_update = time.time()
        self.metric_name = metric_name
        bokeh.io.output_notebook()
        self.handle = self.setup_chart()

    def setup_chart(self) -> Any:
        """Create and show the chart, and return the handle of ``bokeh.io.show``."""
        raise NotImplementedError(
            "Incomplete base class: LiveBokehChart must be sub-classed; define setup_chart"
        )

    def update_chart_data(self) -> None:
        """Update the chart's data."""
        raise NotImplementedError(
            "Incomplete base class: LiveBokehChart must be sub-classed; define update_chart_data"
        )

    def interval_elapsed(self) -> bool:
        """Return whether ``display_freq`` seconds passed since the last drawing."""
        return time.time() - self.last_update > self.display_freq

    def _push_render(self) -> None:
        bokeh.io.push_notebook(handle=self.handle)
        self.last_update = time.time()

    def _do_update(self) -> None:
        self.update_chart_data()
        self._push_render()

    def batch_cb(self, param: Any) -> None:
        """Record a training batch, and update the chart if due."""
        self.pandas_logger.train_cb(param)
        if self.interval_elapsed():
            self._do_update()

    def eval_cb(self, param: Any) -> None:
        """Record an evaluation, and update the chart."""
        self.pandas_logger.eval_cb(param)
        self._do_update()

    def callback_args(self) -> Callbacks:
        """Return the keyword arguments of ``fit`` that install the chart."""
        return {"batch_end_callback": self.batch_cb, "eval_end_callback": self.eval_cb}


class LiveTimeSeries(LiveBokehChart):
    """Chart of values over time in seconds, appended by ``update_chart_data``.

    Args:
        fig_params: Arguments of ``bokeh.plotting.figure``.

    Raises:
        Bokeh_Failed_To_Import: bokeh is not installed (``pip install hy-compat[notebook]``).
        Pandas_Failed_To_Import: pandas is not installed.
    """

    def __init__(self, **fig_params: Any) -> None:
        self.fig = bokeh.plotting.figure(x_axis_label="Elapsed time [s]", **fig_params)
        self.start_time = datetime.now()  # a duration is measured
        self.x_axis_val: list[float] = []
        self.y_axis_val: list[Any] = []
        super().__init__(None, None)

    def setup_chart(self) -> Any:
        """Show an empty chart."""
        self._line = self.fig.line(self.x_axis_val, self.y_axis_val)
        return bokeh.io.show(self.fig, notebook_handle=True)

    def elapsed(self) -> timedelta:
        """Return the time since the chart was created."""
        return datetime.now() - self.start_time

    def update_chart_data(self, value: Any = None) -> None:
        """Append a value unless it is None, and draw the chart."""
        if value is not None:
            self.x_axis_val.append(self.elapsed().total_seconds())
            self.y_axis_val.append(value)
        self._line.data_source.data = {"x": list(self.x_axis_val), "y": list(self.y_axis_val)}
        self._push_render()


class LiveLearningCurve(LiveBokehChart):
    """Chart of a metric in training and evaluation, over time in seconds.

    Args:
        metric_name: Name of the metric, as in ``get_name_value``.
        display_freq: Minimum number of seconds between two drawings.
        frequent: Number of training batches per point.

    Raises:
        Bokeh_Failed_To_Import: bokeh is not installed (``pip install hy-compat[notebook]``).
        Pandas_Failed_To_Import: pandas is not installed.
    """

    def __init__(self, metric_name: str, display_freq: float = 10, frequent: int = 50) -> None:
        self.frequent = frequent
        self._lines: dict[str, Any] = {}
        super().__init__(None, metric_name, display_freq, frequent=frequent)

    def setup_chart(self) -> Any:
        """Show two empty lines."""
        self.fig = bokeh.plotting.figure(
            x_axis_label="Elapsed time [s]", y_axis_label=self.metric_name
        )
        for name, color in (("train", "green"), ("eval", "blue")):
            self._lines[name] = self.fig.line(
                [], [], color=color, legend_label=f"{name} {self.metric_name}"
            )
        return bokeh.io.show(self.fig, notebook_handle=True)

    def update_chart_data(self) -> None:
        """Update both lines from the tables."""
        for name, line in self._lines.items():
            table = self.pandas_logger.all_dataframes[name]
            if self.metric_name in table:
                seconds = [passed.total_seconds() for passed in table["elapsed"]]
                line.data_source.data = {"x": seconds, "y": list(table[self.metric_name])}


def args_wrapper(*args: Any) -> Callbacks:
    """Return keyword arguments of ``fit`` that install several loggers and charts.

    Args:
        args: Loggers and charts, which have ``callback_args()``.
    """
    together: defaultdict[str, list[Any]] = defaultdict(list)
    for each in args:
        for name, callback in each.callback_args().items():
            together[name].append(callback)
    return dict(together)
