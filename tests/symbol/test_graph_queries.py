"""What a graph knows of its nodes: their order, who uses them, and how often."""

from hy_symbol import Graph, Node, sym
from hy_symbol.graph.node import topological


def node(graph: Graph, name: str) -> Node:
    return next(n for n in graph.nodes if n.name == name)


def net() -> Graph:
    x = sym.var("x")
    both = sym.split(x, num_outputs=2, name="both")
    total = sym.elemwise_add(both[0], both[0], name="total")
    return sym.Group([sym.exp(total, name="y"), both[1], total]).graph


def test_nodes_come_behind_their_inputs_and_once() -> None:
    assert [n.name for n in net().nodes] == ["x", "both", "total", "y"]


def test_uses_are_counted_for_each_output_with_those_of_the_graph() -> None:
    graph = net()
    both, total = node(graph, "both"), node(graph, "total")
    assert [graph.uses((both, i)) for i in range(2)] == [2, 1]
    assert graph.uses((total, 0)) == 2
    assert graph.uses((node(graph, "y"), 0)) == 1


def test_what_is_not_in_the_graph_is_not_used() -> None:
    assert net().uses((sym.var("z").graph.nodes[0], 0)) == 0
    assert net().users(sym.var("z").graph.nodes[0]) == ()


def test_users_are_nodes_each_once_in_order() -> None:
    x = sym.var("x")
    graph = sym.Group([sym.exp(x * x, name="a"), sym.relu(x, name="b")]).graph
    assert [n.name for n in graph.users(graph.nodes[0])] == ["_mul0", "b"]
    assert graph.users(node(graph, "b")) == ()


def test_an_order_may_end_at_entries() -> None:
    graph = net()
    total = node(graph, "total")
    assert [n.name for n in topological(graph.outputs, lambda e: e[0] is total)] == [
        "y",
        "x",
        "both",
    ]
    assert topological([(total, 0)], lambda _: True) == []


def test_deep_graphs_are_ordered_without_recursion() -> None:
    x = sym.var("x")
    for _ in range(20_000):
        x = x + 1
    assert len(x.graph.nodes) == 20_001
