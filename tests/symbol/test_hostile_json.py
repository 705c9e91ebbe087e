"""JSON that is no graph: every defect is named, nothing else is raised, no time is lost."""

import json
import random
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hy_ndarray import ArgumentError, HyError, nd
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_symbol import GraphError, GraphFormatError, Symbol, load, load_json

DATA = Path(__file__).parent / "data"

X = {"op": "null", "name": "x", "inputs": []}
RELU = {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}


def document(*nodes: Any, heads: Any = ((1, 0, 0),), **more: Any) -> str:
    return json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": heads, **more})


DEFECTS: dict[str, tuple[str, str]] = {
    "no JSON": ("{", "not JSON"),
    "empty": ("", "not JSON"),
    "not an object": ("[]", "the document must be an object"),
    "nothing in it": ("{}", "'nodes' must be a list, found None"),
    "nodes are no list": ('{"nodes": 3}', "'nodes' must be a list, found 3"),
    "a node is no object": (document(3), "node 0 must be an object"),
    "a node without a name": (document({"op": "null", "inputs": []}), "'name' must be a string"),
    "a name is a number": (document({**X, "name": 3}), "'name' must be a string, found 3"),
    "no kind": (document({"name": "x", "inputs": []}), "node 0 'x': 'op' must be a string"),
    "no inputs": (document({"op": "null", "name": "x"}), "node 0: 'inputs' must be a list"),
    "a variable with inputs": (document(X, {**X, "inputs": [[0, 0]]}), "must be without inputs"),
    "no heads": (json.dumps({"nodes": [X]}), "'heads' must be a list"),
    "empty heads": (document(X, heads=[]), "'heads' must be a list with at least one entry"),
    "a head is a number": (document(X, heads=[0]), r"head 0 must be \[node, output\]"),
    "a head of nothing": (document(X, heads=[[7, 0, 0]]), "head 0 must be a node listed before it"),
    "an unknown operator": (
        document(X, {**RELU, "op": "Convolutin"}),
        "node 1 'r': unknown operator 'Convolutin'; did you mean 'Convolution'",
    ),
    "a parameter of a wrong kind": (
        document(X, {"op": "clip", "name": "c", "attrs": {"a_min": "?"}, "inputs": [[0, 0]]}),
        "node 1 'c': clip: parameter a_min='\\?' must be a number",
    ),
    "a required parameter is missing": (
        document(X, {**RELU, "op": "FullyConnected"}),
        "node 1 'r': FullyConnected: required parameter num_hidden is missing",
    ),
    "an unknown parameter": (
        document(X, {"op": "softmax", "name": "s", "attrs": {"axes": "1"}, "inputs": [[0, 0]]}),
        r"node 1 's': attribute must be a parameter of softmax \(axis, .*found 'axes'",
    ),
    "an attribute is a number": (
        document({**X, "attrs": {"a": 1}}),
        "node 0 'x': attribute 'a' must be a string, found 1",
    ),
    "attributes are a list": (document({**X, "attrs": [1]}), "'attrs' must be an object"),
    "a cycle": (
        document(X, {**RELU, "inputs": [[2, 0]]}, {**RELU, "inputs": [[1, 0]]}),
        "node 1 'r': input 0 must be a node listed before it",
    ),
    "a node that uses itself": (
        document(X, {**RELU, "inputs": [[1, 0]]}),
        "node 1 'r': input 0 must be a node listed before it",
    ),
    "an index below 0": (document(X, {**RELU, "inputs": [[-1, 0]]}), "a node listed before it"),
    "an output it has not": (
        document(X, {**RELU, "inputs": [[0, 1]]}),
        "input 0 must be one of the 1 outputs of node 0, found 1",
    ),
    "an index that is a fraction": (document(X, {**RELU, "inputs": [[0.0, 0]]}), "be integers"),
    "an index that is true": (document(X, {**RELU, "inputs": [[True, 0]]}), "be integers"),
    "an input of one number": (document(X, {**RELU, "inputs": [[0]]}), r"\[node, output\]"),
    "too many inputs": (
        document(X, {**RELU, "inputs": [[0, 0], [0, 0]]}),
        "'inputs' must be a list for data, found '2 inputs'",
    ),
    "no input where there must be some": (
        document(X, {"op": "add_n", "name": "s", "attrs": {"num_args": "0"}, "inputs": []}),
        "node 1 's': 'inputs' must be a list with at least one entry",
    ),
    "a version that is no number": (
        document(X, attrs={"mxnet_version": ["int", "new"]}),
        "'mxnet_version' must be",
    ),
    "document attributes are a list": (document(X, attrs=[]), "'attrs' must be an object"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_named(defect: str) -> None:
    text, message = DEFECTS[defect]
    with pytest.raises(GraphFormatError, match=message):
        load_json(text)


def test_the_message_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "net-symbol.json"
    path.write_text(document(3))
    with pytest.raises(GraphFormatError, match=r"net-symbol.json: node 0 must be an object"):
        load(str(path))


def test_text_that_is_no_utf8_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "net-symbol.json"
    path.write_bytes(b'{"nodes": "\xff\xfe"}')
    with pytest.raises(GraphFormatError, match="not JSON"):
        load(str(path))


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(GraphFormatError):
        load_json("[" * 100_000 + "]" * 100_000)
    with pytest.raises(GraphFormatError):
        load_json('{"nodes": ' + "[" * 100_000 + "]" * 100_000 + "}")


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(GraphFormatError) as caught:
        load_json(document({**X, "name": ["y" * 10_000]}))
    assert len(str(caught.value)) < 300


def test_a_number_of_outputs_beyond_reason_is_refused() -> None:
    attrs = {"num_outputs": "1000000"}
    node = {"op": "SliceChannel", "name": "s", "attrs": attrs, "inputs": [[0, 0]]}
    with pytest.raises(HyError):
        load_json(document(X, node))


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"__shape__": "(2, x)"}, r"variable 'x': attribute __shape__='\(2, x\)' is not a shape"),
        ({"__shape__": "9" * 400}, "is not a shape"),
        ({"__dtype__": "float17"}, "variable 'x': attribute __dtype__='float17' is not a dtype"),
        ({"__dtype__": "99"}, "is not a dtype"),
    ],
)
def test_wrong_declarations_are_named_when_they_are_used(
    attrs: dict[str, str], message: str
) -> None:
    net = load_json(document({**X, "attrs": attrs}, RELU))
    with pytest.raises(GraphError, match=message):
        net.infer_shape() if "__shape__" in attrs else net.infer_type()


