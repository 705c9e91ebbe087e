"""Reader of graph files for ``hy-io``."""

from hy_symbol._errors import GraphFormatError
from hy_symbol.symbol.symbol import Symbol, load_json

__all__ = ["read_graph"]


def read_graph(text: str, file: str) -> Symbol:
    """Return a graph from its JSON; the entry point ``hy_io.graphs``.

    Args:
        text: The graph.
        file: What errors call it.

    Raises:
        GraphFormatError: It is no graph; the message names the file.
    """
    try:
        return load_json(text)
    except GraphFormatError as error:
        raise GraphFormatError(f"{file}: {error}") from None
