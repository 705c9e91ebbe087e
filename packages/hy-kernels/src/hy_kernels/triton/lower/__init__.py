"""Graph rewritings for Triton, beside torch's: optional, they only make graphs faster."""

from hy_kernels.lowering import Rewriting
from hy_kernels.torch.lower import rewritings as torch_rewritings
from hy_kernels.torch.lower.reshapes import with_fewer_reshapes
from hy_kernels.torch.lower.transposed_products import with_transposed_products
from hy_kernels.triton.lower.attention import with_attention
from hy_kernels.triton.lower.batch_norm import with_fused_batch_norms
from hy_kernels.triton.lower.dropout import with_dropout_by_seed
from hy_kernels.triton.lower.pointwise import with_fused_pointwise
from hy_kernels.triton.lower.rms_norm import with_fused_rms_norms

__all__ = ["rewritings"]


def rewritings(*, prepares: bool) -> tuple[Rewriting, ...]:
    """Return the rewritings that make a graph fastest on this table, in order.

    Args:
        prepares: Whether the graph is for prediction, so that values that depend on parameters
            alone are computed once.
    """
    first: list[Rewriting] = [
        with_fewer_reshapes,
        with_transposed_products,
        with_attention,
        with_fused_rms_norms,
    ]
    others = torch_rewritings(prepares=prepares)
    result = (*first, *(each for each in others if each not in first))
    if prepares:
        return result
    return (*result, with_dropout_by_seed, with_fused_batch_norms, with_fused_pointwise)