class Twice(CustomOp):
    """Doubles."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:  # noqa: ARG002  # the base class's
        self.assign(out_data[0], req[0], in_data[0] * 2)


class AnyProp(CustomOpProp):
    """Takes whatever parameters there are."""

    seen: ClassVar[dict[str, str]] = {}

    def __init__(self, **given: str) -> None:
        super().__init__()
        AnyProp.seen = given

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:  # noqa: ARG002
        return Twice()


def custom(monkeypatch: pytest.MonkeyPatch, **attrs: str) -> Symbol:
    monkeypatch.setattr("hy_ndarray.custom._REGISTRY", {})
    register("any")(AnyProp)
    node = {"op": "Custom", "name": "c", "attrs": {"op_type": "any", **attrs}, "inputs": [[0, 0]]}
    return load_json(document(X, node))


@pytest.mark.parametrize(
    "key",
    [
        "no identifier",
        "a b=1",
        "lambda",
        "",
        "x\ny",
        "buffers",
        "inputs",
        "given",
        "rng",
        "k0",
    ],
)
def test_a_parameter_of_the_users_operator_has_any_name(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = custom(monkeypatch, **{key: "1"})
    assert AnyProp.seen == {key: "1"}
    assert net.eval(x=nd.array([1, 2]))[0].asnumpy().tolist() == [2, 4]
    executor = net.simple_bind(None, x=(2,))
    assert executor.forward()[0].shape == (2,)


def test_no_name_in_a_file_is_executed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = tmp_path / "made"
    net = custom(monkeypatch, **{f"a=__import__('os').mkdir({str(made)!r}) or 1, b": "1"})
    assert net.eval(x=nd.array([1, 2]))[0].asnumpy().tolist() == [2, 4]
    assert not made.exists()


def test_parameters_that_the_users_operator_refuses_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(
        GraphFormatError,
        match=r"Custom 'any': the property's constructor failed for arguments {'self': '1'}",
    ):
        custom(monkeypatch, self="1")


def test_json_is_text() -> None:
    with pytest.raises(ArgumentError, match="takes a text, not int"):
        load_json(3)  # type: ignore[arg-type]


def mutated(value: Any, chance: random.Random) -> Any:
    """``value`` with one part replaced by something of another kind, or taken out."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        if chance.random() < 0.2:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: mutated(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        i = chance.randrange(len(value))
        if chance.random() < 0.2:
            return value[:i] + value[i + 1 :]
        return [*value[:i], mutated(value[i], chance), *value[i + 1 :]]
    strange: list[Any] = [None, True, -1, 10**9, 1.5, "", "null", "relu", "-1", [], {}, [[0, 0]]]
    return chance.choice(strange)


@pytest.mark.parametrize("seed", range(300))
def test_a_mutated_graph_is_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # no secret
    file = chance.choice(["exported_resnet_small", "exported_lenet", "legacy_0_8", "attributes"])
    found = json.loads((DATA / f"{file}.json").read_text())
    for _ in range(chance.randrange(1, 4)):
        found = mutated(found, chance)
    try:
        net = load_json(json.dumps(found))
    except GraphFormatError:
        return
    load_json(net.tojson())


@pytest.mark.parametrize("part", range(1, 40))
def test_a_graph_that_ends_early_is_refused(part: int) -> None:
    text = (DATA / "exported_mlp.json").read_text()
    with pytest.raises(GraphFormatError):
        load_json(text[: len(text) * part // 40])


def test_a_long_name_is_not_copied_for_each_input() -> None:
    count = 50_000
    long = {"op": "add_n", "name": "a" * 1_000_000, "inputs": [[0, 0, 0]] * count}
    with pytest.raises(GraphFormatError, match=f"input {count - 1} must be one of") as caught:
        load_json(document(X, {**long, "inputs": [*long["inputs"][1:], [0, 1, 0]]}))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["%s", '{"nodes": [], "attrs": %s}', '{"nodes": [%s]}'])
def test_lists_as_deep_as_json_is_read_are_refused(text: str) -> None:
    for depth in range(850, 1010):
        with pytest.raises(GraphFormatError):
            load_json(text % ("[" * depth + "]" * depth))
