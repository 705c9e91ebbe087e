"""Region: a node that contains a group of nodes, which a backend runs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError
from hy_symbol._errors import brief
from hy_symbol.graph.control import region
from hy_symbol.graph.node import Entry, Graph, Node, check_depth
from hy_symbol.graph.rewriting import instantiate, rewrite

__all__ = ["inlined", "parsed", "region_node"]


def region_node(
    graph: Graph,
    inputs: Sequence[Entry],
    name: str,
    backend: str,
    options: Mapping[str, Any],
    constants: Sequence[int] = (),
) -> Node:
    """Return a region node, which computes ``graph`` by a backend.

    In training the graph runs on the device's kernels, and to be differentiated it is inlined again
    (:func:`inlined`).

    Args:
        graph: The graph to compute.
        inputs: An entry for each variable of the graph.
        name: The node's name.
        backend: Name of a :class:`hy_symbol.backends.Runner`.
        options: The backend's options; JSON values.
        constants: Positions of the inputs that seldom change, such as parameters.

    Raises:
        ArgumentError: The number of inputs is wrong, or the graph's bodies are nested too deeply.
    """
    if len(inputs) != len(graph.variables):
        raise ArgumentError(f"has {len(inputs)} inputs, its graph {len(graph.variables)} variables")
    attrs = {"backend": backend}
    if options:
        # Sorted, so that equal options give equal files.
        attrs["options"] = json.dumps(dict(options), sort_keys=True)
    if constants:
        attrs["constants"] = json.dumps(list(constants))
    params = {
        "backend": backend,
        "options": dict(options),
        "constants": tuple(constants),
        "num_outputs": len(graph.outputs),
    }
    node = Node(region.op, name, inputs, attrs, params, [graph])
    check_depth(node)
    return node


def parsed(
    name: str, inputs: Sequence[Entry], attrs: Mapping[str, str], graphs: Sequence[Graph]
) -> Node:
    """Return the region node from its attributes and subgraph in a file.

    Raises:
        ArgumentError: The attributes or subgraphs are not those of a region.
    """
    backend = attrs.get("backend")
    if not backend or len(graphs) != 1:
        raise ArgumentError(f"has {len(graphs)} graphs for backend {brief(backend)}")
    options = _json(attrs.get("options", "{}"))
    if not isinstance(options, dict):
        raise ArgumentError(f"has options that are no JSON object: {brief(attrs['options'])}")
    constants = _json(attrs.get("constants", "[]"))
    known = range(len(inputs))
    if not isinstance(constants, list) or not all(type(k) is int and k in known for k in constants):
        raise ArgumentError(
            f"has constants that are no JSON list of numbers of its {len(inputs)} inputs: "
            f"{brief(attrs['constants'])}"
        )
    node = region_node(graphs[0], inputs, name, backend, options, constants)
    node.attrs.update(attrs)
    return node


def _json(text: str) -> Any:
    try:
        # A file may nest more deeply than the interpreter allows.
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def inlined(graph: Graph) -> Graph:
    """Return the graph with every region replaced by its nodes.

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
