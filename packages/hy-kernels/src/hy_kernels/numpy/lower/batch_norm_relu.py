"""Fuse batch normalisation with the ReLU that follows it, and their gradients."""

from collections.abc import Sequence

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value

__all__ = ["with_fused_batch_norm_relu"]

_BOTH = "_contrib_BatchNormWithReLU"
_GRADIENT = PrivateOperator(
    name="_batch_norm_relu_backward",
    kernel="batch_norm_relu_backward",
    inputs=("dy", "output", "data", "gamma", "mean", "deviation"),
    infer=lambda types, _: types[2],
    outputs=("data", "gamma", "beta"),
    others=lambda types, _: [types[3], types[3]],
)


def with_fused_batch_norm_relu(graph: Graph) -> Graph:
    """Return the graph with each batch normalisation fused with the ReLU that is its only user."""
    # One step reads and writes a block while it is in the cache. A second user of the normalised
    # value would need it before the ReLU, which the fused step does not write.
    followed = {
        graph.source(graph.inputs(node)[0])
        for node in graph.nodes
        if _is_relu(graph, node) and graph.uses(graph.inputs(node)[0]) == 1
    }
    norms = {node for node in followed if graph.op(node) == "BatchNorm"}

    def is_masked(node: Node) -> bool:
        if graph.op(node) != "_normalize_backward" or graph.params(node)["kind"] != "batch":
            return False
        gradient = graph.inputs(node)[0]
        masks = _is_relu(graph, graph.source(gradient), "_backward")
        return masks and graph.uses(gradient) == 1

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        params = graph.params(node)
        if node in norms:
            fused = graph.add(_BOTH, inputs, params, name=graph.name(node), like=node)
            return graph.values(fused)
        if _is_relu(graph, node) and graph.source(graph.inputs(node)[0]) in norms:
            return inputs
        if not is_masked(node):
            return None
        # The ReLU's gradient is dy where its output is positive: the fused kernel reads both.
        operands = [*graph.inputs(graph.source(inputs[0])), *inputs[1:]]
        norm_params = {name: params[name] for name in ("axis", "fix_gamma", "frozen")}
        added = graph.add(_GRADIENT, operands, norm_params, name=graph.name(node), like=node)
        return graph.values(added)

    return graph.rewrite(rule) if norms or any(map(is_masked, graph.nodes)) else graph


def _is_relu(graph: Graph, node: Node, suffix: str = "") -> bool:
    op = graph.op(node)
    if not suffix and op == "relu":
        return True
    known = op == ("_activation_backward" if suffix else "Activation")
    return known and graph.params(node)["act_type"] == "relu"
