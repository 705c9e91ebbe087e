"""Exceptions of graphs; the rest of the tree is in hy-ndarray."""

from collections.abc import Mapping

from hy_ndarray import ArgumentError, HyError, IndexingError, OperandError

__all__ = [
    "ArrayAttributeError",
    "ArrayOperandError",
    "BackendError",
    "GraphError",
    "GraphFormatError",
    "NoValueError",
    "NodeNameError",
    "NotForSymbolError",
    "RegionRefused",
    "SymbolIndexError",
    "UnknownTypeError",
    "brief",
]

_LONGEST = 80  # characters of a value in a message


class BackendError(HyError, ValueError, AssertionError):
    """A backend is unknown, cannot run here, or made something that is no graph."""


class RegionRefused(BackendError):  # noqa: N818  # an answer of a backend, which no user meets
    """A backend does not run a graph, or some nodes of it: these run on the device's kernels.

    Args:
        why: Of the whole graph.
        nodes: Why, by name of a node; empty: it runs none of the graph.
    """

    def __init__(self, why: str, nodes: Mapping[str, str] | None = None) -> None:
        super().__init__(why)
        self.nodes = dict(nodes or {})


class GraphError(HyError, ValueError):
    """A graph is composed, queried or bound in a way it cannot be."""


class GraphFormatError(HyError, ValueError):
    """A ``-symbol.json`` text is not a graph."""


class NodeNameError(ArgumentError, AttributeError):
    """A node is to have a name that is no text."""


class NotForSymbolError(HyError, NotImplementedError):
    """Something that arrays can and symbols cannot; ``mxnet.base.NotImplementedForSymbol``."""


class NoValueError(NotForSymbolError, TypeError, ValueError):
    """A number, or an array of numbers, is asked of a symbol."""


class ArrayAttributeError(NotForSymbolError, AttributeError):
    """An attribute that only arrays have."""


class ArrayOperandError(NotForSymbolError, OperandError):
    """An array is combined with a symbol, whose graph has no place for its values."""


class SymbolIndexError(NotForSymbolError, IndexingError):
    """An index that arrays take and graphs do not."""


class UnknownTypeError(NotForSymbolError, GraphError):
    """A shape or dtype that does not follow from the inputs."""


def brief(value: object) -> str:
    """``repr(value)``, cut where it is too long for a message."""
    try:
        shown = repr(value)
    except RecursionError:  # what a file nests as deeply as its reader just manages
        shown = f"a {type(value).__name__} nested too deeply"
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."
