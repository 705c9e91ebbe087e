"""Removes reductions along axes of size 1."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.target import Target

__all__ = ["without_single_reductions"]

_REDUCED = ("sum", "mean", "prod", "max", "min")
_SPREAD = ("_expand_reduced", "_mean_backward")


def without_single_reductions(typed: TypedGraph, _: Target) -> TypedGraph:
    """Replace reductions along axes of size 1 by ``squeeze``.

    Losses with one number per example end with such a reduction. In its gradient, ``expand_dims``
    then replaces the operator that broadcasts back, which would need the reduced array.

    Requires: types. Ensures: the same values, variables and names of outputs.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> net = sym.mean(sym.exp(sym.var("x")), axis=0, exclude=True)
        >>> typed = TypedGraph.of(net.graph, [((8, 1), "float32")])
        >>> made = without_single_reductions(typed, Target(device_of(cpu()))).graph
        >>> [node.op.name for node in made.nodes if node.op]
        ['exp', 'squeeze']
    """
    graph, types = typed.graph, typed.types
    if not graph.has_op(*_REDUCED, *_SPREAD):
        return typed
    outputs = {node for node, _ in graph.outputs}

    def rule(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        axes = _single_axes(node, types)
        if axes is None:
            return None
        if node.params["keepdims"]:
            # An output needs a node of its own, as users look it up by name.
            return None if node in outputs else [inputs[0]]
        if is_op(node, *_REDUCED):
            return [(new_node("squeeze", inputs, name=node.name, like=node, axis=axes), 0)]
        entry = inputs[0]
        for axis in axes:
            entry = new_node("expand_dims", [entry], name=node.name, like=node, axis=axis), 0
        return [entry]

    return typed.rewritten(rewrite(graph, rule))


def _single_axes(node: Node, types: Types) -> tuple[int, ...] | None:
    """Return the axes that a node reduces or expands, if all have size 1 and others remain."""
    if not is_op(node, *_REDUCED, *_SPREAD):
        return None
    source, result = node.inputs[0], (node, 0)
    # Equal sizes mean that each sum has one term; empty arrays have none.
    if not types.exceed(source, 0) or not types.are_of_one_size(source, result):
        return None
    # A cast, such as that of integers to a mean, cannot be omitted.
    if types.dtype(source) != types.dtype(result):
        return None
    rank = types.rank(source if is_op(node, *_REDUCED) else result)
    axis_param = node.params["axis"]
    if not rank or not axis_param:
        return None
    named = {axis % rank for axis in axis_param}
    axes = tuple(i for i in range(rank) if (i in named) != node.params["exclude"])
    return axes if len(axes) < rank else None
