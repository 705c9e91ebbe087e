"""Normalization by the root mean square."""

from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Init

__all__ = ["RMSNorm"]


class RMSNorm(HybridBlock):
    """RMS normalization: vectors divided by their root mean square, times ``gamma``.

    Args:
        epsilon: Added to the mean square.
        gamma_initializer: Initializer of the scale.
        in_channels: Size of the last axis; 0 to infer it from the first input.

    Source:
        Zhang and Sennrich, Root Mean Square Layer Normalization, 2019, arXiv:1910.07467.

    Example:
        >>> layer = RMSNorm()
        >>> layer.initialize()
        >>> layer(nd.array([[3, 4]])).asnumpy().round(3)
        array([[0.849, 1.131]], dtype=float32)
    """

    def __init__(
        self,
        epsilon: float = 1e-6,
        gamma_initializer: Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._epsilon = epsilon
        with self.name_scope():
            self.gamma = self.params.get(
                "gamma", shape=(in_channels,), init=gamma_initializer, allow_deferred_init=True
            )

    def hybrid_forward(self, F: Any, x: Any, gamma: Any) -> Any:
        """Return ``x`` normalized."""
        return F.contrib.rms_norm(x, gamma, eps=self._epsilon)

    def __repr__(self) -> str:
        shape = self.gamma.shape
        assert shape is not None
        return f"{type(self).__name__}({shape[0] or None}, epsilon={self._epsilon})"
