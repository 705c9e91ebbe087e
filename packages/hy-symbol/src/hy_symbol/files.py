"""Reader of graph files for ``hy-io``."""

from hy_symbol._errors import GraphFormatError
from hy_symbol.symbol.symbol import Symbol, load_json

__all__ = ["read_graph"]


def read_graph(text: str, file: str) -> Symbol:
    """Load a graph from JSON text; registered as entry point ``hy_io.graphs``.

    Args:
        text: The graph as JSON.
        file: Name of the file, for messages.

    Raises:
        GraphFormatError: The text is not a valid graph; the message names the file.
    """
    try:
        return load_json(text)
    except GraphFormatError as error:
        raise GraphFormatError(f"{file}: {error}") from None
