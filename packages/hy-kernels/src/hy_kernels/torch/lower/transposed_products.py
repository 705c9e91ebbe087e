"""Fusion of transposes into the products of stacked matrices before or after them."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.lowering import Graph, Node, Value
from hy_kernels.torch.lower._types import rank_of

__all__ = ["PRODUCTS", "with_transposed_products"]

PRODUCTS = ("batch_dot", "_linalg_gemm2")
"""Of each pair of matrices; the second one has a factor."""
_TRANSPOSES = ("transpose", "SwapAxis")
_RANK = 3


def with_transposed_products(graph: Graph) -> Graph:
    """Return the graph with transposes of operands and results fused into products."""
    ops = {graph.op(node) for node in graph.nodes}
    if not (ops.intersection(PRODUCTS) and ops.intersection(_TRANSPOSES)):
        return graph

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if graph.op(node) in PRODUCTS:
            return _without_transposes(graph, node, inputs)
        return _before_transpose(graph, node, inputs) if _is_transpose(graph, node) else None

    return graph.rewrite(rule)


def _without_transposes(
    graph: Graph, node: Node, inputs: tuple[Value, ...]
) -> Sequence[Value] | None:
    """Return a product of the untransposed operands with other transpose flags, or None."""
    operands = zip(graph.inputs(node), inputs, strict=True)
    transposed = [  # and has not become a product
        _is_transpose(graph, graph.source(old)) and graph.op(graph.source(now)) in _TRANSPOSES
        for old, now in operands
    ]
    sides = [
        graph.inputs(graph.source(value))[0] if t else value
        for t, value in zip(transposed, inputs, strict=True)
    ]
    return _replace_product(graph, node, node, sides, transposed) if any(transposed) else None


def _before_transpose(
    graph: Graph, node: Node, inputs: tuple[Value, ...]
) -> Sequence[Value] | None:
    """Replace a product and the transpose that is its only user: ``(A · B)ᵀ`` is ``Bᵀ · Aᵀ``."""
    product = graph.source(inputs[0])
    if graph.op(product) not in PRODUCTS or graph.uses(graph.inputs(node)[0]) > 1:
        return None
    return _replace_product(graph, node, product, graph.inputs(product)[::-1], (True, True))


def _is_transpose(graph: Graph, node: Node) -> bool:
    """Return whether a node transposes stacked matrices."""
    if graph.op(node) not in _TRANSPOSES:
        return False
    if graph.ask(rank_of, graph.inputs(node)[0]) != _RANK:
        return False
    params = graph.params(node)
    if graph.op(node) == "transpose":
        return [axis % _RANK for axis in params["axes"]] == [0, 2, 1]
    return {params["dim1"] % _RANK, params["dim2"] % _RANK} == {1, 2}


def _replace_product(
    graph: Graph, node: Node, before: Node, sides: Sequence[Value], transposed: Sequence[bool]
) -> Sequence[Value] | None:
    """Replace a node by a product of ``sides`` with the parameters of the product ``before``.

    Its transpose flags are toggled where ``transposed`` is True. None if rows are on another axis.
    """
    params: Mapping[str, Any] = graph.params(before)
    if params.get("axis", -2) not in (-2, 1):
        return None
    names = ("transpose_a", "transpose_b")
    flags = [params[name] for name in (names if before is node else names[::-1])]
    now = {name: flag != t for name, flag, t in zip(names, flags, transposed, strict=True)}
    operands = {name: value for name, value in {**params, **now}.items() if value is not None}
    added = graph.add(graph.op(before), sides, operands, name=graph.name(node), like=node)
    return graph.values(added)
