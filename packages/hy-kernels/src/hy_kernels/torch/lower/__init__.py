"""Graph rewritings for torch: optional, they only make graphs faster."""

from functools import cache, partial

import torch

from hy_kernels.dense_activation import with_dense_activations
from hy_kernels.lowering import Rewriting
from hy_kernels.torch.lower.attention import with_attention
from hy_kernels.torch.lower.convolutions import with_channels_last_convolutions
from hy_kernels.torch.lower.dense import with_prepared_dense_layers
from hy_kernels.torch.lower.nhwc import with_nhwc_convolutions
from hy_kernels.torch.lower.quantized import with_packed_int8_convolutions
from hy_kernels.torch.lower.reshapes import with_fewer_reshapes
from hy_kernels.torch.lower.transposed import with_transposed_dense_layers
from hy_kernels.torch.lower.transposed_products import with_transposed_products

__all__ = ["rewritings"]


def rewritings(*, prepares: bool) -> tuple[Rewriting, ...]:
    """Return the rewritings that make a graph fastest on this table, in order.

    Args:
        prepares: Whether the graph is for prediction, so that values that depend on parameters
            alone are computed once.
    """
    return _rewritings(prepares, not torch.cuda.is_available())


@cache
def _rewritings(prepares: bool, alone: bool) -> tuple[Rewriting, ...]:
    """Return the rewritings; ``alone`` is whether there are no GPUs, only CPUs."""
    attending = partial(with_attention, on_cpu=alone)
    # Fewer reshapes come first: the patterns of attention look through none.
    attention: tuple[Rewriting, ...] = (with_fewer_reshapes, with_transposed_products, attending)
    if prepares:
        return (
            *attention,
            partial(with_channels_last_convolutions, for_onednn=alone),
            with_transposed_dense_layers,
            with_prepared_dense_layers,
            with_packed_int8_convolutions,
        )
    convolutions = partial(with_nhwc_convolutions, on_gpu=not alone)
    return (*attention, convolutions, with_dense_activations)
