"""Moves ReLU after max pooling, where there are fewer elements."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, rewrite

__all__ = ["with_relu_below_pools"]


def with_relu_below_pools(graph: Graph) -> Graph:
    """Return the graph with ReLU after each max pooling that is its only user.

    Requires: nothing. Ensures: the same values and gradients (but those of windows with nan),
    variables and names of outputs, as the ReLU of the largest element is the largest of the ReLUs;
    the graph itself, if there is nothing to move. What is an output stays.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.exp(sym.Pooling(sym.relu(sym.var("x")), kernel=(2, 2)))
        >>> [node.op.name for node in with_relu_below_pools(net.graph).nodes if node.op]
        ['Pooling', 'relu', 'exp']
    """
    outputs = {node for node, _ in graph.outputs}

    def is_movable(node: Node) -> bool:
        if not is_op(node, "Pooling") or not _is_largest(node) or node in outputs:
            return False
        source = node.inputs[0]
        return _is_relu(source[0]) and graph.uses(source) == 1

    def moved(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if not is_movable(node):
            return None
        relu = inputs[0][0]
        pool = node.copy(inputs=relu.inputs)
        return [(relu.copy(inputs=((pool, 0),)), 0)]

    return rewrite(graph, moved) if any(map(is_movable, graph.nodes)) else graph


def _is_relu(node: Node) -> bool:
    return is_op(node, "relu") or (is_op(node, "Activation") and node.params["act_type"] == "relu")


def _is_largest(node: Node) -> bool:
    """Return whether a pooling gives the maximum of windows that are never empty."""
    params = node.params
    if params["pool_type"] != "max" or params["global_pool"]:
        return bool(params["pool_type"] == "max")
    # A window of padding alone gives the lowest number, of which a ReLU would make 0.
    has_input = all(p < k for p, k in zip(params["pad"], params["kernel"], strict=False))
    return has_input and params["pooling_convention"] == "valid"
