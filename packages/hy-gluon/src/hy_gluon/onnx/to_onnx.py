"""``export_model``: ONNX files from blocks, symbols and checkpoints."""

import os
from typing import Any

import numpy as np

from hy_gluon.block import HybridBlock
from hy_gluon.block.exporting import predicting
from hy_io import current_file, load_arrays
from hy_symbol import Symbol, load
from hy_symbol.exchange import DEFAULT_OPSET, Arrays, ExportError, onnx_package

__all__ = ["export_model", "get_operator_support"]


def export_model(
    sym: Any,
    params: Any = None,
    in_shapes: Any = None,
    in_types: Any = np.float32,
    onnx_file_path: str = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Any = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Any = None,
    *,
    opset_version: int = DEFAULT_OPSET,
    external_data: bool | None = None,
) -> str:
    """Write a graph and its weights as an ONNX file, for prediction.

    Args:
        sym: A ``Symbol``, the path of a ``-symbol.json`` file, or a hybridized block that has run.
        params: Arrays by name, with or without ``arg:`` and ``aux:``, a list of such dictionaries,
            or the path of a ``.params`` file. None for a block.
        in_shapes: The shape of each input, in the order of ``list_inputs()``; sizes that are None
            or a name are open: they may differ between runs.
        in_types: The dtype of each input, or one for all. Weights are converted, too: with
            ``float16`` the model computes in float16.
        onnx_file_path: The file; replaced atomically.
        verbose: Whether to log what is written.
        dynamic: Whether open sizes of ``dynamic_input_shapes`` stay open; without
            ``dynamic_input_shapes``, the first size of each input.
        dynamic_input_shapes: The shape of each input with None, or a name, for open sizes. Sizes of
            the same name are equal.
        run_shape_inference: Whether to check the model by ONNX's shape inference, and keep the
            inferred shapes.
        input_type: Older name of ``in_types``.
        input_shape: Older name of ``in_shapes``.
        opset_version: Version of ONNX's operators: from 13 to 28, or to the newest version of the
            package ``onnx``.
        external_data: Whether weights are in a separate file, ``onnx_file_path + ".data"``; if
            None, when they exceed 1.9 GB.

    Returns:
        ``onnx_file_path``.

    Raises:
        ExportError: A node has no counterpart in ONNX, or requires a fixed size (the message names
            the node and its operator); or an argument is invalid.
        OnnxError: ONNX's shape inference failed.
        MissingOnnxError: The package hy-onnx or the package ``onnx`` is not installed.
        GraphFormatError, FileFormatError: A file is damaged.
        ShapeError, DTypeError: Types of the inputs do not match the graph.

    Example:
        >>> from hy_gluon import nn, onnx
        >>> from hy_ndarray import nd
        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.hybridize()
        >>> y = net(nd.ones((1, 3)))
        >>> onnx.export_model(net, in_shapes=[("batch", 3)], onnx_file_path="dense.onnx")
        'dense.onnx'
    """
    package = onnx_package()
    symbol, arrays, inputs = _exported(sym, params)
    return package.export_graph(
        symbol,
        arrays,
        in_shapes if input_shape is None else input_shape,
        onnx_file_path,
        in_types=in_types if input_type is None else input_type,
        dynamic_input_shapes=(
            dynamic_input_shapes if dynamic or dynamic_input_shapes is not None else ()
        ),
        inputs=inputs,
        opset_version=opset_version,
        external_data=external_data,
        run_shape_inference=run_shape_inference,
        verbose=verbose,
    )


def _exported(sym: Any, params: Any) -> tuple[Symbol, Arrays, list[str] | None]:
    """Return the graph of an argument, its arrays, and the names of a block's inputs in order.

    Raises:
        ExportError: ``sym`` is of another type, or a block that has not run.
    """
    if isinstance(params, str | os.PathLike):
        params = load_arrays(current_file(params), copy=False, dense=True).arrays
    if isinstance(sym, str | os.PathLike):
        sym = load(str(current_file(sym)))
    if isinstance(sym, Symbol):
        return sym, params, None
    if isinstance(sym, HybridBlock):
        return _of_block(sym, params)
    raise ExportError(
        f"export takes a Symbol, the path of a -symbol.json file, or a HybridBlock, not "
        f"{type(sym).__name__}"
    )


def _of_block(block: HybridBlock, params: Any) -> tuple[Symbol, Arrays, list[str]]:
    latest = block._hy_traces.latest
    if not latest.graph:
        raise ExportError(f"{block.name}: call hybridize() and run the block once before export")
    symbol, values = predicting(block)
    others = params if isinstance(params, list | tuple) else [params]
    return symbol, [values, *others], [str(node.name) for node in latest.graph[0]]


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """Return the names of operators that can be exported.

    Args:
        opset_version: Version of ONNX's operators; the result is the same for all versions.

    Raises:
        ExportError: The version is not supported.
        MissingOnnxError: The package hy-onnx is not installed; or a version is asked for, and the
            package ``onnx`` is not.
    """
    return onnx_package().get_operator_support(opset_version)
