"""Conversion of a region to an ONNX model in memory, for an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hy_ndarray import Device, NDArray
from hy_onnx.model import Dim, OnnxModel, ValueInfo
from hy_onnx.to_onnx.conversion import ORIGIN, Trial, converted, decomposed
from hy_onnx.to_onnx.heads import without_heads
from hy_onnx.to_onnx.sizes import Sizes, sizes_of
from hy_symbol import Graph, Node, RegionRefused, TypedGraph, instantiate
from hy_symbol.exchange import ExportError

__all__ = ["EngineModel", "engine_model", "fixed"]

_OPSET = 21
"""Opset with which engines support most operators: some came after 17, ROIAlign ends here."""
_BATCH, _MANY = 2, 64
"""Test values of open sizes during inference: on the first axis, and on other axes."""


@dataclass(frozen=True, slots=True)
class EngineModel:
    """ONNX model for an engine, with its inputs and outputs."""

    model: OnnxModel
    inputs: tuple[str, ...]
    """Names of the inputs of a run, in order."""
    outputs: tuple[ValueInfo, ...]
    origins: Mapping[str, str]
    """Name of the graph's node by name of the model's node that is part of it."""
    operators: Mapping[str, str]
    """Operator of each of the graph's nodes, by name."""


def engine_model(
    typed: TypedGraph,
    constants: Mapping[Node, NDArray],
    device: Device,
    trial: Trial,
) -> EngineModel:
    """Convert a graph to an ONNX model for an engine.

    Args:
        typed: The graph; sizes that are None are dynamic, and equal for the same axis.
        constants: Values of the variables that become initializers.
        device: The device on which the graph runs.
        trial: Collects the nodes that the engine does not run.

    Raises:
        RegionRefused: Some nodes cannot be converted, or the engine does not run them.
    """
    variables = typed.graph.variables
    names = _unique_names([node.name for node in variables])
    # Engines find inputs by name, and variables may share one.
    fresh = [
        Node(None, name, attrs=node.attrs) for node, name in zip(variables, names, strict=True)
    ]
    # With names kept: all nodes are copied, so that they can be marked.
    entries = instantiate(typed.graph, [(node, 0) for node in fresh], str)
    graph = without_heads(Graph(tuple(entries), tuple(fresh)))
    operators = {node.name: node.op.name for node in graph.nodes if node.op is not None}
    for node in graph.nodes:
        node.attrs[ORIGIN] = node.name
    to_numpy = device.memory.to_numpy
    weights = {
        name: to_numpy(constants[node].buffer)
        for node, name in zip(variables, names, strict=True)
        if node in constants
    }
    try:
        graph, sizes = decomposed(graph, _sizes(graph, typed, fresh))
        model = converted(graph, sizes, weights, _OPSET, "hy", trial)
    except (ExportError, ValueError, TypeError) as error:
        raise RegionRefused(str(error), trial.refused) from error
    inputs = tuple(name for name in names if name not in weights)
    return EngineModel(
        OnnxModel(model, _OPSET), inputs, tuple(model.outputs), trial.origins, operators
    )


def _unique_names(names: list[str]) -> list[str]:
    """Return the names, with numbers appended to repeated ones."""
    unique: dict[str, None] = {}
    for name in names:
        candidate, k = name, 0
        while candidate in unique:
            k += 1
            candidate = f"{name}_{k}"
        unique[candidate] = None
    return list(unique)


def _sizes(graph: Graph, typed: TypedGraph, variables: list[Node]) -> Sizes:
    shapes: dict[Node, tuple[int, ...]] = {}
    dtypes: dict[Node, str | None] = {}
    opened: dict[Node, tuple[int | str, ...]] = {}
    for node, (shape, dtype) in zip(variables, typed.known, strict=True):
        if shape is None:
            raise ExportError(f"the number of axes of '{node.name}' is not known")
        shapes[node] = tuple(
            # Batches and other open sizes differ, so that one is not taken for the other.
            (_MANY if axis else _BATCH) if n is None else n
            for axis, n in enumerate(shape)
        )
        opened[node] = tuple(f"size{axis}" if n is None else n for axis, n in enumerate(shape))
        dtypes[node] = dtype
    return sizes_of(graph, shapes, dtypes, opened)


def fixed(dims: Sequence[Dim] | None) -> tuple[int, ...] | None:
    """Return the sizes as a shape, None if any of them is dynamic or the rank is unknown."""
    sizes = [n for n in dims or () if isinstance(n, int)]
    return None if dims is None or len(sizes) < len(dims) else tuple(sizes)
