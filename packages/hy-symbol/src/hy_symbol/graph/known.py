"""KnownGraphs: a graph for all that equal it, so that what is made of one serves the others.

Programs that make a model again, for each fold, command or request, then plan it once.
"""

import threading
from collections.abc import Hashable

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.purity import is_user_code

__all__ = ["KnownGraphs", "known_graphs"]


class KnownGraphs:
    """The graphs that were met last, one of those that are equal.

    Equal are graphs of which nothing differs that runs or that messages tell: operators,
    parameters, connections, names, attributes, and where nodes were made. Any thread may ask.

    Args:
        most: How many nodes they have together; a graph with more is not kept.

    Example:
        >>> from hy_symbol import sym
        >>> def made(name):
        ...     return sym.relu(sym.var("x"), name=name).graph
        >>> known = KnownGraphs(100)
        >>> first, again, other = [known.of(made(name)) for name in ("y", "y", "z")]
        >>> first is again, first is other
        (True, False)
    """

    def __init__(self, max_graphs: int) -> None:
        self._max_graphs = max_graphs
        self._count = 0
        self._graphs: dict[Hashable, Graph] = {}
        self._lock = threading.Lock()

    def of(self, graph: Graph) -> Graph:
        """The graph that is kept for all that equal this one now.

        It has nodes of its own, as attributes of the user's may be set later. A graph with loops,
        branches or the user's own operators, which may keep something from one call to the next, is
        given back itself.
        """
        if len(graph.nodes) > self._max_graphs or any(
            x.bodies or is_user_code(x) for x in graph.nodes
        ):
            return graph
        key = _all_of(graph)
        try:
            hash(key)
        except TypeError:  # a parameter that cannot be in a key
            return graph
        # Hashing is done outside: it is what takes long.
        with self._lock:
            copied = self._graphs.pop(key, None)
            if copied is None:
                copied = _copied(graph)
                self._count += len(graph.nodes)
            self._graphs[key] = copied  # the last one met is the last one kept
            while self._count > self._max_graphs:
                self._count -= len(self._graphs.pop(next(iter(self._graphs))).nodes)
        return copied

    def forget(self) -> None:
        """Keep none of them any more."""
        with self._lock:
            self._graphs.clear()
            self._count = 0


def _all_of(graph: Graph) -> Hashable:
    """All that graphs must have in common; 1, 1.0 and True are different parameters."""
    positions = {node: i for i, node in enumerate(graph.nodes)}
    parts: list[Hashable] = [len(graph.first)]
    parts += [(positions[node], i) for node, i in graph.outputs]
    for node in graph.nodes:
        # Flat where it can be: each nested tuple is one more object to hash and to compare.
        parts += node.op, node.name, node.where, node.place, len(node.attrs), len(node.inputs)
        parts += node.attrs.items()
        parts += [(positions[source], i) for source, i in node.inputs]
        if node.op is not None:
            values = node.params.values()
            parts += [len(values), *node.params, *values, *map(type, values)]
    return tuple(parts)


def _copied(graph: Graph) -> Graph:
    copies: dict[Node, Node] = {}

    def copied(entry: Entry) -> Entry:
        return copies[entry[0]], entry[1]

    for node in graph.nodes:
        copies[node] = node.copy(inputs=[copied(entry) for entry in node.inputs])
    first = tuple(copies[node] for node in graph.first)
    return Graph(tuple(map(copied, graph.outputs)), first)


known_graphs = KnownGraphs(1 << 12)
"""Those that run: one that is made again, as another was, is not planned again."""
