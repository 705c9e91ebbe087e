"""Self-attention for prediction: scores, softmax and weighted sums as one step."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type

__all__ = ["with_joined_attention"]

_VALUES = "_contrib_interleaved_matmul_selfatt_valatt"
_SCORES = "_contrib_interleaved_matmul_selfatt_qk"
_FLOATS = ("float32", "float64", "float16", "bfloat16")


def _result(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    ((steps, samples, width), dtype) = types[0]
    return (steps, samples, width // 3), dtype


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    return _ATTENTION.inputs if params["with_length"] else _ATTENTION.inputs[:1]


_ATTENTION = PrivateOperator(
    "_self_attention", "self_attention", ("queries_keys_values", "length"), _result, active=_inputs
)


def with_joined_attention(graph: Graph) -> Graph:
    """The graph with one step for scores, their softmax and the sums that alone use it."""

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if graph.op(node) != _VALUES:
            return None
        softmax = _used_by_one(graph, graph.inputs(node)[1])
        if softmax is not None and graph.op(softmax) == "Dropout":
            idle = not graph.draws(softmax)
            softmax = _used_by_one(graph, graph.inputs(softmax)[0]) if idle else None
        if softmax is None or not _plain_softmax(graph, softmax):
            return None
        scores = _used_by_one(graph, graph.inputs(softmax)[0])
        if scores is None or not _scores_of(graph, scores, node):
            return None
        length = graph.inputs(softmax)[1:]
        params = {"heads": graph.params(node)["heads"], "with_length": bool(length)}
        made = graph.add(_ATTENTION, [inputs[0], *length], params, name=graph.name(node), like=node)
        return graph.values(made)

    found = any(graph.op(node) == _VALUES for node in graph.nodes)
    return graph.rewrite(rule) if found else graph


def _used_by_one(graph: Graph, value: Value) -> Node | None:
    """The node whose result it is, if it is used once."""
    return graph.source(value) if graph.uses(value) == 1 else None


def _plain_softmax(graph: Graph, node: Node) -> bool:
    if graph.op(node) != "softmax":
        return False
    params = graph.params(node)
    last = params["axis"] in (-1, 2)
    return last and params["temperature"] in (None, 1.0) and params["dtype"] is None


def _scores_of(graph: Graph, node: Node, values: Node) -> bool:
    """Whether these are the scores of the projections whose values are summed."""
    if graph.op(node) != _SCORES or graph.params(node)["heads"] != graph.params(values)["heads"]:
        return False
    (projections,) = graph.inputs(node)
    type_ = graph.type(projections)
    known = type_ is not None and type_[1] in _FLOATS
    return known and projections == graph.inputs(values)[0]
