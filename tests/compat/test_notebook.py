"""Tables and charts of training in notebooks, with stand-ins for pandas and bokeh."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.notebook import Bokeh_Failed_To_Import, callback


class Table:
    """As much of a DataFrame as is used: columns by name."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __contains__(self, name: str) -> bool:
        return any(name in row for row in self.rows)

    def __getitem__(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows]


class Figure:
    """As much of a figure as is used: lines whose data is set."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.lines: list[Any] = []

    def line(self, x: Any, y: Any, **options: Any) -> Any:
        self.lines.append(
            SimpleNamespace(data_source=SimpleNamespace(data={"x": x, "y": y}), **options)
        )
        return self.lines[-1]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of bokeh."""
    calls: list[str] = []
    pandas, bokeh = ModuleType("pandas"), ModuleType("bokeh")
    io, plotting = ModuleType("bokeh.io"), ModuleType("bokeh.plotting")
    vars(pandas).update(DataFrame=Table)
    vars(plotting).update(figure=Figure)
    vars(bokeh).update(io=io, plotting=plotting)
    for name in ("output_notebook", "push_notebook", "show"):
        setattr(io, name, lambda *_, name=name, **__: calls.append(name))
    for module in (pandas, bokeh, io, plotting):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return calls


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither is installed."""
    for name in ("pandas", "bokeh"):
        monkeypatch.setitem(sys.modules, name, None)


def train(**callbacks: Any) -> None:
    values = np.random.default_rng(0).random((40, 3)).astype("float32")
    data, other = (mx.io.NDArrayIter(values, values.sum(1) > 1, 4) for _ in "ab")
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2)
    module = mx.mod.Module(mx.sym.SoftmaxOutput(net, name="softmax"))
    module.fit(data, other, num_epoch=2, **callbacks)


@pytest.mark.usefixtures("drawn")
def test_the_logger_keeps_rows_of_training_evaluation_and_epochs() -> None:
    logger = callback.PandasLogger(batch_size=4, frequent=3)
    train(**logger.callback_args())
    table = logger.train_df
    assert list(table.rows[0]) == [
        *("epoch", "accuracy", "minibatch_count"),
        *("records_per_sec", "batches_per_sec", "elapsed"),
    ]
    assert table["epoch"] == [0] * 4 + [1] * 4
    assert table["minibatch_count"] == [0, 3, 6, 9] * 2
    for row in table.rows:
        assert row["records_per_sec"] == 4 * row["batches_per_sec"]
    assert logger.eval_df["epoch"] == [0, 1]
    assert all(0 <= accuracy <= 1 for accuracy in logger.eval_df["accuracy"])
    times = logger.epoch_df
    assert times["elapsed"][0] >= times["epoch_time"][0]
    assert [len(table.rows) for table in logger.all_dataframes.values()] == [8, 2, 2]


def test_the_learning_curve_shows_the_rows_of_its_metric(drawn: list[str]) -> None:
    chart = callback.LiveLearningCurve("accuracy", display_freq=0, frequent=5)
    train(**chart.callback_args())
    train_line, eval_line = chart.fig.lines
    assert train_line.data_source.data["y"] == chart.pandas_logger.train_df["accuracy"]
    assert len(train_line.data_source.data["x"]) == 4
    assert len(eval_line.data_source.data["y"]) == 2
    assert drawn[:2] == ["output_notebook", "show"]
    assert "push_notebook" in drawn


def test_a_time_series_takes_values_one_by_one(drawn: list[str]) -> None:
    chart = callback.LiveTimeSeries(y_axis_label="loss")
    chart.update_chart_data(3)
    chart.update_chart_data(4)
    assert chart.fig.options["y_axis_label"] == "loss"
    assert chart.y_axis_val == chart.fig.lines[0].data_source.data["y"] == [3, 4]
    assert chart.x_axis_val == sorted(chart.x_axis_val)
    assert drawn == ["output_notebook", "show", "push_notebook", "push_notebook"]


@pytest.mark.usefixtures("drawn")
def test_a_chart_of_ones_own_says_what_it_must_define() -> None:
    with pytest.raises(NotImplementedError, match="must be sub-classed; define setup_chart"):
        callback.LiveBokehChart(callback.PandasLogger(1), "accuracy")


@pytest.mark.usefixtures("drawn")
def test_callbacks_of_several_are_joined() -> None:
    logger, chart = callback.PandasLogger(4), callback.LiveLearningCurve("accuracy")
    joined = callback.args_wrapper(logger, chart)
    assert joined["batch_end_callback"] == [logger.train_cb, chart.batch_cb]
    assert joined["epoch_end_callback"] == [logger.epoch_cb]
    train(**joined)
    assert len(logger.epoch_df.rows) == 2


@pytest.mark.usefixtures("absent")
def test_what_is_not_installed_is_named_before_training() -> None:
    with pytest.raises(
        callback.Pandas_Failed_To_Import, match=r"pip install hy-compat\[notebook\]"
    ):
        callback.PandasLogger(4)
    with pytest.raises(Bokeh_Failed_To_Import, match="needs bokeh"):
        callback.LiveTimeSeries()
    assert mx.notebook.callback.args_wrapper() == {}
