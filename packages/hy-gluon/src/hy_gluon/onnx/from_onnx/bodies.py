"""Bodies of nodes, which are graphs: their values are named apart, and read where the node is."""

from collections.abc import Mapping
from dataclasses import replace

from hy_gluon.onnx.from_onnx.call import Call, Operand
from hy_gluon.onnx.model import OnnxGraph, OnnxNode

__all__ = ["read_body", "renamed"]


def renamed(graph: OnnxGraph, prefix: str, known: Mapping[str, str]) -> OnnxGraph:
    """A body whose own values have names that no other body's have.

    Args:
        graph: The body.
        prefix: What those names begin with.
        known: New names of values from outside of the body, by those it uses.
    """
    own = {value.name for value in graph.inputs} | set(graph.initializers)
    own |= {name for node in graph.nodes for name in node.outputs}
    names = {**known, **{name: f"{prefix}_{name}" for name in own if name}}

    def node_of(node: OnnxNode) -> OnnxNode:
        attrs = {
            key: renamed(value, prefix, names) if isinstance(value, OnnxGraph) else value
            for key, value in node.attrs.items()
        }
        inputs = tuple(names.get(name, name) for name in node.inputs)
        outputs = tuple(names.get(name, name) for name in node.outputs)
        return replace(node, inputs=inputs, outputs=outputs, attrs=attrs)

    return OnnxGraph(
        graph.name,
        [node_of(node) for node in graph.nodes],
        [replace(value, name=names[value.name]) for value in graph.inputs],
        [replace(value, name=names.get(value.name, value.name)) for value in graph.outputs],
        {names[name]: value for name, value in graph.initializers.items()},
    )


def read_body(call: Call, body: OnnxGraph, given: Mapping[str, Operand]) -> list[Operand]:
    """Add the nodes of a body; its outputs.

    Args:
        call: The node that has the body.
        body: The body; its nodes may take values of what is around the node.
        given: Its inputs by name.
    """
    growing = call.graph
    around = growing.values
    growing.values = {**around, **body.initializers, **given}
    try:
        for node in body.nodes:
            growing.read(node)
        for name in (value.name for value in body.outputs):
            if name not in growing.values:
                raise growing.missing.get(name) or call.refused(f"no node of its body gives {name}")
        return [growing.values[value.name] for value in body.outputs]
    finally:
        growing.values = around
