"""Exceptions of graphs; the rest of the tree is in hy-ndarray."""

from hy_ndarray import HyError

__all__ = ["BackendError", "GraphError", "GraphFormatError", "NotForSymbolError", "brief"]

_LONGEST = 80


class BackendError(HyError, ValueError):
    """A backend is unknown, cannot run here, or made something that is no graph."""


class GraphError(HyError, ValueError):
    """A graph is composed, queried or bound in a way it cannot be."""


class GraphFormatError(HyError, ValueError):
    """A ``-symbol.json`` text is not a graph."""


class NotForSymbolError(HyError, NotImplementedError):
    """Something that arrays can and symbols cannot; ``mxnet.base.NotImplementedForSymbol``."""


def brief(value: object) -> str:
    """``repr(value)``, cut where it is too long for a message."""
    shown = repr(value)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."
