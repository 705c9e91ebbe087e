"""Concurrent, HybridConcurrent, Identity: layers for parallel branches on one input."""

from typing import Any, Self

from hy_gluon.block import Block, HybridBlock
from hy_gluon.nn.containers import HybridSequential, Sequential, _Stack
from hy_gluon.parameter import ParameterDict
from hy_ndarray import nd

__all__ = ["Concurrent", "HybridConcurrent", "Identity"]


class _Concatenating(_Stack):
    """Base class of containers that concatenate the outputs of their blocks."""

    def __init__(
        self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def _hy_part(self, layers: list[Block]) -> Self:
        part = super()._hy_part(layers)
        part.axis = self.axis
        return part


class Concurrent(_Concatenating, Sequential):
    """Container that runs all blocks on the same input, and concatenates the outputs.

    Args:
        axis: Axis of the concatenation.
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Example:
        >>> branches = Concurrent()
        >>> branches.add(Identity(), Identity())
        >>> branches(nd.array([[1, 2]])).asnumpy()
        array([[1., 2., 1., 2.]], dtype=float32)
    """

    def forward(self, x: Any) -> Any:
        """Return the concatenated outputs of all blocks for ``x``."""
        return nd.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class HybridConcurrent(_Concatenating, HybridSequential):
    """Hybrid container that runs all blocks on the same input, and concatenates the outputs.

    Args:
        axis: Axis of the concatenation.
        prefix: Prefix of the names of parameters and children; automatic if None.
        params: Parameters of another block to share.

    Example:
        >>> branches = HybridConcurrent()
        >>> branches.add(Identity(), Identity())
        >>> branches(nd.array([[1, 2]])).asnumpy()
        array([[1., 2., 1., 2.]], dtype=float32)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the concatenated outputs of all blocks for ``x``."""
        return F.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class Identity(HybridBlock):
    """Block that returns its input."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        """Return ``x``."""
        return x
