"""Bodies of nodes (subgraphs): makes names unique, and reads nodes."""

from collections.abc import Mapping
from dataclasses import replace

from hy_onnx.from_onnx.call import Call, Operand
from hy_onnx.model import OnnxGraph, OnnxNode

__all__ = ["read_body", "renamed"]


def renamed(graph: OnnxGraph, prefix: str, known: Mapping[str, str]) -> OnnxGraph:
    """Return a body with all names that it defines made unique by a prefix.

    Names in nested bodies are kept until those are read: otherwise they would get one more prefix
    for each enclosing body.

    Args:
        graph: The body.
        prefix: Prefix of the new names.
        known: New names of values from outside of the body, by old name.
    """
    names = {**known, **{name: f"{prefix}_{name}" for name in _defined_names(graph) if name}}
    return _replaced(graph, names)


def _defined_names(graph: OnnxGraph) -> set[str]:
    """Return the names that a graph defines: inputs, initializers and results of nodes."""
    own = {value.name for value in graph.inputs} | set(graph.initializers)
    return own | {name for node in graph.nodes for name in node.outputs}


def _replaced(graph: OnnxGraph, names: Mapping[str, str]) -> OnnxGraph:
    """Return a graph with values renamed, including uses in nested bodies."""

    def inside(body: OnnxGraph) -> OnnxGraph:
        own = _defined_names(body)
        return _replaced(body, {k: v for k, v in names.items() if k not in own})

    def node_of(node: OnnxNode) -> OnnxNode:
        attrs = {k: inside(v) if isinstance(v, OnnxGraph) else v for k, v in node.attrs.items()}
        inputs = tuple(names.get(name, name) for name in node.inputs)
        outputs = tuple(names.get(name, name) for name in node.outputs)
        return replace(node, inputs=inputs, outputs=outputs, attrs=attrs)

    return OnnxGraph(
        graph.name,
        [node_of(node) for node in graph.nodes],
        [replace(value, name=names.get(value.name, value.name)) for value in graph.inputs],
        [replace(value, name=names.get(value.name, value.name)) for value in graph.outputs],
        {names.get(name, name): value for name, value in graph.initializers.items()},
    )


def read_body(call: Call, body: OnnxGraph, arguments: Mapping[str, Operand]) -> list[Operand]:
    """Convert the nodes of a body; return its outputs.

    Args:
        call: The node that contains the body.
        body: The body, whose nodes may use values from outside.
        arguments: The body's inputs by name.
    """
    state = call.graph
    around = state.values
    # A body sees the values around it; what it makes is gone afterwards.
    state.values = {**around, **body.initializers, **arguments}
    try:
        for node in body.nodes:
            state.read(node)
        for name in (value.name for value in body.outputs):
            if name not in state.values:
                raise state.missing.get(name) or call.refused(f"no node of its body gives {name}")
        return [state.values[value.name] for value in body.outputs]
    finally:
        state.values = around
