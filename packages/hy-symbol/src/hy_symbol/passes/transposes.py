"""The transposes pass: sinks transposes below other operators until they cancel."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.axes import axes_of, with_simpler_axes
from hy_symbol.passes.target import Target

__all__ = ["with_fewer_transposes"]


def with_fewer_transposes(typed: TypedGraph, target: Target) -> TypedGraph:
    """Return the graph with transposes moved towards the outputs, if that leaves fewer.

    Programs that keep images as ``[N, H, W, C]`` but use layers for ``[N, C, H, W]`` have a
    transpose before and after each layer. Moved after the pointwise operators, concatenations and
    batch normalisations in between, which then compute in the other layout, two transposes cancel.

    Ensures: the same values, variables and names of outputs, and never more transposes.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> x = sym.relu(sym.transpose(sym.var("x"), axes=(0, 2, 3, 1)))
        >>> net = sym.exp(sym.transpose(x, axes=(0, 3, 1, 2)))
        >>> typed = TypedGraph.of(net.graph, [((2, 3, 4, 5), "float32")])
        >>> found = with_fewer_transposes(typed, Target(device_of(cpu()))).graph
        >>> [node.op.name for node in found.nodes if node.op]
        ['relu', 'exp']
    """
    if _transpose_count(typed.graph) < 2:  # noqa: PLR2004  # one has none to meet
        return typed
    moving = _Moving(typed, is_train=target.is_train)
    graph = rewrite(typed.graph, moving.rule)
    if not moving.has_cancelled:
        return typed
    moved = typed.rewritten(graph)
    # Counted after simplification: a transpose that was a view may need a copy where it was moved
    # to.
    before, after = (with_simpler_axes(each, target).graph for each in (typed, moved))
    return moved if _transpose_count(after) < _transpose_count(before) else typed


def _transpose_count(graph: Graph) -> int:
    counts = graph.op_counts
    return counts.get("transpose", 0) + counts.get("SwapAxis", 0)


class _Moving:
    """State of one rewriting of a graph, which records which entries are transposes of others."""

    def __init__(self, typed: TypedGraph, *, is_train: bool) -> None:
        self._graph = typed.graph
        self._types = typed.types
        self._is_train = is_train
        self._outputs = {node for node, _ in typed.graph.outputs}
        self._transposed_of: dict[Entry, tuple[Entry, tuple[int, ...]]] = {}
        """Operand and permutation of each transpose, by its result."""
        self._moved: set[Entry] = set()
        """Results of transposes that were moved after an operator."""
        self.has_cancelled = False
        """Whether a moved transpose has cancelled with another one."""

    def rule(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        axes = axes_of(node, self._types)
        if axes is not None:
            return self._transposed(node, inputs[0], axes)
        if node.op is None or node in self._outputs:
            return None
        count = 1 if is_op(node, "BatchNorm") else len(inputs)
        known = [self._transposed_of.get(entry) for entry in inputs[:count]]
        orders = {None if each is None else each[1] for each in known}
        if len(orders) != 1 or None in orders:
            return None
        operands = [each[0] for each in known if each is not None]
        return self._after_transpose(node, [*operands, *inputs[count:]], orders.pop() or ())

    def _transposed(
        self, node: Node, source: Entry, axes: tuple[int, ...]
    ) -> Sequence[Entry] | None:
        operand, before = self._transposed_of.get(source, (source, tuple(range(len(axes)))))
        axes = tuple(before[i] for i in axes)
        if axes == tuple(range(len(axes))) and node not in self._outputs:
            self.has_cancelled |= source in self._moved
            return [operand]
        transposed = new_node("transpose", [operand], name=node.name, like=node, axes=axes)
        self._transposed_of[transposed, 0] = operand, axes
        return [(transposed, 0)]

    def _after_transpose(
        self, node: Node, operands: Sequence[Entry], order: tuple[int, ...]
    ) -> Sequence[Entry] | None:
        """Return the node on untransposed operands, followed by a transpose; None if impossible."""
        reordered = self._in_order(node, operands, order)
        if reordered is None:
            return None
        turn = new_node(
            "transpose", [(reordered, 0)], name=f"{node.name}_axes", beside=node, axes=order
        )
        self._transposed_of[turn, 0] = (reordered, 0), order
        self._moved.add((turn, 0))
        return [(turn, 0), *((reordered, i) for i in range(1, node.num_outputs))]

    def _in_order(
        self, node: Node, operands: Sequence[Entry], order: tuple[int, ...]
    ) -> Node | None:
        op, params = node.op, node.params
        assert op is not None
        if is_op(node, "Concat"):
            return _with_operands(node, operands, dim=order[params["dim"]])
        if is_op(node, "BatchNorm"):
            # Summing the statistics in another order rounds differently: results would not be
            # bitwise equal.
            if self._is_train and not params["use_global_stats"]:
                return None  # its sums would be in another order
            return _with_operands(node, operands, axis=order[params["axis"]])
        hidden = any(self._graph.uses((node, i)) for i in range(1, node.num_outputs))
        if hidden or op.updates is not None or op.draws(params, self._is_train):
            return None
        return node.copy(inputs=operands) if op.is_pointwise(params) else None


def _with_operands(node: Node, operands: Sequence[Entry], **changed: int) -> Node:
    """Return a copy of a node with other operands and changed parameters."""
    assert node.op is not None
    params = {name: value for name, value in node.params.items() if value is not None}
    return new_node(node.op.name, operands, name=node.name, like=node, **{**params, **changed})
