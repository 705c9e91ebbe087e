"""The files of a model: its graph, and its parameters in another one or in the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hy_cli.formats import load
from hy_io import StoredArray, checkpoint_epochs

__all__ = ["ModelFiles", "find_model"]


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A graph as JSON, the file that it is from, and that of its parameters if there is one."""

    path: str
    graph: str
    params: str | None

    def arrays(self) -> Mapping[str, StoredArray]:
        """The parameters by name.

        Raises:
            FileFormatError: The file is damaged.
            ValueError: There is none.
        """
        if self.params is None:
            raise ValueError(f"{self.path}: there are no parameters beside it; give --params")
        return load(self.params).arrays


def find_model(path: str, params: str | None) -> ModelFiles:
    """The files of a model.

    Args:
        path: ``net-symbol.json``, or a file that holds its graph, too.
        params: The file of the parameters; the newest beside the graph by default.

    Raises:
        ValueError: The file has no graph.
        FileFormatError: It is damaged.
    """
    if path.endswith(".json"):
        return ModelFiles(path, Path(path).read_text(encoding="utf-8"), params or _newest(path))
    graph = load(path).graph
    if graph is None:
        raise ValueError(f"{path} holds no graph; give net-symbol.json")
    return ModelFiles(path, graph, params or path)


def _newest(path: str) -> str | None:
    """The parameters of the last epoch beside a graph."""
    prefix = path.removesuffix("-symbol.json")
    epochs = checkpoint_epochs(prefix) if prefix != path else []
    return f"{prefix}-{epochs[-1]:04d}.params" if epochs else None
