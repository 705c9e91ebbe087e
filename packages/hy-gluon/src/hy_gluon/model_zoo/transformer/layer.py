"""Transformer layer: attention and feed-forward layer, both with residual connections."""

import math
from typing import Any

from hy_gluon import nn
from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock

__all__ = ["FeedForward", "TransformerLayer", "norm_of"]

_ACTIVATIONS = ("gelu", "gelu_new", "relu")


def norm_of(kind: str, epsilon: float, units: int, prefix: str) -> HybridBlock:
    """Return a normalization layer: ``kind`` is ``"layer"`` or ``"rms"``.

    Raises:
        LayerError: ``kind`` is another string.
    """
    if kind == "layer":
        return nn.LayerNorm(epsilon=epsilon, in_channels=units, prefix=prefix)
    if kind == "rms":
        return nn.RMSNorm(epsilon=epsilon, in_channels=units, prefix=prefix)
    raise LayerError(f"norm={kind!r} is unknown; there are 'layer' and 'rms'")


class FeedForward(HybridBlock):
    """Two dense layers with an activation between them, along the last axis.

    Args:
        units: Size of input and output.
        hidden_units: Size of the hidden layer.
        activation: ``"gelu"``, ``"gelu_new"`` (its approximation by tanh) or ``"relu"``.
        use_bias: Whether the layers have a bias.

    Raises:
        LayerError: The activation is unknown.

    Source:
        Hendrycks, Gimpel, Gaussian Error Linear Units, 2016, arXiv:1606.08415, section 2.

    Example:
        >>> layer = FeedForward(4, 16)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 3, 4))).shape
        (2, 3, 4)
    """

    def __init__(
        self,
        units: int,
        hidden_units: int,
        activation: str = "gelu",
        use_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if activation not in _ACTIVATIONS:
            known = ", ".join(_ACTIVATIONS)
            raise LayerError(f"activation={activation!r} is unknown; there are {known}")
        self._activation = activation
        shared: dict[str, Any] = {"flatten": False, "use_bias": use_bias}
        with self.name_scope():
            self.up = nn.Dense(hidden_units, in_units=units, prefix="up_", **shared)
            self.down = nn.Dense(units, in_units=hidden_units, prefix="down_", **shared)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the layer's output for ``x``."""
        x = self.up(x)
        if self._activation == "relu":
            return self.down(F.relu(x))
        if self._activation == "gelu":
            return self.down(F.LeakyReLU(x, act_type="gelu"))
        # Hendrycks and Gimpel 2016, section 2: the approximation that GPT-2 was trained with.
        inner = math.sqrt(2 / math.pi) * x * (1 + 0.044715 * F.square(x))
        return self.down(0.5 * x * (1 + F.tanh(inner)))


class TransformerLayer(HybridBlock):
    """Attention and a feed-forward layer, each with a normalization and a residual connection.

    Has the arguments and results of the attention.

    Args:
        attention: The attention, such as :class:`~hy_gluon.nn.MultiHeadAttention`.
        feed_forward: The feed-forward layer.
        norms: Two normalizations.
        pre_norm: Whether norms come before attention and feed-forward layer, or after the sums.
        dropout: Dropout rate of both results in training.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762; ``pre_norm``: Xiong et al. 2020, arXiv:2002.04745.
    """

    def __init__(
        self,
        attention: HybridBlock,
        feed_forward: HybridBlock,
        norms: tuple[HybridBlock, HybridBlock],
        *,
        pre_norm: bool = True,
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        # Xiong et al. 2020: with the normalization in front, gradients near the output stay small
        # at the begin.
        self._pre_norm = pre_norm
        with self.name_scope():
            self.attention, self.feed_forward = attention, feed_forward
            self.norm1, self.norm2 = norms
            self.dropout = nn.Dropout(dropout)

    def hybrid_forward(self, F: Any, x: Any, *more: Any) -> Any:  # noqa: ARG002
        """Return the layer's output for ``x``, ``[B, L, units]``."""
        attended = self.attention(self.norm1(x) if self._pre_norm else x, *more)
        y, cache = attended if isinstance(attended, list | tuple) else (attended, None)
        if self._pre_norm:
            x = x + self.dropout(y)
            x = x + self.dropout(self.feed_forward(self.norm2(x)))
        else:
            x = self.norm1(x + self.dropout(y))
            x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x if cache is None else (x, cache)
