"""Graph rewritings for the numpy table; they only make graphs faster."""

from hy_kernels.dense_activation import with_dense_activations
from hy_kernels.lowering import Rewriting
from hy_kernels.numpy.lower.chwn import with_chwn_convolutions
from hy_kernels.numpy.lower.nhwc import with_nhwc_convolutions

__all__ = ["rewritings"]


def rewritings(*, prepares: bool) -> tuple[Rewriting, ...]:
    """Return the rewritings that make a graph fastest on this table, in order.

    Args:
        prepares: Whether the graph is for prediction, so that values of parameters can be cached.
    """
    if prepares:
        return (with_nhwc_convolutions,)
    return with_chwn_convolutions, with_dense_activations
