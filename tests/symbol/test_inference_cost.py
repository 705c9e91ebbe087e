"""Inference comes to an end on every graph, at a cost that is linear in its size."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from hy_symbol import Graph, Node, Symbol, infer_types, sym
from hy_symbol.infer import engine, mxnet_rules
from hy_symbol.regions import region

MOST = 5
"""Visits of one node."""


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each node was visited, by name."""
    counts: Counter[str] = Counter()
    forward, visit, visit_bodies = engine.Types.forward, engine._visit, engine._visit_bodies

    def counted_forward(types: engine.Types, node: Node) -> Any:
        found = forward(types, node)
        counts[node.name] += found is not None
        return found

    def counted(node: Node, types: engine.Types) -> Any:
        counts[node.name] += 1
        return (visit_bodies if node.bodies else visit)(node, types)

    monkeypatch.setattr(engine.Types, "forward", counted_forward)
    monkeypatch.setattr(engine, "_visit", counted)
    monkeypatch.setattr(engine, "_visit_bodies", counted)
    yield counts
    assert max(counts.values()) <= MOST


def known(net: Symbol, **shapes: tuple[int | None, ...]) -> engine.Types:
    """What follows from shapes by name, all in float32."""
    variables = net.graph.variables
    given = {v: shapes.get(v.name) for v in variables}
    return infer_types(net.graph, given, {v: "float32" for v in variables if v.name in shapes})


# --- it ends --------------------------------------------------------------------------------------


def test_a_dtype_flows_to_an_operand_that_is_given_twice(visits: Counter[str]) -> None:
    x = sym.var("x")
    answer = (x + x + sym.var("w", dtype="float32")).infer_type()
    assert answer == ([np.float32, np.float32], [np.float32], [])


def test_a_shape_flows_to_an_operand_that_is_given_twice(visits: Counter[str]) -> None:
    x = sym.var("x")
    answer = (x * x + sym.var("w", shape=(2, 3))).infer_shape()
    assert answer == ([(2, 3), (2, 3)], [(2, 3)], [])


@pytest.mark.parametrize("of", ["Concat", "stack", "dot", "broadcast_add", "add_n", "where"])
def test_rules_take_one_entry_as_several_operands(of: str, visits: Counter[str]) -> None:
    x = sym.var("x")
    net = getattr(sym, of)(*(x,) * (3 if of == "where" else 2))
    types = known(net + sym.var("w"), w=(4, 4) if of != "stack" else (2, 4, 4))
    assert types.dtype(net.graph.outputs[0]) == "float32"
    assert types.get(net.graph.outputs[0])[0] is not None


def test_what_is_known_stays_known() -> None:
    x = sym.var("x").graph.outputs[0]
    types = engine.Types(Graph((x,)))
    assert types.set(x, (None, 3), "float32")
    assert not types.set(x, None, None)
    assert types.set(x, (2, None), None)
    assert types.get(x) == ((2, 3), "float32")


def test_a_growing_graph_asks_each_rule_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Keras's: the shape is looked at after each layer."""
    asked: Counter[str] = Counter()
    rule = mxnet_rules.infer_as_mxnet

    def counted(node: Node, *args: Any, **kwargs: Any) -> Any:
        asked[node.name] += 1
        return rule(node, *args, **kwargs)

    monkeypatch.setattr(mxnet_rules, "infer_as_mxnet", counted)
    net = sym.var("x", shape=(0, 3, 8, 8))
    for i in range(20):
        weight = sym.var(f"w{i}", shape=(3, 3, 3, 3))
        net = sym.Convolution(
            net, weight, kernel=(3, 3), pad=(1, 1), num_filter=3, no_bias=True, name=f"c{i}"
        )
        assert net.infer_shape_partial()[1] == [(0, 3, 8, 8)]
    assert net.infer_shape(x=(2, 3, 8, 8))[1] == [(2, 3, 8, 8)]
    assert set(asked.values()) == {2}  # an open size of the batch, and 2


def test_rules_of_mxnet_that_overwrite_each_other_come_to_an_end(visits: Counter[str]) -> None:
    scale = sym.var("scale")
    first = sym.BatchNorm(sym.var("a"), gamma=scale, fix_gamma=False, name="first")
    second = sym.BatchNorm(sym.var("b"), gamma=scale, fix_gamma=False, name="second")
    net = sym.Group([first, second])
    arguments, _, _ = net.infer_shape_partial(a=(1, 3, 2), b=(1, 4, 2))
    assert dict(zip(net.list_arguments(), arguments, strict=True))["scale"] in ((3,), (4,))


# --- it is linear, whichever way knowledge flows --------------------------------------------------


def chain(length: int) -> Symbol:
    x = sym.var("x")
    for _ in range(length):
        x = sym.relu(x)
    return x


def test_knowledge_goes_forward_in_one_visit_a_node(visits: Counter[str]) -> None:
    known(chain(1000), x=(2, 3))
    assert set(visits.values()) == {1}


def test_knowledge_from_the_end_goes_back_through_a_long_chain(visits: Counter[str]) -> None:
    net = chain(5000)
    types = infer_types(net.graph, {}, {}, [((2, 3), "float32")])
    assert types.get((net.graph.variables[0], 0)) == ((2, 3), "float32")


