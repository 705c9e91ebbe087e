"""Remat: recomputation of intermediate values in the backward pass."""

from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.block import Block, HybridBlock
from hy_ndarray import NDArray
from hy_ndarray.transforms import checkpoint
from hy_symbol import AttrScope

__all__ = ["Remat"]


class Remat(HybridBlock):
    """Wrapper of a block whose intermediate values are recomputed in the backward pass.

    Only inputs and outputs are kept; the backward pass runs the block again for the values between.
    A net of such blocks needs memory for the values of one block at a time, and the time of another
    forward pass. Results equal those of the block: random draws, such as dropout's, and statistics
    that the block updates are kept in a hybridized net, and repeated otherwise. In a graph, nodes
    have the attributes ``force_mirroring`` and ``mirror_stage``.

    Args:
        block: The block.

    Raises:
        LayerError: ``block`` is not a block.

    Source:
        Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost, arXiv:1604.06174.

    Example:
        >>> from hy_gluon import nn
        >>> net = nn.HybridSequential()
        >>> net.add(*(nn.Remat(nn.Dense(4, in_units=4, activation="tanh")) for _ in range(3)))
        >>> net.initialize()
        >>> net.hybridize()
        >>> net(nd.ones((2, 4))).shape
        (2, 4)
    """

    def __init__(self, block: Block, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(block, Block):
            raise LayerError(f"Remat takes a block, not a {type(block).__name__}")
        self.block = block

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:  # noqa: ARG002
        """Return the block's output for ``x``."""
        if isinstance(x, NDArray):
            return checkpoint(self.block)(x, *args)
        with AttrScope(force_mirroring="True", mirror_stage=self.name):
            return self.block(x, *args)
