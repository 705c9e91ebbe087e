"""Outputs of a graph, as one object: what a user's symbol is made of."""

from hy_symbol.graph.node import Graph

__all__ = ["Outputs"]


class Outputs:
    """Some outputs of a graph; :class:`hy_symbol.Symbol` adds what can be done with them.

    Args:
        graph: The graph.
    """

    __slots__ = ("__weakref__", "graph")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
