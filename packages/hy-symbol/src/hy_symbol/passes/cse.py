"""Common subexpression elimination: merges nodes that compute the same."""

from collections.abc import Hashable, Sequence

from hy_ndarray.ops import Operator
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.purity import is_pure
from hy_symbol.graph.rewriting import outputs_of, rewrite

__all__ = ["with_common_subexpressions"]


def with_common_subexpressions(graph: Graph) -> Graph:
    """Return the graph with nodes that compute the same merged.

    Requires: nothing. Ensures: the variables and the names of the outputs are the same; two nodes
    are merged only if operator, parameters, attributes and inputs are equal and they are pure.

    Example:
        >>> from hy_symbol import Symbol, sym
        >>> x = sym.var("x")
        >>> twice = sym.exp(x) * sym.exp(x)
        >>> len(twice.graph.nodes), len(with_common_subexpressions(twice.graph).nodes)
        (4, 3)
    """
    outputs = {node for node, _ in graph.outputs}
    seen: dict[Hashable, list[Node]] = {}

    def merged(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if node.op is None or not is_pure(node):
            return None
        candidates = seen.setdefault((node.op, inputs), [])
        key = _node_key(node) if candidates else None  # few have the inputs of another one
        # The same operator and inputs: parameters and attributes decide.
        first = next((other for other in candidates if _node_key(other) == key), None)
        if first is None:
            first = node if inputs == node.inputs else node.copy(inputs=inputs)
            candidates.append(first)
            return None if first is node else outputs_of(first)
        return None if node in outputs else outputs_of(first)  # its name is that of an output

    return rewrite(graph, merged)


def _node_key(node: Node) -> Hashable:
    """Return a hashable key of a node's parameters and annotations."""
    op: Operator | None = node.op
    assert op is not None
    # As text, since parameters such as lists cannot be hashed.
    params = tuple(sorted((name, repr(value)) for name, value in node.params.items()))
    return params, tuple(sorted((k, v) for k, v in node.attrs.items() if k not in op.params))
