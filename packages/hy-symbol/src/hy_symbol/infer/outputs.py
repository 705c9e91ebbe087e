"""Outputs: some outputs of a graph as one object, the base of symbols."""

from hy_symbol.graph.node import Graph

__all__ = ["Outputs"]


class Outputs:
    """Outputs of a graph; :class:`hy_symbol.Symbol` adds methods.

    Args:
        graph: The graph.
    """

    __slots__ = ("__weakref__", "graph")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
