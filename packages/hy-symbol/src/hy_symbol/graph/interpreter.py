"""Interpreter: computes a graph node by node, on any kind of values."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from hy_symbol.graph.node import Entry, Node
from hy_symbol.graph.rewriting import outputs_of

__all__ = ["interpret"]

_Value = TypeVar("_Value")


def interpret(
    nodes: Iterable[Node],
    values: dict[Entry, _Value],
    compute: Callable[[Node, list[_Value]], Sequence[_Value]],
    wanted: Collection[Entry] | None = None,
) -> None:
    """Compute nodes in order, and add their outputs to ``values``.

    Used for monitored runs, for higher-order gradients, and to translate graphs into the calls of
    other libraries.

    Args:
        nodes: Nodes in topological order; variables are skipped.
        values: Values by entry; those of all variables must be present.
        compute: Function of a node and the values of its inputs that returns its outputs.
        wanted: The entries needed afterwards; other values are dropped after their last use. None
            keeps all.

    Example:
        >>> from hy_symbol import sym
        >>> x = sym.var("x")
        >>> graph = sym.exp(x + 1, name="y").graph
        >>> values = {(graph.variables[0], 0): "x"}
        >>> interpret(graph.nodes, values, lambda node, inputs: [f"{node.name}({inputs[0]})"])
        >>> values[graph.outputs[0]]
        'y(_plusscalar0(x))'
    """
    steps = [node for node in nodes if node.op is not None]
    last = {} if wanted is None else {entry: node for node in steps for entry in node.inputs}
    for node in steps:
        results = compute(node, [values[entry] for entry in node.inputs])
        values.update(((node, i), value) for i, value in enumerate(results))
        # This reference would keep results alive that are dropped below.
        del results
        if wanted is not None:
            for entry in {*node.inputs, *outputs_of(node)}:
                if last.get(entry, node) is node and entry not in wanted:
                    values.pop(entry, None)
