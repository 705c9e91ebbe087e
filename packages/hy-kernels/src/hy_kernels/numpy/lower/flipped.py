"""Rewrite convolutions of a transposed weight to read it in place, without a copy."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.numpy.nn._window import windows_of
from hy_kernels.record import Type

__all__ = ["with_flipped_weights"]


def _convolution_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    (shape, dtype), (weight, _) = types[:2]
    filters, _, *kernel = (weight[axis] for axis in params["weight_axes"])
    geometry = (params[name] for name in ("stride", "dilate", "pad"))
    return (shape[0], filters, *windows_of(shape[2:], tuple(kernel), *geometry).number), dtype


_CONVOLUTION = PrivateOperator(
    name="_flipped_convolution",
    kernel="flipped_convolution",
    inputs=("data", "weight", "bias"),
    infer=_convolution_type,
    batched=("data",),
)


_FIRST = (None, "NCW", "NCHW", "NCDHW")
"""Layouts with the channels before the spatial axes."""


def with_flipped_weights(graph: Graph) -> Graph:
    """Return the graph without transposes whose only user is a convolution that takes a weight."""
    # Models of Keras store weights as [kh, kw, C, O] and have a transpose for each layer; its copy
    # can take longer than the layer.

    def is_flipped(node: Node) -> bool:
        if graph.op(node) != "Convolution" or graph.params(node)["layout"] not in _FIRST:
            return False
        weight = graph.inputs(node)[1]
        added = graph.source(weight)
        if graph.op(added) != "transpose" or graph.uses(weight) != 1:
            return False
        # Empty axes mean all reversed; that is left as it is.
        return bool(graph.params(added)["axes"])

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if not is_flipped(node):
            return None
        transpose = graph.source(inputs[1])
        rank = len(graph.params(transpose)["axes"])
        axes = tuple(axis % rank for axis in graph.params(transpose)["axes"])
        values = [inputs[0], *graph.inputs(transpose), *inputs[2:]]
        params = {**graph.params(node), "weight_axes": axes}
        return graph.values(
            graph.add(_CONVOLUTION, values, params, name=graph.name(node), like=node)
        )

    return graph.rewrite(rule) if any(map(is_flipped, graph.nodes)) else graph
