"""Graphs as JSON: MXNet's files of every age are read, and written as MXNet writes them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray.ops import exists
from hy_symbol import GraphFormatError, load, load_json, sym

DATA = Path(__file__).parent / "data"
OF_1_9 = sorted(
    path.name for path in DATA.glob("*.json") if path.name.startswith(("exported", "module", "att"))
)


@pytest.mark.parametrize("file", OF_1_9)
def test_a_file_of_mxnet_is_written_as_it_was_read(file: str) -> None:
    text = (DATA / file).read_text()
    assert all(exists(node["op"]) for node in json.loads(text)["nodes"] if node["op"] != "null")
    assert load(str(DATA / file)).tojson(remove_amp_cast=False) == text


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    net.save(str(tmp_path / "net-symbol.json"))
    assert load(str(tmp_path / "net-symbol.json")).tojson() == net.tojson()


def test_names_in_any_script_stay(tmp_path: Path) -> None:
    net = sym.relu(sym.var("Größe"), name='"名\\')
    path = str(tmp_path / "net.json")
    net.save(path)
    assert load(path).list_arguments() == ["Größe"]
    assert load(path).name == '"名\\'


def test_a_graph_of_version_0_8_is_upgraded_as_mxnet_does() -> None:
    net = load(str(DATA / "legacy_0_8.json"))
    upgraded = (DATA / "legacy_0_8_upgraded.json").read_text()
    # MXNet marks auxiliary states with 1 where it composes a graph, not where it upgrades one.
    assert net.tojson().replace(", 1]", ", 0]") == upgraded
    assert net.list_auxiliary_states() == ["batchnorm0_moving_mean", "batchnorm0_moving_var"]
    # "weight_lr_mult" of the layer becomes "lr_mult" of its weight.
    assert net.attr_dict()["fc1_weight"]["lr_mult"] == "1.2"
    assert "weight_lr_mult" not in net.attr_dict()["fc1"]


def document(nodes: list[dict[str, Any]], *, version: int | None = None) -> str:
    head = [[len(nodes) - 1, 0]]
    arg_nodes = [i for i, node in enumerate(nodes) if node["op"] == "null"]
    found: dict[str, Any] = {"nodes": nodes, "arg_nodes": arg_nodes, "heads": head}
    if version is not None:
        found["attrs"] = {"mxnet_version": ["int", version]}
    return json.dumps(found)


def variable(name: str, **more: Any) -> dict[str, Any]:
    return {"op": "null", "name": name, "inputs": [], **more}


def test_attributes_are_read_under_all_their_names() -> None:
    node = {"op": "clip", "name": "c", "inputs": [[0, 0]]}
    text = document([variable("x"), {**node, "param": {"a_min": "7"}, "attrs": {"a_max": "9"}}])
    assert load_json(text).list_attr() == {"a_min": "7", "a_max": "9"}
    text = document([variable("x"), {**node, "attr": {"a_min": "7", "a_max": "9"}}])
    assert load_json(text).list_attr() == {"a_min": "7", "a_max": "9"}


def test_attributes_that_are_hidden_now_were_plain() -> None:
    text = document([variable("x", attr={"lr_mult": "3", "mood": "calm"})])
    assert load_json(text).list_attr() == {"__lr_mult__": "3", "lr_mult": "3", "mood": "calm"}


def test_auxiliary_states_that_were_not_listed_are_added() -> None:
    nodes = [variable("x"), variable("g"), variable("b")]
    nodes.append(
        {
            "op": "BatchNorm",
            "name": "bn",
            "attr": {"eps": "0.1"},
            "inputs": [[0, 0], [1, 0], [2, 0]],
        }
    )
    net = load_json(document(nodes))
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.attr_dict()["bn_moving_var"] == {"__init__": '["one", {}]', "eps": "0.1"}


def test_all_missing_inputs_were_made_before_0_9() -> None:
    nodes = [
        variable("x"),
        {"op": "FullyConnected", "name": "fc", "attr": {"num_hidden": "1"}, "inputs": [[0, 0]]},
    ]
    assert load_json(document(nodes)).list_arguments() == ["x", "fc_weight", "fc_bias"]
    with pytest.raises(GraphFormatError, match="must be a list for data, weight, bias"):
        load_json(document(nodes, version=10901))


@pytest.mark.parametrize(("version", "axis"), [(None, None), (904, None), (905, "-1")])
def test_argmax_without_an_axis_was_written_as_minus_one(
    version: int | None, axis: str | None
) -> None:
    node = {"op": "argmax", "name": "m", "attr": {"axis": "-1"}, "inputs": [[0, 0]]}
    assert load_json(document([variable("x"), node], version=version)).attr("axis") == axis


def test_nodes_that_nothing_needs_are_left_out() -> None:
    nodes = [variable("x"), variable("unused"), {"op": "relu", "name": "r", "inputs": [[0, 0]]}]
    assert load_json(document(nodes)).list_arguments() == ["x"]


def test_casts_of_mixed_precision_are_left_out_of_files() -> None:
    x = sym.var("x")
    net = sym.relu(sym.amp_cast(x, dtype="float16"), name="r")
    assert "amp_cast" not in net.tojson()
    assert load_json(net.tojson()).list_arguments() == ["x"]
    assert "amp_cast" in net.tojson(remove_amp_cast=False)
    assert "amp_cast" in load_json(net.tojson(remove_amp_cast=False)).tojson(remove_amp_cast=False)


def test_long_lists_are_broken_over_lines_as_mxnet_does() -> None:
    short = sym.Group([sym.var(str(i)) for i in range(10)]).tojson()
    long = sym.Group([sym.var(str(i)) for i in range(11)]).tojson()
    assert '"arg_nodes": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]' in short
    assert '"arg_nodes": [\n    0, \n    1, ' in long


@pytest.mark.parametrize(
    ("made", "counts"),
    [
        (lambda x: sym.LRN(x, nsize=3), [0, 1, 3]),
        (sym.L2Normalization, [0, 1, 3]),
        (lambda x: sym.CTCLoss(x, sym.var("l")), [0, 1, 2, 4]),
        (lambda x: sym.Correlation(x, sym.var("y")), [0, 1, 2, 5]),
        (sym.IdentityAttachKLSparseReg, [0, 1, 2, 3]),
        (lambda x: sym.Pooling(x, kernel=(2, 2)), [0, 1, 3]),
        (lambda x: sym.Pooling(x, kernel=(2, 2), pool_type="avg"), [0, 1, 2]),
    ],
)
def test_files_count_the_scratch_outputs_that_mxnet_counts(made: Any, counts: list[int]) -> None:
    assert json.loads(made(sym.var("x")).tojson())["node_row_ptr"] == counts


def test_a_shape_that_was_an_array_of_numpy_is_written_as_a_tuple() -> None:
    shape: Any = np.array([2, 3])
    net = sym.zeros(shape=shape)
    assert net.attr("shape") == "(2, 3)"
    assert sym.load_json(net.tojson()).infer_shape()[1] == [(2, 3)]
