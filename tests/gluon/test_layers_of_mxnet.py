"""Every layer and loss makes MXNet's graph: node names, attributes, parameters, reprs.

``data/layers.json`` was made with MXNet 1.9.1; names in it lack the prefix of the block.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import hy_gluon
from hy_gluon import Block, contrib, loss, nn
from hy_ndarray import dtype_name, nd
from hy_symbol import sym

ROWS = json.loads((Path(__file__).parent / "data" / "layers.json").read_text(encoding="utf-8"))
SPACES = {"nn": nn, "loss": loss, "contrib.nn": contrib.nn}


def _title(row: dict[str, Any]) -> str:
    kwargs = ",".join(f"{key}={value}" for key, value in row["kwargs"].items())
    return f"{row['layer']}-{kwargs}-{len(row['inputs'])}"


@pytest.fixture(params=ROWS, ids=_title)
def row(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


@pytest.fixture
def block(row: dict[str, Any]) -> Block:
    space, name = row["layer"].rsplit(".", 1)
    kwargs = {k: tuple(v) if isinstance(v, list) else v for k, v in row["kwargs"].items()}
    if name == "SyncBatchNorm":
        kwargs.setdefault("num_devices", 1)
    made: Block = getattr(SPACES[space], name)(**kwargs)
    return made


def _without_prefix(block: Block, text: str) -> str:
    return text.replace(block.prefix, "")


def test_repr(row: dict[str, Any], block: Block) -> None:
    assert _without_prefix(block, repr(block)) == row["repr"]


def test_graph(row: dict[str, Any], block: Block) -> None:
    inputs = [None if s is None else sym.var(f"x{i}") for i, s in enumerate(row["inputs"])]
    graph = json.loads(_without_prefix(block, block(*inputs).tojson()))
    nodes = [[n["op"], n["name"], n.get("attrs"), n["inputs"]] for n in graph["nodes"]]
    assert nodes == row["nodes"]
    assert graph["heads"] == row["heads"]


def test_parameters(row: dict[str, Any], block: Block) -> None:
    found = {}
    for name, p in block._collect_params_with_prefix().items():
        init = p.init.dumps() if isinstance(p.init, hy_gluon.initializer.Initializer) else p.init
        found[name] = [str(p.shape), str(init), p.grad_req, dtype_name(p.dtype)]
        assert p.name == block.prefix + name
    assert found == row["params"]


def test_shapes_after_the_first_input(row: dict[str, Any], block: Block) -> None:
    block.initialize()
    dtype = row["kwargs"].get("dtype", "float32")
    inputs = [None if shape is None else nd.ones(shape, dtype=dtype) for shape in row["inputs"]]
    output = block(*inputs)
    if dtype == "float32":  # MXNet refuses products of float16 on the CPU
        assert list(output.shape) == row["output"]
    after = row["repr_after"] or row["repr"]
    assert _without_prefix(block, repr(block)) == after
