"""Multi-head attention with masks, grouped queries, rotary positions and a key-value cache."""

from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Init
from hy_gluon.nn.basic import Dense
from hy_gluon.nn.rotary import rotated
from hy_ndarray import autograd

__all__ = ["MultiHeadAttention"]

_HIDDEN = -1e30  # score of a key that a query does not see


class MultiHeadAttention(HybridBlock):
    """Multi-head attention of queries to keys and values, optionally with a cache.

    Called as ``attention(query, memory, mask, rotary, cache, index)``; all but the first may be
    left out or None:

    - ``query``: ``[B, L, in_units]``.
    - ``memory``: ``[B, S, *]``, from which keys and values are computed; ``query`` if None.
    - ``mask``: not 0 if a query sees a key; broadcast to ``[B, num_heads, L, S]``.
    - ``rotary``: the two arrays of a :class:`RotaryEmbedding`, which rotate queries and keys; with
      a cache, those of positions ``[L]``.
    - ``cache``: keys and values so far, each ``[S, B, num_kv_heads, head_units]``.
    - ``index``: ``[L]``, int32: positions of the new keys and values in the cache. Without a
      ``mask``, a query sees all positions up to its own.

    The result is ``[B, L, units]``; with a cache, also the updated ``(keys, values)``.

    Args:
        units: Size of the last axis of the output.
        num_heads: Number of heads of queries.
        num_kv_heads: Number of heads of keys and values, each shared by an equal number of heads of
            queries (grouped queries); ``num_heads`` if None.
        head_units: Size of a head's vectors; ``units / num_heads`` if None.
        causal: Whether queries do not see later keys; the last query sees all keys.
        dropout: Dropout rate of the attention weights in training.
        use_bias: Whether the projections of queries, keys and values have a bias.
        out_bias: Whether the output projection has a bias; ``use_bias`` if None.
        scale: Factor of the scores; ``1 / sqrt(head_units)`` if None.
        dtype: Dtype of the parameters.
        weight_initializer: Initializer of the weights.
        in_units: Size of the last axis of ``query``; 0 to infer it from the first input.

    Raises:
        LayerError: ``units`` is not a multiple of heads, or these of ``num_kv_heads``.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762; grouped queries: Ainslie et al. 2023,
        arXiv:2305.13245.

    Example:
        >>> layer = MultiHeadAttention(8, 4, num_kv_heads=2, causal=True)
        >>> layer.initialize()
        >>> layer(nd.ones((2, 5, 8))).shape
        (2, 5, 8)
        >>> cache = nd.zeros((16, 2, 2, 2)), nd.zeros((16, 2, 2, 2))
        >>> token, place = nd.ones((2, 1, 8)), nd.array([0], dtype="int32")
        >>> y, cache = layer(token, None, None, None, cache, place)
        >>> y.shape, cache[0].shape
        ((2, 1, 8), (16, 2, 2, 2))
    """

    def __init__(
        self,
        units: int,
        num_heads: int,
        num_kv_heads: int | None = None,
        *,
        head_units: int | None = None,
        causal: bool = False,
        dropout: float = 0.0,
        use_bias: bool = True,
        out_bias: bool | None = None,
        scale: float | None = None,
        dtype: Any = "float32",
        weight_initializer: Init = None,
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        groups = num_heads if num_kv_heads is None else num_kv_heads
        if num_heads % groups:
            raise LayerError(f"num_heads={num_heads} is no multiple of num_kv_heads={groups}")
        if head_units is None and units % num_heads:
            raise LayerError(f"units={units} is no multiple of num_heads={num_heads}")
        self._size = units // num_heads if head_units is None else head_units
        self._heads, self._groups = num_heads, groups
        self._causal, self._dropout, self._scale = causal, dropout, scale
        shared = {"flatten": False, "dtype": dtype, "weight_initializer": weight_initializer}
        with self.name_scope():
            wide, narrow = num_heads * self._size, groups * self._size
            more = {"use_bias": use_bias, **shared}
            self.query = Dense(wide, in_units=in_units, prefix="query_", **more)
            self.key = Dense(narrow, in_units=in_units, prefix="key_", **more)
            self.value = Dense(narrow, in_units=in_units, prefix="value_", **more)
            has_bias = use_bias if out_bias is None else out_bias
            self.out = Dense(units, in_units=wide, prefix="out_", use_bias=has_bias, **shared)

    def hybrid_forward(
        self,
        F: Any,
        query: Any,
        memory: Any = None,
        mask: Any = None,
        rotary: Any = None,
        cache: Any = None,
        index: Any = None,
    ) -> Any:
        """Return the attention of ``query`` to ``memory``."""
        # index_copy writes along the first axis, so that the cache is kept with positions first.
        if cache is not None:
            query = F.swapaxes(query, dim1=0, dim2=1)
            memory = None if memory is None else F.swapaxes(memory, dim1=0, dim2=1)
        memory = query if memory is None else memory
        q = self.query(query).reshape((0, 0, self._heads, self._size))
        k, v = (
            layer(memory).reshape((0, 0, self._groups, self._size))
            for layer in (self.key, self.value)
        )
        if rotary is not None:
            cos, sin = (F.cast(x, dtype=self.query.weight.dtype) for x in rotary)
            axis = -2 if cache is None else 1
            q, k = rotated(F, q, cos, sin, axis), rotated(F, k, cos, sin, axis)
        if cache is None:
            return self.out(self._attended(F, q, k, v, mask, "BLHD").reshape((0, 0, -1)))
        keys, values = (
            F.contrib.index_copy(old, index, new) for old, new in zip(cache, (k, v), strict=True)
        )
        if mask is None:
            mask = cache_mask(F, keys, index)
        y = self.out(self._attended(F, q, keys, values, mask, "LBHD").reshape((0, 0, -1)))
        return F.swapaxes(y, dim1=0, dim2=1), (keys, values)

    def _attended(self, F: Any, q: Any, k: Any, v: Any, mask: Any, layout: str) -> Any:
        bias = None
        if mask is not None:
            # log(1) = 0 leaves a score, log(0) = -inf hides it: one addition, which the operator
            # takes.
            bias = F.log(F.cast(mask != 0, dtype=self.query.weight.dtype))
        options = {"scale": self._scale, "kv_repeat": self._heads // self._groups, "layout": layout}
        operands = (q, k, v) if bias is None else (q, k, v, bias)
        # The operator need not store the scores, L x S for each head; dropout works on them.
        if self._dropout == 0 or not autograd.is_training():
            causal = self._causal and layout == "BLHD"  # else the mask says which places are seen
            return F.contrib.scaled_dot_product_attention(*operands, causal=causal, **options)
        return self._dropped(F, q, k, v, bias)

    def _dropped(self, F: Any, q: Any, k: Any, v: Any, bias: Any) -> Any:
        """Return the attention in layout ``BLHD``, with dropout of its weights."""
        q, k, v = (F.swapaxes(x, dim1=1, dim2=2) for x in (q, k, v))
        if self._groups < self._heads:
            k, v = (F.repeat(x, repeats=self._heads // self._groups, axis=1) for x in (k, v))
        scale = self._size**-0.5 if self._scale is None else self._scale
        scores = F.batch_dot(q, k, transpose_b=True) * scale
        if bias is not None:
            # Finite, since a row of -inf alone has a softmax of nan.
            scores = F.broadcast_add(scores, F.maximum(bias, _HIDDEN))
        if self._causal:
            distances = [
                F.flip(F.contrib.arange_like(scores, axis=axis), axis=0) for axis in (-1, -2)
            ]
            # Counted from the end, so that the last query sees all keys where there are more keys
            # than queries.
            later = F.broadcast_lesser(distances[0], F.expand_dims(distances[1], axis=1))
            scores = F.broadcast_add(scores, later * _HIDDEN)
        weights = F.Dropout(F.softmax(scores, axis=-1), p=self._dropout)
        return F.swapaxes(F.batch_dot(weights, v), dim1=1, dim2=2)

    def __repr__(self) -> str:
        groups = "" if self._groups == self._heads else f", {self._groups} of keys"
        return f"{type(self).__name__}({self._heads} heads of {self._size}{groups})"


def cache_mask(F: Any, keys: Any, index: Any) -> Any:
    """Return the mask ``[L, S]`` of the cached keys that a query at position ``index`` sees."""
    first = F.slice(keys, begin=(None, 0, 0, 0), end=(None, 1, 1, 1))
    # A symbol has no shape yet; the operator reads the length from the array.
    positions = F.contrib.arange_like(F.cast(first, dtype="float32"), axis=0)
    own = F.expand_dims(F.cast(index, dtype="float32"), axis=1)
    return F.broadcast_lesser_equal(F.expand_dims(positions, axis=0), own)
