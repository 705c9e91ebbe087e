"""BERT-style text encoders."""

from typing import Any

from hy_gluon import nn
from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.transformer.layer import FeedForward, TransformerLayer, norm_of

__all__ = ["Bert", "encoder_layers"]


def encoder_layers(
    num_layers: int,
    units: int,
    num_heads: int,
    hidden_units: int,
    *,
    activation: str,
    epsilon: float,
    dropout: float,
    pre_norm: bool,
    use_bias: bool = True,
) -> nn.HybridSequential:
    """Return transformer layers in which each position attends to all positions."""

    def layer(k: int) -> TransformerLayer:
        attention = nn.MultiHeadAttention(
            units, num_heads, dropout=dropout, use_bias=use_bias, out_bias=True, in_units=units,
            prefix=f"layer{k}_",
        )  # fmt: skip
        inner = FeedForward(units, hidden_units, activation, prefix=f"layer{k}_ffn_")
        first, second = (norm_of("layer", epsilon, units, f"layer{k}_norm{i}_") for i in (1, 2))
        return TransformerLayer(
            attention, inner, (first, second), pre_norm=pre_norm, dropout=dropout, prefix=""
        )

    layers = nn.HybridSequential(prefix="")
    layers.add(*(layer(k) for k in range(num_layers)))
    return layers


class Bert(HybridBlock):
    """BERT-style text encoder.

    Called as ``net(tokens, kinds, mask)`` with tokens ``[B, L]``; the number of each token's
    sentence (``[B, L]``; 0 if None); and a mask (``[B, L]``, 0 for padding; no padding if None).
    Returns a vector for each token, ``[B, L, units]``, and one for the text, ``[B, units]``.

    Args:
        vocab_size: Number of tokens.
        units: Size of the vectors.
        num_layers: Number of layers.
        num_heads: Heads of attention.
        hidden_units: Size inside the feed-forward layers.
        max_length: Longest sequence.
        num_kinds: Number of kinds of sentences.
        activation: See :class:`FeedForward`.
        epsilon: Added to the variance in normalizations.
        dropout: Dropout rate of vectors and attention weights in training.

    Source:
        Devlin et al. 2018, arXiv:1810.04805.

    Example:
        >>> net = Bert(11, units=8, num_layers=1, num_heads=2, hidden_units=16, max_length=16)
        >>> net.initialize()
        >>> tokens, whole = net(nd.array([[1, 2, 3]]))
        >>> tokens.shape, whole.shape
        ((1, 3, 8), (1, 8))
    """

    def __init__(
        self,
        vocab_size: int,
        units: int,
        num_layers: int,
        num_heads: int,
        hidden_units: int,
        *,
        max_length: int = 512,
        num_kinds: int = 2,
        activation: str = "gelu",
        epsilon: float = 1e-12,
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        # locals() are the arguments alone here; pretrained.save writes them as config.json.
        self.settings = {name: value for name, value in locals().items() if name in _SETTINGS}
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(vocab_size, units, prefix="embedding_")
            self.position = nn.Embedding(max_length, units, prefix="position_")
            self.kind = nn.Embedding(num_kinds, units, prefix="kind_")
            self.norm = norm_of("layer", epsilon, units, "norm_")
            self.dropout = nn.Dropout(dropout)
            self.layers = encoder_layers(
                num_layers, units, num_heads, hidden_units, activation=activation,
                epsilon=epsilon, dropout=dropout, pre_norm=False,
            )  # fmt: skip
            self.pooler = nn.Dense(units, activation="tanh", in_units=units, prefix="pooler_")

    def hybrid_forward(self, F: Any, tokens: Any, kinds: Any = None, mask: Any = None) -> Any:
        """Return the encodings of ``tokens``."""
        kinds = F.zeros_like(tokens) if kinds is None else kinds
        positions = F.contrib.arange_like(F.cast(tokens, dtype="float32"), axis=1)
        x = self.embedding(tokens) + self.kind(kinds)
        x = self.dropout(self.norm(F.broadcast_add(x, self.position(positions))))
        more: tuple[Any, ...] = ()
        if mask is not None:
            # [B, 1, 1, L]: the same for all heads and all queries.
            more = (None, F.expand_dims(F.expand_dims(mask, axis=1), axis=1))
        for layer in self.layers._children.values():
            x = layer(x, *more)
        # The first token, [CLS], is trained to stand for the whole.
        return x, self.pooler(F.slice_axis(x, axis=1, begin=0, end=1))


_SETTINGS = frozenset(
    (
        "vocab_size",
        "units",
        "num_layers",
        "num_heads",
        "hidden_units",
        "max_length",
        "num_kinds",
        "activation",
        "epsilon",
        "dropout",
    )
)
"""Arguments that say what net it is."""
