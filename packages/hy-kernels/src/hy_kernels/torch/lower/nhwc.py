"""Convolutions that train on ``[N, H, W, C]``, as oneDNN is fastest on where weights are small."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from hy_kernels.convolution_order import ConvolutionOrder, operands
from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.torch.nn._window import full

__all__ = ["with_nhwc_convolutions"]

_RANK = 4
_HEAVY = 150
"""Elements of a weight for each place of a window, above which the usual order is faster."""
_BATCH = 4  # images at least: with fewer, there are soon too few windows in a net
_LEAST = 1 << 15  # elements of the images: with fewer, all that counts is the number of calls
_MOVED = 0.15  # of the images that are convolved, so many at most are turned round
_GEOMETRY = ("stride", "dilate", "pad", "num_group")


def _convolved(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    ((n, *size, _), dtype), (weight, _) = types[:2]
    return (n, *_number(size, weight, params), weight[0]), dtype


def _number(size: Sequence[int], weight: Sequence[int], params: Mapping[str, Any]) -> list[int]:
    """How many windows there are along each axis."""
    names = ("stride", 1), ("dilate", 1), ("pad", 0)
    how = (full(params[name], 2, default) for name, default in names)
    each = zip(size, weight[2:], *how, strict=True)
    return [(w + 2 * p - d * (k - 1) - 1) // s + 1 for w, k, s, d, p in each]


_CONVOLUTION = PrivateOperator(
    "_nhwc_convolution", "nhwc_convolution", ("data", "weight", "bias"), _convolved
)
_TO_DATA = PrivateOperator(
    "_nhwc_convolution_backward_data",
    "nhwc_convolution_backward_data",
    ("dy", "weight", "data"),
    lambda types, _: types[2],
)
_TO_WEIGHT = PrivateOperator(
    "_nhwc_convolution_backward_weight",
    "nhwc_convolution_backward_weight",
    ("dy", "data", "weight"),
    lambda types, _: types[2],
)
_COUNTERPARTS = {
    "Convolution": (_CONVOLUTION, (0,)),
    "_convolution_backward_data": (_TO_DATA, (0, 2)),
    "_convolution_backward_weight": (_TO_WEIGHT, (0, 1)),
}
"""The operators in their place, and which of the inputs are images."""


def with_nhwc_convolutions(graph: Graph) -> Graph:
    """The graph with its light convolutions, and what lies between them, on ``[N, H, W, C]``.

    Gradients of such convolutions are among them. The graph itself, if too much between them would
    have to be turned round for others.
    """
    light = [node for node in graph.nodes if _is_light(graph, node)]
    if not light:
        return graph
    plan = _Plan(graph, light)
    rewritten = plan.rewritten()
    return rewritten if plan.turns_at_most(_MOVED) else graph


def _is_light(graph: Graph, node: Node) -> bool:
    """Whether it is a convolution of float32, or a gradient of one, whose weight is small."""
    types = operands(graph, node)
    if types is None:
        return False
    ((data, dtype), (weight, _)), params = types, graph.params(node)
    if dtype != "float32" or len(data) != _RANK or params["layout"] not in (None, "NCHW"):
        return False
    places = data[0] * prod(_number(data[2:], weight, params))
    is_large = data[0] >= _BATCH and prod(data) >= _LEAST
    return is_large and prod(weight) <= _HEAVY * places


class _Plan(ConvolutionOrder):
    """One rewriting: which values have their channels last."""

    def __init__(self, graph: Graph, convolutions: Sequence[Node]) -> None:
        super().__init__(graph, convolutions, (0, 2, 3, 1), (0, 3, 1, 2))

    def convolution(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value]:
        graph = self.graph
        counterpart, images = _COUNTERPARTS[graph.op(node)]
        params = {name: graph.params(node)[name] for name in _GEOMETRY}
        values = [
            (self.last if i in images else self.first)(value) for i, value in enumerate(inputs)
        ]
        made = graph.add(counterpart, values, params, name=graph.name(node), like=node)
        return graph.values(made) if counterpart is _TO_WEIGHT else self.held_last(made)
