"""Parameters and arrays are loaded from files of every format, by the names of MXNet or PyTorch."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hy_gluon import HybridBlock, ParameterDict, nn, rnn
from hy_gluon.parameter import MismatchError
from hy_io import load_ndarrays, save_arrays
from hy_ndarray import nd, npx, random

ENDINGS = [".params", ".safetensors", ".pt", ".npz"]


class Head(HybridBlock):
    """Layers with the names that HuggingFace's models use."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Dense(8, in_units=4)
        self.ln = nn.LayerNorm(in_channels=8)
        self.fc2 = nn.Dense(2, in_units=8)

    def forward(self, x: nd.NDArray) -> nd.NDArray:
        out: nd.NDArray = self.fc2(self.ln(self.fc1(x)))
        return out


def state_of_head(rng: np.random.Generator) -> dict[str, Any]:
    shapes = {"fc1.weight": (8, 4), "fc1.bias": (8,), "ln.weight": (8,), "ln.bias": (8,)}
    shapes |= {"fc2.weight": (2, 8), "fc2.bias": (2,)}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def head_of(state: dict[str, Any], x: Any) -> Any:
    y = x @ state["fc1.weight"].T + state["fc1.bias"]
    y = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
    y = y * state["ln.weight"] + state["ln.bias"]
    return y @ state["fc2.weight"].T + state["fc2.bias"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_saved_parameters_come_back_through_every_format(tmp_path: Path, ending: str) -> None:
    random.seed(1)
    net, other, x = Head(), Head(), nd.ones((3, 4))
    net.initialize()
    net.save_parameters(str(tmp_path / "net.params"))
    file = str(tmp_path / f"other{ending}")
    save_arrays(file, load_ndarrays(tmp_path / "net.params"))  # type: ignore[arg-type]  # by name
    other.load_parameters(file)
    np.testing.assert_array_equal(other(x).asnumpy(), net(x).asnumpy())


@pytest.mark.parametrize("ending", [".safetensors", ".pt", ".npz"])
def test_names_of_pytorch_are_those_of_the_block(
    tmp_path: Path, rng: np.random.Generator, ending: str
) -> None:
    state, file = state_of_head(rng), str(tmp_path / f"model{ending}")
    save_arrays(file, state)
    net, x = Head(), rng.normal(size=(3, 4)).astype(np.float32)
    net.load_parameters(file)
    np.testing.assert_allclose(net(nd.array(x)).asnumpy(), head_of(state, x), rtol=1e-4, atol=1e-5)


def test_halves_of_such_files_are_cast_on_request(tmp_path: Path, rng: np.random.Generator) -> None:
    state, file = state_of_head(rng), str(tmp_path / "model.safetensors")
    save_arrays(file, {name: a.astype(ml_dtypes.bfloat16) for name, a in state.items()})
    with pytest.raises(MismatchError, match="float32, the loaded array bfloat16; set cast_dtype"):
        Head().load_parameters(file)
    for source, dtype in (("current", "float32"), ("saved", "bfloat16")):
        net = Head()
        net.load_parameters(file, cast_dtype=True, dtype_source=source)
        assert np.dtype(net.fc1.weight.dtype).name == dtype
        values = net.ln.gamma.data().astype("float32").asnumpy()
        np.testing.assert_allclose(values, state["ln.weight"], rtol=1e-2)


def test_what_is_missing_or_left_over_is_named_as_ever(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    state, file = state_of_head(rng), str(tmp_path / "model.safetensors")
    del state["ln.bias"]
    save_arrays(file, state | {"lm_head.weight": np.zeros((2, 2), np.float32)})
    with pytest.raises(MismatchError, match=r"'ln\.beta' is missing in file"):
        Head().load_parameters(file)
    with pytest.raises(MismatchError, match=r"'lm_head\.weight' loaded from file"):
        Head().load_parameters(file, allow_missing=True)
    net = Head()
    net.initialize()
    net.load_parameters(file, allow_missing=True, ignore_extra=True)
    np.testing.assert_array_equal(net.ln.gamma.data().asnumpy(), state["ln.weight"])


def test_layers_tell_what_a_weight_is(tmp_path: Path, rng: np.random.Generator) -> None:
    """One vector is a norm's or a PReLU's, and counts of batches have no counterpart."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, (3, 2), in_channels=2, layout="NHWC"), nn.BatchNorm(in_channels=3, axis=3))
    net.add(nn.PReLU(), nn.Embedding(5, 2))
    shapes = {"0.weight": (3, 2, 3, 2), "0.bias": (3,), "2.weight": (1,), "3.weight": (5, 2)}
    shapes |= dict.fromkeys(("1.weight", "1.bias", "1.running_mean", "1.running_var"), (3,))
    state: dict[str, Any] = {n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}
    file = str(tmp_path / "model.safetensors")
    save_arrays(file, state | {"1.num_batches_tracked": np.array(7)})
    net.load_parameters(file)
    found = {k: p.data().asnumpy() for k, p in net._collect_params_with_prefix().items()}
    np.testing.assert_array_equal(found.pop("0.weight"), np.moveaxis(state["0.weight"], 1, -1))
    expected = {"1.gamma": "1.weight", "1.beta": "1.bias", "2.alpha": "2.weight"}
    for name, array in found.items():
        np.testing.assert_array_equal(array, state[expected.get(name, name)])


def test_recurrent_layers_have_names_of_pytorch_too(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    layer = rnn.LSTM(3, input_size=2, bidirectional=True)
    names = [f"{kind}_l0{end}" for kind in ("ih", "hh") for end in ("", "_reverse")]
    sizes = {"ih": 2, "hh": 3}
    state = {f"weight_{n}": rng.normal(size=(12, sizes[n[:2]])).astype(np.float32) for n in names}
    state |= {f"bias_{name}": rng.normal(size=12).astype(np.float32) for name in names}
    save_arrays(tmp_path / "lstm.safetensors", state)
    layer.load_parameters(str(tmp_path / "lstm.safetensors"))
    own: Any = layer
    np.testing.assert_array_equal(own.r0_h2h_bias.data().asnumpy(), state["bias_hh_l0_reverse"])


@pytest.mark.parametrize("ending", ENDINGS)
def test_nd_load_and_npx_load_read_every_format(tmp_path: Path, ending: str) -> None:
    file, arrays = str(tmp_path / f"a{ending}"), {"x": np.arange(3, dtype=np.float32)}
    save_arrays(file, arrays)
    for load in (nd.load, npx.load):
        found: Any = load(file)
        assert list(found) == ["x"]
        np.testing.assert_array_equal(found["x"].asnumpy(), arrays["x"])


def test_a_dictionary_of_parameters_reads_every_format(tmp_path: Path) -> None:
    params = ParameterDict("net_")
    weight = params.get("weight", shape=(2,))
    save_arrays(tmp_path / "a.safetensors", {"net_weight": np.array([1, 2], np.float32)})
    params.load(str(tmp_path / "a.safetensors"))
    assert weight.data().asnumpy().tolist() == [1, 2]
