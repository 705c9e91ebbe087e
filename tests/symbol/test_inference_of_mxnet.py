"""Inference gives the answers of MXNet, every one of them."""

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import HyError, set_np_shape
from hy_ndarray.ops import exists
from hy_symbol import Symbol, load_json
from hy_symbol.graph.control import CONTROL

DATA = Path(__file__).parent / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "inference.json").read_text())["cases"]


def asked(net: Symbol, case: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What was asked, the answer, and MXNet's answer."""
    for name in ("list_arguments", "list_outputs", "list_auxiliary_states"):
        yield name, getattr(net, name)(), case[name]
    kinds = (("infer_shape", "shape_queries"), ("infer_type", "type_queries"))
    for method, queries in kinds:
        tidy = shapes if method == "infer_shape" else types
        for query in case[queries]:
            for name in (method, f"{method}_partial"):
                if name in query:
                    known = query["known"]
                    if method == "infer_shape":
                        known = {key: tuple(value) for key, value in known.items()}
                    yield f"{name}({known})", answer(getattr(net, name), known, tidy), query[name]


def answer(method: Callable[..., Any], known: dict[str, Any], tidy: Callable[[Any], Any]) -> Any:
    try:
        found = method(**known)
    except HyError:
        return "raises"
    if found[0] is None and found[1] is None:
        return None
    rows = ("arguments", "outputs", "auxiliary_states")
    return dict(zip(rows, ([tidy(x) for x in row] for row in found), strict=True))


def shapes(shape: Any) -> Any:
    return None if shape is None else list(shape)


def types(dtype: Any) -> Any:
    return None if dtype is None else np.dtype(dtype).name


@pytest.fixture(params=CASES, ids=lambda case: case["id"])
def case(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    chosen: dict[str, Any] = request.param
    before = set_np_shape(bool(chosen.get("np_shape")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield chosen
    set_np_shape(before)


def test_answers_are_mxnets(case: dict[str, Any]) -> None:
    found = {node["op"] for node in case["json"]["nodes"]} - {"null"}
    absent = {name for name in found if not exists(name) and name not in CONTROL}
    if absent:
        pytest.skip(f"no operator {', '.join(sorted(absent))}")
    wrong = []
    for question, found, expected in asked(load_json(json.dumps(case["json"])), case):
        raises = isinstance(expected, dict) and "raises" in expected
        if found != ("raises" if raises else expected):
            wrong.append(f"{question}: {found}, MXNet: {expected}")
    assert not wrong, "\n".join(wrong)
