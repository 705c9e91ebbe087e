"""``import_graph`` and related functions, which load ONNX files."""

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
    """Load the graph and the weights of an ONNX file.

    Args:
        path: The file; external data beside it is read, too.
        max_expansion: Limit in bytes on computed constants, beyond the size of the weights; None:
            the environment variable ``HY_MAX_FILE_EXPANSION``, or 256 MiB plus 15 times the
            weights.

    Returns:
        The graph as a symbol, and the weights by name; large ones are views of the mapped file.

    Raises:
        ImportModelError: The file is not an ONNX model, or a node has no counterpart in the
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
    """Load an ONNX file like :func:`import_graph`, with input order and names of constants.

    Raises:
        ImportModelError, MissingOnnxError: As for :func:`import_graph`.
    """
    return imported(load(path), max_expansion)


def get_model_metadata(model_file: str | os.PathLike[str]) -> dict[str, Any]:
    """Return names and shapes of a model's inputs and outputs.

    Args:
        model_file: Path of the model.

    Returns:
        Lists of (name, shape) under ``input_tensor_data`` and ``output_tensor_data``; open sizes
        are 0.

    Raises:
        ImportModelError: The file is not an ONNX model.
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
