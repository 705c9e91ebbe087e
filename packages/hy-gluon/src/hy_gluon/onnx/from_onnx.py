"""``import_model`` and related functions: ONNX files to symbols and blocks."""

import os
from typing import Any

from hy_gluon.block import SymbolBlock
from hy_gluon.files import array_of
from hy_ndarray import Context, NDArray, cpu
from hy_symbol import Symbol
from hy_symbol.exchange import onnx_package

__all__ = ["get_model_metadata", "import_model", "import_to_gluon"]


def import_model(
    model_file: str | os.PathLike[str],
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Return symbol and parameters from an ONNX file.

    Args:
        model_file: The file; external weights in the same folder are read, too.

    Returns:
        The graph as a symbol, its arguments and its auxiliary states by name.

    Raises:
        ImportModelError: The file is no ONNX model, or a node of it has no counterpart in the
            catalogue; names the node and its operator.
        MissingOnnxError: The package hy-onnx or the package ``onnx`` is not installed.
    """
    model = onnx_package().read_model(model_file)
    symbol = Symbol(model.graph)
    arrays = {name: array_of(value) for name, value in model.weights.items()}
    states = {name: arrays.pop(name) for name in symbol.list_auxiliary_states() if name in arrays}
    return symbol, arrays, states


def get_model_metadata(model_file: str | os.PathLike[str]) -> dict[str, Any]:
    """Return names and shapes of a model's inputs and outputs.

    Args:
        model_file: The file.

    Returns:
        ``input_tensor_data`` and ``output_tensor_data``: lists of names with shapes, in which an
        open size is 0.

    Raises:
        ImportModelError: The file is no ONNX model.
        MissingOnnxError: See :func:`import_model`.
    """
    return onnx_package().get_model_metadata(model_file)


def import_to_gluon(
    model_file: str | os.PathLike[str], ctx: Context | list[Context] | None = None
) -> SymbolBlock:
    """Return the block of an ONNX file, which predicts and can be trained.

    Weights are learned, constants of the model are not.

    Args:
        model_file: The file.
        ctx: Contexts of the parameters; the CPU by default.

    Raises:
        ImportModelError, MissingOnnxError: See :func:`import_model`.
    """
    model = onnx_package().read_model(model_file)
    symbol = Symbol(model.graph)
    variables = {node.name: Symbol.of((node, 0)) for node in model.graph.variables}
    outputs = symbol if symbol.num_outputs == 1 else list(symbol)
    block = SymbolBlock(outputs, [variables[name] for name in model.inputs])
    for name, value in model.weights.items():
        parameter = block.params[name]
        parameter._load_init(array_of(value), ctx or cpu(), cast_dtype=True, dtype_source="saved")
        if name in model.fixed or value.dtype.kind != "f":
            parameter.grad_req = "null"
    return block
