"""The rules by which graphs are rewritten for numpy; without them all runs, slower."""

from hy_kernels.dense_activation import with_dense_activations
from hy_kernels.lowering import Graph
from hy_kernels.numpy.lower.chwn import with_chwn_convolutions
from hy_kernels.numpy.lower.nhwc import with_nhwc_convolutions
from hy_kernels.numpy.lower.rectified import with_rectified_norms
from hy_kernels.numpy.lower.turned import with_turned_weights

__all__ = ["lower"]


def lower(graph: Graph, *, joins: bool, prepares: bool) -> Graph:
    """The graph as this table runs it fastest; itself, if there is nothing to do.

    Args:
        graph: The graph.
        joins: Whether several operators may become one, which hides them from a profile.
        prepares: Whether it is for prediction, and what follows from parameters is computed once.
    """
    if prepares:
        return with_nhwc_convolutions(graph)
    graph = with_turned_weights(with_chwn_convolutions(graph))
    return with_rectified_norms(with_dense_activations(graph)) if joins else graph
