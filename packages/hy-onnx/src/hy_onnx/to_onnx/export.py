"""``export_graph``: writes a graph and its weights as an ONNX file."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hy_ndarray import ops
from hy_onnx import protobuf
from hy_onnx.model import Dim, OnnxModel
from hy_onnx.to_onnx.conversion import converted, decomposed
from hy_onnx.to_onnx.registry import is_written
from hy_onnx.to_onnx.sizes import sizes_of
from hy_onnx.to_onnx.source import Source, dtype_names, source_of
from hy_symbol import Graph, Symbol
from hy_symbol.exchange import DEFAULT_OPSET, Arrays, ExportError

__all__ = ["OPSETS", "export_graph", "get_operator_support", "to_model"]

OPSETS = range(13, 29)
"""Versions of ONNX's operators that can be written, as far as the package ``onnx`` knows them."""

_logger = logging.getLogger(__name__)


def export_graph(
    graph: Symbol | Graph,
    arrays: Arrays,
    in_shapes: Any,
    path: str,
    *,
    in_types: Any = np.float32,
    dynamic_input_shapes: Any = (),
    inputs: Sequence[str] | None = None,
    opset_version: int = DEFAULT_OPSET,
    external_data: bool | None = None,
    run_shape_inference: bool = False,
    verbose: bool = False,
) -> str:
    """Write a graph and its weights as an ONNX file, for prediction.

    Args:
        graph: A ``Symbol`` or ``Graph``.
        arrays: Weights by name, with or without ``arg:`` and ``aux:``, or a list of such mappings;
            arrays of hy-ndarray or anything ``np.asarray`` accepts.
        in_shapes: Shape of each input, by name or in order. A size that is None or a name is open:
            it may differ between runs, and sizes with the same name are equal.
        path: The file, which is replaced atomically.
        in_types: Dtype of each input, or one for all. Weights are converted: with ``float16`` the
            model computes in float16.
        dynamic_input_shapes: Shape of each input with None or a name for open sizes, if
            ``in_shapes`` has numbers for these; None: the first size of each input is open.
        inputs: Names of the inputs in order; None: the variables without an array.
        opset_version: Opset, from 13 to 28 or the newest that the package ``onnx`` knows.
        external_data: Whether weights are written to a separate file ``path + ".data"``; None: only
            if they are larger than 1.9 GB.
        run_shape_inference: Whether to run ONNX's shape inference as a check and store its results.
        verbose: Whether to log each node.

    Returns:
        ``path``.

    Raises:
        ExportError: A node has no counterpart in ONNX, or needs a size that is open (names the node
            and its operator), or an argument is invalid.
        OnnxError: ONNX's shape inference rejects the model.
        MissingOnnxError: The package ``onnx`` is not installed.
        ShapeError, DTypeError: The types of the inputs do not fit the graph.

    Example:
        >>> from hy_symbol import sym
        >>> y = sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")
        >>> arrays = {"fc_weight": np.ones((2, 3), "float32"), "fc_bias": np.zeros(2, "float32")}
        >>> export_graph(y, arrays, {"x": ("batch", 3)}, "fc.onnx")
        'fc.onnx'
    """
    model = to_model(
        graph, arrays, in_shapes, in_types, dynamic_input_shapes, opset_version, inputs
    )
    if verbose:
        _log(model)
    protobuf.save(model, path, external=external_data, infer=run_shape_inference)
    return path


def _log(model: OnnxModel) -> None:
    """Log each node of a model, regardless of the log level."""
    level = _logger.level
    # The caller asked for these lines, so they ignore the level that the user has set.
    _logger.setLevel(logging.INFO)
    try:
        for node in model.graph.nodes:
            _logger.info("%s = %s(%s)", ", ".join(node.outputs), node.op, ", ".join(node.inputs))
    finally:
        _logger.setLevel(level)


