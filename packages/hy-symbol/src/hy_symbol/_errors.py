"""Exceptions about graphs; other exceptions are in hy-ndarray."""

from collections.abc import Mapping

from hy_ndarray import ArgumentError, HyError, IndexingError, OperandError

_MAX_SHOWN = 80  # characters of a value in a message


class BackendError(HyError, ValueError, AssertionError):
    """A backend is unknown, cannot run here, or returned something that is not a graph."""


class RegionRefused(BackendError):  # noqa: N818  # an answer of a backend, which no user meets
    """A backend refuses a graph or some of its nodes, which then run on the device's kernels.

    Args:
        why: The reason, shown if the whole graph is refused.
        nodes: The reason by name of each refused node; empty if the whole graph is refused.
    """

    def __init__(self, why: str, nodes: Mapping[str, str] | None = None) -> None:
        super().__init__(why)
        self.nodes = dict(nodes or {})


class GraphError(HyError, ValueError):
    """A graph is composed, queried or bound in an invalid way."""


class GraphFormatError(HyError, ValueError):
    """A ``-symbol.json`` text does not describe a graph."""


class NodeNameError(ArgumentError, AttributeError):
    """A node's name is not a string."""


class NotForSymbolError(HyError, NotImplementedError):
    """A method of arrays is called on a symbol; ``mxnet.base.NotImplementedForSymbol``."""


class NoValueError(NotForSymbolError, TypeError, ValueError):
    """The numeric value of a symbol is requested, which has none."""


class ArrayAttributeError(NotForSymbolError, AttributeError):
    """An attribute of arrays is requested from a symbol."""


class ArrayOperandError(NotForSymbolError, OperandError):
    """An array is combined with a symbol, whose graph cannot hold the array's values."""


class SymbolIndexError(NotForSymbolError, IndexingError):
    """A symbol is indexed by a key that only arrays support."""


class UnknownTypeError(NotForSymbolError, GraphError):
    """A shape or dtype cannot be inferred from the inputs."""


def brief(value: object) -> str:
    """Return ``repr(value)``, shortened for a message."""
    try:
        shown = repr(value)
    except RecursionError:  # what a file nests as deeply as its reader just manages
        shown = f"a {type(value).__name__} nested too deeply"
    return shown if len(shown) <= _MAX_SHOWN else shown[: _MAX_SHOWN - 3] + "..."
