"""The example that serves a model over HTTP, by LitServe."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import litserve
import numpy as np
import pytest
from fastapi.testclient import TestClient
from litserve.utils import wrap_litserve_start

from examples.serve import Served
from hy_gluon import nn
from hy_ndarray import nd


@pytest.mark.slow
def test_requests_that_come_together_are_one_batch(tmp_path: Path) -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize("normal")
    net.hybridize()
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    expected = net(nd.array(x)).asnumpy()
    net.export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), str(tmp_path / "net-0000.params")
    server = litserve.LitServer(
        Served(*files, "data", batch=4, wait=600), accelerator="cpu", timeout=False
    )
    with wrap_litserve_start(server) as started, TestClient(started.app) as client:

        def answer(row: Any) -> Any:
            return client.post("/predict", json={"data": row.tolist()}).json()

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(answer, x))
    assert [one["batch"] for one in answers] == [4] * 4
    np.testing.assert_allclose([one["output"] for one in answers], expected, rtol=1e-6)
