"""Cross entropy: fuses ``log_softmax`` with the reduction after it, to save the large array."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite

__all__ = ["with_picked_softmax", "with_weighed_softmax"]


def with_picked_softmax(graph: Graph) -> Graph:
    """Fuse ``pick(log_softmax(x))`` to ``_log_softmax_pick``.

    Only if nothing else uses the ``log_softmax``. A negation after it, as in losses, is fused too
    if it is the only use of the picked values.

    Requires: nothing. Ensures: the same values, variables and names of outputs; only operators
    along the last axis are joined.

    Example:
        >>> from hy_symbol import Symbol, sym
        >>> loss = sym.pick(sym.log_softmax(sym.var("scores")), sym.var("label"), name="loss")
        >>> Symbol(with_picked_softmax(loss.graph)).graph.outputs[0][0]
        <Node loss (_log_softmax_pick)>
    """
    if not graph.has_op("log_softmax", "_log_softmax_pick"):
        return graph

    def joined(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if _is_negation(node):
            picked = inputs[0][0]
            if not is_op(picked, "_log_softmax_pick") or graph.uses(node.inputs[0]) != 1:
                return None
            params = {**picked.params, "negative": not picked.params["negative"]}
            return [
                (
                    new_node(
                        "_log_softmax_pick", picked.inputs, name=node.name, like=node, **params
                    ),
                    0,
                )
            ]
        if not is_op(node, "pick") or node.params["axis"] != -1:
            return None
        scores = node.inputs[0][0]
        if not is_op(scores, "log_softmax") or not _is_plain(scores):
            return None
        # Other users of the logarithms would have to compute them a second time.
        if graph.uses((scores, 0)) != 1:
            return None
        params = {name: node.params[name] for name in ("keepdims", "mode")}
        entries = inputs[0][0].inputs[0], inputs[1]
        both = new_node("_log_softmax_pick", entries, name=node.name, like=node, **params)
        return [(both, 0)]

    return rewrite(graph, joined)


def _is_negation(node: Node) -> bool:
    return is_op(node, "negative") or (is_op(node, "_mul_scalar") and node.params["scalar"] == -1)


def _is_plain(node: Node) -> bool:
    """Return whether a ``log_softmax`` has default parameters: last axis, dtype of the input."""
    params = node.params
    return params["axis"] == -1 and params["temperature"] is None and params["dtype"] is None


def with_weighed_softmax(graph: Graph) -> Graph:
    """Fuse ``sum(log_softmax(x) * y, axis=-1)`` to ``_log_softmax_dot``.

    Requires: nothing. Ensures: the same values, variables and names of outputs; only operators
    along the last axis are joined.

    Example:
        >>> from hy_symbol import Symbol, sym
        >>> product = sym.log_softmax(sym.var("scores")) * sym.var("label")
        >>> loss = sym.sum(product, axis=-1, keepdims=True, name="loss")
        >>> Symbol(with_weighed_softmax(loss.graph)).graph.outputs[0][0]
        <Node loss (_log_softmax_dot)>
    """
    if not graph.has_op("log_softmax"):
        return graph
    # Gluon's loss reshapes the label to the shape of the logarithms, which counts as a use of them
    # and is removed first.
    graph = rewrite(graph, _shaped_as_scores)

    def joined(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if not is_op(node, "sum") or node.params["axis"] != (-1,) or node.params["exclude"]:
            return None
        position = _position_of_logarithms(graph, node.inputs[0])
        if position is None:
            return None
        factors = inputs[0][0].inputs
        entries = factors[position][0].inputs[0], factors[1 - position]
        if node.params["keepdims"]:
            return [(new_node("_log_softmax_dot", entries, name=node.name, like=node), 0)]
        fused = new_node("_log_softmax_dot", entries, name=f"{node.name}_kept", beside=node)
        return [(node.copy(inputs=((fused, 0),)), 0)]

    rewritten = rewrite(graph, joined)  # where the label came first it is now the second operand
    return graph if rewritten is graph else Graph(rewritten.outputs, graph.variables)


def _shaped_as_scores(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
    """Let ``reshape_like(y, log_softmax(x))`` take the shape from ``x``, to remove a use."""
    if not is_op(node, "reshape_like") or not is_op(inputs[1][0], "log_softmax"):
        return None
    return [(node.copy(inputs=(inputs[0], inputs[1][0].inputs[0])), 0)]


def _position_of_logarithms(graph: Graph, entry: Entry) -> int | None:
    """Return which factor of a product is a ``log_softmax`` without other uses, or None."""
    if not is_op(entry[0], "elemwise_mul") or graph.uses(entry) != 1:
        return None
    for position, (factor, _) in enumerate(entry[0].inputs):
        if is_op(factor, "log_softmax") and _is_plain(factor) and graph.uses((factor, 0)) == 1:
            return position
    return None
