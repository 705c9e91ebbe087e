"""What a number in a symbol file may ask for is bounded before anything is made for it."""

import json
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from hy_ndarray import ArgumentError, HyError, limits, nd, ops
from hy_symbol import GraphError, GraphFormatError, Symbol, load_json, sym
from hy_symbol.graph.control import CONTROL
from hy_symbol.regions import region

COUNTS = {
    (op.name, name): op
    for op in (*ops.operators(), *CONTROL.values())
    for name, param in op.params.items()
    if param.annotation is ops.Count
}


def document(op: str, attrs: dict[str, str]) -> str:
    x = {"op": "null", "name": "x", "inputs": []}
    node = {"op": op, "name": "n", "attrs": attrs, "inputs": [[0, 0]], "subgraphs": []}
    return json.dumps({"nodes": [x, node], "arg_nodes": [0], "heads": [[1, 0, 0]]})


def required(op: ops.Operator) -> dict[str, str]:
    """A text for each required parameter."""
    texts = {"num_out_data": "1", "dim": "0", "sample_type": "nearest", "lrs": "1", "wds": "1"}
    return {name: texts.get(name, "1") for name in op.params if name not in op.defaults}


@pytest.mark.parametrize(("name", "param"), sorted(COUNTS))
def test_a_count_is_bounded_before_names_are_listed(name: str, param: str) -> None:
    op = COUNTS[name, param]
    with pytest.raises(GraphFormatError, match=rf"{param}='1099511627776' must be .*limits\.most"):
        load_json(document(op.name, {**required(op), param: "1099511627776"}))


def test_no_other_parameter_says_how_many_outputs_there_are() -> None:
    """Whatever numbers an operator is given, its outputs and inputs are soon listed."""
    for op in (*ops.operators(), *CONTROL.values()):
        for name, param in op.params.items():
            try:
                value = param.parse(op.name, "99999")
            except ArgumentError:
                continue
            params = {n: p.default for n, p in op.params.items()} | {name: value}
            if param.annotation is not ops.Count and callable(op.outputs) and not op.active:
                try:
                    count = len(op.output_names(params))
                except TypeError:  # another parameter is missing
                    continue
                assert count < 10, op.name


def test_arrays_are_not_divided_into_parts_without_bound() -> None:
    with pytest.raises(ArgumentError, match=r"SliceChannel: parameter num_outputs=1000000000000"):
        nd.split(nd.ones((1, 1)), num_outputs=10**12)


def test_the_bound_can_be_set_higher(monkeypatch: pytest.MonkeyPatch) -> None:
    attrs = {"num_outputs": "200000"}
    with pytest.raises(GraphFormatError, match="which can be set higher"):
        load_json(document("SliceChannel", attrs))
    monkeypatch.setattr(limits, "most", 200_000)
    assert load_json(document("SliceChannel", attrs)).name == "n"


# --- loops ----------------------------------------------------------------------------------------


def test_a_loop_is_not_unrolled_without_bound() -> None:
    out, _ = sym.contrib.while_loop(
        lambda i: i < 3, lambda i: (i, [i + 1]), [sym.var("i")], max_iterations=10**9
    )
    assert out.infer_shape(i=(1,))[1] == [(10**9, 1)]
    tracemalloc.start()
    with pytest.raises(GraphError, match=r"_while_loop '.*': unrolled, .* 6000000000 nodes"):
        out.eval(i=nd.ones(1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


def test_a_loop_over_a_long_axis_is_not_unrolled_without_bound() -> None:
    out, _ = sym.contrib.foreach(
        lambda row, states: (row + states[0], states), sym.var("x"), [sym.var("s")]
    )
    given = {"x": nd.zeros((limits.most, 1)), "s": nd.zeros(1)}
    with pytest.raises(GraphError, match="unrolled, the loops of the graph have 500000 nodes"):
        out.eval(**given)


def test_the_number_of_unrolled_nodes_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = sym.contrib.foreach(
        lambda row, states: (row + states[0], states), sym.var("x"), [sym.var("s")]
    )
    given = {"x": nd.ones((20, 1)), "s": nd.ones(1)}
    monkeypatch.setattr(limits, "most", 50)
    with pytest.raises(GraphError, match=r"limits\.most=50; set that higher"):
        out.eval(**given)
    monkeypatch.setattr(limits, "most", 100)
    assert out.eval(**given)[0].shape == (20, 1)


# --- bodies inside each other ---------------------------------------------------------------------


def regions(depth: int) -> Symbol:
    net = sym.relu(sym.var("x"), name="inner")
    for level in range(depth):
        x = sym.var("x").graph.outputs
        node = region.region_node(net.graph, x, f"level{level}", "none", {})
        net = Symbol.of((node, 0))
    return net


def loops(depth: int) -> Symbol:
    def step(row: Any, states: Any, inner: int) -> Any:
        if inner == 0:
            return row + states[0], states
        return sym.contrib.foreach(lambda r, s: step(r, s, inner - 1), row, states)

    made: Symbol = step(sym.var("x"), [sym.var("s")], depth)[0]
    return made


def from_deep_within(call: Callable[[], Any], frames: int) -> Any:
    return call() if frames == 0 else from_deep_within(call, frames - 1)


@pytest.mark.slow
@pytest.mark.parametrize("make", [regions, loops])
def test_the_deepest_bodies_need_half_of_the_stack(make: Callable[[int], Symbol]) -> None:
    def used() -> None:
        net = make(limits.deepest)
        assert load_json(net.tojson()).tojson() == net.tojson()
        shape = (1,) * (limits.deepest + 1)
        assert net.infer_shape_partial(x=shape)[1] == [shape]
        net.simple_bind(None, x=shape, s=(1,)) if make is loops else region.inlined(net.graph)

    from_deep_within(used, sys.getrecursionlimit() // 2 - 150)


@pytest.mark.parametrize("make", [regions, loops])
def test_deeper_bodies_are_refused(make: Callable[[int], Symbol]) -> None:
    with pytest.raises(ArgumentError, match=r"51 loops, .*limits\.deepest=50; set that and"):
        make(limits.deepest + 1)


def test_a_file_with_deeper_bodies_is_refused() -> None:
    text: dict[str, Any] = json.loads(sym.relu(sym.var("x")).tojson())
    for _ in range(200):
        node = {
            "op": "_subgraph",
            "name": "r",
            "attrs": {"backend": "none"},
            "inputs": [[0, 0, 0]],
            "subgraphs": [text],
        }
        x = {"op": "null", "name": "x", "inputs": []}
        text = {"nodes": [x, node], "arg_nodes": [0], "heads": [[1, 0, 0]]}
    with pytest.raises(HyError, match=r"at most hy_ndarray\.limits\.deepest=50 others|not JSON"):
        load_json(json.dumps(text))


# --- the rest -------------------------------------------------------------------------------------


def test_names_of_many_outputs_are_listed_once() -> None:
    net = load_json(document("SliceChannel", {"num_outputs": "100000"}))
    node = net.graph.outputs[0][0]
    assert node.op is not None
    assert node.op.output_names(node.params) is node.op.output_names(node.params)


@pytest.mark.parametrize(
    "text",
    ['{"nodes": NaN}', '{"nodes": [], "heads": [[NaN, 0]]}', '{"nodes": [' + "9" * 5000 + "]}"],
)
def test_strange_numbers_are_refused(text: str) -> None:
    with pytest.raises(GraphFormatError):
        load_json(text)
