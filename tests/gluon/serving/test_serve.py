"""Models over HTTP, by LitServe: `hy_gluon.serving`, the command, and the example."""

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import litserve
import numpy as np
import pytest
from fastapi import HTTPException
from fastapi.testclient import TestClient
from litserve.utils import wrap_litserve_start

from examples.serve import Classes
from hy_gluon import nn
from hy_gluon.serving import Request, Served, Timing
from hy_io.cli import main
from hy_ndarray import nd

ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)


def exported(folder: Path) -> tuple[tuple[str, str], Any]:
    """The files of a model, and what it predicts of the rows."""
    net = nn.Dense(2, in_units=3)
    net.initialize("normal")
    net.hybridize()
    expected = net(nd.array(ROWS)).asnumpy()
    net.export(str(folder / "net"))
    return (str(folder / "net-symbol.json"), str(folder / "net-0000.params")), expected


@pytest.mark.slow
@pytest.mark.parametrize("backend", [None, "onnxruntime"])
def test_requests_that_come_together_are_one_batch(backend: str | None, tmp_path: Path) -> None:
    if backend and not find_spec(backend):
        pytest.skip(f"{backend} is not installed")
    files, expected = exported(tmp_path)
    served = Served(*files, "data", batch=4, wait=600, shape=(3,), backend=backend)
    server = litserve.LitServer(
        served, accelerator="cpu", timeout=False, middlewares=[(Timing, {})]
    )
    with wrap_litserve_start(server) as started, TestClient(started.app) as client:
        refused = client.post("/predict", json={"data": [1, 2]})  # is in no batch
        assert refused.status_code == 422
        assert refused.json()["detail"] == "'data' has the shape (2,), and the model takes (3,)"

        def answer(row: Any) -> Any:
            return client.post("/predict", json={"data": row.tolist()})

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(answer, ROWS))
    found = [one.json() for one in answers]
    assert [one["batch"] for one in found] == [4] * 4
    assert all(one["milliseconds"] > 0 for one in found)
    assert all(one.headers["server-timing"].startswith("total;dur=") for one in answers)
    np.testing.assert_allclose([one["output"] for one in found], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"x": [1, 2, 3]}, "'data' is missing; the request has 'x'"),
        ({"data": [1, 2, 3], "y": 1}, "'y' is no input of the model, which takes 'data'"),
        ({"data": [[1, 2], [3]]}, "'data' is no array: its rows have different lengths"),
        ({"data": ["a", "b", "c"]}, "'data' must hold numbers alone"),
        ({"data": [[1, 2, 3]]}, r"'data' has the shape \(1, 3\), and the model takes \(3,\)"),
    ],
)
def test_what_is_no_input_is_named(
    request_: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Request, "name", "data")
    monkeypatch.setattr(Request, "shape", (3,))
    with pytest.raises(HTTPException, match=message) as raised:
        Request(request_)
    assert raised.value.status_code == 422
    assert Request({"data": [1, 2, 3]}).root == {"data": [1, 2, 3]}


def test_without_a_shape_the_model_says_what_does_not_fit(tmp_path: Path) -> None:
    files, expected = exported(tmp_path)
    served = Served(*files, "data", batch=4, wait=0)
    served.setup("cpu")
    rows, milliseconds = served.predict(served.batch(list(ROWS)))
    np.testing.assert_allclose(rows, expected, rtol=1e-5)
    assert milliseconds > 0
    with pytest.raises(HTTPException, match=r"'data' does not fit the model: .*FullyConnected"):
        served.predict(np.ones((1, 5), "float32"))
    with pytest.raises(HTTPException, match="'data' has other shapes in other requests"):
        served.batch([np.ones(3), np.ones(4)])


def test_the_example_answers_with_the_names_of_the_best_classes(tmp_path: Path) -> None:
    files, expected = exported(tmp_path)
    served = Classes(*files, labels=["cat", "dog"], name="data", batch=4, wait=0)
    served.setup("cpu")
    answers = served.unbatch(served.predict(served.batch(list(ROWS))))
    for answer, row in zip(answers, expected, strict=True):
        best, other = answer["classes"].values()
        assert next(iter(answer["classes"])) == ["cat", "dog"][row.argmax()]
        np.testing.assert_allclose(
            [best + other, best / other], [1, np.exp(abs(np.ptp(row)))], 1e-4
        )


def test_the_command_finds_the_input_and_the_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported(tmp_path)
    given: list[Any] = []
    monkeypatch.setattr("hy_gluon.serving.serve", lambda *args, **how: given.append((args, how)))
    model = str(tmp_path / "net-symbol.json")
    assert main(["serve", model, "--backend", "onnxruntime", "--port", "8123"]) == 0
    ((served,), how) = given.pop()
    assert (served.name, served.backend, how) == (
        "data",
        "onnxruntime",
        {"workers": 1, "host": "0.0.0.0", "port": 8123},  # noqa: S104  # others, too
    )
    assert main(["serve", model, "--input", "data=N,3"]) == 0
    assert Request.shape == (3,)
    assert main(["serve", model, "--input", "other=N,3"]) == 1
