"""ConvolutionOrder: base class of graph rewritings to another layout, for training."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.reordering import Reordering

__all__ = ["OPERANDS", "ConvolutionOrder", "counterparts", "operands"]

OPERANDS = {
    "Convolution": (0, 1),
    "_convolution_backward_data": (2, 1),
    "_convolution_backward_weight": (1, 2),
}
"""Positions of data and weight among the inputs of a convolution or gradient, by operator."""

_IMAGES = {
    "Convolution": (0,),
    "_convolution_backward_data": (0, 2),
    "_convolution_backward_weight": (0, 1),
}
"""Positions of the image inputs, by operator; weights keep their layout."""
_POOLING = ("Pooling", "_pooling_max_backward", "_pooling_sum_backward")
_NORMALISATIONS = {"BatchNorm": 1, "_normalize_backward": 2}
"""Number of image inputs, by operator of batch normalisation."""


def counterparts(
    order: str, infer: Callable[[Sequence[Type], Mapping[str, Any]], Type]
) -> tuple[PrivateOperator, PrivateOperator, PrivateOperator]:
    """Return the private operators for a convolution and its gradients to data and weight.

    Args:
        order: The layout of images, which prefixes the operators' and kernels' names: ``"nhwc"``.
        infer: Returns the type of the convolution's result.
    """
    name = f"{order}_convolution"

    def gradient(operand: str, *inputs: str) -> PrivateOperator:
        kernel = f"{name}_backward_{operand}"
        return PrivateOperator(
            name=f"_{kernel}", kernel=kernel, inputs=inputs, infer=lambda types, _: types[2]
        )

    return (
        PrivateOperator(
            name=f"_{name}", kernel=name, inputs=("data", "weight", "bias"), infer=infer
        ),
        gradient("data", "dy", "weight", "data"),
        gradient("weight", "dy", "data", "weight"),
    )


def operands(graph: Graph, node: Node) -> tuple[Type, Type] | None:
    """Return the types of data and weight of a convolution or its gradient.

    None if a type is unknown, and for other nodes.
    """
    where = OPERANDS.get(graph.op(node))
    if where is None:
        return None
    data, weight = (graph.type(graph.inputs(node)[i]) for i in where)
    return None if data is None or weight is None else (data, weight)


def _size(graph: Graph, value: Value) -> int:
    """Return the number of elements of a value, 0 if its type is unknown."""
    result = graph.type(value)
    return 0 if result is None else prod(result[0])


class ConvolutionOrder(Reordering):
    """Base class for rewriting convolutions, and the operators between them, to another layout.

    Pooling, batch normalisation, elementwise operators and their gradients support both layouts;
    each uses the one that most users of its result prefer.

    Args:
        graph: The graph to rewrite.
        convolutions: The convolutions, and gradients of convolutions, to convert.
        there: The permutation to the other layout, as for ``transpose``.
        back: The inverse permutation.
        private: The operators that replace a convolution and its gradients to data and weight.
        geometry: Names of the parameters of these operators.
    """

    def __init__(
        self,
        graph: Graph,
        convolutions: Collection[Node],
        there: Sequence[int],
        back: Sequence[int],
        private: Sequence[PrivateOperator],
        geometry: Sequence[str],
    ) -> None:
        super().__init__(graph, there, back)
        self.geometry = geometry
        self._private = dict(zip(OPERANDS, private, strict=True))
        self._channels = list(there).index(1)
        self._convolutions = frozenset(convolutions)
        self._sizes: dict[Value, int] = {}
        self._preferences = self._count_preferences()

    def rewritten(self) -> Graph:
        """Return the rewritten graph."""
        return self.graph.rewrite(self._rule, self.first)

    def transposes_at_most(self, part: float) -> bool:
        """Return whether at most ``part`` elements are transposed per element that is convolved."""
        graph = self.graph
        transposed = sum(self._sizes.get(value) or _size(graph, value) for value in self.reordered)
        convolved = sum(_size(graph, graph.inputs(node)[0]) for node in self._convolutions)
        return transposed <= part * convolved

    def convolution(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value]:
        """Replace a convolution, or a gradient of one, and return the results of the new node."""
        graph, op = self.graph, self.graph.op(node)
        params = {name: graph.params(node)[name] for name in self.geometry}
        values = [
            (self.last if i in _IMAGES[op] else self.first)(value) for i, value in enumerate(inputs)
        ]
        added = graph.add(self._private[op], values, params, name=graph.name(node), like=node)
        is_weight = op == "_convolution_backward_weight"
        return graph.values(added) if is_weight else self.in_channels_last(added)

    # --- operators between convolutions -----------------------------------------------------

    def _count_preferences(self) -> dict[Value, int]:
        """Return, by value, the number of users that prefer the other layout minus all others."""
        # In reverse topological order, a node that supports both layouts votes for the one that its
        # own users prefer.
        preferences: dict[Value, int] = defaultdict(int)
        for node in reversed(self.graph.nodes):
            preference = 1 if node in self._convolutions else -1
            if self._images(node):
                users = preferences[self.graph.values(node)[0]]
                preference = (users > 0) - (users < 0)
            for value in self.graph.inputs(node):
                preferences[value] += preference
        return preferences

    def _rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        results = self._results(node, inputs)
        if results and self.is_last(results[0]):
            self._sizes[results[0]] = _size(self.graph, self.graph.values(node)[0])
        return results

    def _results(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if node in self._convolutions:
            return self.convolution(node, inputs)
        if self._is_channel_sum(node) and self.is_last(inputs[0]):
            return self.graph.values(self._with_params(node, inputs, {"axis": self._channels}))
        images = [*map(self.is_last, inputs[: self._images(node)])]
        if any(images) and (all(images) or self._preferences[self.graph.values(node)[0]] > 0):
            return self.in_channels_last(self._followed(node, inputs))
        return self.in_original_order(node, inputs)

    def _is_channel_sum(self, node: Node) -> bool:
        return self.graph.op(node) == "_channel_sum" and self.graph.params(node)["axis"] == 1

    def _images(self, node: Node) -> int:
        """Return the number of leading image inputs, 0 if the node supports only one layout."""
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
        """Return a copy of ``node`` that reads its image inputs in the other layout."""
        count = self._images(node)
        moved = [*map(self.last, inputs[:count]), *inputs[count:]]
        if self.graph.is_pointwise(node):
            return self.graph.copy(node, moved)
        # Pooling in NHWC pools the two axes in the middle, whatever the outer ones are.
        is_pooling = self.graph.op(node) in _POOLING
        return self._with_params(
            node, moved, {"layout": "NHWC"} if is_pooling else {"axis": self._channels}
        )

    def _with_params(self, node: Node, inputs: Sequence[Value], more: Mapping[str, object]) -> Node:
        """Return a copy of ``node`` with new inputs, and parameters updated by ``more``."""
        graph = self.graph
        params = {**graph.params(node), **more}
        return graph.add(graph.op(node), inputs, params, name=graph.name(node), like=node)
