"""The axes pass: removes transposes that cancel, are views, or can be done by a product."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.target import Target

__all__ = ["axes_of", "with_simpler_axes"]

_MATRIX, _MATRICES = 2, 3  # axes of the operands of dot and batch_dot


def with_simpler_axes(typed: TypedGraph, _: Target) -> TypedGraph:
    """Return the graph with fewer transposes; the same graph if it has none.

    Two successive transposes are composed to one. A transpose that keeps the memory order becomes a
    ``Reshape``. ``dot`` and ``batch_dot`` take untransposed operands by ``transpose_a`` and
    ``transpose_b``.

    Ensures: the variables and the names of the outputs are the same.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> net = sym.transpose(sym.transpose(sym.var("x"))) + 1
        >>> typed = TypedGraph.of(net.graph, [((2, 3), "float32")])
        >>> [node.name for node in with_simpler_axes(typed, Target(device_of(cpu()))).graph.nodes]
        ['x', '_plusscalar0']
    """
    graph, types = typed.graph, typed.types
    if not graph.has_op("transpose", "SwapAxis"):
        return typed
    outputs = {node for node, _ in graph.outputs}
    order: dict[Node, tuple[int, ...]] = {}  # of the transposes that were made

    def rule(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if is_op(node, "dot", "batch_dot"):
            return _transposing_product(node, inputs, types, order)
        axes = axes_of(node, types)
        if axes is None:
            return None
        source = inputs[0]
        # Looks up transposes this pass created, whose operands are never transposes themselves.
        before = order.get(source[0])
        if before is not None:
            source = source[0].inputs[0]
            axes = tuple(before[i] for i in axes)
        if axes == tuple(range(len(axes))) and node not in outputs:
            return [source]
        moved = _transpose_or_reshape(node, source, axes, types)
        if is_op(moved, "transpose"):
            order[moved] = axes
        return [(moved, 0)]

    return typed.rewritten(rewrite(graph, rule))


def axes_of(node: Node, types: Types) -> tuple[int, ...] | None:
    """Return the permutation of axes of a transpose or swap, None for any other node."""
    if not is_op(node, "transpose", "SwapAxis"):
        return None
    rank = types.rank(node.inputs[0])
    if rank is None:
        return None
    axes = list(range(rank))
    if is_op(node, "transpose"):
        order = node.params["axes"] or axes[::-1]
        return tuple(axis % rank for axis in order)
    first, second = node.params["dim1"], node.params["dim2"]
    axes[first], axes[second] = axes[second], axes[first]
    return tuple(axes)


def _transpose_or_reshape(node: Node, source: Entry, axes: tuple[int, ...], types: Types) -> Node:
    """Create the transpose of ``source`` in place of ``node``, as a reshape if order is kept."""
    # Axes of size 1 may lie anywhere: the elements are in the same order, and a reshape is a view.
    if types.keep_order((node, 0), axes):
        shape = types.shape((node, 0))
        return new_node("Reshape", [source], name=node.name, like=node, shape=shape)
    return new_node("transpose", [source], name=node.name, like=node, axes=axes)


def _transposing_product(
    node: Node, inputs: tuple[Entry, ...], types: Types, order: dict[Node, tuple[int, ...]]
) -> Sequence[Entry] | None:
    """Return a matrix product on untransposed operands, by its own flags; None if unchanged."""
    rank = _MATRIX if is_op(node, "dot") else _MATRICES
    swapped = (1, 0) if is_op(node, "dot") else (0, 2, 1)
    if any(types.rank(entry) != rank for entry in node.inputs):
        return None
    params, sources = dict(node.params), list(inputs)
    for position, name in enumerate(("transpose_a", "transpose_b")):
        # BLAS reads either order as fast; the copy of the operand is what is saved.
        if order.get(inputs[position][0]) == swapped:
            sources[position] = inputs[position][0].inputs[0]
            params[name] = not params[name]
    if sources == list(inputs):
        return None
    assert node.op is not None
    present = {name: value for name, value in params.items() if value is not None}
    return [(new_node(node.op.name, sources, name=node.name, like=node, **present), 0)]
