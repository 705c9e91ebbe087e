"""Simplifying: the passes that a graph goes through once the types of its variables are known."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_ndarray import Device
from hy_symbol.graph import Graph, Node
from hy_symbol.infer import Known, Types, types_of
from hy_symbol.passes.axes import with_simpler_axes
from hy_symbol.passes.batch_last import with_batch_last
from hy_symbol.passes.dense_activation import with_dense_activations
from hy_symbol.passes.rectified_pools import with_rectified_pools

__all__ = ["simplified"]

_Passes: TypeAlias = tuple[tuple[str | None, Callable[[Graph, Types], Graph]], ...]
_PASSES: _Passes = (("batch_last_convolution", with_batch_last), (None, with_simpler_axes))
"""In order; each with the kernel that it needs."""
_JOINING: _Passes = (("fully_connected_activation", with_dense_activations),)
"""These join operators that a profile would show."""


def simplified(
    graph: Graph,
    variables: Sequence[Node],
    known: Sequence[Known],
    device: Device,
    *,
    joined: bool = False,
) -> tuple[Graph, Types]:
    """The graph simplified for a device and for these types, and the types of its entries.

    Args:
        graph: The graph.
        variables: Its variables.
        known: Shape and dtype of each.
        device: Where it will run; passes that need kernels it lacks are left out.
        joined: Also join layers with what is applied to their results.

    Raises:
        ShapeError, DTypeError: The types contradict each other; names the node.
    """
    graph = with_rectified_pools(graph)
    types = types_of(graph, variables, known)
    for kernel, improved in (*_PASSES, *(_JOINING if joined else ())):
        if kernel is not None and device.table.find(kernel) is None:
            continue
        before, graph = graph, improved(graph, types)
        if graph is not before:
            types = types_of(graph, variables, known)
    return graph, types
