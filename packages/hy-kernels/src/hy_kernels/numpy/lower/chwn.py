"""Rewrite convolutions for training to the layout ``[C, H, W, N]``, with the batch innermost."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.convolution_order import OPERANDS, ConvolutionOrder, counterparts, operands
from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import windows_of
from hy_kernels.numpy.nn.convolution.select import Problem, chwn_gain
from hy_kernels.record import Type

__all__ = ["with_chwn_convolutions"]

_RANK = 4
_GEOMETRY = ("stride", "dilate", "pad")
_FLOATS = ("float32", "float64")


def _convolution_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    (shape, dtype), (weight, _) = types[:2]
    geometry = (params[name] for name in ("stride", "dilate", "pad"))
    windows = windows_of(shape[1:3], weight[2:], *geometry)
    return (weight[0], *windows.number, shape[3]), dtype


_CONVOLUTION, _TO_DATA, _TO_WEIGHT = counterparts("chwn", _convolution_type)
_TO_BOTH = PrivateOperator(
    name="_chwn_convolution_backward",
    kernel="chwn_convolution_backward",
    inputs=("dy", "data", "weight"),
    infer=lambda types, _: types[1],
    outputs=("data", "weight"),
    others=lambda types, _: [types[2]],
)


def with_chwn_convolutions(graph: Graph) -> Graph:
    """Return the graph with convolutions, and operators between them, on ``[C, H, W, N]``.

    Only convolutions of large batches, and their gradients, are rewritten. If that takes too many
    transposes, only those with few channels and filters are.
    """
    # With the batch innermost, windows are copied in runs of memory as long as the batch.
    every = [node for node in graph.nodes if _fits(graph, node)]
    if not every:
        return graph
    plan = _Plan(graph, every)
    rewritten = plan.rewritten()
    if plan.transposes_at_most(COSTS.chwn.moved):
        return rewritten
    # Layers of few channels and filters gain more than the transposes around them cost.
    small = [node for node in every if _is_small(graph, node)]
    return _Plan(graph, small).rewritten() if small else graph


def _fits(graph: Graph, node: Node) -> bool:
    """Return whether a node is a convolution, or a gradient of one, that may be faster in CHWN."""
    types = operands(graph, node)
    if types is None:
        return False
    ((shape, dtype), (weight, _)), params = types, graph.params(node)
    known = dtype in _FLOATS and len(shape) == _RANK and params["layout"] in (None, "NCHW")
    return known and chwn_gain(Problem.of(shape, weight, params)) != "never"


def _is_small(graph: Graph, node: Node) -> bool:
    """Return whether a convolution has so few channels and filters that CHWN always pays off."""
    types = operands(graph, node)
    assert types is not None
    (data, _), (weight, _) = types
    return chwn_gain(Problem.of(data, weight, graph.params(node))) == "always"


class _Plan(ConvolutionOrder):
    """One rewriting of a graph, which tracks the values whose last axis is the batch."""

    def __init__(self, graph: Graph, convolutions: Sequence[Node]) -> None:
        private = _CONVOLUTION, _TO_DATA, _TO_WEIGHT
        # NCHW to CHWN, and back.
        super().__init__(graph, convolutions, (1, 2, 3, 0), (3, 0, 1, 2), private, _GEOMETRY)
        self._pairs = self._paired(convolutions)
        self._replaced: dict[Node, Sequence[Value]] = {}

    def _paired(self, convolutions: Sequence[Node]) -> dict[Node, Node]:
        """Return a map between the two gradients, to data and to weight, of each convolution."""
        graph = self.graph
        result: dict[tuple[Value, ...], Node] = {}
        pairs: dict[Node, Node] = {}
        for node in convolutions:
            if graph.op(node) == "Convolution":
                continue
            data, weight = (graph.inputs(node)[i] for i in OPERANDS[graph.op(node)])
            # Both gradients read the same three values; as one step, they share threads and wait
            # once.
            key = graph.inputs(node)[0], data, weight
            other = result.setdefault(key, node)
            if graph.op(other) != graph.op(node) and graph.params(other) == graph.params(node):
                pairs |= {node: other, other: node}
        return pairs

    def _fused_gradients(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value]:
        """Return the result for ``node`` of one fused node that computes both gradients."""
        graph = self.graph
        if node not in self._replaced:
            params = {name: graph.params(node)[name] for name in self.geometry}
            data, weight = (inputs[i] for i in OPERANDS[graph.op(node)])
            values = [self.last(inputs[0]), self.last(data), self.first(weight)]
            name = graph.name(node)
            both = graph.add(_TO_BOTH, values, params, name=name, like=node)
            self._replaced[self._pairs[node]] = self._replaced[node] = self.in_channels_last(both)
        to_data, to_weight = self._replaced[node]
        return [to_data if graph.op(node) == "_convolution_backward_data" else to_weight]

    def convolution(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value]:
        return (
            self._fused_gradients(node, inputs)
            if node in self._pairs
            else super().convolution(node, inputs)
        )
