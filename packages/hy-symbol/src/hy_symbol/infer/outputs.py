"""Outputs: base class of symbols, without methods."""

from hy_symbol.graph.node import Graph

__all__ = ["Outputs"]


class Outputs:
    """Base class of :class:`hy_symbol.Symbol`: a graph with its outputs.

    Args:
        graph: The graph.
    """

    __slots__ = ("__weakref__", "graph")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
