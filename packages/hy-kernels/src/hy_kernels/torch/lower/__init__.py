"""The rules by which graphs are rewritten for torch; without them all runs, slower."""

from functools import partial

import torch

from hy_kernels.dense_activation import with_dense_activations
from hy_kernels.lowering import Graph
from hy_kernels.torch.lower.attention import with_attention
from hy_kernels.torch.lower.convolutions import with_channels_last_convolutions
from hy_kernels.torch.lower.dense import with_prepared_dense_layers
from hy_kernels.torch.lower.nhwc import with_nhwc_convolutions
from hy_kernels.torch.lower.quantized import with_packed_int8_convolutions
from hy_kernels.torch.lower.turned import with_turned_dense_layers

__all__ = ["lower"]


def lower(graph: Graph, *, joins: bool, prepares: bool) -> Graph:
    """The graph as this table runs it fastest; itself, if there is nothing to do.

    Args:
        graph: The graph.
        joins: Whether several operators may become one, which hides them from a profile.
        prepares: Whether it is for prediction, and what follows from parameters is computed once.
    """
    alone = not torch.cuda.is_available()  # GPUs have kernels of their own
    graph = with_attention(graph, on_cpu=alone) if joins else graph
    if not prepares:
        graph = with_nhwc_convolutions(graph) if alone else graph
        return with_dense_activations(graph) if joins else graph
    convolutions = partial(with_channels_last_convolutions, for_onednn=alone)
    for rule in (
        convolutions,
        with_turned_dense_layers,
        with_prepared_dense_layers,
        with_packed_int8_convolutions,
    ):
        graph = rule(graph)
    return graph
