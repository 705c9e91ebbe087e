"""Conversion of an ONNX graph to a graph of the catalogue, node by node."""

from collections.abc import Mapping, Sequence

import numpy as np

from hy_io import expansion_limit
from hy_onnx.from_onnx.budget import Budget
from hy_onnx.from_onnx.call import Call, ImportState, Operand
from hy_onnx.from_onnx.folding import folded
from hy_onnx.from_onnx.functions import defined
from hy_onnx.from_onnx.registry import READERS, Reader
from hy_onnx.from_onnx.value import Tensor
from hy_onnx.model import Dim, OnnxGraph, OnnxModel, OnnxNode, ValueInfo
from hy_symbol import Graph
from hy_symbol.exchange import ImportedGraph, ImportModelError

__all__ = ["imported"]

_STEP = 4
"""The second test value of an open size is twice the first plus this."""


_VISITS = 2
"""Elements that may be processed per byte that may be allocated, about a nanosecond each."""

_UNFIT = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(MemoryError, RuntimeError),  # numpy's, also about arrays of more than 32 axes
)
"""Exceptions that mean that a node's inputs or attributes are invalid."""

_COMPUTED = 1 << 28
"""Bytes allowed for computed constants: four causal masks of 4,096 positions."""
_COPIES = 15
"""Multiple of the weights' bytes allowed in addition: int4 to float32 takes 8, twice."""


def imported(model: OnnxModel, max_expansion: int | None = None) -> ImportedGraph:
    """Convert an ONNX model to a graph.

    Args:
        model: The model.
        max_expansion: Limit in bytes on computed constants, beyond the size of the weights; None:
            the environment variable ``HY_MAX_FILE_EXPANSION``, or 256 MiB plus 15 times the
            weights.

    Raises:
        ImportModelError: A node has no counterpart in the catalogue; names the node and operator.
    """
    weights = model.graph.initializers
    size = sum(value.nbytes for value in weights.values())
    max_bytes = expansion_limit(max_expansion, _COMPUTED + _COPIES * size) + size
    graph = ImportState(
        model.opset, lambda node: _read_node(node, graph), Budget(max_bytes, _VISITS * max_bytes)
    )
    values = graph.values
    values.update(weights)
    inputs = []
    for value in model.graph.inputs:
        if value.name not in values:
            values[value.name] = _input(value, graph)
            inputs.append(value.name)
    for node in model.graph.nodes:
        graph.read(node)
    outputs = [_output(value, values, graph) for value in model.graph.outputs]
    first = tuple(graph.variables[name].entry[0] for name in inputs)
    result = Graph(tuple(t.entry for t in outputs), first)
    used = {node.name for node in result.variables}
    used_weights = {name: value for name, value in graph.weights.items() if name in used}
    return ImportedGraph(result, tuple(inputs), used_weights, frozenset(graph.fixed & used))


def _input(value: ValueInfo, graph: ImportState) -> Tensor:
    if value.shape is None or not value.dtype:
        raise ImportModelError(
            f"input '{value.name}' has no shape or a dtype that hy has not; export the model with "
            "the shapes of its inputs, open sizes as names"
        )
    shapes: tuple[list[int], list[int]] = ([], [])
    named: list[tuple[int, str]] = []
    for axis, n in enumerate(value.shape):
        sizes = (n, n) if isinstance(n, int) else _sizes_of(n, f"{value.name}_{axis}", graph)
        if not isinstance(n, int):
            named.append((axis, n or f"{value.name}_{axis}"))
        for shape, size in zip(shapes, sizes, strict=True):
            shape.append(size)
    variable = graph.variable(value.name, value.dtype, (tuple(shapes[0]), tuple(shapes[1])))
    for axis, name in named:
        graph.size_sources.setdefault(name, (variable, axis))
    return variable


def _sizes_of(name: Dim, default: str, graph: ImportState) -> tuple[int, int]:
    """Return two test values for an open size, a pair that no other open size has."""
    # Sizes that no other open size has in both inferences: results tell which they depend on.
    wanted = default if name is None else str(name)
    for pair, known in graph.names.items():
        if known == wanted:
            return pair
    # Pairs differ in both members, so sums and products of sizes are distinguished, too.
    first = 64 + 2 * len(graph.names)
    pair = first, 2 * first + _STEP + len(graph.names)
    graph.names[pair] = wanted
    return pair


def _read_node(node: OnnxNode, graph: ImportState) -> None:
    values = graph.values
    operands = [values.get(name) for name in node.inputs]
    call = Call(node, operands, graph)
    unknown = [name for name in node.inputs if name and name not in values]
    if unknown:
        error = call.refused(f"nothing gives its inputs {', '.join(unknown)}")
        raise next((graph.missing[name] for name in unknown if name in graph.missing), error)
    read = READERS.get(f"{node.domain}.{node.op}" if node.domain else node.op)
    results: Sequence[Operand] | None = None
    if not node.domain and not any(isinstance(x, OnnxGraph) for x in node.attrs.values()):
        try:
            results = folded(call)
        except ImportModelError:
            raise
        except _UNFIT as error:
            raise call.refused(f"its constants cannot be computed: {error}") from error
    constants = (
        name for name, x in zip(node.inputs, operands, strict=True) if isinstance(x, np.ndarray)
    )
    if results is not None and graph.computed.issuperset(constants):
        graph.computed.update(node.outputs)
    if results is None and read is None:
        results = defined(call)
    if results is None:
        if read is None:
            domain = f" of domain {node.domain!r}" if node.domain else ""
            raise call.refused(
                f"the catalogue has no operator for it{domain}; docs/onnx.md lists those that can "
                "be read"
            )
        outputs = _converted(read, call)
        results = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    named = zip(node.outputs, results, strict=False)
    values.update({name: result for name, result in named if name})
    for name in filter(None, node.outputs[len(results) :]):
        graph.missing[name] = call.refused(f"its output {name}, which the catalogue does not give")


def _converted(read: Reader, call: Call) -> Tensor | Sequence[Operand]:
    """Run a reader; report unexpected errors as an invalid node."""
    try:
        return read(call)
    except ImportModelError:
        raise
    except _UNFIT as error:
        raise call.refused(
            f"its inputs or attributes are not those of the operator: {error}"
        ) from error


def _output(value: ValueInfo, values: Mapping[str, Operand], graph: ImportState) -> Tensor:
    """Return an output of the model as a tensor of the graph."""
    output = values.get(value.name)
    if isinstance(output, Tensor):
        return output
    if output is None:
        raise graph.missing.get(value.name) or ImportModelError(
            f"output '{value.name}': no node gives it"
        )
    call = Call(
        OnnxNode("Identity", inputs=(value.name,), outputs=(value.name,), name=value.name),
        operands=[output],
        graph=graph,
    )
    return call.op("_copy", call.tensor(0))
