"""Files that MXNet 2.0.0b1 wrote (``mxnet2/make.py``): nets, arrays and states of trainers.

``data/mxnet2/<net>.io.npz`` holds inputs and the outputs that MXNet computed.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as onp
import pytest

import hy_gluon
from hy_gluon import SymbolBlock
from hy_gluon.files import load
from hy_gluon.parameter import MismatchError
from hy_io import load_checkpoint, load_npz, save_npz
from hy_io.cli import main
from hy_ndarray import DTypeError, autograd, np
from hy_ndarray.npx import use_np
from tests.gluon.mxnet2.nets import NETS

DATA = Path(__file__).parent / "data" / "mxnet2"
INPUTS = {
    "lenet": ["data"],
    "lstm": ["data"],
    "gru": ["data"],
    "rnn": ["data"],
    "bert": ["data0", "data1"],
}


def checked(net: Any, name: str) -> None:
    """Compare what a net gives with what MXNet computed."""
    values = onp.load(DATA / f"{name}.io.npz", allow_pickle=False)
    outputs = net(*(np.array(values[f"in{i}"]) for i, _ in enumerate(INPUTS[name])))
    for i, output in enumerate(outputs if isinstance(outputs, list | tuple) else [outputs]):
        onp.testing.assert_allclose(output.asnumpy(), values[f"out{i}"], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", INPUTS)
@use_np
def test_an_export_of_mxnet_2_gives_its_numbers(name: str) -> None:
    files = (str(DATA / f"{name}-symbol.json"), INPUTS[name], str(DATA / f"{name}-0000.params"))
    net = SymbolBlock.imports(*files)
    checked(net, name)
    net.hybridize()
    checked(net, name)


def layer_net(name: str) -> Any:
    """The net of a file in layers, without MXNet 2's functions."""
    return NETS[name](SimpleNamespace(gluon=hy_gluon))


@pytest.mark.parametrize("name", ["lenet", "lstm", "gru", "rnn"])
@use_np
def test_parameters_of_mxnet_2_load_into_layers(name: str) -> None:
    net = layer_net(name)
    net.load_parameters(str(DATA / f"{name}.params"))
    checked(net, name)


@pytest.mark.parametrize("name", ["lenet", "lstm", "gru", "rnn"])
@use_np
def test_converted_parameters_are_those_of_mxnet_2(name: str, tmp_path: Path) -> None:
    net = layer_net(name)
    net.load_parameters(str(DATA / f"{name}.params"))
    own, converted = str(tmp_path / "own.params"), str(tmp_path / "new.params")
    net.save_parameters(own)
    assert main(["convert", "--to", "mxnet2", own, converted]) == 0
    found, wanted = load_npz(converted), load_npz(DATA / f"{name}.params")
    assert found.keys() == wanted.keys()
    for key, value in found.items():
        onp.testing.assert_array_equal(value, wanted[key])


@use_np
def test_a_vector_of_another_layer_is_refused() -> None:
    net = layer_net("gru")
    with pytest.raises(MismatchError, match=r"rnn_param \(736,\) must hold the parameters"):
        net.load_parameters(str(DATA / "lstm.params"))


@pytest.mark.parametrize("name", INPUTS)
def test_a_checkpoint_of_mxnet_2_is_read(name: str) -> None:
    graph, arg, aux = load_checkpoint(DATA / name, 0)
    assert graph is not None
    stored = load_npz(DATA / f"{name}-0000.params")
    assert {*arg} == {key[4:] for key in stored if key.startswith("arg:")}
    assert {*aux} == {key[4:] for key in stored if key.startswith("aux:")}


@use_np
def test_integers_that_1_9_has_not_become_wider_ones() -> None:
    found = load(str(DATA / "dtypes.npz"))
    assert isinstance(found, dict)
    wider = {"int16": "int32", "uint16": "int32", "uint32": "int64", "uint64": "int64"}
    for name, array in found.items():
        assert onp.dtype(array.dtype) == wider.get(name, name)
        onp.testing.assert_array_equal(array.asnumpy(), [[1, 0, 1 if name == "bool" else 2]])


def test_an_integer_beyond_63_bits_is_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "large.npz")
    save_npz(file, {"x": onp.array([2**63], "uint64")})
    with pytest.raises(DTypeError, match="9223372036854775808, which int64 does not"):
        load(file)


STATES = sorted(path.stem for path in DATA.glob("*.states"))
LIKE_MXNET_1 = {"adadelta": 0.01, "adamw": 1e-4, "nadam": 0.01}
"""Optimizers whose steps are those of 1.9, and how far these are from those of 2."""


@pytest.mark.parametrize("name", STATES)
@use_np
def test_a_trainer_goes_on_with_states_of_mxnet_2(name: str) -> None:
    values = onp.load(DATA / f"{name}.io.npz", allow_pickle=False)
    net = hy_gluon.nn.Dense(2, in_units=3)
    net.initialize()
    net.weight.set_data(np.array(values["weight3"]))
    bias: Any = net.bias
    bias.set_data(np.array(values["bias3"]))
    trainer = hy_gluon.Trainer(net.collect_params(), name)
    trainer.load_states(str(DATA / f"{name}.states"))
    x = np.array([[1.0, -2.0, 0.5], [0.25, 1.0, -1.0]])
    for _ in range(2):
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(2)
    for found, wanted in ((net.weight, values["weight5"]), (bias, values["bias5"])):
        tolerance = LIKE_MXNET_1.get(name, 1e-5)
        onp.testing.assert_allclose(found.data().asnumpy(), wanted, atol=tolerance, rtol=0)


def test_converted_states_of_mxnet_2_are_read_too(tmp_path: Path) -> None:
    file = str(tmp_path / "adam.states")
    assert main(["convert", "--allow-pickle", str(DATA / "adam.states"), file]) == 0
    net = hy_gluon.nn.Dense(2, in_units=3)
    net.initialize()
    trainer = hy_gluon.Trainer(net.collect_params(), "adam")
    trainer.load_states(file)
    assert (trainer.learning_rate, trainer._optimizer.num_update) == (0.05, 3)
