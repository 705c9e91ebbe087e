"""The backend ``channels_last``: lowers convolutional nets for prediction."""

from collections.abc import Mapping
from typing import Any

from hy_ndarray import ArgumentError, current_context, device_of
from hy_symbol.graph.node import Graph
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.lowering import lowered_for_prediction
from hy_symbol.regions.protocols import Facts, Rewritten

__all__ = ["ChannelsLast"]


class ChannelsLast:
    """Lowers a graph for prediction by the rewriting rules of the device's kernel table.

    On the CPU, the numpy table runs two-dimensional convolutions in layout NHWC, packs weights in
    advance for the fastest algorithm for their sizes, and fuses layers into one step.
    """

    def rewrite(self, graph: Graph, facts: Facts, options: Mapping[str, Any]) -> Rewritten:
        """Return the lowered graph; see :class:`hy_symbol.backends.Rewriter`.

        Raises:
            ArgumentError: An option is given.
        """
        if options:
            raise ArgumentError(f"channels_last: unknown option {next(iter(options))!r}")
        device = device_of(current_context()) if facts.device is None else facts.device
        lowered, once = lowered_for_prediction(TypedGraph(graph, facts.types), device)
        return Rewritten(lowered, once=once)
