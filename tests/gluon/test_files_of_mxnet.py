"""Files that MXNet 1.9.1 exported: loaded, run, and written again byte for byte.

``data/<model>/io.npz`` holds inputs and the outputs MXNet computed.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import SymbolBlock
from hy_ndarray import NDArray, autograd, nd
from hy_symbol import NameManager, load
from tests.seeds.lenet import Net


class Flattening(Net):
    """The net of the file: F.flatten where the tutorial reshapes."""

    def hybrid_forward(self, F: Any, x: Any, fc3_weight: Any) -> Any:
        x = self.pool1(F.relu(self.conv1(x)))
        x = F.flatten(self.pool2(F.relu(self.conv2(x))))
        x = F.relu(self.fc2(F.relu(self.fc1(x))))
        return F.dot(x, fc3_weight, transpose_b=True)


DATA = Path(__file__).parent / "data"
INPUTS = {
    "lenet": ["data"],
    "mlp": ["data"],
    "bnnet": ["data"],
    "resnet_small": ["data"],
    "two_in_two_out": ["data0", "data1"],
    "float16": ["data"],
    "float16_conv": ["data"],
    "shared": ["data"],
    "lstm_lm": ["data0", "data1", "data2"],
    "gru_tagger": ["data"],
}


def imported(model: str) -> SymbolBlock:
    folder = DATA / model
    return SymbolBlock.imports(
        str(folder / "model-symbol.json"), INPUTS[model], str(folder / "model-0000.params")
    )


def recorded(model: str) -> Any:
    return np.load(DATA / model / "io.npz", allow_pickle=False)


def flat(outputs: Any) -> list[NDArray]:
    if isinstance(outputs, NDArray):
        return [outputs]
    return [array for part in outputs for array in flat(part)]


@pytest.mark.parametrize("model", INPUTS)
def test_an_exported_model_gives_mxnets_numbers(model: str) -> None:
    net = imported(model)
    values = recorded(model)
    if model == "float16_conv":  # recorded from float32 arithmetic on the float16 parameters
        net.cast("float32")
    inputs = [
        nd.array(values[f"in{k}"], dtype=values[f"in{k}"].dtype) for k in range(len(INPUTS[model]))
    ]
    tolerance = 1e-2 if model == "float16" else 1e-5
    for k, output in enumerate(flat(net(*inputs))):
        wanted = values[f"out{k}"]
        np.testing.assert_allclose(output.asnumpy(), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("model", INPUTS)
def test_the_graph_is_written_as_mxnet_wrote_it(model: str) -> None:
    file = DATA / model / "model-symbol.json"
    assert load(str(file)).tojson() == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("model", ["lenet", "mlp", "bnnet", "two_in_two_out", "resnet_small"])
def test_an_imported_model_exports_again(model: str, tmp_path: Path) -> None:
    net = imported(model)
    net.export(str(tmp_path / "model"))
    for name in ("model-symbol.json", "model-0000.params"):
        assert (tmp_path / name).read_bytes() == (DATA / model / name).read_bytes()


def test_the_same_net_exports_the_same_bytes(tmp_path: Path) -> None:
    with NameManager():
        net = Flattening(prefix="lenet_")
    net.initialize()
    net.hybridize()
    values = recorded("lenet")
    x = nd.array(values["in0"])
    net(x)  # traced while shapes were still unknown, as MXNet's file shows
    net.load_parameters(str(DATA / "lenet" / "model-0000.params"))
    output = net(x)
    np.testing.assert_allclose(output.asnumpy(), values["out0"], rtol=1e-4, atol=1e-6)
    net.export(str(tmp_path / "model"))
    for name in ("model-symbol.json", "model-0000.params"):
        assert (tmp_path / name).read_bytes() == (DATA / "lenet" / name).read_bytes()


def test_training_an_imported_model_gives_mxnets_gradients() -> None:
    net = imported("bnnet")
    values = recorded("bnnet")
    with autograd.record():
        loss = (net(nd.array(values["in0"])) ** 2).sum()
    loss.backward()
    compared = 0
    for key in values.files:
        if key.startswith("grad:"):
            gradient = net.collect_params()[key.removeprefix("grad:")].grad().asnumpy()
            np.testing.assert_allclose(gradient, values[key], rtol=1e-3, atol=1e-4)
            compared += 1
    assert compared > 0
