"""The shape pass: sets unknown sizes of creation operators, inferred from their use."""

from hy_ndarray.ops import TensorType
from hy_symbol.graph.node import Graph, Node
from hy_symbol.graph.rewriting import substitute
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.unrolling import has_control_flow, unrolled

__all__ = ["has_open_shapes", "open_nodes", "with_inferred_shapes"]


def open_nodes(graph: Graph) -> list[Node]:
    """Return the nodes that create an array with unknown sizes, to be inferred from its use."""
    creators = [node for node in graph.nodes if not node.inputs and node.op is not None]
    shapes = [node.params.get("shape") for node in creators]
    return [
        node
        for node, shape in zip(creators, shapes, strict=True)
        if isinstance(shape, tuple) and None in shape
    ]


def has_open_shapes(graph: Graph) -> bool:
    """Return whether a graph can only run after shape inference.

    True if a creation operator has unknown sizes, such as the initial state of an RNN, or if there
    are loops or branches.
    """
    return has_control_flow(graph) or bool(open_nodes(graph))


def with_inferred_shapes(typed: TypedGraph) -> TypedGraph:
    """Return the graph with loops unrolled and inferred shapes set in creation operators.

    Ensures: the variables are the same nodes, and every shape that can be inferred is set.
    """
    # First, as bodies of loops may create such arrays as well.
    typed = unrolled(typed)
    closed = {}
    for node in open_nodes(typed.graph):
        sizes = TensorType(typed.types.shape((node, 0))).sizes
        if sizes is not None:
            closed[node] = (node.with_shape(sizes), 0)
    return typed.copied(substitute(typed.graph, closed)) if closed else typed
