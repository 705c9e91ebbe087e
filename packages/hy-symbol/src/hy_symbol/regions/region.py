"""Regions: groups of nodes as one, each of which a backend runs in its own way."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import (
    ArgumentError,
    Buffer,
    Context,
    Device,
    KernelFunction,
    NDArray,
    all_outputs,
    autograd,
    buffers_of,
)
from hy_symbol._errors import brief
from hy_symbol.graph.control import region
from hy_symbol.graph.interpreter import interpret
from hy_symbol.graph.node import Entry, Graph, Node, check_depth
from hy_symbol.graph.rewriting import instantiate, rewrite
from hy_symbol.regions.registry import find_runner

__all__ = ["inlined", "kernel_of", "node_outputs", "parsed", "region_node"]


def region_node(
    graph: Graph, inputs: Sequence[Entry], name: str, backend: str, options: Mapping[str, Any]
) -> Node:
    """The node that computes ``graph`` by a backend, with ``inputs`` for its variables.

    In training it runs on the device's kernels; for gradients it is put back (:func:`inlined`).

    Args:
        graph: What it computes.
        inputs: An entry for each variable of the graph.
        name: The node's name.
        backend: Name of a :class:`hy_symbol.backends.Runner`.
        options: The backend's options; values that JSON can hold.

    Raises:
        ArgumentError: The inputs are not one per variable, or the graph has too deep bodies.
    """
    if len(inputs) != len(graph.variables):
        raise ArgumentError(f"has {len(inputs)} inputs, its graph {len(graph.variables)} variables")
    attrs = {"backend": backend}
    if options:
        attrs["options"] = json.dumps(dict(options), sort_keys=True)
    params = {"backend": backend, "options": dict(options), "num_outputs": len(graph.outputs)}
    node = Node(region.op, name, inputs, attrs, params, [graph])
    check_depth(node)
    return node


def parsed(
    name: str, inputs: Sequence[Entry], attrs: Mapping[str, str], graphs: Sequence[Graph]
) -> Node:
    """The node that a file describes.

    Raises:
        ArgumentError: The description is not one of a region.
    """
    backend = attrs.get("backend")
    if not backend or len(graphs) != 1:
        raise ArgumentError(f"has {len(graphs)} graphs for backend {brief(backend)}")
    try:
        options = json.loads(attrs.get("options", "{}"))
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        raise ArgumentError(f"has options that are no JSON object: {brief(attrs['options'])}")
    node = region_node(graphs[0], inputs, name, backend, options)
    node.attrs.update(attrs)
    return node


def inlined(graph: Graph) -> Graph:
    """The graph with every region put back as the nodes it is made of.

    Ensures: no region is left, and the variables are the same nodes.
    """
    if not any(node.is_region for node in graph.nodes):
        return graph

    def opened(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
        if not node.is_region:
            return None
        (body,) = node.bodies
        return instantiate(inlined(body), inputs)

    return rewrite(graph, opened)


def kernel_of(node: Node, device: Device, *, is_train: bool) -> KernelFunction:
    """The function over buffers that computes a node: a kernel, or what a region's backend gives.

    Raises:
        BackendError: The backend is not registered, or cannot run here.
        KernelError: The device's tables lack the kernel.
    """
    assert node.op is not None
    if not node.is_region:
        return node.op.kernel_on(device, is_train=is_train)
    (body,) = node.bodies
    if is_train:
        return _on_kernels(body, device)
    backend, options = node.params["backend"], node.params["options"]
    run = find_runner(backend).compile(body, device, options)

    def kernel(*buffers: Buffer) -> Any:
        return _unpacked(run(*buffers))

    return kernel


def _on_kernels(graph: Graph, device: Device) -> KernelFunction:
    """The function that computes a graph in training mode on the device's own kernels."""

    def kernel(*buffers: Buffer) -> Any:
        arrays = [NDArray.from_buffer(buffer, device) for buffer in buffers]
        values = {(node, 0): x for node, x in zip(graph.variables, arrays, strict=True)}
        with autograd.pause(train_mode=True):
            interpret(graph.nodes, values, lambda node, x: node_outputs(node, x, is_train=True))
        return _unpacked(buffers_of([values[entry] for entry in graph.outputs], device)[1])

    return kernel


def _unpacked(values: Sequence[Buffer]) -> Any:
    """As kernels return results: one by itself."""
    return values[0] if len(values) == 1 else tuple(values)


def node_outputs(
    node: Node,
    inputs: Sequence[NDArray],
    ctx: Context | None = None,
    is_train: bool | None = None,
) -> Sequence[NDArray]:
    """All outputs of a node on arrays, recorded where the operator allows it."""
    op = node.op
    assert op is not None
    if not node.is_region:
        return all_outputs(op, node.operands(inputs), node.params, ctx, is_train)
    device, buffers = buffers_of(inputs)
    kernel = kernel_of(node, device, is_train=bool(is_train))
    found = kernel(*buffers)
    values = found if isinstance(found, tuple) else (found,)
    return [NDArray.from_buffer(value, device) for value in values]
