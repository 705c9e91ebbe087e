"""Handlers with the trackers themselves, where they are installed: W&B, MLflow, TensorBoard."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

from hy_gluon.contrib.estimator import MLflowHandler, TensorBoardHandler, WandbHandler
from hy_gluon.image import imread
from hy_symbol import load_json
from tests.gluon.estimator_case import loader
from tests.gluon.test_estimator_tracking import EVERYTHING, IMAGE, accurate, names


@pytest.mark.filterwarnings("ignore")
def test_wandb_keeps_curves_samples_histograms_and_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    estimator = accurate()
    with wandb.init(mode="offline", dir=str(tmp_path), project="digits") as run:
        estimator.fit(loader(), epochs=2, event_handlers=[WandbHandler(**EVERYTHING)])
        assert wandb.run is run
        run.log({}, step=2)  # which ends the last epoch's row
        found = dict(run.summary)
    assert found["training/accuracy"] == pytest.approx(1.0)
    assert found["learning_rate"] == pytest.approx(0.1)
    kinds = {name: value["_type"] for name, value in found.items() if hasattr(value, "keys")}
    tags = [f"{kind}/{name}" for kind in ("parameters", "gradients") for name in names(estimator)]
    assert kinds == {
        "prompt": "table-file", "graph": "table-file", "digits": "image-file", "mask": "image-file",
        **dict.fromkeys(tags, "histogram"),
    }  # fmt: skip
    (_, last) = sorted(tmp_path.rglob("digits_*.png"))
    np.testing.assert_array_equal(imread(str(last)).asnumpy(), IMAGE)
    (graph,) = tmp_path.rglob("graph_0_*.table.json")
    assert "FullyConnected" in {row[1] for row in json.loads(graph.read_text())["data"]}


@pytest.mark.filterwarnings("ignore")
def test_mlflow_keeps_metrics_and_artifacts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logging.getLogger("mlflow"), "disabled", True)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    try:
        estimator = accurate()
        handler = MLflowHandler("digits", "first", {"rate": 0.1}, log_interval=2, **EVERYTHING)
        estimator.fit(loader(), epochs=1, event_handlers=[handler])
        assert mlflow.active_run() is None
        client = mlflow.MlflowClient()
        experiment = client.get_experiment_by_name("digits").experiment_id
        (run,) = client.search_runs([experiment])
        assert (run.info.run_name, run.info.status) == ("first", "FINISHED")
        assert run.data.params == {"rate": "0.1"}
        curve = client.get_metric_history(run.info.run_id, "training/accuracy")
        assert [point.step for point in curve] == [2, 3]
        folder = Path(client.download_artifacts(run.info.run_id, "", str(tmp_path)))
        assert (folder / "prompt" / "3.txt").read_text() == "to be"
        np.testing.assert_array_equal(imread(str(folder / "digits" / "3.png")).asnumpy(), IMAGE)
        graph = load_json((folder / "graph.json").read_text())
        assert graph.list_arguments() == ["data", *names(estimator)]
        weight = json.loads((folder / "parameters" / names(estimator)[0] / "3.json").read_text())
        assert sum(weight["counts"]) == 6
    finally:
        mlflow.set_tracking_uri(before)


@pytest.mark.filterwarnings("ignore")
def test_tensorboard_reads_event_files(tmp_path: Path) -> None:
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    estimator = accurate()
    estimator.fit(loader(), epochs=2, event_handlers=[TensorBoardHandler(tmp_path, **EVERYTHING)])
    seen = events.EventAccumulator(str(tmp_path), size_guidance={events.TENSORS: 0}).Reload()
    tags = seen.Tags()
    assert set(tags["scalars"]) == {"training/accuracy", "learning_rate"}
    assert [point.step for point in seen.Scalars("training/accuracy")] == [0, 1]
    assert {"digits", "mask"} <= set(tags["images"])
    assert (seen.Images("digits")[0].width, seen.Images("digits")[0].height) == (4, 2)
    weight = names(estimator)[0]
    assert {f"parameters/{weight}", f"gradients/{weight}"} <= set(tags["histograms"])
    assert seen.Histograms(f"parameters/{weight}")[-1].histogram_value.num == 6
    assert tags["graph"]
