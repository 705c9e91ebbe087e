"""``import_model`` and its kin: ONNX files as symbols and blocks."""

import os
from importlib import import_module
from typing import Any

from hy_ndarray import Context, NDArray, cpu
from hy_onnx.from_onnx.conversion import imported
from hy_onnx.model import Array
from hy_onnx.protobuf import load
from hy_symbol import Symbol

__all__ = ["arrays_of", "get_model_metadata", "import_model", "import_to_gluon"]


def import_model(
    model_file: str | os.PathLike[str],
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Read an ONNX file.

    Args:
        model_file: The file; weights that lie beside it are read, too.

    Returns:
        The graph as a symbol, its arguments and its auxiliary states by name.

    Raises:
        ImportModelError: The file is no ONNX model, or a node of it has no counterpart in the
            catalogue; names the node and its operator.
        OnnxError: The package ``onnx`` is not installed.
    """
    array_of = import_module("hy_gluon.files").array_of  # slow, and `arrays_of` needs no NDArray
    symbol, *parts = arrays_of(model_file)
    arguments, states = ({k: array_of(value) for k, value in part.items()} for part in parts)
    return symbol, arguments, states


def arrays_of(
    model_file: str | os.PathLike[str],
) -> tuple[Symbol, dict[str, Array], dict[str, Array]]:
    """As :func:`import_model`, with numpy's arrays, of which large ones are views of the file.

    Raises:
        ImportModelError: As for :func:`import_model`.
    """
    found = imported(load(model_file))
    symbol = Symbol(found.graph)
    states = set(symbol.list_auxiliary_states())
    arguments = {name: value for name, value in found.weights.items() if name not in states}
    return symbol, arguments, {k: value for k, value in found.weights.items() if k in states}


def get_model_metadata(model_file: str | os.PathLike[str]) -> dict[str, Any]:
    """Names and shapes of a model's inputs and outputs.

    Args:
        model_file: The file.

    Returns:
        ``input_tensor_data`` and ``output_tensor_data``: lists of names with shapes, in which an
        open size is 0.

    Raises:
        ImportModelError: The file is no ONNX model.
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


def import_to_gluon(
    model_file: str | os.PathLike[str], ctx: Context | list[Context] | None = None
) -> Any:
    """Read an ONNX file as a block, which predicts and can be trained.

    Weights are learned, constants of the model are not.

    Args:
        model_file: The file.
        ctx: Where to put the parameters; the CPU by default.

    Raises:
        ImportModelError: As for :func:`import_model`.
    """
    array_of = import_module("hy_gluon.files").array_of
    found = imported(load(model_file))
    symbol = Symbol(found.graph)
    given = {node.name: Symbol.of((node, 0)) for node in found.graph.variables}
    outputs = symbol if symbol.num_outputs == 1 else list(symbol)
    make = import_module("hy_gluon.block.symbol_block").SymbolBlock
    block: Any = make(outputs, [given[name] for name in found.inputs])
    for name, value in found.weights.items():
        parameter = block.params[name]
        parameter._load_init(array_of(value), ctx or cpu(), cast_dtype=True, dtype_source="saved")
        if name in found.fixed or value.dtype.kind != "f":
            parameter.grad_req = "null"
    return block
