"""Exceptions of graphs; the rest of the tree is in hy-ndarray."""

from hy_ndarray import HyError

__all__ = ["GraphError", "GraphFormatError"]


class GraphError(HyError, ValueError):
    """A graph is composed, queried or bound in a way it cannot be."""


class GraphFormatError(HyError, ValueError):
    """A ``-symbol.json`` text is not a graph."""
