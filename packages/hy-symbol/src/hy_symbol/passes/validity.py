"""Validity: the invariants of graphs that passes rely on."""

from hy_symbol._errors import GraphError
from hy_symbol.graph.node import Graph, Node

__all__ = ["check_graph"]


def check_graph(graph: Graph, before: Graph | None = None) -> None:
    """Raise an error if a graph violates an invariant, for example one made by a user's tool.

    Ensures: every node has the inputs that its parameters require; every entry refers to an
    existing output of its node; bodies of loops and branches are valid graphs too. With ``before``,
    also: the number of outputs is the same.

    Args:
        graph: The graph.
        before: The graph from which it was rewritten.

    Raises:
        GraphError: An invariant is violated; names the node.
        ArgumentError: A parameter of a node is malformed.

    Example:
        >>> from hy_symbol import sym
        >>> check_graph(sym.relu(sym.var("x")).graph)
    """
    if before is not None and len(graph.outputs) != len(before.outputs):
        raise GraphError(f"the graph has {len(graph.outputs)} outputs, not {len(before.outputs)}")
    for node in graph.nodes:
        if node.op is None:
            if node.inputs:
                raise GraphError(f"variable '{node.name}' has {len(node.inputs)} inputs")
            continue
        _check_inputs(node)
        for body in node.bodies:
            check_graph(body)
    for node, i in graph.outputs:
        _check_entry("an output of the graph", node, i)


def _check_inputs(node: Node) -> None:
    op = node.op
    assert op is not None
    if not op.variadic:
        active = op.active_inputs(node.params)
        # Where parameters select the inputs, none of the selected ones is optional.
        needed = [n for n in active if n not in op.optional or op.active is not None]
        if not len(needed) <= len(node.inputs) <= len(active):
            raise GraphError(
                f"{op.name} '{node.name}' has {len(node.inputs)} inputs; "
                f"it takes {', '.join(active) or 'none'}"
            )
    for name, (source, i) in zip(node.input_names, node.inputs, strict=True):
        _check_entry(f"input {name} of {op.name} '{node.name}'", source, i)


def _check_entry(what: str, node: Node, index: int) -> None:
    if not 0 <= index < node.num_outputs:
        raise GraphError(f"{what} is output {index} of {node!r}, which has {node.num_outputs}")
