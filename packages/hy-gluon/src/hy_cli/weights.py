"""Arrays by name in files of every format, with the graph that they belong to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hy_io import (
    Array,
    Contents,
    StoredArray,
    current_file,
    format_for,
    format_of,
    known_formats,
    load_arrays,
    save_arrays,
    save_together,
)

__all__ = ["Weights", "endings", "graph_beside", "load", "names_of", "save"]

_EXPORTED = re.compile(r"(.*)-(\d{4,})\.params")


@dataclass(frozen=True, slots=True)
class Weights:
    """Arrays by name, and a graph as JSON if there is one."""

    arrays: Mapping[str, StoredArray]
    graph: str | None = None


def endings(names: str | None = None) -> list[str]:
    """The endings of files of arrays; those of ONNX are models.

    Args:
        names: Whose names for parameters the files have, if these alone are asked for.
    """
    formats = [one for one in known_formats() if one.save is not None]
    return [end for one in formats for end in one.suffixes if names in (None, one.names)]


def names_of(path: str) -> str:
    """Whose names for parameters a file has by its ending: ``mxnet`` or ``torch``."""
    return "torch" if Path(path).suffix.lower() in endings("torch") else "mxnet"


def load(path: str) -> Weights:
    """Read a file; its graph is in it, or in the file beside it that ``export`` wrote.

    Its arrays are views of the file where its format allows that.

    Raises:
        FileFormatError: The file is damaged.
        ValueError: Its format is not known, or its arrays have no names.
    """
    file = current_file(path)
    if format_of(file) is None:
        raise ValueError(f"{path}: the ending must be one of {', '.join(endings())}, .onnx")
    content = load_arrays(file, copy=False)
    return Weights(_named(path, content.arrays), content.symbol or graph_beside(path))


def _named(path: str, arrays: Any) -> Mapping[str, StoredArray]:
    if isinstance(arrays, Mapping):
        return arrays
    raise ValueError(f"{path} holds arrays without names")


def graph_beside(path: str) -> str | None:
    """The text of ``net-symbol.json`` beside ``net-0000.params``, if it is there."""
    match = _EXPORTED.fullmatch(path)
    if match is None:
        return None
    file = Path(f"{match[1]}-symbol.json")
    return current_file(file).read_text(encoding="utf-8") if file.exists() else None


def save(path: str, weights: Weights) -> list[str]:
    """Write a file in the format of its ending; a graph goes into it, or beside it.

    Returns:
        The files that were written.

    Raises:
        ValueError: The ending is not known, or the format cannot hold an array.
    """
    if Path(path).suffix.lower() not in endings():
        raise ValueError(f"{path}: the ending must be one of {', '.join(endings())}, .onnx")
    match = _EXPORTED.fullmatch(path)
    if match is not None and weights.graph is not None:
        prefix, epoch = match.groups()
        together: Any = {f"-{epoch}.params": weights.arrays, "-symbol.json": weights.graph}
        save_together(prefix, together)
        return [path, f"{prefix}-symbol.json"]
    graph = weights.graph if format_for(path).has_graph else None
    save_arrays(path, Contents(weights.arrays, graph))
    return [path]


def dense(arrays: Mapping[str, StoredArray]) -> dict[str, Array]:
    """The arrays, none of which is sparse.

    Raises:
        ValueError: Some are.
    """
    sparse = [name for name, array in arrays.items() if not isinstance(array, np.ndarray)]
    if sparse:
        raise ValueError(f"only .params files hold sparse arrays: {', '.join(sparse)}")
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}
