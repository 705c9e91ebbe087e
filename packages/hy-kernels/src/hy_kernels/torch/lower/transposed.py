"""Dense layers after channels-last images: their weights are permuted instead of the images."""

from collections.abc import Sequence
from math import prod

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.torch.costs import COSTS

__all__ = ["with_transposed_dense_layers"]

_NCHW_AXES = (0, 3, 1, 2)


_WEIGHT = PrivateOperator(
    name="_transposed_dense_weight",
    kernel="transposed_dense_weight",
    inputs=("weight",),
    infer=lambda types, _: types[0],
)


def with_transposed_dense_layers(graph: Graph) -> Graph:
    """Return the graph without transposes before dense layers, whose weights are permuted."""

    def transpose_of(node: Node) -> Node | None:
        """Return the node that transposes images to channels first for a dense layer only."""
        if graph.op(node) != "FullyConnected" or not graph.params(node)["flatten"]:
            return None
        data = graph.inputs(node)[0]
        # Flatten between the transpose and the layer changes nothing that the weight cannot.
        while graph.uses(data) == 1 and graph.op(graph.source(data)) == "Flatten":
            data = graph.inputs(graph.source(data))[0]
        added = graph.source(data)
        is_transpose = graph.op(added) == "transpose" and graph.params(added)["axes"] == _NCHW_AXES
        return added if is_transpose and graph.uses(data) == 1 else None

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        transpose = transpose_of(node)
        if transpose is None:
            return None
        data, weight = graph.type(graph.values(transpose)[0]), graph.type(graph.inputs(node)[1])
        # Two copies of a weight are kept, so only of small ones.
        if data is None or weight is None or prod(weight[0]) > COSTS.memory.transposed_weight:
            return None
        name, before = graph.name(node), graph.source(inputs[0])
        while graph.op(before) == "Flatten":
            before = graph.source(graph.inputs(before)[0])
        more = {"size": data[0][1:]}
        added = graph.add(
            _WEIGHT, [inputs[1]], more, name=f"{name}_transposed", like=node, replaces=False
        )
        (prepared,) = graph.values(added)
        graph.prepare(prepared)
        values = [*graph.inputs(before), prepared, *inputs[2:]]
        params = graph.params(node)
        return graph.values(graph.add("FullyConnected", values, params, name=name, like=node))

    return graph.rewrite(rule) if any(map(transpose_of, graph.nodes)) else graph
