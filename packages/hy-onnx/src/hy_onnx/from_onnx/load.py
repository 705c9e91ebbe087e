"""``import_graph`` and related functions: ONNX files as graphs and arrays."""

import os
from typing import Any

from hy_onnx.from_onnx.conversion import imported
from hy_onnx.model import Array
from hy_onnx.protobuf import load
from hy_symbol import Symbol
from hy_symbol.exchange import ImportedGraph

__all__ = ["get_model_metadata", "import_graph", "read_model"]


def import_graph(
    path: str | os.PathLike[str], max_expansion: int | None = None
) -> tuple[Symbol, dict[str, Array]]:
    """Return graph and arrays of an ONNX file.

    Args:
        path: The file; weights that lie beside it are read, too.
        max_expansion: How many bytes more than the file the arrays may take that are computed from
            its constants; None takes ``HY_MAX_FILE_EXPANSION`` of the environment, or 256 MiB
            and 15 times the weights.

    Returns:
        The graph as a symbol, and its arrays by name, of which large ones are views of the file.

    Raises:
        ImportModelError: The file is no ONNX model, or a node of it has no counterpart in the
            catalogue; names the node and its operator.
        MissingOnnxError: The package ``onnx`` is not installed.

    Example:
        >>> from hy_onnx import export_graph
        >>> from hy_symbol import sym
        >>> export_graph(sym.relu(sym.var("x"), name="y"), {}, {"x": (2, 3)}, "relu.onnx")
        'relu.onnx'
        >>> graph, arrays = import_graph("relu.onnx")
        >>> graph.list_arguments(), graph.infer_shape(x=(2, 3))[1], arrays
        (['x'], [(2, 3)], {})
    """
    model = read_model(path, max_expansion)
    return Symbol(model.graph), dict(model.weights)


def read_model(path: str | os.PathLike[str], max_expansion: int | None = None) -> ImportedGraph:
    """Return what :func:`import_graph` does, with the inputs' order and constants' names.

    Raises:
        ImportModelError, MissingOnnxError: As for :func:`import_graph`.
    """
    return imported(load(path), max_expansion)


def get_model_metadata(model_file: str | os.PathLike[str]) -> dict[str, Any]:
    """Return names and shapes of a model's inputs and outputs.

    Args:
        model_file: The file.

    Returns:
        ``input_tensor_data`` and ``output_tensor_data``: lists of names with shapes, in which an
        open size is 0.

    Raises:
        ImportModelError: The file is no ONNX model.
        MissingOnnxError: The package ``onnx`` is not installed.
    """
    graph = load(model_file).graph
    inputs = [value for value in graph.inputs if value.name not in graph.initializers]
    return {
        key: [
            (value.name, tuple(n if isinstance(n, int) else 0 for n in value.shape or ()))
            for value in values
        ]
        for key, values in (("input_tensor_data", inputs), ("output_tensor_data", graph.outputs))
    }
