"""Graphs that MXNet 2.0.0b1 wrote, a call of np or npx each: they run with its numbers."""

import json
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

from hy_gluon import SymbolBlock
from hy_ndarray import autograd, np, npx
from hy_ndarray.npx import use_np
from hy_symbol import GraphFormatError, NameManager, load_json, sym

CALLS = json.loads((Path(__file__).parent / "data" / "mxnet2" / "calls.json").read_text("utf-8"))


def array(row: dict[str, Any]) -> Any:
    return onp.array(row["values"], row["dtype"]).reshape(row["shape"])


def inputs_of(row: dict[str, Any]) -> dict[str, Any]:
    names = [node["name"] for node in row["graph"]["nodes"] if node["op"] == "null"]
    return dict(zip(sorted(names), map(array, row["inputs"]), strict=True))


@pytest.mark.parametrize("text", CALLS)
@use_np
def test_a_call_of_mxnet_2_gives_its_numbers(text: str) -> None:
    row = CALLS[text]
    inputs = inputs_of(row)
    net = SymbolBlock(load_json(json.dumps(row["graph"])), [sym.var(name) for name in inputs])
    outputs: Any = net(*(np.array(x, dtype=x.dtype) for x in inputs.values()))
    listed = outputs if isinstance(outputs, list | tuple) else [outputs]
    assert len(listed) == len(row["outputs"])
    for found, wanted in zip(listed, map(array, row["outputs"]), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        onp.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-5)


_OF_MXNET_2 = ("repeat(a, [1, 2]", "'mish'", "'log_sigmoid'", "output_size")
"""What functions take in graphs of MXNet 2 alone."""


@pytest.mark.parametrize("text", [t for t in CALLS if not any(part in t for part in _OF_MXNET_2)])
@use_np
def test_a_call_of_mxnet_2_gives_its_numbers_on_arrays(text: str) -> None:
    row = CALLS[text]
    values = [np.array(array(x), dtype=x["dtype"]) for x in row["inputs"]]
    names = {"np": np, "npx": npx, **dict(zip("abc", values, strict=False))}
    outputs: Any = eval(text, names)  # noqa: S307  # a line of the tests
    listed = outputs if isinstance(outputs, list | tuple) else [outputs]
    for found, wanted in zip(listed, map(array, row["outputs"]), strict=True):
        assert (type(found), found.dtype, found.shape) == (np.ndarray, wanted.dtype, wanted.shape)
        onp.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("text", [text for text in CALLS if "mask" in text or "index" in text])
@use_np
def test_a_graph_of_mxnet_2_is_written_as_one_of_version_1(text: str) -> None:
    row = CALLS[text]
    graph = load_json(json.dumps(row["graph"]))
    again = load_json(graph.tojson())
    inputs: dict[str, Any] = {
        name: np.array(x, dtype=x.dtype) for name, x in inputs_of(row).items()
    }
    found, wanted = again.eval(**inputs)[0], array(row["outputs"][0])
    onp.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-5)
    assert json.loads(graph.tojson())["attrs"]["mxnet_version"] == ["int", 10901]


def graph_of(kind: str, **attrs: str) -> str:
    return json.dumps(
        {
            "nodes": [
                {"op": "null", "name": "x", "inputs": []},
                {"op": kind, "name": "y", "attrs": attrs, "inputs": [[0, 0, 0]]},
            ],
            "heads": [[1, 0, 0]],
            "attrs": {"mxnet_version": ["int", 20000]},
        }
    )


@pytest.mark.parametrize(
    ("kind", "attrs", "message"),
    [
        ("_npi_lstsq", {}, "unknown operator '_npi_lstsq'"),
        ("_npi_fmod", {}, "_npi_fmod: 1 inputs"),
        ("_npi_fmod_scalar", {"scalar": "much"}, "could not convert string to float"),
        ("_npi_repeats", {}, "KeyError: 'repeats'"),
        ("_npi_rollaxis", {"axis": "-1"}, "axes that count from the end"),
        ("_npx_foreach", {}, "unknown operator '_npx_foreach'"),
        ("_npi_sum", {"out_of": "1"}, "must be a parameter of _np_sum"),
    ],
)
def test_what_a_graph_of_mxnet_2_cannot_mean_is_refused(
    kind: str, attrs: dict[str, str], message: str
) -> None:
    with pytest.raises(GraphFormatError, match=message):
        load_json(graph_of(kind, **attrs))


def test_names_of_version_2_are_unknown_in_older_graphs() -> None:
    with pytest.raises(GraphFormatError, match="unknown operator '_npi_sum'"):
        load_json(graph_of("_npi_sum").replace("20000", "10901"))


def test_composed_nodes_do_not_count_in_automatic_names() -> None:
    text = graph_of("_npi_triu", k="1")
    with NameManager():
        load_json(text)
        assert (sym.var("a") + 1).name == "_plusscalar0"


@use_np
def test_gradients_of_a_masked_softmax_are_mxnets() -> None:
    net = SymbolBlock(load_json(json.dumps(CALLS["npx.masked_softmax(a, b > 0)"]["graph"])), [
        sym.var("data0"), sym.var("data1")
    ])  # fmt: skip
    x: Any = np.array([[1.0, 2, 3], [4, 5, 6]])
    mask = np.array([[1.0, 0, 1], [0, 0, 0]])
    x.attach_grad()
    with autograd.record():
        y = (net(x, mask) * np.array([1.0, 2, 3])).sum()
    y.backward()
    wanted = onp.array([[-0.20998715, 0, 0.2099872], [0, 0, 0]])
    onp.testing.assert_allclose(x.grad.asnumpy(), wanted, atol=1e-6)
