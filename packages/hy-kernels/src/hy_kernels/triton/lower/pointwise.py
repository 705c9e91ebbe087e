"""Fusion of pointwise operators that broadcast, cast, or have a reduction after them.

Trees whose values all have one type are left to the graph planner, whose groups may have several
results.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.triton._formula import has, knows
from hy_kernels.triton.elementwise.fused import CASTS, REDUCTIONS, Call, FusedCalls

__all__ = ["OPERANDS", "is_step", "with_fused_pointwise"]

_FLOATS = ("float32", "float64", "float16", "bfloat16")
_MAX_INPUTS = 32
"""Largest number of inputs of a fused step, to limit the size of a kernel."""

OPERANDS = 3
"""Largest number of operands of a fused operator."""


def _result_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    full = np.broadcast_shapes(*(shape for shape, _ in types))
    calls = params["calls"]
    return calls.shape(full), calls.dtype([dtype for _, dtype in types])


_INPUTS = tuple(f"input{k}" for k in range(_MAX_INPUTS + 1))
_OPERATOR = PrivateOperator(
    name="_fused_pointwise",
    kernel="fused_pointwise",
    inputs=_INPUTS,
    infer=_result_type,
    active=lambda params: _INPUTS[: params["calls"].inputs],
)


def with_fused_pointwise(graph: Graph) -> Graph:
    """Return the graph with each tree of fusable operators as one step."""
    trees = _Trees(graph)
    return graph.rewrite(trees.rule) if any(map(trees.is_root, graph.nodes)) else graph


def is_step(graph: Graph, node: Node) -> bool:
    """Return whether an operator is pointwise on floats of one dtype, and formulas support it."""
    if len(graph.values(node)) != 1 or not 1 <= len(graph.inputs(node)) <= OPERANDS:
        return False
    types = [graph.type(value) for value in (*graph.values(node), *graph.inputs(node))]
    if any(each is None or each[1] not in _FLOATS or 0 in each[0] for each in types):
        return False
    kernel, params = graph.kernel(node), graph.params(node)
    if len(set(types)) == 1:
        return knows(kernel, params)
    return len({each[1] for each in types if each is not None}) == 1 and has(kernel, params)


def _is_cast(graph: Graph, node: Node) -> bool:
    """Return whether an operator casts a floating dtype to another."""
    if graph.kernel(node) not in CASTS:
        return False
    (value,), (result,) = graph.inputs(node), graph.values(node)
    types = graph.type(value), graph.type(result)
    return all(each is not None and each[1] in _FLOATS and 0 not in each[0] for each in types)


class _Tree:
    """Operators to fuse into one step, each with its operands."""

    def __init__(self) -> None:
        self.leaves: dict[Value, int] = {}
        """Inputs of the tree, in the rewritten graph, with their numbers."""
        self.steps: list[tuple[Node, list[tuple[bool, int]]]] = []
        """Operators with their operands: ``(True, k)`` is the result of step ``k``,
        ``(False, k)`` is leaf ``k``."""

    def numbered(self, graph: Graph, reduction: Node | None) -> FusedCalls:
        """Return the tree, and the reduction after it if given, as calls on numbered values."""
        first = len(self.leaves)
        steps = tuple(
            Call(
                graph.kernel(node),
                tuple(first + k if result else k for result, k in operands),
                tuple(graph.params(node).items()),
            )
            for node, operands in self.steps
        )
        last = None
        if reduction is not None:
            operands = (first + len(steps) - 1,)
            last = Call(graph.kernel(reduction), operands, tuple(graph.params(reduction).items()))
        return FusedCalls(steps=steps, reduction=last, inputs=first)


class _Trees:
    """Trees of fusable operators in a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._users: dict[Value, Node] = {
            value: node for node in graph.nodes for value in graph.inputs(node)
        }

    def _is_reduction(self, node: Node) -> bool:
        graph = self._graph
        if graph.kernel(node) not in REDUCTIONS:
            return False
        (value,), params = graph.inputs(node), graph.params(node)
        type_ = graph.type(value)
        valid = type_ is not None and type_[1] in _FLOATS and 0 not in type_[0] and type_[0] != ()
        return valid and params["axis"] != ()

    def _is_step(self, node: Node) -> bool:
        """Return whether an operator may be part of a tree."""
        return is_step(self._graph, node) or _is_cast(self._graph, node)

    def _joins(self, value: Value) -> bool:
        """Return whether the operator that computes a value is fused with the value's only user."""
        graph, user = self._graph, self._users.get(value)
        if user is None or graph.uses(value) != 1 or not self._is_step(graph.source(value)):
            return False
        if self._is_reduction(user):
            return True
        if not self._is_step(user):
            return False
        # A value that is broadcast would be recomputed for each element it is broadcast to.
        own, whole = graph.type(value), graph.type(graph.values(user)[0])
        return own is not None and whole is not None and own[0] == whole[0]

    def is_root(self, node: Node) -> bool:
        """Return whether a node is the last operator of a tree that is worth fusing."""
        graph = self._graph
        if self._is_reduction(node):
            return self._joins(graph.inputs(node)[0])
        if not self._is_step(node) or self._joins(graph.values(node)[0]):
            return False
        tree = _Tree()
        self._grow(tree, node, graph.inputs(node))
        type_ = graph.type(graph.values(node)[0])
        # Trees of one type are left to the planner, whose groups may have several results.
        spread = any(graph.type(leaf) != type_ for leaf in tree.leaves)
        casts = any(_is_cast(graph, step) for step, _ in tree.steps)
        return (spread or casts) and len(tree.steps) > 1

    def _grow(self, tree: _Tree, node: Node, inputs: Sequence[Value]) -> int:
        """Append an operator and those fused before it to a tree; return the number of its step.

        Args:
            tree: The tree.
            node: The operator, in the original graph.
            inputs: Its inputs, in the rewritten graph.
        """
        graph, operands = self._graph, list[tuple[bool, int]]()
        for value, new in zip(graph.inputs(node), inputs, strict=True):
            # A step of three operands adds two leaves: half as many steps as inputs never read
            # more.
            if self._joins(value) and len(tree.steps) < _MAX_INPUTS // 2:
                source = graph.source(value)
                operands.append((True, self._grow(tree, source, graph.inputs(graph.source(new)))))
            else:
                operands.append((False, tree.leaves.setdefault(new, len(tree.leaves))))
        tree.steps.append((node, operands))
        return len(tree.steps) - 1

    def rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """Return the result of the fused step that replaces a tree's root; None for other nodes."""
        if not self.is_root(node):
            return None
        graph, tree = self._graph, _Tree()
        reduction = node if self._is_reduction(node) else None
        if reduction is None:
            self._grow(tree, node, inputs)
        else:
            (value,) = graph.inputs(node)
            self._grow(tree, graph.source(value), graph.inputs(graph.source(inputs[0])))
        params = {"calls": tree.numbered(graph, reduction)}
        added = graph.add(_OPERATOR, [*tree.leaves], params, name=graph.name(node), like=node)
        return graph.values(added)
