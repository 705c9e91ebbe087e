"""The pass that puts casts into a graph: where it needs them, and nowhere else.

What mixed precision makes of whole models is compared with MXNet in tests/gluon.
"""
# ruff: noqa: ARG002  # a policy is told more than it needs

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hy_ndarray import Params, nd
from hy_ndarray.core.casting import Casting
from hy_ndarray.ops import Operator
from hy_symbol import Symbol, check_graph, sym, with_precision

LOW, HIGH, WIDEST = Casting("float16"), Casting("float32"), Casting()


class Policy:
    """``dot`` in 16 bits, ``exp`` in 32, sums in the widest dtype."""

    table = {"dot": LOW, "exp": HIGH, "elemwise_add": WIDEST, "add_n": WIDEST}  # noqa: RUF012

    def casting(self, op: Operator, inputs: Sequence[Any], params: Params) -> Casting | None:
        return self.table.get(op.name)

    def gradient_scale(self, op: Operator, *, traced: bool) -> float:
        raise AssertionError(op.name)


def changed(symbol: Symbol, **kwargs: Any) -> Symbol:
    graph = with_precision(symbol.graph, Policy(), **kwargs)
    check_graph(graph, before=symbol.graph)
    return Symbol(graph)


def inputs_of(symbol: Symbol, name: str) -> list[str]:
    node = next(node for node in symbol.graph.nodes if node.name == name)
    return [source.name for source, _ in node.inputs]


def product(name: str = "p") -> Symbol:
    return sym.dot(sym.var(f"{name}_a"), sym.var(f"{name}_b"), name=name)


CASES: list[tuple[str, Symbol, str, list[str]]] = [
    ("16 bits", product(), "p", ["p_a_amp_cast_float16", "p_b_amp_cast_float16"]),
    ("known", sym.dot(product(), product("q"), name="r"), "r", ["p", "q"]),
    ("followed", sym.dot(sym.relu(product(), name="f"), product("q"), name="r"), "r", ["f", "q"]),
    ("back", sym.exp(product(), name="e"), "e", ["p_output_amp_cast_float32"]),
    ("variables of 32 bits", sym.exp(sym.var("x"), name="e"), "e", ["x"]),
    ("alike", sym.elemwise_add(product(), product("q"), name="s"), "s", ["p", "q"]),
    (
        "widest",
        sym.elemwise_add(product(), sym.exp(sym.var("x"), name="e"), name="s"),
        "s",
        ["p_output_amp_cast_float32", "e"],
    ),
    (
        "unknown",
        sym.elemwise_add(product(), sym.var("x"), name="s"),
        "s",
        ["p_output_amp_multicast"] * 2,
    ),
    (
        "cast by the user",
        sym.dot(sym.cast(product(), dtype="float32", name="c"), product("q"), name="r"),
        "r",
        ["c_output_amp_cast_float16", "q"],
    ),
]


@pytest.mark.parametrize(
    ("symbol", "name", "expected"), [pytest.param(*case, id=title) for title, *case in CASES]
)
def test_inputs(symbol: Symbol, name: str, expected: list[str]) -> None:
    assert inputs_of(changed(symbol), name) == expected


def test_outputs_are_float32() -> None:
    assert changed(product()).list_outputs() == ["p_output_amp_cast_float32_output"]
    assert changed(sym.exp(product(), name="e")).list_outputs() == ["e_output"]


def test_excluded_nodes_compute_in_float32() -> None:
    symbol = sym.dot(product(), sym.var("c"), name="r")
    assert inputs_of(changed(symbol, excluded=["r"]), "r") == ["p_output_amp_cast_float32", "c"]


def test_the_old_graph_is_left_alone() -> None:
    symbol = sym.exp(product())
    before = symbol.tojson(remove_amp_cast=False)
    changed(symbol)
    assert symbol.tojson(remove_amp_cast=False) == before


def test_bodies_of_loops_are_left_alone() -> None:
    def body(x: Symbol, state: Symbol) -> tuple[Symbol, Symbol]:
        y = sym.dot(x, state, name="inside")
        return y, y

    outputs, _ = sym.contrib.foreach(body, sym.relu(product(), name="rows"), sym.var("s"))
    loop = next(node for node in changed(outputs).graph.nodes if node.bodies)
    assert loop.inputs[0][0].name == "rows_output_amp_cast_float32"
    assert not any("amp" in node.name for node in loop.bodies[0].nodes)


def test_values() -> None:
    symbol = sym.exp(sym.elemwise_add(product(), sym.var("x")))
    values = {name: nd.ones((2, 2)) / 3 for name in symbol.list_arguments()}
    (exact,), (found,) = symbol.eval(None, **values), changed(symbol).eval(None, **values)
    assert found.dtype is np.float32
    assert not (found.asnumpy() == exact.asnumpy()).any()
    np.testing.assert_allclose(found.asnumpy(), exact.asnumpy(), rtol=1e-3)
