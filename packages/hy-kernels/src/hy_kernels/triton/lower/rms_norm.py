"""Fusion of root mean square normalisation that a graph spells out as operators.

The pattern is ``x * rsqrt(mean(square(x), axis=-1, keepdims=True) + eps) * gamma``. In training the
gradient reads the intermediate values, so that the operators stay.
"""

from collections.abc import Sequence
from typing import NamedTuple

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value

__all__ = ["with_fused_rms_norms"]

_FLOATS = ("float32", "float64", "float16", "bfloat16")


_RMS_NORM = PrivateOperator(
    name="_fused_rms_norm",
    kernel="fused_rms_norm",
    inputs=("data", "gamma"),
    infer=lambda types, _: types[0],
)


class _Match(NamedTuple):
    """A matched normalisation: positions of its operands in the two products, and ``eps``."""

    scaled: int
    """Position of the operand of the last product that is not gamma."""
    data: int
    """Position of the data in the product before it."""
    eps: float


def with_fused_rms_norms(graph: Graph) -> Graph:
    """Return the graph with each RMS normalisation as one step, if no part has another user."""

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        result = _match(graph, node)
        if result is None:
            return None
        product = graph.source(inputs[result.scaled])
        operands = graph.inputs(product)[result.data], inputs[1 - result.scaled]
        added = graph.add(
            _RMS_NORM, operands, {"eps": result.eps}, name=graph.name(node), like=node
        )
        return graph.values(added)

    return graph.rewrite(rule)


def _match(graph: Graph, node: Node) -> _Match | None:
    """Return the match of the normalisation that ends at a node, or None."""
    if graph.op(node) != "broadcast_mul":
        return None
    # Products commute: either operand may be gamma, and either of the other one the data.
    for scaled, value in enumerate(graph.inputs(node)):
        product = _sole_producer(graph, value, "broadcast_mul")
        if product is None:
            continue
        for k, data in enumerate(graph.inputs(product)):
            eps = _eps(graph, graph.inputs(product)[1 - k], data)
            gamma = graph.inputs(node)[1 - scaled]
            if eps is not None and _fits(graph, node, data, gamma):
                return _Match(scaled, k, eps)
    return None


def _sole_producer(graph: Graph, value: Value, op: str) -> Node | None:
    """Return the node that computes a value if it is an ``op`` with one user, else None."""
    node = graph.source(value)
    return node if graph.op(node) == op and graph.uses(value) == 1 else None


def _eps(graph: Graph, value: Value, data: Value) -> float | None:
    """Return ``eps`` if a value is ``rsqrt(mean(data²) + eps)`` over the last axis, else None."""
    inverse = _sole_producer(graph, value, "rsqrt")
    total = (
        None if inverse is None else _sole_producer(graph, graph.inputs(inverse)[0], "_plus_scalar")
    )
    mean = None if total is None else _sole_producer(graph, graph.inputs(total)[0], "mean")
    type_ = graph.type(data)
    if total is None or mean is None or type_ is None:
        return None
    params = graph.params(mean)
    last = params["axis"] in ((-1,), (len(type_[0]) - 1,))
    if not last or not params["keepdims"] or params["exclude"]:
        return None
    square = _sole_producer(graph, graph.inputs(mean)[0], "square")
    if square is None or graph.inputs(square) != (data,):
        return None
    return float(graph.params(total)["scalar"])


def _fits(graph: Graph, node: Node, data: Value, gamma: Value) -> bool:
    """Return whether gamma is a vector along the last axis of the data, both of one float dtype."""
    (result,) = graph.values(node)
    type_, scale = graph.type(data), graph.type(gamma)
    if type_ is None or scale is None or graph.type(result) != type_:
        return False
    shape, dtype = type_
    return dtype in _FLOATS and 0 not in shape and scale == (shape[-1:], dtype)
