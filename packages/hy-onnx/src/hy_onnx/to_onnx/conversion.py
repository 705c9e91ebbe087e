"""Conversion of a typed graph to an ONNX graph, node by node."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hy_onnx.model import Array, OnnxGraph, OnnxNode, ValueInfo
from hy_onnx.to_onnx.builder import Builder
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter_of
from hy_onnx.to_onnx.sizes import Sizes
from hy_symbol import Entry, Graph, Node, open_derived
from hy_symbol.exchange import ExportError

__all__ = ["ORIGIN", "Trial", "converted", "decomposed"]

ORIGIN = "__origin__"
"""Attribute with the name of the node that a node is a step of, which trials report."""


@dataclass(slots=True)
class Trial:
    """Trial conversion for an engine: records nodes that cannot be converted, and continues."""

    objection: Callable[[Node, Sizes], str | None]
    """Function that returns the reason why a node is refused for these types, or None."""
    veto: Callable[[OnnxNode, Mapping[str, Array]], str | None]
    """Function that returns the reason why an ONNX node with constants is refused, or None."""
    refused: dict[str, str] = field(default_factory=dict)
    """Reason why a node was refused, by its name."""
    origins: dict[str, str] = field(default_factory=dict)
    """Name of the graph's node by name of the ONNX node that is part of it."""


def decomposed(graph: Graph, sizes: Sizes) -> tuple[Graph, Sizes]:
    """Decompose the derived operators that have no converter; return the graph and its types."""
    known = open_derived(
        graph, lambda op: converter_of(op) is None, sizes.types, for_sizes=sizes.other is None
    )
    return known, sizes if known is graph else sizes.extended(known)


def converted(
    graph: Graph,
    sizes: Sizes,
    weights: Mapping[str, Array],
    opset: int,
    name: str,
    trial: Trial | None = None,
) -> OnnxGraph:
    """Convert a graph to an ONNX graph.

    Args:
        graph: The graph, without regions.
        sizes: Types of the graph's entries.
        weights: Values of the variables that are parameters; the others are inputs.
        opset: Opset of the ONNX graph.
        name: Name of the ONNX graph.
        trial: If given, collects all nodes that cannot be converted, instead of the first error.

    Raises:
        ExportError: A node cannot be converted; names the node and its operator.
    """
    builder = Builder(opset)
    values: dict[Entry, str] = {}
    variables = {node.name: node for node in graph.variables}
    for variable in variables:
        builder.fresh(variable)
    for node in graph.variables:
        values[node, 0] = node.name
    weights_left = dict(weights)
    for node in graph.nodes:
        if node.op is not None and trial is None:
            _convert(node, values, builder, sizes, weights_left)
        elif node.op is not None:
            _try(node, values, builder, sizes, weights_left, trial)
    if trial is not None:
        _note_hidden(graph.outputs, values, trial)
        if trial.refused:
            raise ExportError("nodes cannot be written")
    outputs = [
        ValueInfo(
            _own_name(entry, values, builder, variables), sizes.dims(entry), sizes.dtype(entry)
        )
        for entry in graph.outputs
    ]
    # Converters may write nodes for outputs that nothing reads.
    nodes = _needed(builder, [value.name for value in outputs])
    used = {value for node in nodes for value in node.inputs} | builder.used_inside
    return OnnxGraph(
        name,
        nodes,
        inputs=[
            ValueInfo(node.name, sizes.dims((node, 0)), sizes.dtype((node, 0)))
            for node in variables.values()
            if node.name not in weights
        ],
        outputs=outputs,
        initializers={
            key: value
            for key, value in {**weights_left, **builder.constants}.items()
            if key in used
        },
    )


def _needed(builder: Builder, outputs: Sequence[str]) -> list[OnnxNode]:
    """Return the nodes that the outputs or bodies depend on."""
    needed = {*outputs, *builder.used_inside}
    nodes_left = []
    for node in reversed(builder.nodes):
        if not needed.isdisjoint(node.outputs):
            needed.update(node.inputs)
            nodes_left.append(node)
    return nodes_left[::-1]


def _convert(
    node: Node, values: dict[Entry, str], builder: Builder, sizes: Sizes, weights: dict[str, Array]
) -> None:
    """Convert one node, and record the names of its outputs in ``values``."""
    assert node.op is not None
    names = node.operands([values[entry] for entry in node.inputs])
    call = Call(node, names, builder, sizes, weights, _convert_inside)
    convert = converter_of(node.op)
    if convert is None:
        raise call.refused(
            "there is no way to write this operator in ONNX; leave it out of the graph that is "
            "exported, or write it with operators that docs/onnx.md lists"
        )
    since = len(builder.nodes)
    outputs = convert(call)
    results: Sequence[str] = [outputs] if isinstance(outputs, str) else outputs
    named: set[str] = set()
    for k, result in enumerate(results):
        preferred = node.name if node.num_visible == 1 else node.output_name(k)
        name = result
        # The last node that gives the value takes the graph's name of it.
        if result not in named and builder.makes(result, since):
            name = builder.fresh(preferred)
            builder.rename(result, name, since)
        named.add(name)
        values[node, k] = name


def _try(
    node: Node,
    values: dict[Entry, str],
    builder: Builder,
    sizes: Sizes,
    weights: dict[str, Array],
    trial: Trial | None,
) -> None:
    """Convert one node, or record the reason why not and give its outputs new names."""
    assert trial is not None
    since = len(builder.nodes)
    _note_hidden(node.inputs, values, trial)
    try:
        why = trial.objection(node, sizes)
        if why is None:
            _convert(node, values, builder, sizes, weights)
            vetoes = (trial.veto(new_node, builder.constants) for new_node in builder.nodes[since:])
            why = next(filter(None, vetoes), None)
    except Exception as error:  # a converter for types that it was not written for
        why = str(error)
    if why is not None:
        trial.refused[_origin(node)] = why
        del builder.nodes[since:]
        for k in range(node.num_outputs):
            values[node, k] = builder.fresh(node.output_name(k))
    trial.origins.update((new_node.name, _origin(node)) for new_node in builder.nodes[since:])


def _origin(node: Node) -> str:
    return node.attrs.get(ORIGIN, node.name)


def _note_hidden(entries: Sequence[Entry], values: dict[Entry, str], trial: Trial) -> None:
    """Record a refusal of nodes whose hidden outputs are used, which ONNX does not have."""
    for node, index in entries:
        if (node, index) not in values:
            trial.refused[_origin(node)] = f"its output {index} is hidden, and has no value in ONNX"
            values[node, index] = node.output_name(index)


def _convert_inside(node: Node, values: dict[Entry, str], call: Call) -> None:
    """Convert a node of a body, with the builder and types of ``call``."""
    _convert(node, values, call.builder, call.sizes, call.weights)


def _own_name(
    entry: Entry, values: dict[Entry, str], builder: Builder, variables: Mapping[str, Node]
) -> str:
    """Return the name of an output, copied if it names an input, constant or other output."""
    node, index = entry
    name = values.get(entry)
    if name is None:
        raise ExportError(f"'{node.name}': its output {index} is hidden, and has no value in ONNX")
    # ONNX's outputs need names of their own, which no input or other output has.
    if name in variables or name in builder.constants or name in builder.outputs:
        (name,) = builder.add("Identity", [name], 1, node.output_name(index), {})
    builder.outputs.add(name)
    return name
