"""Identity of a graph: a key that equal graphs share, and a copy to compile for all of them."""

from collections.abc import Hashable

from hy_symbol.graph.node import Graph, Node
from hy_symbol.graph.purity import is_user_code

__all__ = ["copied", "identity_of"]


def identity_of(graph: Graph) -> Hashable | None:
    """Return a hashable key that equal graphs share; None if the graph must not be shared.

    Graphs are equal if all agrees that affects results or messages: operators, parameters,
    connections, names, attributes, and the source lines that created the nodes; parameters 1, 1.0
    and True differ. Graphs with loops, branches or custom operators are not shared, as these may
    keep state between calls.

    Example:
        >>> from hy_symbol import sym
        >>> def made(name):
        ...     return sym.relu(sym.var("x"), name=name).graph
        >>> first, again, other = [identity_of(made(name)) for name in ("y", "y", "z")]
        >>> first == again, first == other
        (True, False)
    """
    positions = {node: i for i, node in enumerate(graph.nodes)}
    parts: list[Hashable] = [len(graph.first)]
    parts += [(positions[node], i) for node, i in graph.outputs]
    for node in graph.nodes:
        # Flat where it can be: each nested tuple is one more object to hash and to compare.
        # The lengths delimit what follows, so that two graphs cannot give one key by accident.
        parts += node.op, node.name, node.where, node.scope_path, len(node.attrs), len(node.inputs)
        parts += node.attrs.items()
        if node.op is not None:
            if node.bodies or is_user_code(node):
                return None
            parts += [(positions[source], i) for source, i in node.inputs]
            values = node.params.values()
            # The types too: 1, 1.0 and True are equal keys but different parameters.
            parts += [len(values), *node.params, *values, *map(type, values)]
    key = tuple(parts)
    try:
        hash(key)
    except TypeError:  # a parameter that cannot be in a key
        return None
    return key


def copied(graph: Graph) -> Graph:
    """Return an equal graph with new nodes, which users cannot modify."""
    copies: dict[Node, Node] = {}
    for node in graph.nodes:
        copies[node] = node.copy(inputs=[(copies[source], i) for source, i in node.inputs])
    outputs = tuple([(copies[node], i) for node, i in graph.outputs])
    return Graph(outputs, tuple([copies[node] for node in graph.first]))
