"""Removes operators such as dropout in the mode where they are the identity."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Node
from hy_symbol.graph.rewriting import rewrite
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.target import Target

__all__ = ["without_idle_draws"]


def without_idle_draws(typed: TypedGraph, target: Target) -> TypedGraph:
    """Replace the results of inactive dropout by its inputs.

    Requires: types. Ensures: the same values, variables and names of outputs. Nodes that are
    outputs are kept, and nodes whose further results, such as the mask, are used.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> from hy_symbol.infer.typed_graph import TypedGraph
        >>> net = sym.exp(sym.Dropout(sym.var("x", shape=(2,), dtype="float32")))
        >>> typed = TypedGraph.of(net.graph, [((2,), "float32")])
        >>> target = Target(device_of(cpu()), is_train=False)
        >>> [node.op.name for node in without_idle_draws(typed, target).graph.nodes if node.op]
        ['exp']
    """
    graph = typed.graph
    outputs = {node for node, _ in graph.outputs}

    def is_idle(node: Node) -> bool:
        op = node.op
        assert op is not None
        if op.traits.draws is None or node in outputs:
            return False
        # Its mask, if somebody reads it, has to be made.
        others = ((node, i) for i in range(1, node.num_outputs))
        return not op.draws(node.params, target.is_train) and not any(map(graph.uses, others))

    def left_out(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        return [inputs[0]] * node.num_outputs if node in idle else None

    candidates = [node for node in graph.nodes if node.op is not None and node.op.traits.identity]
    idle = set(filter(is_idle, candidates))
    return typed.rewritten(rewrite(graph, left_out)) if idle else typed
