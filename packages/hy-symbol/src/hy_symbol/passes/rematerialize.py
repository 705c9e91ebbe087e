"""Rematerialization (gradient checkpointing): recomputes values instead of saving them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from hy_symbol.graph.attribute import hidden
from hy_symbol.graph.node import Entry, Graph, Node, topological
from hy_symbol.graph.purity import is_pure
from hy_symbol.graph.rewriting import on_inputs, rewrite

__all__ = ["redirected", "rematerialized", "with_stages_again"]

_MIRRORED, _STAGE = hidden("force_mirroring"), hidden("mirror_stage")


def rematerialized(
    saved: Sequence[Entry], is_cheap: Callable[[Node], bool], size: Callable[[Entry], int]
) -> dict[Entry, Entry]:
    """Return copies of cheap nodes that recompute some of the saved values.

    The roots of a cheap value are the values, neither cheap nor variables, from which it is
    computed. Values with common roots are recomputed together if saving the roots takes less memory
    than saving them.

    Requires: nothing. Ensures: the copies depend only on variables and on values that are saved
    anyway or instead.

    Args:
        saved: The values that the backward pass needs, except variables.
        is_cheap: Predicate of nodes that cost little to recompute; these must be pure.
        size: Function that returns the size of a value in bytes.

    Returns:
        The recomputed entry by saved entry; empty if nothing is gained.
    """
    roots: dict[Entry, frozenset[Entry]] = {}
    cheap = [entry for entry in saved if is_cheap(entry[0])]
    fixed = {entry for entry in saved if not is_cheap(entry[0])}
    for entry in cheap:
        _find_roots(entry, is_cheap, roots)
    recomputed: list[Entry] = []
    # Decided together for values with a common root, as saving the root serves all of them.
    for members in _connected(cheap, roots):
        needed = frozenset().union(*(roots[entry] for entry in members)) - fixed
        cost = sum(size(entry) for entry in needed if entry[0].op is not None)
        if cost < sum(size(entry) for entry in members):
            recomputed += members
    return _copies(recomputed, is_cheap)


def with_stages_again(graph: Graph, gradients: Sequence[Entry | None]) -> list[Entry | None]:
    """Return gradients that recompute the values inside of mirrored stages.

    A stage is the set of nodes with the attribute ``force_mirroring="True"`` and the same
    ``mirror_stage``. Values that enter or leave a stage are saved, and so are results of nodes that
    are not pure, such as random numbers and updated statistics.

    Requires: no regions. Ensures: copies have another ``mirror_stage`` than the original nodes, so
    that they are not merged with them as common subexpressions.

    Args:
        graph: The graph that was differentiated.
        gradients: The gradients; None where there is none.
    """
    nodes = graph.nodes
    stages = {
        node: node.attrs.get(_STAGE, "")
        for node in nodes
        if node.op is not None and node.attrs.get(_MIRRORED, "") in ("True", "true", "1")
    }
    if not stages:
        return [*gradients]
    outside = {node for node, _ in graph.outputs}
    outside |= {
        source
        for node in nodes
        for source, _ in node.inputs
        if stages.get(source) != stages.get(node)
    }

    def is_inside(node: Node) -> bool:
        return node in stages and node not in outside and is_pure(node)

    present = [entry for entry in gradients if entry is not None]
    forward = set(nodes)
    backward = [node for node in Graph(tuple(present)).nodes if node not in forward]
    used = dict.fromkeys(entry for node in backward for entry in node.inputs)
    recomputes = _copies([entry for entry in used if is_inside(entry[0])], is_inside)
    for node in topological([*recomputes.values()], lambda e: e[0] in forward):
        node.attrs[_STAGE] = f"{node.attrs.get(_STAGE, '')} again"
    again = iter(redirected(present, recomputes, forward))
    return [None if entry is None else next(again) for entry in gradients]


def redirected(
    outputs: Sequence[Entry], recomputes: Mapping[Entry, Entry], outer: set[Node]
) -> tuple[Entry, ...]:
    """Return ``outputs`` with entries replaced by ``recomputes``, in nodes not in ``outer``."""

    def moved(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if node in outer:
            return None
        return on_inputs(node, tuple(recomputes.get(entry, entry) for entry in inputs))

    result = rewrite(Graph(tuple(outputs)), moved).outputs
    return tuple(recomputes.get(entry, entry) for entry in result)


def _cheap_sources(
    entry: Entry, is_cheap: Callable[[Node], bool], done: Mapping[Node, object]
) -> list[Node]:
    """Return the cheap nodes that an entry depends on, except those in ``done``, inputs first."""
    return topological([entry], lambda e: e[0] in done or not is_cheap(e[0]))


def _find_roots(
    entry: Entry,
    is_cheap: Callable[[Node], bool],
    roots: dict[Entry, frozenset[Entry]],
) -> None:
    """Add to ``roots`` the values that are not cheap from which an entry is computed."""
    done = {node: None for node, _ in roots}
    for node in _cheap_sources(entry, is_cheap, done):
        reached: set[Entry] = set()
        for source in node.inputs:
            if is_cheap(source[0]):
                reached |= roots[source]
            else:
                reached.add(source)
        roots[node, 0] = frozenset(reached)


def _connected(cheap: Sequence[Entry], roots: Mapping[Entry, Iterable[Entry]]) -> list[list[Entry]]:
    """Return the connected components of the entries; entries with a common root are connected."""
    parts: dict[Entry, list[Entry]] = {}
    for entry in cheap:
        own = [entry]
        for root in roots[entry]:
            other = parts.get(root)
            if other is not None and other is not own:
                small, own = sorted((own, other), key=len)
                own += small
                parts.update({key: own for key, value in parts.items() if value is small})
        parts.update(dict.fromkeys(roots[entry], own))
    return list({id(part): part for part in parts.values()}.values())


def _copies(entries: Iterable[Entry], is_cheap: Callable[[Node], bool]) -> dict[Entry, Entry]:
    copies: dict[Node, Node] = {}
    for entry in entries:
        for node in _cheap_sources(entry, is_cheap, copies):
            inputs = [(copies.get(source, source), i) for source, i in node.inputs]
            copies[node] = node.copy(inputs=inputs)
    return {entry: (copies[entry[0]], entry[1]) for entry in entries}
