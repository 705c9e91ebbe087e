"""`hy-io compare`: the layers of two models, or of a model and recorded numbers."""

import argparse
from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from hy_gluon import BlockError, nn
from hy_gluon.commands import COMPARE
from hy_ndarray import ArgumentError, nd

SHAPE = "data=2,3,8,8"


def compare(*words: str) -> tuple[dict[str, Any], str]:
    parser = argparse.ArgumentParser()
    COMPARE.add_arguments(parser)
    return COMPARE.run(parser.parse_args(words))


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> nn.HybridSequential:
    """A net, exported as `old` and, with another bias in its last layer, as `new`."""
    monkeypatch.chdir(tmp_path)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(3))
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 3, 8, 8)))
    net.export("old")
    net[2].bias.set_data(nd.ones(3))
    net.export("new")
    return net


@pytest.mark.usefixtures("exported")
def test_the_first_layer_that_differs_is_named() -> None:
    done, text = compare("old-symbol.json", "new-symbol.json", "--input", SHAPE)
    largest = {each["layer"]: each["largest"] for each in done["layers"]}
    assert largest == {
        "net_conv0_fwd": 0,
        "net_conv0_relu_fwd": 0,
        "net_batchnorm0_fwd": 0,
        "net_dense0_fwd": pytest.approx(1),
    }
    assert not done["agree"]
    lines = text.splitlines()
    assert lines[-1] == "the first layer that differs is net_dense0_fwd (FullyConnected)"
    assert lines[4].split()[:4] == ["net_dense0_fwd", "FullyConnected", "2x3", "1"]


@pytest.mark.usefixtures("exported")
def test_a_model_agrees_with_itself() -> None:
    done, text = compare("old-symbol.json", "old-symbol.json", "--input", SHAPE)
    assert done["agree"]
    assert text.endswith("all 4 layers agree")


@pytest.mark.usefixtures("exported")
def test_numbers_that_another_program_recorded_are_compared() -> None:
    graph, args, states = mx.model.load_checkpoint("old", 0)
    layers = graph.get_internals()
    x = nd.random.normal(shape=(2, 3, 8, 8))
    outputs = layers.bind(mx.cpu(), {**args, "data": x}, aux_states=states).forward()
    nd.save("recorded.params", dict(zip(layers.list_outputs(), outputs, strict=True)))
    assert compare("recorded.params", "old-symbol.json")[0]["agree"]
    assert not compare("recorded.params", "new-symbol.json")[0]["agree"]


def test_layers_of_other_names_are_matched_by_order(
    exported: nn.HybridSequential, tmp_path: Path
) -> None:
    other = nn.HybridSequential(prefix="other_")
    with other.name_scope():
        other.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(3))
    exported.save_parameters("net.params")
    other.load_parameters("net.params")
    other.hybridize()
    other(nd.ones((2, 3, 8, 8)))
    other.export(str(tmp_path / "other"))
    assert compare("new-symbol.json", "other-symbol.json", "--input", SHAPE)[0]["agree"]


@pytest.mark.usefixtures("exported")
def test_what_cannot_be_compared_says_why() -> None:
    with pytest.raises(ArgumentError, match=r"give the shape of data, such as --input data="):
        compare("old-symbol.json", "new-symbol.json")
    nd.save("others.params", {"data": nd.ones((2, 3, 8, 8)), "layer": nd.ones(1)})
    with pytest.raises(BlockError, match="no layer of the two has the same name"):
        compare("others.params", "new-symbol.json")
    nd.save("shapes.params", {"data": nd.ones((2, 3, 8, 8)), "net_dense0_fwd_output": nd.ones(1)})
    assert "shapes differ" in compare("shapes.params", "new-symbol.json")[1]