def test_knowledge_goes_back_and_forth_between_chains(visits: Counter[str]) -> None:
    """Each chain learns from the end of the one before, and tells the next at its beginning."""
    parts, last = [], sym.var("w")
    for _ in range(100):
        first = sym.relu(last)
        x = sym.var("x")
        ends = x
        for _ in range(20):
            ends = sym.relu(ends)
        parts.append(first + ends)
        last = x
    net = sym.Group(parts[::-1])
    types = known(net, w=(2, 3))
    assert all(types.get(entry) == ((2, 3), "float32") for entry in net.graph.outputs)
    assert visits.total() <= MOST * len(net.graph.nodes)


def lstm(steps: int, cells: int = 2) -> Symbol:
    """Cells unrolled from states of zeros whose batch size is left to inference."""
    rows = list(sym.SliceChannel(sym.var("data"), num_outputs=steps, axis=0, squeeze_axis=True))
    for c in range(cells):
        weights = [sym.var(f"{part}_weight{c}") for part in ("i2h", "h2h")]
        h, memory = sym.zeros((0, 8)), sym.zeros((0, 8))
        for t, x in enumerate(rows):
            gates = [
                sym.FullyConnected(part, weight=weight, num_hidden=32, no_bias=True)
                for part, weight in zip((x, h), weights, strict=True)
            ]
            i, f, g, o = sym.SliceChannel(gates[0] + gates[1], num_outputs=4, axis=1)
            memory = sym.sigmoid(f) * memory + sym.sigmoid(i) * sym.tanh(g)
            h = rows[t] = sym.sigmoid(o) * sym.tanh(memory)
    return sym.stack(*rows, axis=0)


@pytest.mark.parametrize("steps", [36, pytest.param(360, marks=pytest.mark.slow)])
def test_an_unrolled_rnn_takes_as_many_visits_a_step_however_long(
    steps: int, visits: Counter[str]
) -> None:
    net = lstm(steps)
    types = known(net, data=(steps, 5, 7))
    assert types.get(net.graph.outputs[0]) == ((steps, 5, 8), "float32")
    assert visits.total() <= 1.1 * len(net.graph.nodes)


def test_an_unrolled_rnn_learns_its_batch_from_the_end(visits: Counter[str]) -> None:
    weights = [sym.var("i2h"), sym.var("h2h")]
    h, steps = sym.zeros((0, 8)), 360
    for t in range(steps):
        parts = [
            sym.FullyConnected(part, weight=weight, num_hidden=8, no_bias=True)
            for part, weight in zip((sym.var(f"x{t}", shape=(0, 7)), h), weights, strict=True)
        ]
        h = sym.tanh(parts[0] + parts[1])
    net = h + sym.var("y")
    names = [f"x{t}" for t in range(steps)]
    types = known(net, y=(5, 8), **dict.fromkeys(names, (None, 7)))
    assert {types.shape((node, 0)) for node in net.graph.variables} == {
        (5, 8),
        (5, 7),
        (8, 7),
        (8, 8),
    }
    state = next(node for node in net.graph.nodes if node.op is not None and not node.inputs)
    assert types.get((state, 0)) == ((5, 8), "float32")


# --- bodies are inferred once ---------------------------------------------------------------------


def loops(depth: int) -> Symbol:
    """Loops inside each other, over as many axes."""

    def body(inner: int) -> Callable[[Any, Any], Any]:
        def step(row: Any, states: Any) -> Any:
            if inner == 0:
                return row + states[0], [states[0]]
            return sym.contrib.foreach(body(inner - 1), row, states)

        return step

    out, _ = sym.contrib.foreach(body(depth - 1), sym.var("x"), [sym.var("state")])
    made: Symbol = out
    return made


def regions(depth: int) -> Symbol:
    """Regions inside each other."""
    net = sym.relu(sym.var("x"), name="inner")
    for level in range(depth):
        node = region.region_node(
            net.graph, sym.var("x").graph.outputs, f"level{level}", "none", {}
        )
        net = Symbol.of((node, 0))
    return net


def test_nested_loops_are_visited_as_often_as_others(visits: Counter[str]) -> None:
    net = loops(8)
    shape = tuple(range(1, 10))
    types = infer_types(net.graph, {v: {"x": shape}.get(v.name) for v in net.graph.variables}, None)
    assert types.shape(net.graph.outputs[0]) == shape
    assert types.shape((net.graph.arguments[1], 0)) == shape[8:]


@pytest.mark.parametrize("from_the_end", [False, True])
def test_nested_regions_are_visited_as_often_as_others(
    from_the_end: bool, visits: Counter[str]
) -> None:
    net = regions(15)
    x = net.graph.variables[0]
    if from_the_end:
        types = infer_types(net.graph, {}, {}, [((2, 3), "float32")])
    else:
        types = infer_types(net.graph, {x: (2, 3)}, {x: "float32"})
    assert types.get((x, 0)) == types.get(net.graph.outputs[0]) == ((2, 3), "float32")
    assert net.infer_shape(x=(2, 3)) == ([(2, 3)], [(2, 3)], [])
