"""Fuse fully connected layers with the activation that is the only user of their result."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type

__all__ = ["dense_type", "with_dense_activations"]

_ACTIVATIONS = ("Activation", "relu")


def dense_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    """Return the type of a dense layer's result: ``(*leading, num_hidden)`` in the data's dtype."""
    (shape, dtype), (weight, _) = types[:2]
    leading = shape[:1] if params["flatten"] else shape[:-1]
    return (*leading, weight[0]), dtype


_LAYER = PrivateOperator(
    name="FullyConnected+Activation",
    kernel="fully_connected_activation",
    inputs=("data", "weight", "bias"),
    infer=dense_type,
)


def with_dense_activations(graph: Graph) -> Graph:
    """Return the graph with each dense layer fused with the activation that is its only user."""

    def is_layer(node: Node) -> bool:
        return graph.op(node) == "FullyConnected" and graph.uses(graph.values(node)[0]) == 1

    def fused(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if graph.op(node) not in _ACTIVATIONS or not is_layer(graph.source(graph.inputs(node)[0])):
            return None
        layer = graph.source(inputs[0])
        act_type = graph.params(node).get("act_type", "relu")
        params = {**graph.params(layer), "act_type": act_type}
        both = graph.add(_LAYER, graph.inputs(layer), params, name=graph.name(node), like=layer)
        return graph.values(both)

    nodes = graph.nodes
    result = any(graph.op(node) in _ACTIVATIONS for node in nodes) and any(map(is_layer, nodes))
    return graph.rewrite(fused) if result else graph
