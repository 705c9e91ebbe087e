"""Fully connected layers: what is applied to each of their results becomes part of them."""

from collections.abc import Sequence

from hy_symbol.graph import Entry, Node
from hy_symbol.passes.target import Target
from hy_symbol.rewriting import is_op, new_node, rewrite
from hy_symbol.typed_graph import TypedGraph

__all__ = ["with_dense_activations"]


def with_dense_activations(typed: TypedGraph, target: Target) -> TypedGraph:
    """The graph with ``_fully_connected_activation`` where an activation alone uses a layer.

    Ensures: the same values, variables and names of outputs; the graph itself, if it has none.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> layer = sym.FullyConnected(sym.var("x"), num_hidden=2, name="layer")
        >>> net = sym.Activation(layer, act_type="tanh", name="y")
        >>> typed = TypedGraph.of(net.graph, [((1, 3), "float32"), (None, None), (None, None)])
        >>> with_dense_activations(typed, Target(device_of(cpu()))).graph.outputs[0][0]
        <Node y (_fully_connected_activation)>
    """
    graph = typed.graph

    def is_layer(node: Node) -> bool:
        return is_op(node, "FullyConnected") and graph.uses((node, 0)) == 1

    def joined(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if not is_op(node, "Activation", "relu") or not is_layer(node.inputs[0][0]):
            return None
        layer = inputs[0][0]
        both = new_node(
            "_fully_connected_activation",
            layer.inputs,
            name=node.name,
            like=node,
            act_type=node.params.get("act_type", "relu"),
            **layer.params,
        )
        return [(both, 0)]

    if not target.fuses or not target.has("fully_connected_activation"):
        return typed
    found = any(is_op(node, "Activation", "relu") for node in graph.nodes)
    if not found or not any(map(is_layer, graph.nodes)):
        return typed
    return typed.rewritten(rewrite(graph, joined))
