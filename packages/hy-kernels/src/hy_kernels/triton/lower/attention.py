"""Attention for prediction: two products with a softmax between them as one step."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type

__all__ = ["with_attention_by_products"]

_FLOATS = ("float32", "float16", "bfloat16")
_LARGEST = 256  # elements of a vector
_PRODUCT = "batch_dot"


def _result(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    return types[0]


_ATTENTION = PrivateOperator("_attention", "attention", ("query", "key", "value"), _result)


class _Scores(NamedTuple):
    """What a softmax is of, before the values are summed by it."""

    product: Node
    """Of queries and keys."""
    scale: float


def with_attention_by_products(graph: Graph) -> Graph:
    """The graph with one step for products, perhaps scaled, their softmax and sums of values."""
    found = {node: _scores_of(graph, node) for node in graph.nodes if graph.op(node) == _PRODUCT}
    if not any(found.values()):
        return graph
    renewed: dict[Node, tuple[Value, ...]] = {}

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if node not in found:
            return None
        renewed[node] = inputs
        scores = found[node]
        if scores is None:
            return None
        given, params = [*renewed[scores.product], inputs[1]], {"scale": scores.scale}
        made = graph.add(_ATTENTION, given, params, name=graph.name(node), like=node)
        return graph.values(made)

    return graph.rewrite(rule)


def _scores_of(graph: Graph, node: Node) -> _Scores | None:
    """The scores by whose softmax alone this product sums values."""
    params = graph.params(node)
    if params["transpose_a"] or params["transpose_b"]:
        return None
    weights, values = graph.inputs(node)
    softmax = _used_by_one(graph, weights, "softmax")
    if softmax is None or not _is_plain(graph, softmax):
        return None
    scores, scale = graph.inputs(softmax)[0], 1.0
    for op, power in (("_mul_scalar", 1), ("_div_scalar", -1)):
        scaled = _used_by_one(graph, scores, op)
        if scaled is not None:
            scale = float(graph.params(scaled)["scalar"]) ** power
            (scores,) = graph.inputs(scaled)
            break
    product = _used_by_one(graph, scores, _PRODUCT)
    if product is None or not _fits(graph, product, values):
        return None
    return _Scores(product, scale)


def _used_by_one(graph: Graph, value: Value, op: str) -> Node | None:
    """The node of an operator whose result it is, if it is used once."""
    source = graph.source(value)
    return source if graph.uses(value) == 1 and graph.op(source) == op else None


def _is_plain(graph: Graph, node: Node) -> bool:
    params = graph.params(node)
    last = params["axis"] in (-1, 2) and len(graph.inputs(node)) == 1
    return last and params["temperature"] in (None, 1.0) and params["dtype"] is None


def _fits(graph: Graph, product: Node, values: Value) -> bool:
    """Whether it is of queries and keys of one size, which is that of the values, too."""
    params = graph.params(product)
    if params["transpose_a"] or not params["transpose_b"]:
        return False
    types = [graph.type(each) for each in (*graph.inputs(product), values)]
    if None in types:
        return False
    query, key, value = (each for each in types if each is not None)
    usual = query[1] in _FLOATS and query[1] == key[1] and 0 not in (*query[0], *key[0])
    return usual and key == value and 0 < query[0][-1] <= _LARGEST
