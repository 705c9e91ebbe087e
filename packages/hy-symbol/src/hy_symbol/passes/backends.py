"""Backends as passes: the steps that ``optimize_for`` takes for each backend."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hy_ndarray import NDArray
from hy_symbol._errors import BackendError
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import substitute
from hy_symbol.infer.engine import Types
from hy_symbol.passes.constants import split_constants
from hy_symbol.passes.validity import check_graph
from hy_symbol.regions.grouping import grouped
from hy_symbol.regions.protocols import Backend, Facts, Reasoning, Rewriter, Runner
from hy_symbol.regions.region import region_node

__all__ = ["Optimized", "Request", "with_prepared_values", "with_regions", "with_rewriting"]


@dataclass(frozen=True, slots=True)
class Optimized:
    """Graph that backends have optimized for prediction, with the values of its new variables."""

    graph: Graph
    arrays: Mapping[str, NDArray] = field(default_factory=dict)
    """Values of new variables that do not depend on parameters, by name."""
    prepared: Mapping[str, Entry] = field(default_factory=dict)
    """New variables by name, with the entries that compute them from the original parameters."""
    left: Mapping[str, str] = field(default_factory=dict)
    """Reason why a node is in no region of a backend, by operator and name."""
    once: Sequence[Entry] = ()
    """Entries of the graph that a backend wants to be computed once from parameters."""

    @property
    def origins(self) -> dict[str, list[str]]:
        """Names of the parameters that each prepared value depends on, by name of the value."""
        return {
            name: [node.name for node in Graph((entry,)).variables]
            for name, entry in self.prepared.items()
        }


@dataclass(frozen=True, slots=True)
class Request:
    """Request to apply one backend in ``optimize_for``."""

    name: str
    backend: Backend
    options: Mapping[str, Any]
    graph: Graph
    """The original graph, before all backends."""
    facts: Facts
    """Facts about the original graph."""
    parameters: Collection[str]
    """Names of the variables that seldom change."""


def with_regions(done: Optimized, request: Request) -> Optimized:
    """Return the graph with one node per connected group of nodes that the backend runs.

    Raises:
        HyError: The backend cannot run here, or refuses an option.
    """
    backend = request.backend
    if not isinstance(backend, Runner):
        return done
    backend.prepare(request.options)
    seldom = {*request.parameters, *done.arrays, *done.prepared}

    def make(body: Graph, inputs: Sequence[Entry], name: str) -> Node:
        fixed = [k for k, (node, _) in enumerate(inputs) if not node.op and node.name in seldom]
        return region_node(body, inputs, name, request.name, request.options, fixed)

    graph = grouped(done.graph, backend.takes, make)
    left = {**done.left, **_nodes_left(graph, request.name, backend)}
    return replace(done, graph=graph, left=left)


def _nodes_left(graph: Graph, name: str, backend: Runner) -> dict[str, str]:
    """Return why a backend leaves nodes to the kernel table, by operator and name."""
    by_backend = {}
    for node in graph.nodes:
        if node.op is None or node.is_region or backend.takes(node):
            continue
        why = backend.why_not(node) if isinstance(backend, Reasoning) else "does not take it"
        by_backend[f"{node.op.name} '{node.name}'"] = f"{name} {why}"
    return by_backend


def with_rewriting(done: Optimized, request: Request) -> Optimized:
    """Return the graph rewritten by the backend if it is a :class:`Rewriter`, else unchanged.

    Raises:
        BackendError: The backend returned an invalid graph, or variables without values.
    """
    backend = request.backend
    if not isinstance(backend, Rewriter):
        return done
    facts = request.facts
    # Types of what earlier backends changed are inferred from the original types, not from scratch.
    types = facts.types if done.graph is request.graph else _rewritten_types(done, facts.types)
    known = Facts(types, {**facts.arrays, **done.arrays}, facts.device)
    rewritten = backend.rewrite(done.graph, known, request.options)
    _check_variables(request.name, done.graph, rewritten.graph, rewritten.arrays)
    arrays = {**done.arrays, **rewritten.arrays}
    return Optimized(rewritten.graph, arrays, done.prepared, done.left, rewritten.once)


def _rewritten_types(done: Optimized, types: Types) -> Types:
    """Return the types of an optimized graph, from the types of the original graph."""
    values = types.extended(Graph(tuple(done.prepared.values())))
    new = [node for node in done.graph.variables if node.name in done.prepared]
    prepared_types = {(node, 0): values.get(done.prepared[node.name]) for node in new}
    return types.with_types(prepared_types).extended(done.graph)


def _check_variables(name: str, before: Graph, graph: Graph, new: Collection[str]) -> None:
    try:
        check_graph(graph, before)
    except (ValueError, TypeError) as error:
        raise BackendError(f"backend {name!r} made an invalid graph: {error}") from error
    own = {node.name for node in before.variables}
    foreign = [n.name for n in graph.variables if n.name not in own and n.name not in new]
    # A variable without a value would become a parameter that users cannot provide.
    if foreign:
        raise BackendError(
            f"backend {name!r} made variables without values: {', '.join(map(repr, foreign))}"
        )


def with_prepared_values(done: Optimized, request: Request) -> Optimized:
    """Replace the entries in ``once`` by variables, and move them to ``prepared``."""
    graph, prepared = done.graph, dict(done.prepared)
    once_nodes = set(Graph(tuple(done.once)).nodes)
    before = {node.name: node for node in graph.variables if node.name in prepared}
    known = {*request.parameters, *done.arrays, *prepared}
    body, parts = split_constants(graph, known, among=lambda node: node in once_nodes)
    mapping = {node: prepared[name] for name, node in before.items()}
    # New prepared values may depend on earlier ones: entries are expressed by original parameters.
    entries = substitute(Graph(tuple(parts.values())), mapping).outputs
    prepared.update(zip(parts, entries, strict=True))
    # A value that only another prepared one used is not computed for its own sake.
    needed = {node.name for node in body.variables}
    left = {name: entry for name, entry in prepared.items() if name in needed}
    return replace(done, graph=body, prepared=left, once=())
