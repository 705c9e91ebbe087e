"""Derived operators in graphs, opened into what they are composed of."""

import numpy as np

from hy_ndarray import nd, ops
from hy_symbol import Graph, Symbol, TypedGraph, open_derived, sym


def opened(graph: Graph, *shapes: tuple[int, ...]) -> Graph:
    typed = TypedGraph.of(graph, [(shape, "float32") for shape in shapes])
    return open_derived(typed.graph, lambda op: True, typed.types)


def names_of(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.nodes if node.op is not None]


def test_variables_stay_in_order_though_others_are_read_first() -> None:
    net = sym.fill_element_0index(sym.var("x"), sym.var("values"), sym.var("columns"))
    made = opened(net.graph, (2, 3), (2,), (2,))
    assert "fill_element_0index" not in names_of(made)
    assert [node.name for node in made.variables] == ["x", "values", "columns"]


def test_a_variable_stays_of_which_only_the_shape_is_used() -> None:
    net = Symbol.apply_operator(ops.find("_onehot_encode"), [sym.var("rows"), sym.var("like")], {})
    assert isinstance(net, Symbol)
    made = opened(net.graph, (2,), (2, 3))
    assert names_of(made) != ["_onehot_encode"]
    assert [node.name for node in made.variables] == ["rows", "like"]


def test_a_graph_in_which_nothing_is_opened_is_itself() -> None:
    graph = sym.contrib.quadratic(sym.var("x"), a=1.0).graph
    assert open_derived(graph, lambda op: False) is graph


def test_operators_stay_whole_whose_steps_depend_on_sizes_where_these_may_change() -> None:
    net = sym.contrib.quadratic(sym.sum(sym.linalg.makediag(sym.var("x"))), a=1.0)
    typed = TypedGraph.of(net.graph, [((3,), "float32")])
    for_all = open_derived(typed.graph, lambda op: True, typed.types, for_sizes=False)
    for_these = open_derived(typed.graph, lambda op: True, typed.types)
    assert "_linalg_makediag" in names_of(for_all)
    assert "_linalg_makediag" not in names_of(for_these)
    assert "_contrib_quadratic" not in names_of(for_all)
    x = nd.array([1.0, -2.0, 3.0])
    for made in (for_all, for_these):
        np.testing.assert_array_equal(Symbol(made).eval(x=x)[0].asnumpy(), [4.0])


def test_what_is_opened_gives_the_same_values() -> None:
    net = sym.contrib.quadratic(sym.var("x"), a=2.0, b=-1.0, c=0.5)
    made = opened(net.graph, (1, 3))
    assert "_contrib_quadratic" not in names_of(made)
    x = nd.array([[1.0, -2.0, 3.0]])
    for symbol in (net, Symbol(made)):
        np.testing.assert_array_equal(symbol.eval(x=x)[0].asnumpy(), [[1.5, 10.5, 15.5]])
