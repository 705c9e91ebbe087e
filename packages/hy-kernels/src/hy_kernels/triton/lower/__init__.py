"""The rules by which graphs are rewritten for Triton, with torch's; without them all runs."""

from hy_kernels.lowering import Graph
from hy_kernels.torch.lower import lower as lowered_for_torch
from hy_kernels.triton.lower.attention import with_attention
from hy_kernels.triton.lower.batch_norm import with_joined_batch_norms
from hy_kernels.triton.lower.dropout import with_dropout_by_seed
from hy_kernels.triton.lower.pointwise import with_joined_pointwise
from hy_kernels.triton.lower.rms_norm import with_joined_rms_norms

__all__ = ["lower"]


def lower(graph: Graph, *, joins: bool, prepares: bool) -> Graph:
    """The graph as this table runs it fastest; itself, if there is nothing to do.

    Args:
        graph: The graph.
        joins: Whether several operators may become one, which hides them from a profile.
        prepares: Whether it is for prediction, and what follows from parameters is computed once.
    """
    graph = with_attention(graph)
    if joins:
        graph = with_joined_rms_norms(graph)
    graph = lowered_for_torch(graph, joins=joins, prepares=prepares)
    if prepares:
        return graph
    graph = with_dropout_by_seed(graph)
    return with_joined_pointwise(with_joined_batch_norms(graph)) if joins else graph
