"""The graph of every model of the zoo goes to JSON and back, and MXNet reads what is written.

``data/zoo_graphs.json`` is what MXNet 1.9.1 answered when it had loaded the JSON that is written
here: SHA-256 of the JSON it writes again, of its names (arguments, outputs, states) and of the
shapes it infers from one image; how many arguments and states there are, and the outputs.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from hy_gluon.model_zoo import vision
from hy_symbol import Symbol, load_json, sym
from hy_symbol.graph import name as naming

MXNET: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "zoo_graphs.json").read_text(encoding="utf-8")
)


def graph_of(name: str) -> Symbol:
    with naming.NameManager():
        net: Symbol = vision.get_model(name)(sym.var("data"))
    return net


def structure(net: Symbol) -> list[Any]:
    """All that a graph is: nodes with what they compute from which outputs, and its outputs."""
    place = {node: i for i, node in enumerate(net.graph.nodes)}
    nodes = [
        (
            node.name,
            None if node.op is None else node.op.name,
            {} if node.op is None else node.params,
            node.attrs,
            [(place[source], i) for source, i in node.inputs],
        )
        for node in net.graph.nodes
    ]
    return [nodes, [(place[node], i) for node, i in net.graph.outputs]]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", MXNET)
def test_a_graph_of_the_zoo_is_the_same_after_json(name: str) -> None:
    net = graph_of(name)
    again = load_json(net.tojson())
    assert structure(again) == structure(net)
    assert again.list_arguments() == net.list_arguments()
    assert again.list_auxiliary_states() == net.list_auxiliary_states()
    assert again.list_outputs() == net.list_outputs()
    assert again.attr_dict() == net.attr_dict()


@pytest.mark.parametrize("name", MXNET)
def test_mxnet_reads_a_graph_of_the_zoo_as_it_is_here(name: str) -> None:
    net = graph_of(name)
    size = 299 if name == "inceptionv3" else 224
    arguments, outputs, states = net.infer_shape(data=(1, 3, size, size))
    assert arguments is not None
    assert outputs is not None
    assert states is not None
    names = [net.list_arguments(), net.list_outputs(), net.list_auxiliary_states()]
    assert {
        "json": sha256(net.tojson()),
        "names": sha256(json.dumps(names)),
        "shapes": sha256(json.dumps([arguments, outputs, states])),
        "arguments": len(arguments),
        "states": len(states),
        "outputs": net.list_outputs(),
        "output_shapes": [list(shape or ()) for shape in outputs],
    } == MXNET[name]


def test_every_model_has_a_row() -> None:
    zoo = Path(__file__).parent / "data" / "zoo.json"
    assert sorted(MXNET) == sorted(json.loads(zoo.read_text(encoding="utf-8")))
