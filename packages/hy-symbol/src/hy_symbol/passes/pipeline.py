"""Pipelines: ordered lists of the passes that a graph goes through before it runs."""

import os
from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_symbol.graph.node import Graph
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.axes import with_simpler_axes
from hy_symbol.passes.backends import (
    Optimized,
    Request,
    with_prepared_values,
    with_regions,
    with_rewriting,
)
from hy_symbol.passes.compositions import with_open_compositions
from hy_symbol.passes.cross_entropy import with_picked_softmax, with_weighed_softmax
from hy_symbol.passes.head_parts import with_joined_head_parts
from hy_symbol.passes.idle import without_idle_draws
from hy_symbol.passes.lowering import table_rewritings, with_table_rules
from hy_symbol.passes.single import without_single_reductions
from hy_symbol.passes.target import Target
from hy_symbol.passes.transposes import with_fewer_transposes
from hy_symbol.passes.validity import check_graph
from hy_symbol.regions.region import inlined

__all__ = [
    "DIFFERENTIATE",
    "OPTIMIZE_FOR",
    "PREDICT",
    "TRAIN",
    "BackendPass",
    "GraphPass",
    "Pass",
    "applied",
    "lowered",
    "optimized",
    "prepared",
    "stages",
]

Pass: TypeAlias = Callable[[TypedGraph, Target], TypedGraph]
"""A pass over a graph whose types are known."""
GraphPass: TypeAlias = Callable[[Graph], Graph]
"""A pass that needs no types, so that its result is valid for all shapes."""
BackendPass: TypeAlias = Callable[[Optimized, Request], Optimized]
"""A pass of ``optimize_for`` that depends on a backend."""


def _typed(graph_pass: GraphPass) -> Pass:
    """Wrap a pass without types as a pass of typed graphs."""

    def typed_pass(typed: TypedGraph, _: Target) -> TypedGraph:
        return typed.rewritten(graph_pass(typed.graph))

    typed_pass.__name__ = graph_pass.__name__
    return typed_pass


DIFFERENTIATE: tuple[GraphPass, ...] = (
    inlined,
    with_picked_softmax,
    with_weighed_softmax,
)
"""Passes before the gradient pass."""
TRAIN: tuple[Pass, ...] = (
    without_idle_draws,
    with_open_compositions,
    without_single_reductions,
    with_fewer_transposes,
    with_table_rules,
    _typed(with_joined_head_parts),
    with_simpler_axes,
)
"""Passes for a graph joined with its gradients."""
PREDICT: tuple[Pass, ...] = (
    _typed(with_picked_softmax),
    _typed(with_weighed_softmax),
    *TRAIN,
)
"""Passes for a graph without gradients."""
OPTIMIZE_FOR: tuple[BackendPass, ...] = (with_regions, with_rewriting, with_prepared_values)
"""Passes for each backend in ``optimize_for``; the result is later lowered like other graphs."""


def prepared(graph: Graph) -> Graph:
    """Return the graph after the passes in :data:`DIFFERENTIATE`."""
    for graph_pass in DIFFERENTIATE:
        graph = _checked_graph(graph_pass.__name__, graph_pass(graph), graph)
    return graph


def lowered(typed: TypedGraph, passes: Sequence[Pass], target: Target) -> TypedGraph:
    """Return the graph after all passes, in order.

    If the environment variable ``HY_DEBUG`` contains ``passes``, each result is validated.

    Args:
        typed: The graph.
        passes: :data:`PREDICT` or :data:`TRAIN`.
        target: Device and mode to lower for.

    Raises:
        ShapeError, DTypeError: The types contradict each other; names the node.
        GraphError: A pass made an invalid graph.
    """
    for one in stages(passes, target):
        typed = applied(one, typed, target)
    return typed


def applied(one: Pass, typed: TypedGraph, target: Target) -> TypedGraph:
    """Return the graph after one pass; validated as by :func:`lowered`."""
    result = one(typed, target)
    if result.graph is not typed.graph:
        _checked_graph(one.__name__, result.graph, typed.graph)
    return result


def stages(passes: Sequence[Pass], target: Target) -> list[Pass]:
    """Return the passes, with :func:`with_table_rules` expanded to the table's rewritings."""
    expanded: list[Pass] = []
    for one in passes:
        expanded += table_rewritings(target.device) if one is with_table_rules else (one,)
    return expanded


def optimized(done: Optimized, request: Request) -> Optimized:
    """Return a graph rewritten by one more backend.

    Raises:
        HyError: The backend cannot run here, or returned an invalid graph.
    """
    for one in OPTIMIZE_FOR:
        before, done = done, one(done, request)
        _checked_graph(one.__name__, done.graph, before.graph)
    return done


def _checked_graph(name: str, graph: Graph, before: Graph) -> Graph:
    if graph is not before and "passes" in os.environ.get("HY_DEBUG", "").split(","):
        try:
            check_graph(graph, before)
        except Exception as error:
            error.add_note(f"after the pass {name}")
            raise
    return graph
