"""Every recurrent cell and layer makes MXNet's graph: names, attributes, parameters, reprs.

``data/rnn.json`` was made with MXNet 1.9.1.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hy_gluon import Block, initializer
from hy_ndarray import dtype_name
from hy_symbol import Group, NameManager, Symbol, sym
from tests.gluon.rnn_specs import made

ROWS = json.loads((Path(__file__).parent / "data" / "rnn.json").read_text(encoding="utf-8"))
OPTIONS = ("layout", "merge_outputs")


def _title(row: dict[str, Any]) -> str:
    own = ("inputs", "valid", "begin", "states", "length", *OPTIONS)
    how = ",".join(f"{key}={row[key]}" for key in own if key in row)
    return "-".join([*_names(row["spec"]), row["how"], how])


def _names(spec: dict[str, Any]) -> Iterator[str]:
    yield spec["class"].rsplit(".", 1)[1]
    for inner in (*spec.get("cells", []), *spec.get("add", [])):
        yield from _names(inner)


@pytest.fixture(params=ROWS, ids=_title)
def row(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


@pytest.fixture
def block(row: dict[str, Any]) -> Iterator[Any]:
    with NameManager():
        yield made(row["spec"])


def _called(block: Any, row: dict[str, Any]) -> Any:
    x, lengths = sym.var("x"), sym.var("n")
    states = [sym.var(f"s{i}") for i in range(len(block.state_info()))]
    if row["how"] == "call":
        return block(x, states)
    if row["how"] == "layer":
        given = {"list": states, "one": states[0], None: None}[row["states"]]
        return block(x, given, lengths) if row.get("lengths") else block(x, given)
    inputs = x if row["inputs"] == "one" else [sym.var(f"x{i}") for i in range(row["length"])]
    options = {key: row[key] for key in OPTIONS if key in row}
    if row.get("valid"):
        options["valid_length"] = lengths
    if row.get("begin"):
        options["begin_state"] = states
    return block.unroll(row["length"], inputs, **options)


def _structure(value: Any) -> Any:
    return "x" if isinstance(value, Symbol) else [_structure(part) for part in value]


def _flat(value: Any) -> list[Symbol]:
    return [value] if isinstance(value, Symbol) else [s for part in value for s in _flat(part)]


def test_graph(row: dict[str, Any], block: Any) -> None:
    outputs = _called(block, row)
    assert _structure(outputs) == row["structure"]
    graph = json.loads(Group(_flat(outputs)).tojson())
    unrolled = row["how"] == "unroll"
    nodes = [
        [
            node["op"],
            node["name"],
            None if unrolled and node["op"] == "null" else node.get("attrs"),
            [entry[:2] for entry in node["inputs"]],
        ]
        for node in graph["nodes"]
    ]
    assert nodes == row["nodes"]
    assert graph["node_row_ptr"] == row["rows"]
    assert [head[:2] for head in graph["heads"]] == row["heads"]


def test_repr(row: dict[str, Any], block: Block) -> None:
    assert repr(block) == row["repr"]


@pytest.mark.parametrize("row", [r for r in ROWS if "params" in r], ids=_title)
def test_parameters_and_states(row: dict[str, Any], block: Any) -> None:
    found = {}
    for name, p in block._collect_params_with_prefix().items():
        init = p.init.dumps() if isinstance(p.init, initializer.Initializer) else p.init
        found[name] = [p.name, str(p.shape), str(init), p.grad_req, dtype_name(p.dtype)]
    assert list(found.items()) == list(row["params"].items())
    assert list(block.collect_params()) == row["collected"]
    assert block.name == row["name"]
    info = [{**state, "shape": list(state["shape"])} for state in block.state_info(2)]
    assert info == row["state_info"]
