"""Arrays by name in files of every format, with the graph that they belong to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hy_io import (
    Array,
    StoredArray,
    current_file,
    load_ndarrays,
    load_npz,
    load_safetensors,
    load_torch,
    save_ndarrays,
    save_npz,
    save_safetensors,
    save_together,
    save_torch,
)

__all__ = ["ENDINGS", "TORCH", "Weights", "graph_beside", "load", "save"]

TORCH = (".pt", ".pth")
ENDINGS = (".params", ".nd", ".safetensors", ".npz", *TORCH)
"""Of files of arrays; those of ONNX are models."""
_EXPORTED = re.compile(r"(.*)-(\d{4,})\.params")


@dataclass(frozen=True, slots=True)
class Weights:
    """Arrays by name, and a graph as JSON if there is one."""

    arrays: Mapping[str, StoredArray]
    graph: str | None = None


def _ending(path: str) -> str:
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"{path}: the ending must be one of {', '.join(ENDINGS)}, .onnx")
    return ending


def load(path: str) -> Weights:
    """Read a file; its graph is in it, or in the file beside it that ``export`` wrote.

    Its arrays are views of the file where its format allows that.

    Raises:
        FileFormatError: The file is damaged.
        ValueError: Its ending is not known, or its arrays have no names.
    """
    ending = _ending(path)
    if ending in TORCH:
        return Weights(load_torch(path, copy=False))
    if ending == ".safetensors":
        content = load_safetensors(path, copy=False)
        return Weights(_named(path, content.arrays), content.symbol)
    if ending == ".npz":
        return Weights(load_npz(path, copy=False))
    return Weights(_named(path, load_ndarrays(current_file(path), copy=False)), graph_beside(path))


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
    ending = _ending(path)
    if ending in (".params", ".nd"):
        match = _EXPORTED.fullmatch(path)
        if match is not None and weights.graph is not None:
            prefix, epoch = match.groups()
            together: Any = {f"-{epoch}.params": weights.arrays, "-symbol.json": weights.graph}
            save_together(prefix, together)
            return [path, f"{prefix}-symbol.json"]
        save_ndarrays(path, weights.arrays)
        return [path]
    arrays = dense(weights.arrays)
    if ending == ".safetensors":
        save_safetensors(path, arrays, symbol=weights.graph)
    elif ending == ".npz":
        save_npz(path, arrays)
    else:
        save_torch(path, arrays)
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
