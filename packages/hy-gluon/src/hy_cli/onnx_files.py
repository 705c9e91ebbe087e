"""ONNX models as files of arrays with their graph."""

from collections.abc import Mapping, Sequence

import numpy as np

from hy_cli.fitting import read_graph
from hy_cli.weights import Weights, dense
from hy_io import join_arg_aux

__all__ = ["ONNX", "load_model", "save_model"]

ONNX = ".onnx"

OpenShapes = Mapping[str, Sequence[int | str]]
"""Shapes by name; a size that is a name may be another in each run."""


def load_model(path: str) -> Weights:
    """The weights of an ONNX model, and its graph in hy's operators.

    Raises:
        ImportModelError: It is no ONNX model, or a node has no counterpart.
        OnnxError: The package ``onnx`` is not installed.
    """
    from hy_onnx import import_graph  # noqa: PLC0415  # slow, for this format

    symbol, arrays = import_graph(path)
    states = {name: arrays.pop(name) for name in symbol.list_auxiliary_states() if name in arrays}
    return Weights(join_arg_aux(arrays, states), symbol.tojson())


def save_model(path: str, weights: Weights, inputs: OpenShapes) -> list[str]:
    """Write a graph and its weights as an ONNX model.

    Raises:
        ValueError: There is no graph, or inputs are unknown or missing; lists all of them.
        ExportError: A node has no counterpart in ONNX.
        OnnxError: The package ``onnx`` is not installed.
    """
    from hy_onnx import export_graph  # noqa: PLC0415  # as above
    from hy_onnx.to_onnx.source import source_of  # noqa: PLC0415

    if weights.graph is None:
        raise ValueError(f"{path}: an ONNX model needs the graph; give --symbol net-symbol.json")
    symbol, arrays = read_graph(weights.graph, path), dense(weights.arrays)
    names = [str(node.name) for node in source_of(symbol, arrays).inputs]
    lines = [f"{name}: is no input of the graph" for name in inputs if name not in names]
    lines += [
        f"{name}: has no shape; give --input {name}=N,3,224,224, where N stands for any size"
        for name in names
        if name not in inputs
    ]
    if lines:
        raise ValueError("\n  ".join(["the inputs do not fit the graph", *lines]))
    halves = {array.dtype.name for array in arrays.values() if array.dtype.kind == "f"}
    dtype = np.float16 if halves == {"float16"} else np.float32
    shapes = [tuple(inputs[name]) for name in names]
    return [export_graph(symbol, arrays, shapes, path, in_types=dtype)]
