"""Samples, histograms and graphs of a training in TensorBoard, W&B and MLflow."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tensorboardX import SummaryWriter
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.graph_pb2 import GraphDef

from hy_gluon.contrib.estimator import (
    Estimator,
    EstimatorError,
    MLflowHandler,
    TensorBoardHandler,
    TrackingHandler,
    WandbHandler,
)
from hy_gluon.image import imdecode
from hy_gluon.metric import Accuracy
from hy_ndarray import nd
from hy_symbol import load_json
from tests.gluon.estimator_case import loader, quiet
from tests.gluon.test_estimator_displays import records

IMAGE = (np.arange(24).reshape(2, 4, 3) * 10).astype(np.uint8)
EVERYTHING: dict[str, Any] = {
    "histograms": True,
    "graph": True,
    "samples": lambda _: {
        "prompt": "to be",
        "digits": nd.array(IMAGE, dtype="uint8"),
        "mask": np.array([[0.0, 0.5, 1.0]]),
    },
}


def accurate() -> Estimator:
    return quiet(train_metrics=Accuracy(), hybrid=True)


def names(estimator: Estimator) -> list[str]:
    return list(estimator.net.collect_params())


# --- TensorBoard -----------------------------------------------------------------------------


def test_event_files_hold_samples_histograms_and_the_graph(tmp_path: Path) -> None:
    estimator = accurate()
    estimator.fit(loader(), epochs=2, event_handlers=[TensorBoardHandler(tmp_path, **EVERYTHING)])
    (file,) = tmp_path.iterdir()
    events = [Event.FromString(record) for record in records(file.read_bytes())]
    values = [(event.step, value) for event in events for value in event.summary.value]
    weight, bias = names(estimator)
    texts = [value for _, value in values if value.tag.startswith("prompt")]
    assert [text.tensor.string_val[0] for text in texts] == [b"to be"] * 2
    for tag, expected in (("digits", IMAGE), ("mask", [[[0], [128], [255]]])):
        (image, _) = [value.image for _, value in values if value.tag == tag]
        decoded = imdecode(image.encoded_image_string, flag=0 if tag == "mask" else 1)
        np.testing.assert_array_equal(decoded.asnumpy(), expected)
    histograms = {
        (step, value.tag): value.histo for step, value in values if value.HasField("histo")
    }
    expected_tags = {
        f"{kind}/{name}" for kind in ("parameters", "gradients") for name in (weight, bias)
    }
    assert set(histograms) == {(step, tag) for step in (0, 1) for tag in expected_tags}
    last, numbers = (
        histograms[1, f"parameters/{weight}"],
        estimator.net.collect_params()[weight].data().asnumpy(),
    )
    assert (last.num, sum(last.bucket)) == (6, 6)
    assert (last.min, last.max) == pytest.approx((numbers.min(), numbers.max()))
    (graph,) = [GraphDef.FromString(event.graph_def) for event in events if event.graph_def]
    by_name = {node.name: node for node in graph.node}
    (dense,) = [node for node in graph.node if node.op == "FullyConnected"]
    assert list(dense.input) == ["data", weight, bias]
    assert by_name[weight].op == "Variable"


@pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboardX")
def test_a_summary_writer_shows_everything(tmp_path: Path) -> None:
    estimator = accurate()
    with SummaryWriter(str(tmp_path)) as writer:
        handler = TensorBoardHandler(writer=writer, **EVERYTHING)
        estimator.fit(loader(4), epochs=1, event_handlers=[handler])
    events = [
        Event.FromString(record)
        for file in tmp_path.iterdir()
        for record in records(file.read_bytes())
    ]
    values = {value.tag: value for event in events for value in event.summary.value}
    decoded = imdecode(values["digits"].image.encoded_image_string)
    np.testing.assert_array_equal(decoded.asnumpy(), IMAGE)
    assert values[f"gradients/{names(estimator)[0]}"].histo.num == 6
    assert "prompt/text_summary" in values
    (graph,) = [GraphDef.FromString(event.graph_def) for event in events if event.graph_def]
    assert "FullyConnected" in {node.op for node in graph.node}


class TorchWriter:
    """The ``SummaryWriter`` of PyTorch, as far as handlers call it."""

    def __init__(self, folder: Path) -> None:
        self.log_dir = str(folder)
        self.images: list[tuple[str, str]] = []

    def add_image(
        self, tag: str, _: Any, __: int, walltime: Any = None, dataformats: str = "CHW"
    ) -> None:
        assert walltime is None
        self.images.append((tag, dataformats))

    def add_graph(self, model: Any) -> None:
        raise TypeError(f"{model} is no net of PyTorch")

    def __getattr__(self, _: str) -> Any:
        return lambda *_: None


def test_a_writer_of_pytorch_shows_the_graph_if_tensorboardx_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer: Any = TorchWriter(tmp_path)
    handler = TensorBoardHandler(writer=writer, **EVERYTHING)
    accurate().fit(loader(4), epochs=1, event_handlers=[handler])
    assert writer.images == [("digits", "HWC"), ("mask", "HWC")]
    assert len([*tmp_path.iterdir()]) == 1
    monkeypatch.setitem(sys.modules, "tensorboardX.event_file_writer", None)
    with pytest.warns(UserWarning, match="the graph is not written, which needs tensorboardX"):
        accurate().fit(loader(4), epochs=1, event_handlers=[handler])


def test_a_graph_that_is_not_there_is_explained(tmp_path: Path) -> None:
    estimator = quiet(train_metrics=Accuracy())
    handler = TensorBoardHandler(tmp_path, graph=True)
    with pytest.warns(UserWarning, match=r"no graph is shown: dense\d+ is not hybridized"):
        estimator.fit(loader(4), epochs=1, event_handlers=[handler])


def test_a_writer_of_curves_alone_needs_no_more() -> None:
    calls = []
    writer: Any = SimpleNamespace(add_scalar=lambda *a: calls.append(a), flush=lambda: None)
    handler = TensorBoardHandler(writer=writer)
    accurate().fit(loader(4), epochs=1, event_handlers=[handler])
    assert [tag for tag, _, _ in calls] == ["training/accuracy", "learning_rate"]


def test_a_sample_of_another_shape_is_refused() -> None:
    writer = SimpleNamespace(add_scalar=lambda *_: None)
    handler = TrackingHandler(writer, samples=lambda _: {"odd": np.zeros((2, 2, 2))})
    with pytest.raises(EstimatorError, match=r"'odd' of shape \(2, 2, 2\) is no image"):
        accurate().fit(loader(4), epochs=1, event_handlers=[handler])


def test_a_handler_without_a_tracker_says_so() -> None:
    with pytest.raises(EstimatorError, match="TrackingHandler needs a tracker"):
        accurate().fit(loader(4), epochs=1, event_handlers=[TrackingHandler()])


# --- Weights & Biases ------------------------------------------------------------------------


class Run:
    """A run of W&B that keeps what it is given; like the real one, it has no way back."""

    def __init__(self) -> None:
        self.step = 0
        self.logged: list[tuple[int | None, str, Any]] = []
        self.finished = 0

    def log(self, values: dict[str, Any], step: int | None = None) -> None:
        # https://docs.wandb.ai/models/track/log: a call without a step ends the current one.
        now = self.step if step is None else step
        assert now >= self.step, f"step {step} is before {self.step}: it is ignored"
        self.step = now + 1 if step is None else now
        self.logged += [(step, name, value) for name, value in values.items()]

    def finish(self) -> None:
        self.finished += 1


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> Any:
    fake = SimpleNamespace(run=None, begun=[])

    def init(**options: Any) -> Run:
        run = Run()
        fake.begun.append((options, run))
        return run

    fake.init = init
    fake.Table = lambda columns, data: ("table", columns, data)
    fake.Image = lambda array: ("image", array)
    fake.Histogram = lambda np_histogram: ("histogram", np_histogram)
    monkeypatch.setitem(sys.modules, "wandb", fake)
    return fake


def test_wandb_gets_curves_and_samples(wandb: Any) -> None:
    estimator = accurate()
    handler = WandbHandler("digits", {"rate": 0.1}, {"mode": "offline"}, **EVERYTHING)
    estimator.fit(loader(), epochs=2, event_handlers=[handler])
    ((options, run),) = wandb.begun
    assert options == {"project": "digits", "config": {"rate": 0.1}, "mode": "offline"}
    assert run.finished == 1
    curve = [(step, value) for step, name, value in run.logged if name == "training/accuracy"]
    assert curve == [(0, pytest.approx(0.8)), (1, pytest.approx(1.0))]
    logged = {name: value for _, name, value in run.logged}
    assert logged["prompt"] == ("table", ["text"], [["to be"]])
    np.testing.assert_array_equal(logged["digits"][1], IMAGE)
    assert logged[f"gradients/{names(estimator)[0]}"][1][0].sum() == 6
    assert ["FullyConnected" in row for row in logged["graph"][2]].count(True) == 1
    assert [step for step, name, _ in run.logged if name == "graph"] == [0]


def test_a_run_of_wandb_that_is_under_way_stays_open(wandb: Any) -> None:
    wandb.run = Run()
    accurate().fit(loader(4), epochs=1, event_handlers=[WandbHandler()])
    assert wandb.begun == []
    assert wandb.run.finished == 0
    assert {name for _, name, _ in wandb.run.logged} == {"training/accuracy", "learning_rate"}


# --- MLflow ----------------------------------------------------------------------------------


class MLflow:
    """MLflow's functions, which keep what they are given."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.active: Any = None

    def active_run(self) -> Any:
        return self.active

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: self.calls.append((name, args, kwargs))

    def of(self, name: str) -> list[tuple[Any, ...]]:
        return [(*args, *kwargs.values()) for called, args, kwargs in self.calls if called == name]