def to_model(
    graph: Symbol | Graph,
    arrays: Arrays,
    in_shapes: Any,
    in_types: Any = np.float32,
    open_shapes: Any = (),
    opset: int = DEFAULT_OPSET,
    inputs: Sequence[str] | None = None,
) -> OnnxModel:
    """Convert a graph and its weights to an ONNX model, as plain data.

    Args:
        graph: The graph; see :func:`export_graph`.
        arrays: The weights by name.
        in_shapes: The shape of each input.
        in_types: The dtype of each input, or one for all.
        open_shapes: Shape of each input with None or a name for open sizes; None: the first size of
            each input is open; empty: only those that are open in ``in_shapes``.
        opset: Opset of the model.
        inputs: Names of the inputs in order.

    Raises:
        ExportError: See :func:`export_graph`.
    """
    _check_opset(opset)
    source = source_of(graph, arrays, inputs)
    shapes = _input_shapes("in_shapes", in_shapes, source)
    if open_shapes is None:
        open_shapes = [("batch", *dims[1:]) if dims else dims for dims in shapes]
    opened = _input_shapes("dynamic_input_shapes", open_shapes, source) if open_shapes else shapes
    dtypes = dtype_names(in_types, len(source.inputs))
    source = source.typed(dtypes)
    concrete, kinds = source.shapes(_concrete(shapes, opened)), source.dtypes(dtypes)
    named = {
        node: _named_dims(node.name, dims) for node, dims in zip(source.inputs, opened, strict=True)
    }
    known, sizes = decomposed(source.graph, sizes_of(source.graph, concrete, kinds, named))
    return OnnxModel(converted(known, sizes, source.weights, opset, "hy"), opset)


def _check_opset(opset: int) -> None:
    """Raise an error for an opset that hy cannot write, or that ``onnx`` does not know."""
    known = int(protobuf.onnx_package().defs.onnx_opset_version())
    # The package onnx checks models, so it has to know the version.
    newest = min(known, OPSETS[-1])
    if not OPSETS[0] <= opset <= newest:
        newer = "; a newer package onnx knows more" if newest < OPSETS[-1] else ""
        raise ExportError(
            f"opset_version={opset}: versions {OPSETS[0]} to {newest} can be written{newer}"
        )


def _input_shapes(name: str, shapes: Any, source: Source) -> list[tuple[Dim, ...]]:
    """Return a shape for each input, from a list or a mapping by name."""
    wanted = [node.name for node in source.inputs]
    if shapes is None:
        raise ExportError(f"{name}: give the shape of each input: {', '.join(wanted)}")
    if isinstance(shapes, Mapping):
        if missing := [key for key in wanted if key not in shapes]:
            raise ExportError(
                f"{name}: no shape of {', '.join(missing)}; there is one of {', '.join(shapes)}"
            )
        shapes = [shapes[key] for key in wanted]
    # A single shape, as for a net with one input.
    if isinstance(shapes, tuple) and (not shapes or not isinstance(shapes[0], Sequence)):
        shapes = [shapes]
    if len(shapes) != len(wanted):
        raise ExportError(
            f"{name}: {len(shapes)} shapes for {len(wanted)} inputs: {', '.join(wanted)}"
        )
    return [tuple(dims) for dims in shapes]


def _concrete(
    fixed: Sequence[Sequence[Dim]], opened: Sequence[Sequence[Dim]]
) -> list[tuple[Dim, ...]]:
    """Merge two lists of shapes; a size is open only if it is open in both."""
    for a, b in zip(fixed, opened, strict=True):
        if len(a) != len(b):
            raise ExportError(f"dynamic_input_shapes: {tuple(b)} has not the axes of {tuple(a)}")
    return [
        tuple(n if isinstance(n, int) else m for n, m in zip(a, b, strict=True))
        for a, b in zip(fixed, opened, strict=True)
    ]


def _named_dims(name: str, dims: Sequence[Dim]) -> tuple[int | str, ...]:
    """Return sizes with a name for each open one."""
    return tuple(f"{name}_{axis}" if n is None else n for axis, n in enumerate(dims))


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """Return the names of the operators that can be exported.

    Args:
        opset_version: Opset, which is only checked, as all opsets support the same operators.

    Raises:
        ExportError: The opset is not supported.
        MissingOnnxError: ``opset_version`` is given, and the package ``onnx`` is not installed.
    """
    if opset_version is not None:
        _check_opset(opset_version)
    return [op.name for op in ops.operators() if is_written(op)]
