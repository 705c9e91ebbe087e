"""Rewriting: builds a new graph node by node, applying a rule to each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from hy_ndarray.ops import find
from hy_symbol._errors import GraphError
from hy_symbol.graph.node import Entry, Graph, Node, topological

__all__ = [
    "Rewriting",
    "Rule",
    "extract",
    "instantiate",
    "is_op",
    "new_node",
    "on_inputs",
    "outputs_of",
    "rewrite",
    "substitute",
]

Rule: TypeAlias = Callable[[Node, tuple[Entry, ...]], Sequence[Entry] | None]
"""Function of a node and its rewritten inputs; returns new outputs, None to keep the node."""


def is_op(node: Node, *names: str) -> bool:
    """Return whether a node's operator has one of these canonical names."""
    return node.op is not None and node.op.name in names


def new_node(
    op: str,
    inputs: Sequence[Entry],
    *,
    name: str,
    like: Node | None = None,
    beside: Node | None = None,
    **params: Any,
) -> Node:
    """Create a node for a rewriting rule to insert.

    Args:
        op: Name of the operator.
        inputs: One entry per input that the operator has with these parameters.
        name: The node's name.
        like: The node that it replaces; its annotations ``__key__`` and source line are taken over.
        beside: The node on whose behalf it is created, whose source line is taken over.
        params: Parameters of the operator.

    Raises:
        ArgumentError: There is no such operator or parameter, or a value is malformed.
    """
    record = find(op)
    parsed = record.parse(params)
    attrs = record.texts(params)
    if record.count is not None:
        attrs[record.count] = str(len(inputs))
    if like is not None:
        attrs |= {k: v for k, v in like.attrs.items() if k[:2] == k[-2:] == "__"}
    return Node(record, name, inputs, attrs, parsed, beside=like or beside)


class Rewriting:
    """State of a rewriting: maps each entry to its replacement so far.

    Nodes are visited in topological order; each is kept or replaced once.
    """

    def __init__(self) -> None:
        self._moved: dict[Entry, Entry] = {}

    def __getitem__(self, entry: Entry) -> Entry:
        """Return the replacement of an entry, or the entry itself."""
        return self._moved.get(entry, entry)

    def inputs(self, node: Node) -> tuple[Entry, ...]:
        """Return the replacements of a node's inputs."""
        moved = self._moved
        return tuple([moved.get(entry, entry) for entry in node.inputs])

    def keep(self, node: Node) -> None:
        """Keep a node, replaced by a copy if any of its inputs was replaced."""
        inputs = self.inputs(node)
        if inputs != node.inputs:
            self.replace(node, outputs_of(node.copy(inputs=inputs)))

    def replace(self, node: Node, outputs: Sequence[Entry]) -> None:
        """Replace a node's outputs by ``outputs``, in order."""
        for i, entry in enumerate(outputs):
            self._moved[node, i] = entry

    def replace_entry(self, old: Entry, new: Entry) -> None:
        """Replace one entry by another."""
        self._moved[old] = new

    def graph(self, old: Graph) -> Graph:
        """Return the rewritten form of a graph."""
        moved = self._moved
        return replace(
            old,
            outputs=tuple([moved.get(entry, entry) for entry in old.outputs]),
            first=tuple([moved.get((node, 0), (node, 0))[0] for node in old.first]),
        )


def outputs_of(node: Node) -> list[Entry]:
    """Return the entries of all outputs of a node."""
    op = node.op
    if op is None or op.plain:
        return [(node, 0)]
    return [(node, i) for i in range(node.num_outputs)]


