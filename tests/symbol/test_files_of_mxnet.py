"""Graphs that MXNet wrote, of versions 0.8 to 1.9: what is asked about them has MXNet's answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from hy_symbol import Symbol, load

DATA = Path(__file__).parent / "data"
ANSWERS: dict[str, dict[str, Any]] = json.loads((DATA / "answers.json").read_text("utf-8"))


@pytest.fixture(params=ANSWERS)
def file(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def net(file: str) -> Symbol:
    return load(str(DATA / file))


@pytest.mark.parametrize(
    "question", ["list_arguments", "list_outputs", "list_auxiliary_states", "attr_dict"]
)
def test_names_and_attributes_are_mxnets(net: Symbol, file: str, question: str) -> None:
    assert getattr(net, question)() == ANSWERS[file][question]


def test_shapes_are_mxnets(net: Symbol, file: str) -> None:
    known = {name: tuple(shape) for name, shape in ANSWERS[file]["known"].items()}
    found = [[list(shape or ()) for shape in row] for row in net.infer_shape_partial(**known)]
    assert found == ANSWERS[file]["shapes"]


def test_every_graph_has_answers() -> None:
    kinds = ("attributes", "exported", "legacy_0_8.", "module")
    assert sorted(ANSWERS) == sorted(p.name for p in DATA.iterdir() if p.name.startswith(kinds))
