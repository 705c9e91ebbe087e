"""The gradient pass: adds nodes that compute the gradients of a graph's outputs."""

from collections.abc import Sequence
from contextvars import copy_context
from typing import Any

from hy_ndarray import AutogradError
from hy_ndarray.core.casting import without_casting
from hy_ndarray.devices import instrumentation
from hy_ndarray.ops import Saved, find
from hy_symbol._errors import GraphError
from hy_symbol.graph.name import NameManager
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.regions.region import inlined
from hy_symbol.value.value import Value

__all__ = ["gradient", "gradients_by_name"]


def gradient(
    graph: Graph, head_grads: Sequence[Entry], wrt: Sequence[Entry], *, is_train: bool
) -> list[Entry | None]:
    """Return entries that compute the gradients of a graph's outputs with respect to ``wrt``.

    Requires: one head gradient per output of ``graph``; every entry of ``wrt`` in it; no regions.
    Ensures: the new nodes use only entries of the graph, the head gradients and each other.

    Args:
        graph: The graph to differentiate.
        head_grads: For each output, the gradient of some scalar with respect to it.
        wrt: The entries to differentiate with respect to.
        is_train: The mode in which the graph was computed.

    Returns:
        One entry per element of ``wrt``, None where no output depends on it.

    Raises:
        AutogradError: A gradient would have to pass an operator that is not differentiable; names
            the node. Outputs of such operators are allowed, and their head gradients are ignored.
    """
    context = copy_context()  # of its own, so that no scope stays open where a signal ends it
    return context.run(_gradient, graph, head_grads, wrt, is_train)


def _gradient(
    graph: Graph, head_grads: Sequence[Entry], wrt: Sequence[Entry], is_train: bool
) -> list[Entry | None]:
    active = _depends_on(graph, wrt)
    sums: dict[Entry, list[Value]] = {}

    def add(entry: Entry, dy: Value) -> None:
        sums.setdefault(entry, []).append(dy)

    with NameManager():
        for output, dy in zip(graph.outputs, head_grads, strict=True):
            op = output[0].op
            # No gradient flows into an output such as that of argmax, so its head gradient is
            # ignored.
            if op is None or op.grad is not None or output[0].is_region:
                add(output, Value(dy))
        # Users before producers: all parts of an entry's gradient are there when its node is
        # reached.
        for node in reversed(graph.nodes):
            if node.op is None or node not in active:
                continue
            dys = [_gradient_sum(sums.get((node, i))) for i in range(node.num_visible)]
            if all(dy is None for dy in dys):
                continue
            with instrumentation.at(instrumentation.ScopePath(node.scope_path.block, node.name)):
                gradients = _node_gradients(node, dys, is_train)
            for entry, dx in zip(node.inputs, gradients, strict=True):
                if dx is not None and entry[0] in active:
                    add(entry, dx)
        totals = [_gradient_sum(sums.get((node, i))) for node, i in wrt]
    return [None if dx is None else dx.entry for dx in totals]


def gradients_by_name(graph: Graph, wrt: Sequence[str]) -> Graph:
    """Return the gradients of the sum of all outputs with respect to arguments, in training mode.

    Raises:
        GraphError: There is no such argument, or no output depends on it.
    """
    graph = inlined(graph)
    arguments = {node.name: node for node in graph.arguments}
    unknown = [name for name in wrt if name not in arguments]
    if unknown or not wrt:
        raise GraphError(f"gradient: no argument {unknown}; arguments: {', '.join(arguments)}")
    ones = find("ones_like")
    with NameManager():
        heads: list[Entry] = [
            Value.apply_operator(ones, [Value(output)], ones.defaults).entry
            for output in graph.outputs
        ]
    entries = [(arguments[name], 0) for name in wrt]
    gradients = gradient(graph, heads, entries, is_train=True)
    for name, entry in zip(wrt, gradients, strict=True):
        if entry is None:
            raise GraphError(f"gradient: no output depends on argument '{name}'")
    return Graph(tuple(entry for entry in gradients if entry is not None))


def _depends_on(graph: Graph, wrt: Sequence[Entry]) -> set[Node]:
    """Return the nodes of ``wrt`` and all nodes that depend on them."""
    active = {node for node, _ in wrt}
    for node in graph.nodes:
        if any(source in active for source, _ in node.inputs):
            active.add(node)
    return active


def _gradient_sum(parts: list[Value] | None) -> Value | None:
    if not parts:
        return None
    if len(parts) > 1:
        op = find("add_n")
        # The sum takes the place of its parts, as an entry may be asked for more than once.
        parts[:] = [Value.apply_operator(op, parts, op.defaults)]
    return parts[0]


def _node_gradients(
    node: Node, dys: Sequence[Value | None], is_train: bool
) -> Sequence[Value | None]:
    """Return the gradients of a node's inputs, one per input in order."""
    op = node.op
    assert op is not None
    if op.grad is None:
        raise AutogradError(f"{op.name} '{node.name}' is not differentiable")
    # Rules take a gradient for each output: zeros where nobody uses it.
    zeros = find("zeros_like")
    filled = [
        Value.apply_operator(zeros, [Value((node, i))], {}) if dy is None else dy
        for i, dy in enumerate(dys)
    ]
    inputs: list[Any] = node.operands([Value(entry) for entry in node.inputs])
    outputs = tuple(Value((node, i)) for i in range(node.num_outputs))
    saved = Saved(tuple(inputs), outputs, node.params, is_train)
    try:
        with without_casting():  # it would cast the rule's own arithmetic
            gradients = op.grad(saved, *filled)
    except AutogradError as error:
        error.add_note(f"in node '{node.name}'")
        raise
    present = [dx for x, dx in zip(inputs, gradients, strict=True) if x is not None]
    assert len(present) == len(node.inputs), f"{op.name}: one gradient per input"
    return present
