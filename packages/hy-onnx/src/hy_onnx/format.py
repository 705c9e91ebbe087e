"""File format ``onnx`` for hy-io, with weights and graph; registered by an entry point."""

from collections.abc import Mapping
from importlib import import_module

import numpy as np

from hy_io import ArgumentError, Array, Contents, Format, join_arg_aux, sniff
from hy_io.fitting import dense

__all__ = ["ONNX"]


def _matches(head: bytes, suffix: str) -> bool:
    """Return whether a file is an ONNX model, by its suffix."""
    kind = sniff(head)
    return suffix == ".onnx" or (kind is not None and kind.form == "onnx")


def _load(path: str, *, copy: object, dense: bool, max_expansion: int | None) -> Contents:
    """Load the weights of a model, and its graph in hy's operators."""
    del dense  # all are
    symbol, arrays = import_module("hy_onnx.from_onnx.load").import_graph(path, max_expansion)
    if copy:
        arrays = {name: np.array(value) for name, value in arrays.items()}
    states = {name: arrays.pop(name) for name in symbol.list_auxiliary_states() if name in arrays}
    return Contents(join_arg_aux(arrays, states), symbol.tojson())


def _save(path: str, contents: Contents) -> None:
    """Write a graph and its weights as an ONNX model.

    Raises:
        ArgumentError: There is no graph, or inputs are unknown or missing; lists all of these.
        ExportError: A node has no counterpart in ONNX.
        MissingOnnxError: The package ``onnx`` is not installed.
    """
    if contents.symbol is None or not isinstance(contents.arrays, Mapping):
        raise ArgumentError(f"{path}: an ONNX model needs the graph; give --symbol net-symbol.json")
    graph = import_module("hy_symbol").load_json(contents.symbol)
    arrays: dict[str, Array] = dense(contents.arrays)
    source = import_module("hy_onnx.to_onnx.source").source_of(graph, arrays)
    names, inputs = [node.name for node in source.inputs], contents.inputs
    lines = [f"{name}: is no input of the graph" for name in inputs if name not in names]
    lines += [
        f"{name}: has no shape; give --input {name}=N,3,224,224, where N stands for any size"
        for name in names
        if name not in inputs
    ]
    if lines:
        raise ArgumentError("\n  ".join(["the inputs do not fit the graph", *lines]))
    halves = {array.dtype.name for array in arrays.values() if array.dtype.kind == "f"}
    dtype = np.float16 if halves == {"float16"} else np.float32
    shapes = [tuple(inputs[name]) for name in names]
    export = import_module("hy_onnx.to_onnx.export").export_graph
    export(graph, arrays, shapes, path, in_types=dtype)


ONNX = Format(
    "onnx",
    suffixes=(".onnx",),
    matches=_matches,
    load=_load,
    save=_save,
    has_graph=True,
    has_lists=False,
)
