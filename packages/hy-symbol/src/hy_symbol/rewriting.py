"""Rewriting: a graph walked node by node, where a rule puts other nodes in the place of some."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from hy_ndarray.ops import find
from hy_symbol._errors import GraphError
from hy_symbol.graph import Entry, Graph, Node

__all__ = ["Rule", "is_op", "new_node", "rewrite"]

Rule: TypeAlias = Callable[[Node, tuple[Entry, ...]], Sequence[Entry] | None]
"""Takes a node and its inputs, rewritten already; gives what its outputs become, None: itself."""


def is_op(node: Node, *names: str) -> bool:
    """Whether a node is an operator of one of these canonical names."""
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
    """A node for a rule to put in.

    Args:
        op: Name of the operator.
        inputs: All inputs that it has with these parameters.
        name: The node's name.
        like: The node it replaces: messages then point to the line that made that one, and its
            attributes ``__key__`` are taken over.
        beside: The node it is made for, if it replaces none: messages point to that line.
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


def rewrite(graph: Graph, rule: Rule) -> Graph:
    """The graph after a rule was asked about every node, inputs before users, loops included.

    Ensures: as many outputs as before; nodes are shared with the old graph where nothing in front
    of them changed, variables always, unless the rule replaces them.

    Args:
        graph: The graph.
        rule: Called once per node. What it returns is not asked about again.

    Raises:
        GraphError: The rule gave fewer entries than the node has outputs that somebody sees.

    Example:
        >>> from hy_symbol import Symbol, sym
        >>> net = sym.relu(sym.relu(sym.var("x"), name="first"), name="second")
        >>> def without_relu(node, inputs):
        ...     return inputs if is_op(node, "relu") else None
        >>> Symbol(rewrite(net.graph, without_relu))
        <Symbol x>
    """
    moved: dict[Entry, Entry] = {}
    for node in graph.nodes:
        inputs = tuple(moved.get((source, i), (source, i)) for source, i in node.inputs)
        outputs = rule(node, inputs)
        if outputs is None:
            twin = _with(node, inputs, rule)
            if twin is node:
                continue
            outputs = [(twin, i) for i in range(node.num_outputs)]
        elif len(outputs) < node.num_visible:
            count = node.num_visible
            raise GraphError(f"rewrite: {len(outputs)} entries for {node!r} of {count} outputs")
        moved.update({(node, i): entry for i, entry in enumerate(outputs)})
    return replace(
        graph,
        outputs=tuple(moved.get((node, i), (node, i)) for node, i in graph.outputs),
        first=tuple(moved.get((node, 0), (node, 0))[0] for node in graph.first),
    )


def _with(node: Node, inputs: tuple[Entry, ...], rule: Rule) -> Node:
    """The node with rewritten inputs and bodies, itself if they are as before."""
    bodies = tuple(
        rewrite(replace(body, first=body.variables), rule) for body in node.subgraphs
    )  # the variables of a body are told apart by their order
    same = all(a.outputs == b.outputs for a, b in zip(bodies, node.subgraphs, strict=True))
    if inputs == node.inputs and same:
        return node
    twin = node.copy(inputs=inputs)
    if not same:
        twin.subgraphs = bodies
    return twin
