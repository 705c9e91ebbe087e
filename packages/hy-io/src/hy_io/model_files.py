"""Finds the files of a model: a graph, and parameters in the same or another file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hy_io._errors import ArgumentError
from hy_io._paths import read_file
from hy_io.checkpoint import checkpoint_epochs
from hy_io.file_set import current_file
from hy_io.formats import load_arrays
from hy_io.ndarray_list import StoredArray

__all__ = ["ModelFiles", "exported_name", "find_model", "graph_beside"]

_EXPORTED = re.compile(r"(.*)-(\d{4,})\.params")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Graph of a model as JSON, the path it was read from, and the path of the parameters."""

    path: str
    graph: str
    params: str | None

    def arrays(self) -> Mapping[str, StoredArray]:
        """Return the parameters by name.

        Raises:
            FileFormatError: The file is damaged.
            ArgumentError: There is no file of parameters, or its arrays have no names.
        """
        if self.params is None:
            raise ArgumentError(f"{self.path}: there are no parameters beside it; give --params")
        arrays = load_arrays(current_file(self.params), copy=False).arrays
        if not isinstance(arrays, Mapping):
            raise ArgumentError(f"{self.params} holds arrays without names")
        return arrays


def find_model(path: str, params: str | None = None) -> ModelFiles:
    """Find the graph and the file of parameters of a model.

    Args:
        path: ``net-symbol.json``, or a file of arrays that contains the graph or is named
            ``net-0000.params`` with the graph in the same folder.
        params: The file of the parameters; None for those of the latest epoch beside the graph.

    Raises:
        ArgumentError: No graph is found.
        FileFormatError: The file is damaged.
    """
    if path.endswith(".json"):
        return ModelFiles(path, read_file(current_file(path)).decode(), params or _newest(path))
    graph = load_arrays(current_file(path), copy=False).symbol or graph_beside(path)
    if graph is None:
        raise ArgumentError(f"{path} holds no graph; give net-symbol.json")
    return ModelFiles(path, graph, params or path)


def _newest(path: str) -> str | None:
    """Return the path of the parameters of the last epoch beside ``net-symbol.json``, or None."""
    # An exported prefix without its ending names no epochs.
    prefix = path.removesuffix("-symbol.json")
    epochs = checkpoint_epochs(prefix) if prefix != path else []
    return f"{prefix}-{epochs[-1]:04d}.params" if epochs else None


def exported_name(path: str) -> tuple[str, str] | None:
    """Split ``net-0000.params`` into prefix and number; return None for other names.

    Example:
        >>> exported_name("net-0003.params")
        ('net', '0003')
    """
    match = _EXPORTED.fullmatch(path)
    return None if match is None else (match[1], match[2])


def graph_beside(path: str) -> str | None:
    """Return the content of ``net-symbol.json`` for ``net-0000.params``; None if missing."""
    name = exported_name(path)
    file = None if name is None else Path(f"{name[0]}-symbol.json")
    if file is None or not file.exists():
        return None
    return read_file(current_file(file)).decode()
