"""Common subexpressions: nodes that compute the same become one."""

from collections.abc import Hashable, Sequence

from hy_ndarray.ops import Operator
from hy_symbol.graph import Entry, Graph, Node
from hy_symbol.purity import is_pure
from hy_symbol.rewriting import rewrite

__all__ = ["with_common_subexpressions"]


def with_common_subexpressions(graph: Graph) -> Graph:
    """The graph with one node in the place of several that compute the same.

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
    seen: dict[Hashable, Node] = {}

    def merged(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if not is_pure(node):
            return None
        key = _key(node, inputs)
        first = seen.get(key)
        if first is None:
            first = node if inputs == node.inputs else node.copy(inputs=inputs)
            seen[key] = first
        elif node in outputs:  # its name is the name of an output
            return None
        return [(first, i) for i in range(node.num_outputs)]

    return rewrite(graph, merged)


def _key(node: Node, inputs: tuple[Entry, ...]) -> Hashable:
    op: Operator | None = node.op
    assert op is not None
    params = tuple(sorted((name, repr(value)) for name, value in node.params.items()))
    attrs = tuple(sorted((k, v) for k, v in node.attrs.items() if k not in op.params))
    return op, params, attrs, tuple((source, i) for source, i in inputs)
