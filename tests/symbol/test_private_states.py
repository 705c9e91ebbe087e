"""Operators of a table's own have the auxiliary states of those in whose place they are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_ndarray import cpu, device_of
from hy_symbol import Graph as SymbolGraph, Program, TypedGraph, sym
from tests.symbol import graph_runs

NORM = PrivateOperator(
    "_own_norm",
    "batch_norm",
    ("data", "gamma", "beta", "moving_mean", "moving_var"),
    lambda types, _: types[0],
    outputs=("output", "mean", "var"),
    others=lambda types, _: [types[1], types[1]],
    states_of="BatchNorm",
)


def with_own_norms(graph: Graph) -> Graph:
    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if graph.op(node) != "BatchNorm":
            return None
        made = graph.add(NORM, inputs, graph.params(node), name=graph.name(node), like=node)
        return graph.values(made)

    return graph.rewrite(rule)


def ran(graph: SymbolGraph, *, is_train: bool) -> tuple[list[Any], list[Any], Program]:
    """Results, what the inputs are afterwards, and what ran."""
    rng = np.random.default_rng(1)
    known = [((4, 3), "float32"), *[((3,), "float32")] * 4]
    buffers = graph_runs.buffers(*(rng.uniform(1, 2, s).astype("float32") for s, _ in known))
    program = Program.of(TypedGraph.of(graph, known), device_of(cpu()), is_train=is_train)
    results = program(*buffers)
    return graph_runs.arrays(results), graph_runs.arrays(buffers), program


@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize("fix_gamma", [False, True])
def test_they_are_overwritten_as_those_would(
    fix_gamma: bool, is_train: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = sym.BatchNorm(sym.var("x"), name="norm", fix_gamma=fix_gamma).graph
    results, states, _ = ran(graph, is_train=is_train)
    rewritings = [with_own_norms]
    monkeypatch.setattr(type(device_of(cpu()).table), "rewritings", lambda *_, **__: rewritings)
    own, changed, program = ran(graph, is_train=is_train)
    (step,) = program.steps
    assert step.op is not None
    assert step.op.name == "_own_norm"
    assert [node.name for node, _ in step.states] == ["norm_moving_mean", "norm_moving_var"]
    for found, wanted in zip((*own, *changed), (*results, *states), strict=True):
        np.testing.assert_array_equal(found, wanted)