@pytest.fixture
def mlflow(monkeypatch: pytest.MonkeyPatch) -> MLflow:
    fake = MLflow()
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    return fake


def test_mlflow_gets_metrics_and_artifacts(mlflow: MLflow) -> None:
    estimator = accurate()
    handler = MLflowHandler("digits", "first", {"rate": 0.1}, log_interval=2, **EVERYTHING)
    estimator.fit(loader(), epochs=1, event_handlers=[handler])
    assert mlflow.of("set_experiment") == [("digits",)]
    assert mlflow.of("start_run") == [("first",)]
    assert mlflow.of("log_params") == [({"rate": 0.1},)]
    assert [step for name, _, step in mlflow.of("log_metric") if name == "training/accuracy"] == [
        2,
        3,
    ]
    (prompt, graph) = sorted(mlflow.of("log_text"), key=lambda call: str(call[1]), reverse=True)
    assert prompt == ("to be", "prompt/3.txt")
    assert graph[1] == "graph.json"
    assert load_json(graph[0]).list_arguments() == ["data", *names(estimator)]
    assert {file for _, file in mlflow.of("log_image")} == {"digits/3.png", "mask/3.png"}
    histograms = {file: content for content, file in mlflow.of("log_dict")}
    assert sum(histograms[f"parameters/{names(estimator)[0]}/3.json"]["counts"]) == 6
    assert len(mlflow.of("end_run")) == 1


def test_a_run_of_mlflow_that_is_active_stays_so(mlflow: MLflow) -> None:
    mlflow.active = object()
    accurate().fit(loader(4), epochs=1, event_handlers=[MLflowHandler("unused")])
    assert {name for name, _, _ in mlflow.calls} == {"log_metric"}


@pytest.mark.parametrize(
    ("package", "handler"), [("wandb", WandbHandler), ("mlflow", MLflowHandler)]
)
def test_a_missing_tracker_says_what_to_install(
    package: str, handler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"needs {package}: try `pip install {package}`"):
        handler()
