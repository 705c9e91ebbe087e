"""Text decoders, which predict each token from the preceding tokens."""

from collections.abc import Mapping
from typing import Any

from hy_gluon import nn
from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock
from hy_gluon.model_zoo.transformer.generation import generate
from hy_gluon.model_zoo.transformer.layer import FeedForward, TransformerLayer, norm_of
from hy_gluon.nn.attention import cache_mask
from hy_ndarray import Context, NDArray, nd

__all__ = ["Decoder"]


class Decoder(HybridBlock):
    """Text decoder like GPT-2 or Llama.

    Called with tokens ``[B, L]``, returns scores ``[B, L, vocab_size]`` of the next tokens. Called
    as ``net(tokens, positions, cache)``, with int32 positions ``[L]`` of the tokens and a cache of
    :meth:`begin_cache`, returns the scores and the cache with the tokens' keys and values, so that
    each further token needs one position only, as in :meth:`generate`.

    Args:
        vocab_size: Number of tokens.
        units: Size of the vectors.
        num_layers: Number of layers.
        num_heads: Heads of queries.
        num_kv_heads: Heads of keys and values; ``num_heads`` if None.
        hidden_units: Size inside the feed-forward layers; ``4 * units`` if None.
        max_length: Longest sequence.
        head_units: Size of a head's vectors; ``units / num_heads`` if None.
        norm: ``"layer"`` or ``"rms"``.
        epsilon: Added to the variance or mean square in normalizations.
        activation: ``"silu"`` for a :class:`~hy_gluon.nn.SwiGLU`; for others see
            :class:`FeedForward`.
        positions: ``"learned"`` vectors, or ``"rotary"`` angles.
        rotary_base: Base of :class:`~hy_gluon.nn.RotaryEmbedding`.
        rotary_scaling: Scaling of :class:`~hy_gluon.nn.RotaryEmbedding`.
        use_bias: Whether the projections of attention have a bias.
        out_bias: Whether the output projection of attention has a bias; ``use_bias`` if None.
        feed_forward_bias: Whether feed-forward layers have a bias.
        tied: Whether the output layer shares the weight of the token embedding.
        dropout: Dropout rate of vectors and attention weights in training.

    Raises:
        LayerError: An argument is unknown, or sizes do not match.

    Source:
        Radford et al., Language Models are Unsupervised Multitask Learners, 2019; Touvron et al.,
        Llama 2, 2023, arXiv:2307.09288.

    Example:
        >>> net = Decoder(11, units=8, num_layers=2, num_heads=2, max_length=16)
        >>> net.initialize()
        >>> net(nd.array([[1, 2, 3]])).shape
        (1, 3, 11)
        >>> len(net.generate([1, 2, 3], 4))
        4
    """

    def __init__(
        self,
        vocab_size: int,
        units: int,
        num_layers: int,
        num_heads: int,
        num_kv_heads: int | None = None,
        *,
        hidden_units: int | None = None,
        max_length: int = 1024,
        head_units: int | None = None,
        norm: str = "layer",
        epsilon: float = 1e-5,
        activation: str = "gelu_new",
        positions: str = "learned",
        rotary_base: float = 10000.0,
        rotary_scaling: Mapping[str, Any] | None = None,
        use_bias: bool = True,
        out_bias: bool | None = None,
        feed_forward_bias: bool = True,
        tied: bool = True,
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self.settings = {name: value for name, value in locals().items() if name in _SETTINGS}
        super().__init__(**kwargs)
        if positions not in ("learned", "rotary"):
            raise LayerError(f"positions={positions!r} must be 'learned' or 'rotary'")
        self.max_length, self.vocab_size = max_length, vocab_size
        size = units // num_heads if head_units is None else head_units
        groups = num_heads if num_kv_heads is None else num_kv_heads
        self._cache_sizes = groups, size

        def layer(index: int) -> TransformerLayer:
            attention = nn.MultiHeadAttention(
                units, num_heads, groups, head_units=size, causal=True, dropout=dropout,
                use_bias=use_bias, out_bias=out_bias, in_units=units, prefix=f"layer{index}_",
            )  # fmt: skip
            hidden, name = hidden_units or 4 * units, f"layer{index}_ffn_"
            inner = (
                nn.SwiGLU(units, hidden, feed_forward_bias, in_units=units, prefix=name)
                if activation == "silu"
                else FeedForward(units, hidden, activation, feed_forward_bias, prefix=name)
            )
            first, second = (
                norm_of(norm, epsilon, units, f"layer{index}_norm{k}_") for k in (1, 2)
            )
            return TransformerLayer(attention, inner, (first, second), dropout=dropout, prefix="")

        with self.name_scope():
            self.embedding = nn.Embedding(vocab_size, units, prefix="embedding_")
            self.position: HybridBlock = (
                nn.Embedding(max_length, units, prefix="position_")
                if positions == "learned"
                else nn.RotaryEmbedding(size, rotary_base, rotary_scaling, prefix="rotary_")
            )
            self.dropout = nn.Dropout(dropout)
            self.layers = nn.HybridSequential(prefix="")
            self.layers.add(*(layer(index) for index in range(num_layers)))
            self.norm = norm_of(norm, epsilon, units, "norm_")
            # Press and Wolf 2017: the table of vectors is the last weight, too. Dense finds it by
            # the name `weight`.
            shared = {"params": self.embedding.params} if tied else {"prefix": "head_"}
            self.head = nn.Dense(
                vocab_size, use_bias=False, flatten=False, in_units=units, **shared
            )

    def hybrid_forward(self, F: Any, tokens: Any, positions: Any = None, cache: Any = None) -> Any:
        """Return the scores of the token after each of ``tokens``."""
        index = F.contrib.arange_like(F.cast(tokens, dtype="float32"), axis=1)
        index = index if positions is None else positions
        x, rotary = self.embedding(tokens), None
        if isinstance(self.position, nn.RotaryEmbedding):
            rotary = self.position(index)
        else:
            x = F.broadcast_add(x, self.position(index))
        x = self.dropout(x)
        if cache is None:
            for layer in self.layers._children.values():
                x = layer(x) if rotary is None else layer(x, None, None, rotary)
            return self.head(self.norm(x))
        # Made once for all layers, whose caches are filled alike.
        mask, seen = cache_mask(F, cache[0][0], positions), []
        for layer, before in zip(self.layers._children.values(), cache, strict=True):
            x, after = layer(x, None, mask, rotary, before, positions)
            seen.append(after)
        return self.head(self.norm(x)), seen

    def begin_cache(
        self,
        batch_size: int = 1,
        length: int | None = None,
        ctx: Context | None = None,
        dtype: Any = None,
    ) -> list[tuple[NDArray, NDArray]]:
        """Return an empty cache: per layer two arrays ``[length, B, num_kv_heads, head_units]``.

        Args:
            batch_size: Number of sequences.
            length: Maximum number of tokens; ``max_length`` if None.
            ctx: Context of the arrays; the current context if None.
            dtype: Dtype of the arrays; that of the parameters if None.
        """
        dtype = self.embedding.weight.dtype if dtype is None else dtype
        shape = (length or self.max_length, batch_size, *self._cache_sizes)
        return [
            (nd.zeros(shape, ctx=ctx, dtype=dtype), nd.zeros(shape, ctx=ctx, dtype=dtype))
            for _ in range(len(self.layers))
        ]

    def generate(self, tokens: Any, count: int, **options: Any) -> list[int]:
        """Return up to ``count`` generated tokens; see :func:`.generation.generate`."""
        return generate(self, tokens, count, **options)


_SETTINGS = frozenset(
    (
        "vocab_size",
        "units",
        "num_layers",
        "num_heads",
        "num_kv_heads",
        "hidden_units",
        "max_length",
        "head_units",
        "norm",
        "epsilon",
        "activation",
        "positions",
        "rotary_base",
        "rotary_scaling",
        "use_bias",
        "out_bias",
        "feed_forward_bias",
        "tied",
        "dropout",
    )
)
"""Arguments that say what net it is."""
