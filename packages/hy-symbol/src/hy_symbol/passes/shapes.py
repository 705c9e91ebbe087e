"""The shape pass: fills in the sizes of creation operators, inferred from their use."""

from hy_ndarray.ops import TensorType
from hy_symbol.graph.node import Graph, Node
from hy_symbol.graph.rewriting import substitute
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.unrolling import has_control_flow, unrolled

__all__ = ["has_open_shapes", "is_open", "with_inferred_shapes"]


def is_open(node: Node) -> bool:
    """Return whether a node creates an array whose size follows only from its use."""
    if node.op is None or node.inputs:
        return False
    shape = node.params.get("shape")
    return isinstance(shape, tuple) and None in shape


def has_open_shapes(graph: Graph) -> bool:
    """Return whether a graph can only run when shapes are known.

    That is so where a node creates an array of a size that only its use tells, such as an RNN's
    state, and where there are loops and branches.
    """
    return any(is_open(node) for node in graph.nodes) or has_control_flow(graph)


def with_inferred_shapes(typed: TypedGraph) -> TypedGraph:
    """Return the graph with inferred shapes of creation operators, and loops unrolled.

    Ensures: the variables are the same nodes, and no shape that could be inferred is open.
    """
    # First, as bodies of loops may create such arrays as well.
    typed = unrolled(typed)
    closed = {}
    for node in filter(is_open, typed.graph.nodes):
        sizes = TensorType(typed.types.shape((node, 0))).sizes
        if sizes is not None:
            closed[node] = (node.with_shape(sizes), 0)
    return typed.copied(substitute(typed.graph, closed)) if closed else typed
