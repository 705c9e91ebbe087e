"""The gradient pass: nodes that compute the gradients of a graph's outputs."""

from collections.abc import Sequence
from contextvars import copy_context
from typing import Any

from hy_ndarray import AutogradError, observing
from hy_ndarray.casting import without_casting
from hy_ndarray.ops import Saved, find
from hy_symbol._errors import GraphError
from hy_symbol.graph import Entry, Graph, Node
from hy_symbol.name import NameManager
from hy_symbol.region import Region, inlined
from hy_symbol.symbol import Symbol

__all__ = ["gradient", "gradient_symbol"]


def gradient(
    graph: Graph, head_grads: Sequence[Entry], wrt: Sequence[Entry], *, is_train: bool
) -> list[Entry | None]:
    """Entries that compute the gradients of the outputs with respect to some entries.

    Requires: one head gradient per output of ``graph``; every entry of ``wrt`` in it; no regions.
    Ensures: the new nodes use only entries of the graph, the head gradients and each other.

    Args:
        graph: What was computed.
        head_grads: Gradient of some scalar in each output.
        wrt: The entries to differentiate with respect to.
        is_train: The mode in which the graph was computed.

    Returns:
        One entry per element of ``wrt``, None where no output depends on it.

    Raises:
        AutogradError: A gradient has to pass an operator that has none; names the node. An output
            of such an operator is no error: nothing depends on its head gradient.
    """
    context = copy_context()  # of its own, so that no scope stays open where a signal ends it
    return context.run(_gradient, graph, head_grads, wrt, is_train)


def _gradient(
    graph: Graph, head_grads: Sequence[Entry], wrt: Sequence[Entry], is_train: bool
) -> list[Entry | None]:
    active = _depends_on(graph, wrt)
    sums: dict[Entry, list[Symbol]] = {}

    def add(entry: Entry, dy: Symbol) -> None:
        sums.setdefault(entry, []).append(dy)

    with NameManager():
        for output, dy in zip(graph.outputs, head_grads, strict=True):
            op = output[0].op
            if op is None or op.grad is not None or isinstance(op, Region):
                add(output, Symbol.of(dy))
        for node in reversed(graph.nodes):
            if node.op is None or node not in active:
                continue
            dys = [_total(sums.get((node, i))) for i in range(node.num_visible)]
            if all(dy is None for dy in dys):
                continue
            with observing.at(observing.Place(node.place.block, node.name)):
                found = _node_gradients(node, dys, is_train)
            for entry, dx in zip(node.inputs, found, strict=True):
                if dx is not None and entry[0] in active:
                    add(entry, dx)
        totals = [_total(sums.get((node, i))) for node, i in wrt]
    return [None if dx is None else dx.single_entry() for dx in totals]


def gradient_symbol(symbol: Symbol, wrt: Sequence[str]) -> Symbol:
    """The gradients of the sum of a symbol's outputs with respect to arguments, in training mode.

    Raises:
        GraphError: There is no such argument, or no output depends on it.
    """
    symbol = Symbol(inlined(symbol.graph))
    arguments = {node.name: node for node in symbol.graph.arguments}
    unknown = [name for name in wrt if name not in arguments]
    if unknown or not wrt:
        raise GraphError(f"gradient: no argument {unknown}; arguments: {', '.join(arguments)}")
    ones = find("ones_like")
    with NameManager():
        heads = [
            Symbol.apply_operator(ones, [output], ones.defaults).single_entry() for output in symbol
        ]
    entries = [(arguments[name], 0) for name in wrt]
    found = gradient(symbol.graph, heads, entries, is_train=True)
    for name, entry in zip(wrt, found, strict=True):
        if entry is None:
            raise GraphError(f"gradient: no output depends on argument '{name}'")
    return Symbol.of(*(entry for entry in found if entry is not None))


def _depends_on(graph: Graph, wrt: Sequence[Entry]) -> set[Node]:
    """The nodes of ``wrt`` and of those that depend on them."""
    active = {node for node, _ in wrt}
    for node in graph.nodes:
        if any(source in active for source, _ in node.inputs):
            active.add(node)
    return active


def _total(parts: list[Symbol] | None) -> Symbol | None:
    if not parts:
        return None
    if len(parts) > 1:
        op = find("add_n")
        parts[:] = [Symbol.apply_operator(op, parts, op.defaults)]
    return parts[0]


def _node_gradients(
    node: Node, dys: Sequence[Symbol | None], is_train: bool
) -> Sequence[Symbol | None]:
    """Gradients of the inputs of a node, in the order of ``node.inputs``."""
    op = node.op
    assert op is not None
    if op.grad is None:
        raise AutogradError(f"{op.name} '{node.name}' is not differentiable")
    zeros = find("zeros_like")
    filled = [
        Symbol.apply_operator(zeros, [Symbol.of((node, i))], {}) if dy is None else dy
        for i, dy in enumerate(dys)
    ]
    inputs: list[Any] = node.operands([Symbol.of(entry) for entry in node.inputs])
    outputs = tuple(Symbol.of((node, i)) for i in range(node.num_outputs))
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
