"""Dropout in training: a seed is kept for the gradient instead of a mask."""

from collections.abc import Sequence

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.triton.nn.dropout import shared_runs

__all__ = ["with_dropout_by_seed"]

_FLOATS = ("float32", "float64", "float16", "bfloat16")
_SEEDS = {"low": 0, "high": 2**31 - 1, "shape": (1,), "dtype": "int64"}


_DROPOUT = PrivateOperator(
    name="_dropout_by_seed",
    kernel="dropout_by_seed",
    inputs=("data", "seed"),
    infer=lambda types, _: types[0],
)


def with_dropout_by_seed(graph: Graph) -> Graph:
    """Return the graph with dropout masks redrawn from a seed in the backward pass.

    A mask that is used other than by multiplying gradients is kept, as in a graph without a
    backward pass.
    """
    masks = _masks(graph)
    if not masks:
        return graph
    seeds: dict[Node, Value] = {}

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if node in masks:
            drawing = graph.add(
                "_random_randint", [], _SEEDS, name=f"{graph.name(node)}_seed", like=node,
                replaces=False,
            )  # fmt: skip
            (seed,) = graph.values(drawing)
            seeds[node] = seed
            (result,) = dropout(node, node, [inputs[0], seed])
            return result, seed  # in place of the mask
        if graph.op(node) == "broadcast_mul":
            source = graph.source(graph.inputs(node)[1])
            if source in masks:
                return dropout(node, source, [inputs[0], seeds[source]])
        return None

    def dropout(node: Node, source: Node, inputs: Sequence[Value]) -> Sequence[Value]:
        params = {name: graph.params(source)[name] for name in ("p", "axes")}
        added = graph.add(_DROPOUT, inputs, params, name=graph.name(node), like=node)
        return graph.values(added)

    return graph.rewrite(rule)


def _masks(graph: Graph) -> set[Node]:
    """Return the dropout nodes whose masks are only multiplied with gradients."""
    result = {node: 0 for node in graph.nodes if graph.op(node) == "Dropout" and _fits(graph, node)}
    for node in graph.nodes if result else ():
        if graph.op(node) == "broadcast_mul":
            dy, mask = graph.inputs(node)
            source = graph.source(mask)
            if source in result and mask == graph.values(source)[1] and dy != mask:
                result[source] += 1
    return {node for node, n in result.items() if n and n == graph.uses(graph.values(node)[1])}


def _fits(graph: Graph, node: Node) -> bool:
    type_ = graph.type(graph.values(node)[0])
    if type_ is None or type_[1] not in _FLOATS or 0 in type_[0]:
        return False
    params = graph.params(node)
    return params["p"] < 1 and shared_runs(type_[0], params["axes"]) is not None
