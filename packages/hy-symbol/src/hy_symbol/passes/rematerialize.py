"""Rematerialization: recomputes saved values in the backward pass, to save memory."""

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
    """Return copies of cheap nodes for some of the values that a backward pass needs.

    Each cheap value follows from values before it that are not cheap, or are variables. Values
    that follow from common ones are computed again where these take less memory than they do.

    Requires: nothing. Ensures: what the copies use are variables, or values that are saved anyway
    or instead.

    Args:
        saved: The values that the backward pass needs, variables not among them.
        is_cheap: Whether computing a node again costs little; it is pure.
        size: Bytes of a value.

    Returns:
        By entry what takes its place; empty if nothing is gained.
    """
    roots: dict[Entry, frozenset[Entry]] = {}
    cheap = [entry for entry in saved if is_cheap(entry[0])]
    fixed = {entry for entry in saved if not is_cheap(entry[0])}
    for entry in cheap:
        _find_roots(entry, is_cheap, roots)
    recomputed: list[Entry] = []
    # Values with a common root are decided about together, as to keep the root serves all of them.
    for members in _connected(cheap, roots):
        needed = frozenset().union(*(roots[entry] for entry in members)) - fixed
        cost = sum(size(entry) for entry in needed if entry[0].op is not None)
        if cost < sum(size(entry) for entry in members):
            recomputed += members
    return _copies(recomputed, is_cheap)


def with_stages_again(graph: Graph, gradients: Sequence[Entry | None]) -> list[Entry | None]:
    """Return gradients that recompute the values inside of stages instead of saving them.

    A stage is all nodes with the attribute ``force_mirroring="True"`` and the same
    ``mirror_stage``. What enters and leaves it is kept, and what is not pure, such as random
    numbers and updated statistics.

    Requires: no regions. Ensures: nodes that were copied have another ``mirror_stage``, by which
    they stay apart from those that they are copies of.

    Args:
        graph: What was differentiated.
        gradients: What its gradients are; None where there is none.
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
    """Return the outputs with nodes outside of ``outer`` using the copies of entries."""

    def moved(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if node in outer:
            return None
        return on_inputs(node, tuple(recomputes.get(entry, entry) for entry in inputs))

    result = rewrite(Graph(tuple(outputs)), moved).outputs
    return tuple(recomputes.get(entry, entry) for entry in result)


def _cheap_sources(
    entry: Entry, is_cheap: Callable[[Node], bool], done: Mapping[Node, object]
) -> list[Node]:
    """Return the cheap nodes before an entry that are not copied yet, inputs first."""
    return topological([entry], lambda e: e[0] in done or not is_cheap(e[0]))


def _find_roots(
    entry: Entry,
    is_cheap: Callable[[Node], bool],
    roots: dict[Entry, frozenset[Entry]],
) -> None:
    """Collect the values, neither cheap nor variables, that an entry is computed from."""
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
    """Return the entries grouped by shared roots."""
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
