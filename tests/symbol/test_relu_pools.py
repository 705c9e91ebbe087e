"""ReLUs go behind max pooling: the same values and gradients from fewer elements."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, device_of
from hy_symbol import Differentiable, Program, Symbol, TypedGraph, sym
from hy_symbol.passes import check_graph, with_relu_below_pools
from tests.symbol.graph_runs import arrays, buffers

POOLS: list[dict[str, Any]] = [
    {"kernel": (2, 2), "stride": (2, 2)},
    {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
    {"kernel": (3, 2)},
    {"kernel": (2, 2), "global_pool": True},
    {"kernel": (2, 2), "layout": "NHWC"},
]


def relu(x: Symbol) -> Symbol:
    return sym.Activation(x, act_type="relu", name="bend")


def kinds(net: Symbol) -> list[str]:
    return [node.op.name for node in net.graph.nodes if node.op is not None]


def moved(net: Symbol) -> list[str]:
    made = Symbol(with_relu_below_pools(net.graph))
    check_graph(made.graph, net.graph)
    assert made.list_outputs() == net.list_outputs()
    assert made.list_arguments() == net.list_arguments()
    return kinds(made)


@pytest.mark.parametrize("params", POOLS, ids=str)
def test_relus_go_behind_pooling(params: dict[str, Any]) -> None:
    for bend, name in ((relu, "Activation"), (sym.relu, "relu")):
        net = sym.tanh(sym.Pooling(bend(sym.var("x")), name="pool", **params))
        assert moved(net) == ["Pooling", name, "tanh"]


def test_nodes_keep_their_names() -> None:
    net = sym.tanh(sym.Pooling(relu(sym.var("x")), kernel=(2, 2), name="pool"), name="y")
    nodes = with_relu_below_pools(net.graph).nodes
    assert [node.name for node in nodes] == ["x", "pool", "bend", "y"]


@pytest.mark.parametrize(
    "build",
    [
        lambda x: sym.exp(sym.Pooling(relu(x), kernel=(2, 2), pool_type="avg")),
        lambda x: sym.exp(sym.Pooling(relu(x), kernel=(2, 2), pooling_convention="full")),
        lambda x: sym.exp(sym.Pooling(relu(x), kernel=(2, 2), pad=(2, 2))),  # windows of padding
        lambda x: sym.exp(sym.Pooling(sym.tanh(x), kernel=(2, 2))),
        lambda x: sym.exp(sym.Pooling(sym.Activation(x, act_type="sigmoid"), kernel=(2, 2))),
        lambda x: sym.exp(sym.Pooling(y := relu(x), kernel=(2, 2))) + sym.exp(y),
        lambda x: sym.Group([sym.exp(sym.Pooling(y := relu(x), kernel=(2, 2))), y]),
        lambda x: sym.exp(sym.Pooling(x, kernel=(2, 2))),
        lambda x: sym.Pooling(relu(x), kernel=(2, 2)),  # the output keeps its name
    ],
)
def test_others_stay(build: Callable[[Symbol], Symbol]) -> None:
    graph = build(sym.var("x")).graph
    assert with_relu_below_pools(graph) is graph


def both_ways(params: dict[str, Any], x: Any) -> tuple[list[Any], list[Any]]:
    """Value and gradient of the graph as it is, and as hybridized."""
    net = sym.square(sym.Pooling(relu(sym.var("x")), name="pool", **params))
    device, known = device_of(cpu()), [(x.shape, x.dtype.name)]
    plain = Program([(v, 0) for v in net.graph.variables], net.graph.outputs, device, is_train=True)
    given = buffers(x)
    (expected,) = arrays(plain(*given))
    # With an operator between them, nothing is moved.
    apart = sym.square(sym.Pooling(relu(sym.var("x")) + 0, name="pool", **params))
    found, steps = [], []
    for graph in (apart.graph, net.graph):
        both = Differentiable.of(TypedGraph.of(graph, known), [0], device, is_train=True)
        (y,), saved = both.run(given)
        head = np.random.default_rng(1).normal(size=y.shape).astype(x.dtype)
        found.append(arrays([y, *both.gradients(buffers(head), given, saved)]))
        steps = [node.op.name for node in both.forward.steps if node.op is not None]
    assert kinds(net) == ["Activation", "Pooling", "square"]
    assert steps[-3:] == ["Pooling", "Activation", "square"]
    program = Program.of(TypedGraph.of(net.graph, known), device, is_train=False)
    for value in (found[0][0], *arrays(program(*given))):
        np.testing.assert_array_equal(value, expected)
    return found[0], found[1]


@pytest.mark.parametrize("params", POOLS, ids=str)
@pytest.mark.parametrize("shift", [0.0, 2.0, -2.0, -9.0])
def test_values_and_gradients_are_the_same(
    params: dict[str, Any], shift: float, rng: np.random.Generator
) -> None:
    x = np.round(rng.normal(size=(2, 6, 6, 5)) * 2) / 2 + shift  # with many equal elements
    one, other = both_ways(params, x)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_nan_and_infinities_stay() -> None:
    nan, inf = np.nan, np.inf
    x = np.array([[nan, 1, 0, -1], [2, 3, -2, -3], [inf, 1, -inf, -1], [2, 3, -2, -3]])
    net = sym.abs(sym.Pooling(relu(sym.var("x")), name="pool", **POOLS[0]))
    known = [((1, 1, 4, 4), "float64")]
    program = Program.of(TypedGraph.of(net.graph, known), device_of(cpu()), is_train=False)
    (value,) = arrays(program(*buffers(x.reshape(1, 1, 4, 4))))
    assert [node.name for node in program.steps][:2] == ["pool", "bend"]
    np.testing.assert_array_equal(value[0, 0], [[nan, 0], [inf, 0]])
