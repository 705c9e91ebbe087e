"""Dense layers for prediction with weights prepared once, fused with their activation."""

from collections.abc import Sequence
from math import prod

from hy_kernels.dense_activation import dense_type
from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.lower._activations import NONE, activation_of
from hy_kernels.torch.runtime._onednn import multiplies_by_blas

__all__ = ["with_prepared_dense_layers"]


_WEIGHT = PrivateOperator(
    name="_dense_layer_weight",
    kernel="dense_layer_weight",
    inputs=("weight",),
    infer=lambda types, _: types[0],
)
_LAYER = PrivateOperator(
    name="_dense_layer",
    kernel="dense_layer",
    inputs=("data", "weight", "bias"),
    infer=dense_type,
    batched=("data",),
)


def with_prepared_dense_layers(graph: Graph) -> Graph:
    """Return the graph with dense layers fused with the activation that is their only user."""
    replaced: dict[Node, Node] = {}

    def layer(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        types = [graph.type(value) for value in graph.inputs(node)[:2]]
        if any(each is None or each[1] != "float32" for each in types):
            return None
        ((shape, _), (weight, _)) = (each for each in types if each is not None)
        # Rows of the product, with or without flatten.
        rows = prod(shape) // max(weight[1], 1)
        min_products = (
            COSTS.products.transposed if multiplies_by_blas(rows) else COSTS.products.packed
        )
        if rows < 2 or rows * prod(weight) < min_products:
            return None
        name = graph.name(node)
        added = graph.add(
            _WEIGHT, [inputs[1]], {"rows": rows}, name=f"{name}_weight", like=node, replaces=False
        )
        (prepared,) = graph.values(added)
        graph.prepare(prepared)
        params = {"flatten": graph.params(node)["flatten"], "activation": NONE.name, "scalars": ()}
        added = graph.add(_LAYER, [inputs[0], prepared, *inputs[2:]], params, name=name, like=node)
        replaced[added] = node
        return graph.values(added)

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if graph.op(node) == "FullyConnected":
            return layer(node, inputs)
        before = graph.source(inputs[0]) if inputs else None
        # The fused layer replaces the plain one only where the activation alone reads it.
        if before not in replaced or graph.uses(graph.values(replaced[before])[0]) != 1:
            return None
        activation = activation_of(graph, node)
        if activation is None:
            return None
        more = {"activation": activation.name, "scalars": activation.scalars}
        params = {**graph.params(before), **more}
        both = graph.add(_LAYER, graph.inputs(before), params, name=graph.name(node), like=node)
        return graph.values(both)

    result = any(graph.op(node) == "FullyConnected" for node in graph.nodes)
    return graph.rewrite(rule) if result else graph
