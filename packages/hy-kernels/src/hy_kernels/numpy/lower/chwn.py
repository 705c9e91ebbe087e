"""Small convolutions on images that lie side by side, element by element: ``[C, H, W, N]``."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.numpy.nn._window import windows_of
from hy_kernels.record import Type
from hy_kernels.reordering import Reordering

__all__ = ["with_chwn_convolutions"]

_RANK = 4
_CHANNELS, _FILTERS = 16, 32
"""As many at most: with more, the channels make the long runs of memory."""
_BATCH = 16  # images at least
_MOVED = 1 / 4  # of the images that are convolved, so many at most are turned round
_FLOATS = ("float32", "float64")
_POOLING = ("Pooling", "_pooling_max_backward", "_pooling_sum_backward")
_NORMALISATIONS = {"BatchNorm": 1, "_normalize_backward": 2}
"""Of batches, and how many of their inputs are images."""
_OPERANDS = {
    "Convolution": (0, 1),
    "_convolution_backward_data": (2, 1),
    "_convolution_backward_weight": (1, 2),
}
"""A convolution and its gradients, and which of their inputs are its data and its weight."""


def _convolved(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    (shape, dtype), (weight, _) = types[:2]
    how = (params[name] for name in ("stride", "dilate", "pad"))
    windows = windows_of(shape[1:3], weight[2:], *how)
    return (weight[0], *windows.number, shape[3]), dtype


_CONVOLUTION = PrivateOperator(
    "_chwn_convolution", "chwn_convolution", ("data", "weight", "bias"), _convolved
)
_TO_DATA = PrivateOperator(
    "_chwn_convolution_backward_data",
    "chwn_convolution_backward_data",
    ("dy", "weight", "data"),
    lambda types, _: types[2],
)
_TO_WEIGHT = PrivateOperator(
    "_chwn_convolution_backward_weight",
    "chwn_convolution_backward_weight",
    ("dy", "data", "weight"),
    lambda types, _: types[2],
)
_TO_BOTH = PrivateOperator(
    "_chwn_convolution_backward",
    "chwn_convolution_backward",
    ("dy", "data", "weight"),
    lambda types, _: types[1],
    outputs=("data", "weight"),
    others=lambda types, _: [types[2]],
)
_COUNTERPARTS = {
    "Convolution": (_CONVOLUTION, (0,)),
    "_convolution_backward_data": (_TO_DATA, (0, 2)),
    "_convolution_backward_weight": (_TO_WEIGHT, (0, 1)),
}
"""The operators in their place, and which of the inputs these want with the batch last."""


def with_chwn_convolutions(graph: Graph) -> Graph:
    """The graph with its convolutions, and what lies between them, on ``[C, H, W, N]``.

    These are convolutions of a large batch, whose windows are then copied in long runs of memory;
    gradients of such convolutions are among them. Where what lies between them would have to be
    turned round for others, it is only those with few channels and filters.
    """
    every = [node for node in graph.nodes if _fits(graph, node)]
    if not every:
        return graph
    plan = _Plan(graph, every)
    rewritten = graph.rewrite(plan.rule, plan.first)
    if plan.moved() <= _MOVED * sum(_size(graph, graph.inputs(node)[0]) for node in every):
        return rewritten
    small = [node for node in every if _is_small(graph, node)]
    if not small:
        return graph
    plan = _Plan(graph, small)
    return graph.rewrite(plan.rule, plan.first)


def _fits(graph: Graph, node: Node) -> bool:
    """Whether a node is such a convolution, or a gradient of one."""
    operands = _operands(graph, node)
    if operands is None:
        return False
    ((shape, dtype), _), params = operands, graph.params(node)
    known = dtype in _FLOATS and len(shape) == _RANK and params["layout"] in (None, "NCHW")
    return known and shape[0] >= _BATCH and bool(params["num_group"] == 1)


def _is_small(graph: Graph, node: Node) -> bool:
    """Whether it is one with few channels and filters."""
    operands = _operands(graph, node)
    assert operands is not None
    (data, _), (weight, _) = operands
    return data[1] <= _CHANNELS and weight[0] <= _FILTERS


def _operands(graph: Graph, node: Node) -> tuple[Type, Type] | None:
    """The types of the data and the weight of a convolution, if it is one and they are known."""
    where = _OPERANDS.get(graph.op(node))
    if where is None:
        return None
    data, weight = (graph.type(graph.inputs(node)[i]) for i in where)
    return None if data is None or weight is None else (data, weight)


def _size(graph: Graph, value: Value) -> int:
    found = graph.type(value)
    return 0 if found is None else prod(found[0])


class _Plan(Reordering):
    """One rewriting: which values are held with the batch last."""

    def __init__(self, graph: Graph, convolutions: Sequence[Node]) -> None:
        super().__init__(graph, (1, 2, 3, 0), (3, 0, 1, 2))
        self._convolutions = frozenset(convolutions)
        self._sizes: dict[Value, int] = {}
        self._pairs = self._paired(convolutions)
        self._made: dict[Node, Sequence[Value]] = {}
        self._wishes = self._wished()

    def _wished(self) -> dict[Value, int]:
        """How many more of its users want each value with the batch last than as it is.

        What can be there either way wants what most users of its result want.
        """
        wishes: dict[Value, int] = defaultdict(int)
        for node in reversed(self.graph.nodes):
            wish = 1 if node in self._convolutions else -1
            if self._images(node):
                wanted = wishes[self.graph.values(node)[0]]
                wish = (wanted > 0) - (wanted < 0)
            for value in self.graph.inputs(node):
                wishes[value] += wish
        return wishes

    def moved(self) -> int:
        """How many elements are turned round."""
        return sum(self._sizes.get(value) or _size(self.graph, value) for value in self.turned)

    def rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        results = self._rule(node, inputs)
        if results and self.is_last(results[0]):
            self._sizes[results[0]] = _size(self.graph, self.graph.values(node)[0])
        return results

    def _rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if node in self._convolutions:
            return self._convolution(node, inputs)
        if self._is_channel_sum(node) and self.is_last(inputs[0]):
            return self.graph.values(self._remade(node, inputs, {"axis": 0}))
        images = [*map(self.is_last, inputs[: self._images(node)])]
        if any(images) and (all(images) or self._wishes[self.graph.values(node)[0]] > 0):
            return self.held_last(self._followed(node, inputs))
        return self.settled(node, inputs)

    def _is_channel_sum(self, node: Node) -> bool:
        return self.graph.op(node) == "_channel_sum" and self.graph.params(node)["axis"] == 1

    def _images(self, node: Node) -> int:
        """How many inputs have the axes of the result, if a node can have them either way."""
        op, params = self.graph.op(node), self.graph.params(node)
        inputs = len(self.graph.inputs(node))
        if self.graph.is_pointwise(node):
            return inputs
        if op in _POOLING and params["layout"] in (None, "NCHW"):
            known = op != "Pooling" or params["pool_type"] in ("max", "avg")
            return inputs if known else 0
        if op in _NORMALISATIONS and params["axis"] == 1:
            return _NORMALISATIONS[op] if params.get("kind") in (None, "batch") else 0
        return 0

    def _followed(self, node: Node, inputs: tuple[Value, ...]) -> Node:
        """The node on such images."""
        count = self._images(node)
        moved = [*map(self.last, inputs[:count]), *inputs[count:]]
        if self.graph.is_pointwise(node):
            return self.graph.copy(node, moved)
        how = {"layout": "NHWC"} if self.graph.op(node) in _POOLING else {"axis": 0}
        return self._remade(node, moved, how)

    def _remade(self, node: Node, inputs: Sequence[Value], more: Mapping[str, Any]) -> Node:
        """The node with other inputs and parameters."""
        graph = self.graph
        params = {**graph.params(node), **more}
        return graph.add(graph.op(node), inputs, params, name=graph.name(node), like=node)

    # --- convolutions -----------------------------------------------------------------------

    def _paired(self, convolutions: Sequence[Node]) -> dict[Node, Node]:
        """The gradients of a convolution to its data and its weight, each with the other one."""
        graph = self.graph
        found: dict[tuple[Value, ...], Node] = {}
        pairs: dict[Node, Node] = {}
        for node in convolutions:
            if graph.op(node) == "Convolution":
                continue
            data, weight = (graph.inputs(node)[i] for i in _OPERANDS[graph.op(node)])
            key = graph.inputs(node)[0], data, weight
            other = found.setdefault(key, node)
            if graph.op(other) != graph.op(node) and graph.params(other) == graph.params(node):
                pairs |= {node: other, other: node}
        return pairs

    def _both(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value]:
        """Those of a pair as one step, where the first of them was."""
        graph = self.graph
        if node not in self._made:
            params = {name: graph.params(node)[name] for name in ("stride", "dilate", "pad")}
            data, weight = (inputs[i] for i in _OPERANDS[graph.op(node)])
            values = [self.last(inputs[0]), self.last(data), self.first(weight)]
            name = graph.name(node)
            both = graph.add(_TO_BOTH, values, params, name=name, like=node)
            self._made[self._pairs[node]] = self._made[node] = self.held_last(both)
        to_data, to_weight = self._made[node]
        return [to_data if graph.op(node) == "_convolution_backward_data" else to_weight]

    def _convolution(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value]:
        graph = self.graph
        if node in self._pairs:
            return self._both(node, inputs)
        counterpart, lasts = _COUNTERPARTS[graph.op(node)]
        params = {name: graph.params(node)[name] for name in ("stride", "dilate", "pad")}
        values = [
            (self.last if i in lasts else self.first)(value) for i, value in enumerate(inputs)
        ]
        made = graph.add(counterpart, values, params, name=graph.name(node), like=node)
        return graph.values(made) if counterpart is _TO_WEIGHT else self.held_last(made)
