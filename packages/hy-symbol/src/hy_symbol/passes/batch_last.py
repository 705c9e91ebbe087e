"""The batch-last pass: small convolutions on images that lie side by side, element by element."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_symbol.graph import Entry, Graph, Node
from hy_symbol.infer import Types
from hy_symbol.passes.target import Target
from hy_symbol.purity import is_pure
from hy_symbol.reordering import Reordering
from hy_symbol.rewriting import is_op, new_node, rewrite
from hy_symbol.typed_graph import TypedGraph

__all__ = ["with_batch_last"]

_RANK, _WITH_BIAS = 4, 3
_CHANNELS, _FILTERS = 16, 32
"""As many at most: with more, the channels make the long runs of memory."""
_BATCH = 16  # images at least
_FLOATS = ("float32", "float64")
_POOLING = ("Pooling", "_pooling_max_backward", "_pooling_sum_backward")
_OPERANDS = {
    "Convolution": (0, 1),
    "_convolution_backward_data": (2, 1),
    "_convolution_backward_weight": (1, 2),
}
"""A convolution and its gradients, and which of their inputs are its data and its weight."""
_TWINS = {
    "Convolution": ("_batch_last_convolution", (0,)),
    "_convolution_backward_data": ("_batch_last_convolution_backward_data", (0, 2)),
    "_convolution_backward_weight": ("_batch_last_convolution_backward_weight", (0, 1)),
}
"""The operators in their place, and which of the inputs these want with the batch last."""


def with_batch_last(typed: TypedGraph, target: Target) -> TypedGraph:
    """The graph with small convolutions, and what lies between them, on ``[C, H, W, N]``.

    These are convolutions of a large batch with few channels and filters, whose windows are then
    copied in long runs of memory; gradients of such convolutions are among them.

    Ensures: the variables and the types of the outputs are the same.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> net = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=4, name="conv")
        >>> net = sym.sum(sym.relu(net, name="relu"), name="sum")
        >>> known = [((32, 1, 9, 9), "float32"), ((4, 1, 3, 3), "float32"), ((4,), "float32")]
        >>> typed = TypedGraph.of(net.graph, known)
        >>> nodes = with_batch_last(typed, Target(device_of(cpu()))).graph.nodes
        >>> [node.name for node in nodes if node.op is not None]
        ['x_last', 'conv', 'relu', 'relu_first', 'sum']
    """
    plan = _Plan(typed.types)
    if not target.has("batch_last_convolution") or not any(map(plan.is_small, typed.graph.nodes)):
        return typed
    body = rewrite(typed.graph, plan.rule)
    return typed.rewritten(Graph(tuple(map(plan.first, body.outputs)), body.first))


class _Plan(Reordering):
    """One rewriting: which entries are held with the batch last."""

    def __init__(self, types: Types) -> None:
        super().__init__((1, 2, 3, 0), (3, 0, 1, 2))
        self._types = types

    def rule(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if self.is_small(node):
            return self._convolution(node, inputs)
        found = self._followed(node, inputs) if any(map(self.is_last, inputs)) else None
        return found or self.settled(node, inputs)

    def _followed(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        """The node on such images, if it can be there."""
        if self._is_pointwise(node):
            return self.held_last(node.copy(inputs=tuple(map(self.last, inputs))))
        if is_op(node, *_POOLING) and node.params["layout"] in (None, "NCHW"):
            if is_op(node, "Pooling") and node.params["pool_type"] not in ("max", "avg"):
                return None
            made = _remade(node, [*map(self.last, inputs)], {"layout": "NHWC"})
            return self.held_last(made)
        if is_op(node, "_channel_sum") and node.params["axis"] == 1 and self.is_last(inputs[0]):
            made = _remade(node, inputs, {"axis": 0})
            return self.held(made)
        return None

    def _is_pointwise(self, node: Node) -> bool:
        """Whether the order of the axes is nothing to a node, whose operands are of one shape."""
        if node.op is None or not node.op.is_pointwise(node.params) or not is_pure(node):
            return False
        shapes = {self._types.shape(entry) for entry in (*node.inputs, (node, 0))}
        return len(shapes) == 1 and node.num_outputs == 1

    # --- convolutions -----------------------------------------------------------------------

    def is_small(self, node: Node) -> bool:
        """Whether a node is such a convolution, or a gradient of one."""
        where = None if node.op is None else _OPERANDS.get(node.op.name)
        if where is None:
            return False
        params = node.params
        data, weight = (self._types.get(node.inputs[i]) for i in where)
        if not data[0] or not weight[0] or data[1] not in _FLOATS or None in data[0]:
            return False
        if len(data[0]) != _RANK or params["layout"] not in (None, "NCHW"):
            return False
        batch, channels = (n or 0 for n in data[0][:2])
        few = channels <= _CHANNELS and (weight[0][0] or 0) <= _FILTERS
        return few and batch >= _BATCH and params["num_group"] == 1

    def _convolution(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry]:
        how: dict[str, Any] = {name: node.params[name] for name in ("stride", "dilate", "pad")}
        if is_op(node, "Convolution"):
            how["with_bias"] = len(inputs) == _WITH_BIAS
        assert node.op is not None
        name, lasts = _TWINS[node.op.name]
        entries = [
            (self.last if i in lasts else self.first)(entry) for i, entry in enumerate(inputs)
        ]
        made = new_node(name, entries, name=node.name, like=node, **how)
        to_weight = is_op(node, "_convolution_backward_weight")
        return self.held(made) if to_weight else self.held_last(made)


def _remade(node: Node, inputs: Sequence[Entry], more: Mapping[str, Any]) -> Node:
    """The node with other inputs and parameters."""
    assert node.op is not None
    given = {name: value for name, value in {**node.params, **more}.items() if value is not None}
    return new_node(node.op.name, inputs, name=node.name, like=node, **given)
