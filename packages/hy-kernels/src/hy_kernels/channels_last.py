"""ChannelsLast: base class of graph rewritings to the channels-last layout."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.lowering import Graph, Node, Value
from hy_kernels.reordering import Reordering

__all__ = ["ChannelsLast"]

_RANK = 4


class ChannelsLast(Reordering):
    """Base class for rewriting convolutions, and the operators between them, to ``[N, H, W, C]``.

    Pooling, concatenation, normalisation and elementwise operators on channels-last values keep
    that layout; before all other operators, values are transposed back. Subclasses supply a table's
    convolutions and fusions.

    Args:
        graph: The graph to rewrite.
        dtypes: Dtypes of images that may be stored with channels last.
    """

    def __init__(self, graph: Graph, dtypes: Sequence[str]) -> None:
        super().__init__(graph, there=(0, 2, 3, 1), back=(0, 3, 1, 2))
        self._dtypes = dtypes
        self._replaced: dict[Node, Node] = {}

    def rewritten(self) -> Graph:
        """Return the rewritten graph."""
        return self.graph.rewrite(self._rule, self.first)

    # --- supplied by subclasses ---------------------------------------------------------------

    def convolution(self, node: Node, inputs: tuple[Value, ...]) -> Node | None:
        """Return the table's channels-last layer for a convolution; None leaves it unchanged."""
        raise NotImplementedError

    def fused_layer(self, node: Node, value: Value, addend: Value | None = None) -> Node | None:
        """Return a layer that computes ``value`` and then ``node``; None if they cannot be fused.

        Args:
            node: The only user of the layer's result.
            value: The result of a layer, with channels last.
            addend: The other operand, if the node is a sum.
        """
        raise NotImplementedError

    # --- the rule -----------------------------------------------------------------------------

    def _rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if self.graph.op(node) == "Convolution":
            layer = self.convolution(node, inputs)
            if layer is not None:
                return self.layer(layer, node)
        followed = self._followed(node, inputs) if any(map(self.is_last, inputs)) else None
        return followed or self.in_original_order(node, inputs)

    def layer(self, result: Node, node: Node) -> Sequence[Value]:
        """Register ``result``, a new layer in place of ``node``, and return its values."""
        self._replaced[result] = node
        return self.in_channels_last(result)

    def used_once(self, result: Node) -> bool:
        """Return whether the first value of ``result``, a new layer, has a single user."""
        return self.graph.uses(self.graph.values(self._replaced.get(result, result))[0]) == 1

    def _followed(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """Return the results of ``node`` on channels-last inputs, or None if unsupported."""
        op = self.graph.op(node)
        if self.is_last(inputs[0]):
            fused = self.fused_layer(node, inputs[0])
            if fused is not None:
                return self.layer(fused, node)
        if self.graph.is_pointwise(node):
            return self._pointwise(node, inputs)
        rebuilt: Node | None = None
        if op == "Pooling" and self._poolable(node):
            rebuilt = self._with_params(node, inputs, {"layout": "NHWC"})
        elif op == "Concat" and self.graph.params(node)["dim"] == 1 and self._all_images(node):
            rebuilt = self._with_params(node, [*map(self.last, inputs)], {"dim": 3})
        elif op == "BatchNorm" and self.is_last(inputs[0]) and self._plain_norm(node):
            rebuilt = self._with_params(node, inputs, {"axis": 3})
        return None if rebuilt is None else self.in_channels_last(rebuilt)

    def _pointwise(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value]:
        lasts = [*map(self.last, inputs)]
        if self.graph.op(node) == "elemwise_add":
            left, right = lasts
            # Either operand may be the convolution; the other one is then fused as its addend.
            for one, other in ((left, right), (right, left)):
                result = None if one == other else self.fused_layer(node, one, other)
                if result is not None:
                    return self.layer(result, node)
        return self.in_channels_last(self.graph.copy(node, lasts))

    def _with_params(self, node: Node, inputs: Sequence[Value], more: Mapping[str, Any]) -> Node:
        """Return a copy of ``node`` with new inputs, and parameters updated by ``more``."""
        graph = self.graph
        params = {**graph.params(node), **more}
        return graph.add(graph.op(node), inputs, params, name=graph.name(node), like=node)

    # --- what nodes are -----------------------------------------------------------------------

    def image(self, value: Value) -> tuple[int, int, int, int] | None:
        """Return the shape of a value with four axes and a supported dtype, else None."""
        type_ = self.graph.type(value)
        if type_ is None or len(type_[0]) != _RANK or type_[1] not in self._dtypes:
            return None
        n, c, h, w = type_[0]
        return n, c, h, w

    def _all_images(self, node: Node) -> bool:
        return all(self.image(value) is not None for value in self.graph.inputs(node))

    def _plain_norm(self, node: Node) -> bool:
        """Return whether a normalisation is over axis 1 and only its first result is used."""
        seen = any(self.graph.uses(value) for value in self.graph.values(node)[1:])
        return self.graph.params(node)["axis"] == 1 and not seen

    def _poolable(self, node: Node) -> bool:
        params = self.graph.params(node)
        layout_fits = params["layout"] in (None, "NCHW")
        return layout_fits and params["pool_type"] in ("max", "avg") and self._all_images(node)
