"""Grouping: connected nodes that a backend can compute together become one node."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import Rewriting, extract, outputs_of

__all__ = ["grouped"]

Make = Callable[[Graph, Sequence[Entry], str], Node]


@dataclass(slots=True)
class _Group:
    """Nodes of a graph that are replaced by one node, in topological order."""

    nodes: list[Node] = field(default_factory=list)


def grouped(graph: Graph, takes: Callable[[Node], bool], make: Make) -> Graph:
    """Return the graph with one node per connected group of nodes that ``takes`` selects.

    Requires: nothing. Ensures: as many outputs as before, no cycle, and the variables are the same
    nodes. Groups are convex: no path between two nodes of a group leaves it.

    Args:
        graph: The graph.
        takes: Predicate of nodes that may be in a group. Nodes without inputs and loops never are.
        make: ``make(body, inputs, name)`` creates the node of a group.
    """
    taken = {node for node in graph.nodes if node.inputs and not node.bodies and takes(node)}
    stage = _stages(graph, taken)
    groups = _groups(graph, taken, stage)
    seen_outside = _seen_outside(graph, groups)
    state = Rewriting()
    done: set[Node] = set()
    # By stage: a group is inserted when its first node is reached, and by then all inputs of the
    # group, which are of earlier stages, are done.
    for node in sorted(graph.nodes, key=lambda node: stage[node]):  # stable
        group = groups.get(node)
        if group is None:
            state.keep(node)
        elif node not in done:
            done.update(group.nodes)
            _put_in(group, state, seen_outside, make)
    return state.graph(graph)


def _stages(graph: Graph, taken: set[Node]) -> dict[Node, int]:
    """Return for each node the maximum number of taken/other switches on a path to the node.

    All inputs of a group come from earlier stages, so connected nodes of one stage form a convex
    group.
    """
    stage: dict[Node, int] = {}
    for node in graph.nodes:
        is_taken = node in taken
        stage[node] = max(
            (
                stage[source] + (is_taken != (source in taken))
                for source, _ in node.inputs
                if source.op is not None
            ),
            default=0,
        )
    return stage


def _groups(graph: Graph, taken: set[Node], stage: Mapping[Node, int]) -> dict[Node, _Group]:
    """Return the group of each taken node: connected nodes of one stage."""
    groups: dict[Node, _Group] = {}
    for node in graph.nodes:
        if node not in taken:
            continue
        group = _Group()
        for source, _ in node.inputs:
            other = groups.get(source)
            if other is None or other is group or stage[source] != stage[node]:
                continue
            # The smaller group is merged into the larger: each node moves O(log n) times.
            small, group = sorted((group, other), key=lambda g: len(g.nodes))
            group.nodes += small.nodes
            groups.update(dict.fromkeys(small.nodes, group))
        group.nodes.append(node)
        groups[node] = group
    order = {node: k for k, node in enumerate(graph.nodes)}
    for group in {id(group): group for group in groups.values()}.values():
        group.nodes.sort(key=lambda node: order[node])
    return groups


def _seen_outside(graph: Graph, groups: Mapping[Node, _Group]) -> set[Entry]:
    """Return the entries that are used outside of their node's group, or are outputs."""
    seen = {(node, i) for node, i in graph.outputs}
    for node in graph.nodes:
        for source, i in node.inputs:
            if groups.get(source) is not groups.get(node):
                seen.add((source, i))
    return seen


def _put_in(group: _Group, state: Rewriting, seen_outside: set[Entry], make: Make) -> None:
    """Insert one node in place of a group's nodes."""
    members = set(group.nodes)

    def variable(entry: Entry) -> Node | None:
        source, i = entry
        if source in members:
            return None
        return Node(None, source.output_name(i), attrs=source.attrs if not source.op else {})

    results = [entry for node in group.nodes for entry in outputs_of(node) if entry in seen_outside]
    body, stands_for = extract(results, variable)
    inputs = [state[stands_for[node]] for node in body.variables]
    region = make(body, inputs, results[-1][0].name)
    for k, (node, i) in enumerate(results):
        state.replace_entry((node, i), (region, k))
