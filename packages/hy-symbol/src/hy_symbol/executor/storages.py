"""Storage types of gradients, inferred as MXNet does."""

from collections.abc import Callable, Sequence
from functools import reduce

from hy_symbol.graph.node import Entry, Graph, Node

__all__ = ["gradient_storages"]

_LINEAR = ("_copy", "_div_scalar", "_mul_scalar", "negative")
"""Unary operators: the output has the storage type of the operand, the gradient that of ``dy``."""
_SCALED = ("abs", "relu", "sign", "square")
"""Unary operators whose gradient is ``dy`` times a factor with the operand's storage type."""
_FLAT = ("BlockGrad", "ceil", "fix", "floor", "rint", "round", "trunc", "zeros_like")
"""Unary operators whose gradient is zeros with the operand's storage type."""
_SUMS = ("add_n", "elemwise_add", "elemwise_sub")


def gradient_storages(graph: Graph, storage: Callable[[Node], str]) -> dict[Node, str]:
    """Return the storage type of each argument's gradient.

    Args:
        graph: The graph.
        storage: Function that returns the storage type of a variable.

    Example:
        >>> from hy_symbol import sym
        >>> graph = sym.dot(sym.var("x", stype="csr"), sym.var("w")).graph
        >>> found = gradient_storages(graph, lambda node: node.storage)
        >>> {node.name: stype for node, stype in found.items()}
        {'x': 'default', 'w': 'row_sparse'}
    """
    saved: dict[Node, str] = {}
    for node in graph.nodes:
        stored = [_of(saved, entry) for entry in node.inputs]
        saved[node] = storage(node) if node.op is None else _output(node, stored)
    heads: dict[Entry, list[str]] = {entry: [_of(saved, entry)] for entry in graph.outputs}
    for node in reversed(graph.nodes):
        if node.op is None:
            continue
        dy = _sum_storage(heads.get((node, 0), []))
        stored = [_of(saved, entry) for entry in node.inputs]
        for i, entry in enumerate(node.inputs):
            heads.setdefault(entry, []).append(_gradient(node, i, stored, dy))
    return {node: _sum_storage(heads.get((node, 0), [])) for node in graph.arguments}


def _of(saved: dict[Node, str], entry: Entry) -> str:
    return saved[entry[0]] if entry[1] == 0 else "default"


def _output(node: Node, stored: Sequence[str]) -> str:
    assert node.op is not None
    name = node.op.name
    if name in (*_LINEAR, *_SCALED, *_FLAT):
        return stored[0]
    is_same = name in _SUMS and len(set(stored)) == 1 and (name != "add_n" or "csr" not in stored)
    return stored[0] if is_same else "default"


def _gradient(node: Node, i: int, stored: Sequence[str], dy: str) -> str:
    assert node.op is not None
    name = node.op.name
    if name in _FLAT or (name == "where" and i == 0):
        return stored[0]
    if name in _LINEAR or (name in _SUMS and len(set(stored)) == 1):
        return dy
    if name in _SCALED:
        return dy if dy == stored[0] else "default"
    if name == "dot":
        transposed = node.params["transpose_a"] or node.params["transpose_b"]
        # dot(csr, dense): the gradient has rows only where the matrix has columns.
        return "row_sparse" if i == 1 and stored[0] == "csr" and not transposed else "default"
    by_rows = node.params.get("sparse_grad") or name == "_contrib_SparseEmbedding"
    if (i == 1 and by_rows) or (name == "_square_sum" and stored[0] == "row_sparse"):
        return "row_sparse"
    return "default"


def _sum_storage(parts: Sequence[str]) -> str:
    """Return the storage type of a sum of gradients: row-sparse only if all are."""
    if not parts:
        return "default"
    return reduce(lambda a, b: a if a == b == "row_sparse" else "default", parts)
