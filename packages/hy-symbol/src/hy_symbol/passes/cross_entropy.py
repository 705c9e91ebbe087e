"""Cross entropies: ``pick`` out of ``log_softmax`` becomes one node that makes no large array."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite

__all__ = ["with_picked_softmax"]


def with_picked_softmax(graph: Graph) -> Graph:
    """The graph with ``_log_softmax_pick`` where nothing else uses the ``log_softmax`` of a pick.

    Requires: nothing. Ensures: the same values, variables and names of outputs; only operators
    along the last axis are joined.

    Example:
        >>> from hy_symbol import Symbol, sym
        >>> loss = sym.pick(sym.log_softmax(sym.var("scores")), sym.var("label"), name="loss")
        >>> Symbol(with_picked_softmax(loss.graph)).graph.outputs[0][0]
        <Node loss (_log_softmax_pick)>
    """

    def joined(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if not is_op(node, "pick") or node.params["axis"] != -1:
            return None
        scores = node.inputs[0][0]
        if not is_op(scores, "log_softmax") or not _is_plain(scores):
            return None
        if graph.uses((scores, 0)) != 1:
            return None
        params = {name: node.params[name] for name in ("keepdims", "mode")}
        entries = inputs[0][0].inputs[0], inputs[1]
        both = new_node("_log_softmax_pick", entries, name=node.name, like=node, **params)
        return [(both, 0)]

    return rewrite(graph, joined)


def _is_plain(node: Node) -> bool:
    """Whether a ``log_softmax`` is one along the last axis in the dtype of its input."""
    params = node.params
    return params["axis"] == -1 and params["temperature"] is None and params["dtype"] is None
