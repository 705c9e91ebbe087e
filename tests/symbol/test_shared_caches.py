"""Caches of graphs, of which one is for all graphs that equal each other."""

from collections.abc import Callable

import pytest

from hy_ndarray import custom
from hy_symbol import AttrScope, Symbol, sym
from hy_symbol.execution.cache import SharedCaches


def net(*, times: float = 2.0, name: str = "y", axis: int = 1, outputs: int = 2) -> Symbol:
    """A small graph, made at one line whatever it is."""
    scaled = sym.broadcast_mul(sym.var("x"), sym.full((1,), times, name="times"), name="scaled")
    parts = sym.split(scaled, num_outputs=2, axis=axis, name=name)
    return sym.Group([parts[i] for i in range(outputs)])


def annotated() -> Symbol:
    with AttrScope(lr_mult="2"):
        return net()


class Own(custom.CustomOpProp):
    """An operator of the user's."""


def own() -> Symbol:
    custom.register("shared_caches_own")(Own)
    return sym.Custom(sym.var("x"), op_type="shared_caches_own", name="own")


def loop() -> Symbol:
    def body(x: Symbol, state: Symbol) -> tuple[Symbol, Symbol]:
        return x + state, x

    out, _ = sym.contrib.foreach(body, sym.var("x"), sym.var("s"), name="shared_caches_loop")
    assert isinstance(out, Symbol)
    return out


def test_equal_graphs_have_one_that_stands_for_them() -> None:
    caches = SharedCaches(100)
    first, second, third = [caches.of(net().graph) for _ in range(3)]
    assert first is second
    assert second is third
    graph = first.graph
    assert graph.output_names == net().graph.output_names
    assert [node.where for node in graph.nodes] == [node.where for node in net().graph.nodes]


@pytest.mark.parametrize(
    "other",
    [
        lambda: net(axis=0),
        lambda: net(times=3.0),
        lambda: net(name="z"),
        lambda: net(outputs=1),
        lambda: sym.Group([net()[1], net()[0]]),
        annotated,
    ],
    ids=["parameter", "number", "name", "outputs", "order", "attribute"],
)
def test_graphs_that_differ_are_apart(other: Callable[[], Symbol]) -> None:
    caches = SharedCaches(100)
    assert caches.of(net().graph) is not caches.of(other().graph)


def test_graphs_made_at_different_lines_are_apart() -> None:
    caches = SharedCaches(100)
    x = sym.var("x")
    first = sym.relu(x, name="y")
    assert caches.of(first.graph) is not caches.of(sym.relu(x, name="y").graph)


def test_what_is_set_later_is_of_the_symbol_alone() -> None:
    caches = SharedCaches(100)
    symbol = net()
    first = caches.of(symbol.graph)
    symbol[0]._set_attr(axis="0")
    assert [node.params.get("axis") for node in first.graph.nodes if node.name == "y"] == [1]
    assert caches.of(net().graph) is first
    assert caches.of(symbol.graph) is not first


@pytest.mark.parametrize("made", [own, loop])
def test_what_may_keep_something_between_calls_is_not_shared(made: Callable[[], Symbol]) -> None:
    graph = made().graph
    assert SharedCaches(100).of(graph).graph is graph


def test_only_so_many_nodes_are_kept() -> None:
    size = len(net().graph.nodes)
    caches = SharedCaches(2 * size)
    a, b = [caches.of(net(name=name).graph) for name in "ab"]
    assert caches.of(net(name="a").graph) is a
    caches.of(net(name="c").graph)
    assert caches.of(net(name="a").graph) is a
    assert caches.of(net(name="b").graph) is not b
    small = SharedCaches(size - 1)
    assert small.of(net().graph) is not small.of(net().graph)


def test_forgotten_graphs_are_new() -> None:
    caches = SharedCaches(100)
    first = caches.of(net().graph)
    caches.forget()
    assert caches.of(net().graph) is not first