def on_inputs(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
    """Return the outputs of a copy of a node on ``inputs``, None if it has these already."""
    return None if inputs == node.inputs else outputs_of(node.copy(inputs=inputs))


def rewrite(graph: Graph, rule: Rule) -> Graph:
    """Return the graph with a rule applied to every node, inputs first, bodies included.

    Ensures: as many outputs as before; nodes whose predecessors did not change are shared with the
    old graph, and variables always are unless the rule replaces them.

    Args:
        graph: The graph.
        rule: Called once per node of the graph, not for the nodes that it inserts.

    Raises:
        GraphError: The rule returned fewer entries than the node has visible outputs.

    Example:
        >>> from hy_symbol import Symbol, sym
        >>> net = sym.relu(sym.relu(sym.var("x"), name="first"), name="second")
        >>> def without_relu(node, inputs):
        ...     return inputs if is_op(node, "relu") else None
        >>> Symbol(rewrite(net.graph, without_relu))
        <Symbol x>
    """
    state = Rewriting()
    for node in graph.nodes:
        inputs = state.inputs(node) if node.inputs else ()
        outputs = rule(node, inputs)
        if outputs is None:
            # Shared with the old graph, not copied: types and caches that are kept by node stay
            # valid.
            if inputs == node.inputs and not node.bodies:
                continue
            outputs = _unchanged(node, inputs, rule)
        elif len(outputs) < node.num_visible:
            count = node.num_visible
            raise GraphError(
                f"rewrite: the rule gave {len(outputs)} entries for {node!r}, which has {count} "
                "outputs"
            )
        if outputs is not None:
            state.replace(node, outputs)
    return state.graph(graph)


def _unchanged(node: Node, inputs: tuple[Entry, ...], rule: Rule) -> Sequence[Entry] | None:
    """Return the outputs of a kept node on rewritten inputs and bodies, None if unchanged."""
    if node.is_region or not node.bodies:  # the nodes of a region are its backend's
        return on_inputs(node, inputs)
    bodies = tuple(
        rewrite(replace(body, first=body.variables), rule) for body in node.bodies
    )  # the variables of a body are distinguished by their order
    if all(a.outputs == b.outputs for a, b in zip(bodies, node.bodies, strict=True)):
        return on_inputs(node, inputs)
    return outputs_of(node.copy(inputs=inputs, bodies=bodies))


def substitute(graph: Graph, mapping: Mapping[Node, Entry]) -> Graph:
    """Return the graph with single-output nodes replaced by entries.

    Nodes that do not depend on a replaced node are shared with the old graph.
    """
    result = rewrite(graph, lambda node, _: [mapping[node]] if node in mapping else None)
    return replace(result, first=tuple(node for node in graph.first if node not in mapping))


def instantiate(
    body: Graph, values: Sequence[Entry], rename: Callable[[str], str] | None = None
) -> list[Entry]:
    """Inline a graph: return the outputs of a copy of its nodes applied to ``values``.

    Args:
        body: The graph.
        values: The entry that replaces each variable of the graph.
        rename: Function from a node's name to that of its copy; None keeps names.
    """
    by_variable = dict(zip(body.variables, values, strict=True))

    def copied(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
        if node.op is None:
            return [by_variable[node]]
        return outputs_of(node.copy(name=rename(node.name), inputs=inputs)) if rename else None

    # Without ``first``: its variables are replaced by values, which may be outputs of any node.
    return list(rewrite(replace(body, first=()), copied).outputs)


def extract(
    outputs: Sequence[Entry], variable: Callable[[Entry], Node | None]
) -> tuple[Graph, dict[Node, Entry]]:
    """Extract a part of a graph as a graph of its own.

    Args:
        outputs: The outputs of the part.
        variable: Function that returns the variable to put in place of an entry outside of the
            part, and None for entries inside.

    Returns:
        The part, and the entry that each new variable stands for.
    """
    stands_for: dict[Node, Entry] = {}
    cut: dict[Entry, Entry] = {}

    def is_outside(entry: Entry) -> bool:
        if entry not in cut:
            # Asked once per entry, since each answer may be a new variable.
            outside = variable(entry)
            if outside is None:
                return False
            cut[entry] = (outside, 0)
            stands_for[outside] = entry
        return True

    inner = topological(outputs, is_outside)
    state = Rewriting()
    for node in inner:
        inputs = tuple([cut.get(entry) or state[entry] for entry in node.inputs])
        body_node = on_inputs(node, inputs)
        if body_node is not None:
            state.replace(node, body_node)
    return Graph(tuple([cut.get(entry) or state[entry] for entry in outputs])), stands_for
