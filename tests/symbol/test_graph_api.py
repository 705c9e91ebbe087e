"""The API for tools: walking, rewriting and checking graphs, its page, examples, simple passes."""

import doctest
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from examples import flops, rewrite as rewriting
from hy_ndarray import ArgumentError, NDArray, nd
from hy_symbol import (
    Entry,
    Graph,
    GraphError,
    Node,
    Symbol,
    check_graph,
    inlined,
    is_op,
    load,
    new_node,
    rewrite,
    sym,
    with_common_subexpressions,
    with_constants,
)
from hy_symbol.graph.interpreter import interpret
from hy_symbol.passes import evaluate, grouped, is_pure, split_constants
from hy_symbol.regions.region import region_node
from tests.symbol.graph_runs import kinds, run, values
from tests.symbol.nets import inception_block, resnet18

# --- the examples ----------------------------------------------------------------


@pytest.mark.parametrize("module", [flops, rewriting], ids=lambda module: str(module.__name__))
def test_docstring_examples_run(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_costs_of_a_saved_net(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net-symbol.json"
    resnet18(sym).save(str(file))
    flops.main([str(file), "data=1,3,224,224", "softmax_label=1"])
    lines = capsys.readouterr().out.splitlines()
    (first,) = [line for line in lines if line.startswith("conv0 ")]
    assert first.split() == ["conv0", "Convolution", "236,027,904", "3,211,264"]
    total = int(lines[-1].split()[1].replace(",", ""))
    assert 3.5e9 < total < 3.8e9  # 1.8 billion multiplications and additions


def test_costs_count_the_steps_of_a_loop() -> None:
    def step(x: Any, states: Any) -> Any:
        y = sym.FullyConnected(x, sym.var("w"), num_hidden=4, no_bias=True, name="fc")
        return y, [states[0] + y]

    outs, states = sym.contrib.foreach(step, sym.var("data"), [sym.var("state")])
    net = sym.Group([outs, states[0]])
    found = flops.costs(net, data=(3, 2, 5), state=(2, 4))
    dense = [cost.flops for cost in found if is_op(cost.node, "FullyConnected")]
    assert dense == [80, 80, 80]


def test_costs_need_shapes() -> None:
    with pytest.raises(ValueError, match=r"x: the shape .* does not follow"):
        flops.costs(sym.exp(sym.var("x"), name="y"))


def test_relus_of_a_saved_net_become_leaky(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rng: np.random.Generator
) -> None:
    before = inception_block(sym)
    source, target = tmp_path / "net-symbol.json", tmp_path / "leaky-symbol.json"
    before.save(str(source))
    rewriting.main([str(source), str(target), "--slope", "0"])
    assert "7 leaky ReLUs" in capsys.readouterr().out
    after = load(str(target))
    assert after.list_inputs() == before.list_inputs()
    assert after.list_outputs() == before.list_outputs()
    args, aux = values(before, rng, "float32", **{"Previous Output": (1, 4, 6, 6)})
    np.testing.assert_allclose(run(after, args, aux)[0], run(before, args, aux)[0], atol=1e-6)


# --- rewriting --------------------------------------------------------------------------------


def test_a_rule_that_changes_nothing_shares_every_node() -> None:
    graph = inception_block(sym).graph
    assert rewrite(graph, lambda node, inputs: None).nodes == graph.nodes


def test_variables_can_be_replaced() -> None:
    net = sym.var("a") + sym.var("b")
    fresh = Node(None, "c")
    graph = rewrite(net.graph, lambda node, _: [(fresh, 0)] if node.name == "a" else None)
    assert Symbol(graph).list_arguments() == ["c", "b"]


def test_outputs_must_be_replaced_by_as_many() -> None:
    net = sym.SliceChannel(sym.var("x"), num_outputs=2, name="parts")
    with pytest.raises(GraphError, match=r"1 entries for <Node parts .* which has 2 outputs"):
        rewrite(net.graph, lambda node, inputs: inputs if is_op(node, "SliceChannel") else None)


def test_bodies_of_loops_are_rewritten(rng: np.random.Generator) -> None:
    def step(x: Any, states: Any) -> Any:
        y = sym.broadcast_add(sym.exp(x), sym.var("bias"))
        return y, [states[0] + y]

    outs, states = sym.contrib.foreach(step, sym.var("data"), [sym.var("state")])
    net = sym.Group([outs, states[0]])

    def tanh(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if not is_op(node, "exp"):
            return None
        return [(new_node("tanh", inputs, name=node.name, like=node), 0)]

    made = Symbol(rewrite(net.graph, tanh))
    check_graph(made.graph, net.graph)
    assert made.list_inputs() == net.list_inputs()
    args = {"data": nd.array(rng.standard_normal((3, 2))), "state": nd.zeros(2), "bias": nd.ones(2)}
    found = run(made, args)
    want = np.tanh(args["data"].asnumpy()) + 1
    np.testing.assert_allclose(found[0], want, rtol=1e-5)
    np.testing.assert_allclose(found[1], want.sum(0), rtol=1e-5)
    assert any(is_op(n, "exp") for node in net.graph.nodes for b in node.bodies for n in b.nodes)


def test_new_nodes_take_over_line_and_attributes() -> None:
    old = sym.exp(sym.var("x"), name="y", attr={"__group__": "1"}).graph.outputs[0][0]
    made = new_node("add_n", [old.inputs[0]] * 2, name="z", like=old)
    assert made.where == old.where
    assert made.attrs == {"num_args": "2", "__group__": "1"}
    with pytest.raises(ArgumentError, match="unknown argument 'scale'"):
        new_node("exp", old.inputs, name="z", scale=2)


# --- checking ---------------------------------------------------------------------------------


def _broken() -> dict[str, tuple[Graph, str]]:
    x = sym.var("x").single_entry()
    exp, dense = sym.exp(sym.var("x")), sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")
    node = dense.graph.outputs[0][0]
    fewer = node.copy(inputs=node.inputs[:2])
    beyond = exp.graph.outputs[0][0].copy(inputs=[(x[0], 1)])
    lonely = Node(None, "v", [x])
    return {
        "too few inputs": (Graph(((fewer, 0),)), "'fc' has 2 inputs; it takes data, weight, bias"),
        "no such output of an input": (Graph(((beyond, 0),)), "is output 1 of <Node x"),
        "no such output": (Graph(((x[0], 2),)), "an output of the graph is output 2"),
        "a variable with inputs": (Graph(((lonely, 0),)), "variable 'v' has 1 inputs"),
    }


@pytest.mark.parametrize("case", _broken())
def test_graphs_that_are_none_are_found(case: str) -> None:
    graph, message = _broken()[case]
    with pytest.raises(GraphError, match=message):
        check_graph(graph)


def test_graphs_of_nets_pass_the_check() -> None:
    for net in (resnet18(sym), inception_block(sym)):
        check_graph(net.graph, net.graph)


# --- common subexpressions --------------------------------------------------------------------


def test_what_is_computed_twice_is_computed_once(rng: np.random.Generator) -> None:
    def branch() -> Any:
        return sym.tanh(sym.FullyConnected(x, sym.var("w"), no_bias=True, num_hidden=3))

    x = sym.var("x")
    weight = sym.var("w")
    first = sym.tanh(sym.FullyConnected(x, weight, no_bias=True, num_hidden=3))
    second = sym.tanh(sym.FullyConnected(x, weight, no_bias=True, num_hidden=3))
    net = first * second + 1
    made = Symbol(with_common_subexpressions(net.graph))
    check_graph(made.graph, net.graph)
    assert kinds(made) == ["FullyConnected", "tanh", "elemwise_mul", "_plus_scalar"]
    args, _ = values(net, rng, x=(2, 4))
    np.testing.assert_array_equal(run(made, args)[0], run(net, args)[0])
    np.testing.assert_allclose(
        run(made.gradient(["w"]), args)[0], run(net.gradient(["w"]), args)[0], rtol=1e-5
    )
    two = branch() + branch()  # of two variables that share a name
    assert kinds(Symbol(with_common_subexpressions(two.graph))).count("tanh") == 2


@pytest.mark.parametrize(
    "build",
    [
        lambda x: sym.Dropout(x) + sym.Dropout(x),
        lambda x: sym.random.normal_like(x) + sym.random.normal_like(x),
        lambda x: sym.exp(x) + sym.log(x),
        lambda x: (x + 1) * (x + 2),
        lambda x: sym.sum(x, axis=0) + sym.sum(x, axis=0, keepdims=True),
        lambda x: sym.exp(x, attr={"__group__": "a"}) + sym.exp(x, attr={"__group__": "b"}),
        lambda x: sym.Group([sym.exp(x, name="first"), sym.exp(x, name="second")]),
    ],
    ids=["dropout", "random", "operator", "parameter", "axis", "attribute", "outputs"],
)
def test_what_differs_stays_apart(build: Any) -> None:
    net = build(sym.var("x"))
    assert Symbol(with_common_subexpressions(net.graph)).tojson() == net.tojson()


@pytest.mark.parametrize(
    ("op", "quiet", "random"),
    [
        ("Dropout", {"p": 0.0}, {"p": 0.5}),
        ("LeakyReLU", {"act_type": "elu"}, {"act_type": "rrelu"}),
        ("RNN", {"p": 0.5, "num_layers": 1}, {"p": 0.5, "num_layers": 2}),
    ],
)
def test_what_draws_no_numbers_with_its_parameters_becomes_one(
    op: str, quiet: dict[str, Any], random: dict[str, Any]
) -> None:
    def count(params: dict[str, Any]) -> int:
        more = {"mode": "lstm", "state_size": 4} if op == "RNN" else {}
        inputs = [sym.var(name) for name in ("x", "w", "h", "c")[: 4 if op == "RNN" else 1]]
        outs = [getattr(sym, op)(*inputs, **params, **more) for _ in range(2)]
        made = with_common_subexpressions((outs[0][0] + outs[1][0]).graph)
        return kinds(Symbol(made)).count(op)

    assert (count(quiet), count(random)) == (1, 2)


def test_updating_operators_stay_apart() -> None:
    x, gamma, beta, mean, var = (sym.var(name) for name in ("x", "gamma", "beta", "mean", "var"))
    net = sym.BatchNorm(x, gamma, beta, mean, var) + sym.BatchNorm(x, gamma, beta, mean, var)
    made = Symbol(with_common_subexpressions(net.graph))
    assert kinds(made).count("BatchNorm") == 2
    assert not is_pure(net.graph.outputs[0][0].inputs[0][0])


def test_arrays_of_open_size_stay_apart() -> None:
    zeros = [sym.zeros((0, 3), name=f"z{i}") for i in range(2)]
    x, y = sym.var("x"), sym.var("y")
    net = sym.Group([x + zeros[0], y + zeros[1]])
    made = Symbol(with_common_subexpressions(net.graph))
    assert made.infer_shape(x=(2, 3), y=(4, 3))[1] == [(2, 3), (4, 3)]


def test_loops_and_variables_are_left_alone() -> None:
    x = sym.var("x")
    outs = [sym.contrib.foreach(lambda a, s: (sym.exp(a), s), x, [])[0] for _ in range(2)]
    made = Symbol(with_common_subexpressions((outs[0] + outs[1]).graph))
    assert kinds(made).count("_foreach") == 2
    same_name = sym.var("a") + sym.var("a")
    assert len(Symbol(with_common_subexpressions(same_name.graph)).list_arguments()) == 2


# --- constants --------------------------------------------------------------------------------


def test_known_values_are_folded(rng: np.random.Generator) -> None:
    net = sym.dot(sym.var("x"), sym.transpose(sym.var("w") * 2, name="turned")) + 1
    args, _ = values(net, rng, x=(2, 4), w=(3, 4))
    graph, found = with_constants(net.graph, {"w": args["w"]})
    check_graph(graph, net.graph)
    assert Symbol(graph).list_arguments() == ["x", "turned"]
    assert kinds(Symbol(graph)) == ["dot", "_plus_scalar"]
    np.testing.assert_allclose(run(Symbol(graph), args, found)[0], run(net, args)[0], rtol=1e-5)


def test_what_depends_on_nothing_is_folded() -> None:
    net = sym.var("x") + sym.sqrt(sym.ones((2, 3)) * 4, name="two")
    graph, found = with_constants(net.graph, {})
    assert Symbol(graph).list_arguments() == ["x", "two"]
    np.testing.assert_array_equal(found["two"].asnumpy(), np.full((2, 3), 2))


def test_outputs_can_be_constants_and_several_of_one_node() -> None:
    parts = sym.SliceChannel(sym.var("w"), num_outputs=2, name="parts")
    net = sym.Group([parts[0], sym.var("x") + parts[1], parts[0]])
    graph, found = with_constants(net.graph, {"w": nd.array([[1, 2]])})
    assert [node.name for node in graph.variables] == ["parts0", "x", "parts1"]
    assert (found["parts0"].asscalar(), found["parts1"].asscalar()) == (1, 2)


def test_new_variables_get_names_that_are_free() -> None:
    net = sym.var("y") + sym.exp(sym.var("w"), name="y")
    graph, found = with_constants(net.graph, {"w": nd.zeros(2)})
    assert Symbol(graph).list_arguments() == ["y", "y_1"]
    assert list(found) == ["y_1"]


@pytest.mark.parametrize(
    "build",
    [
        sym.Dropout,
        sym.random.normal_like,
        sym.BatchNorm,
    ],
    ids=["dropout", "random", "updating"],
)
def test_what_is_not_constant_stays(build: Any) -> None:
    net = build(sym.var("w"))
    known = net.list_inputs()
    graph, parts = split_constants(net.graph, known)
    assert (graph.outputs, parts) == (net.graph.outputs, {})


def test_only_chosen_nodes_are_cut_off() -> None:
    net = sym.exp(sym.exp(sym.var("w"), name="inner"), name="outer")
    _, parts = split_constants(net.graph, ["w"], among=lambda node: node.name == "inner")
    assert list(parts) == ["inner"]
    arrays: dict[str, NDArray] = {"w": nd.zeros(1)}
    assert evaluate(parts, arrays)["inner"].asscalar() == 1
    assert evaluate({}, {}) == {}


def test_the_interpreter_keeps_what_is_wanted_until_its_last_use() -> None:
    x = sym.var("x")
    y = sym.exp(x, name="y")
    parts = sym.split(y, num_outputs=2, name="parts")
    net = sym.elemwise_add(sym.tanh(parts[0], name="z"), y, name="sum")
    graph = net.graph
    values: dict[Any, str] = {(graph.variables[0], 0): "x"}
    alive: list[list[str]] = []

    def compute(node: Node, inputs: list[str]) -> list[str]:
        alive.append(sorted(values.values()))
        return [f"{node.name}{i}" for i in range(node.num_outputs)]

    interpret(graph.nodes, values, compute, {*y.graph.outputs, *graph.outputs})
    assert alive == [["x"], ["y0"], ["parts0", "y0"], ["y0", "z0"]]
    assert sorted(values.values()) == ["sum0", "y0"]


# --- groups -----------------------------------------------------------------------------------


def test_groups_are_connected_and_convex(rng: np.random.Generator) -> None:
    """Random graphs: a group's inputs never depend on the group."""
    for _ in range(20):
        pool = [sym.var("x"), sym.var("y")]
        for _ in range(30):
            i, j = rng.integers(0, len(pool), 2)
            name = str(rng.choice(["elemwise_add", "elemwise_mul", "tanh"]))
            first, second = pool[i], pool[j]
            pool.append(sym.tanh(first) if name == "tanh" else getattr(sym, name)(first, second))
        net = sym.Group(pool[-3:])
        sizes: list[int] = []

        def make(body: Graph, inputs: Sequence[Entry], name: str) -> Node:
            sizes.append(sum(node.op is not None for node in body.nodes))  # noqa: B023
            assert len(inputs) == len(body.variables)

            return region_node(body, inputs, name, "none", {})

        graph = grouped(net.graph, lambda node: is_op(node, "elemwise_add", "tanh"), make)
        check_graph(graph, net.graph)
        Symbol(graph).tojson()
        assert sum(sizes) == sum(is_op(n, "elemwise_add", "tanh") for n in net.graph.nodes)

        arrays = {"x": nd.array([0.1, -0.2]), "y": nd.array([0.3, 0.05])}
        for want, found in zip(run(net, arrays), run(Symbol(inlined(graph)), arrays), strict=True):
            np.testing.assert_array_equal(found, want)
