"""Scaled dot-product attention (Vaswani et al., 2017) in blocks of heads, and its gradients."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, quiet, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._pool import num_chunks, split, together


class _Block(NamedTuple):
    """A block: slices of samples and of groups of heads that are computed together."""

    samples: slice
    groups: slice


class _Attention:
    """Operands of one call, split into blocks: heads of queries that share keys form a group.

    Shapes: ``B`` samples, ``G`` groups, ``R`` heads per group, ``L`` queries, ``S`` keys.

    Args:
        arrays: Queries, keys, values, and the bias of the scores or None.
        causal: Whether keys later than a query are masked.
        scale: Factor of the scores; None: ``1 / sqrt(D)``.
        kv_repeat: Heads of queries per head of keys and values.
        layout: The order of the axes, a permutation of ``BHLD``.
    """

    def __init__(
        self,
        arrays: Sequence[Array | None],
        *,
        causal: bool,
        scale: float | None,
        kv_repeat: int,
        layout: str,
    ) -> None:
        query, key, value, bias = arrays
        assert query is not None
        assert key is not None
        assert value is not None
        self.order = tuple(layout.index(axis) for axis in "BHLD")
        self.repeat = kv_repeat
        self.compute_dtype = accumulator(query.dtype)
        self.query, self.key, self.value = (
            self.grouped(query),
            self.by_head(key),
            self.by_head(value),
        )
        self.samples, self.groups, _, self.rows, size = self.query.shape
        self.keys = self.key.shape[2]
        self.scale = self.compute_dtype.type(1 / sqrt(max(size, 1)) if scale is None else scale)
        self.bias = None if bias is None else self._grouped_bias(bias)
        self.later = None
        if causal and self.rows > 1:
            # The mask is aligned at the end: queries may be the last with cached keys.
            self.later = ~np.tri(self.rows, self.keys, self.keys - self.rows, dtype=bool)
        self.may_hide = bias is not None or (causal and self.rows > self.keys)

    def by_head(self, x: Array) -> Array:
        """Return keys or values as a view ``[B, G, S, D]``; 16-bit floats as a copy in float32."""
        return x.transpose(self.order).astype(self.compute_dtype, copy=False)

    def grouped(self, x: Array) -> Array:
        """Return an array of the queries' shape as a view ``[B, G, R, L, D]``.

        16-bit floats are copied to float32.
        """
        x = self.by_head(x)
        samples, heads, rows, size = x.shape
        # Not reshape, which would copy in layouts where heads are not an outer axis: results are
        # also written through this view.
        step = x.strides[1]
        shape = samples, heads // self.repeat, self.repeat, rows, size
        strides = x.strides[0], step * self.repeat, step, *x.strides[2:]
        return np.lib.stride_tricks.as_strided(x, shape, strides)

    def _grouped_bias(self, bias: Array) -> Array:
        """Return the bias as ``[B, G, R, L, S]``, where axes of size 1 broadcast."""
        shape = (1,) * (4 - bias.ndim) + bias.shape
        heads = (1, 1) if shape[1] == 1 else (shape[1] // self.repeat, self.repeat)
        return bias.reshape(shape[0], *heads, *shape[2:])

    def blocks(self) -> Iterator[_Block]:
        """Yield the blocks, whose scores fit in the cache."""
        each = max(self.repeat * self.rows * self.keys, 1)
        limit = max(COSTS.blocks.attention // each, 1)
        if limit >= self.groups:
            step = limit // max(self.groups, 1)
            for first in range(0, self.samples, step):
                yield _Block(slice(first, first + step), slice(None))
            return
        for sample in range(self.samples):
            for first in range(0, self.groups, limit):
                yield _Block(slice(sample, sample + 1), slice(first, first + limit))

    def run(self, compute: Callable[[_Block], None]) -> None:
        """Call ``compute`` with all blocks, in several threads if there is enough work."""
        blocks = list(self.blocks())
        work = self.query.size * self.keys

        def compute_share(own: slice) -> None:
            for block in blocks[own]:
                compute(block)

        count = min(num_chunks(work, COSTS.threads.attention), max(len(blocks), 1))
        together([partial(compute_share, own) for own in split(len(blocks), count)])

    def stacked(self, x: Array, block: _Block) -> Array:
        """Return a block of a grouped array as matrices ``[b, g, R * L, D]``; may be a copy."""
        own = x[block.samples, block.groups]
        return own.reshape(*own.shape[:2], -1, own.shape[-1])

    def scores(self, block: _Block) -> Array:
        """Return the scaled, biased and masked scores of a block, ``[b, g, R, L, S]``."""
        key = self.key[block.samples, block.groups]
        y: Array = np.matmul(self.stacked(self.query, block), key.swapaxes(-1, -2))
        y *= self.scale
        y = y.reshape(*y.shape[:2], self.repeat, self.rows, self.keys)
        if self.bias is not None:
            whole = [
                slice(None) if n == 1 else at for n, at in zip(self.bias.shape, block, strict=False)
            ]
            y += self.bias[tuple(whole)]
        if self.later is not None:
            np.copyto(y, -inf, where=self.later)
        return y


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def scaled_dot_product_attention(
    query: Array, key: Array, value: Array, bias: Array | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: OutBuffers = None
) -> tuple[Array, Array]:  # fmt: skip
    """Return ``softmax(query · keyᵀ · scale + bias) · value``, and the log-sum-exp of the scores.

    Both are 0 for a query whose keys are all masked.
    """
    options: dict[str, Any] = {"causal": causal, "scale": scale, "kv_repeat": kv_repeat}
    step = _Attention((query, key, value, bias), layout=layout, **options)
    y = target(out, query.shape, step.compute_dtype)
    sums = target(out, (step.samples, step.groups * kv_repeat, step.rows), step.compute_dtype, 1)
    results = step.grouped(y)
    logs = sums.reshape(*step.query.shape[:4])

    def compute(block: _Block) -> None:
        shares = step.scores(block)
        peak = np.max(shares, axis=-1, keepdims=True, initial=-inf)
        # If all keys are masked, the peak is -inf, and -inf - -inf would be nan; the result is 0.
        if step.may_hide or not step.keys:
            peak[peak == -inf] = 0
        shares -= peak
        np.exp(shares, out=shares)
        total = shares.sum(axis=-1, keepdims=True)
        if step.may_hide or not step.keys:
            total[total == 0] = 1
        shares /= total
        weights = shares.reshape(*shares.shape[:2], -1, step.keys)
        result = np.matmul(weights, step.value[block.samples, block.groups])
        results[block.samples, block.groups] = result.reshape(
            results[block.samples, block.groups].shape
        )
        logs[block.samples, block.groups] = (np.log(total) + peak)[..., 0]

    step.run(compute)
    return y.astype(query.dtype, copy=False), sums


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def scaled_dot_product_attention_backward(
    dy: Array, query: Array, key: Array, value: Array, output: Array, sums: Array,
    bias: Array | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: OutBuffers = None
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return the gradients to queries, keys and values; ``sums`` is the saved log-sum-exp."""
    options: dict[str, Any] = {"causal": causal, "scale": scale, "kv_repeat": kv_repeat}
    step = _Attention((query, key, value, bias), layout=layout, **options)
    results = [
        target(out, x.shape, step.compute_dtype, k) for k, x in enumerate((query, key, value))
    ]
    to_query = step.grouped(results[0])
    to_key, to_value = (step.by_head(x) for x in results[1:])
    gradients, grouped_out = step.grouped(dy), step.grouped(output)
    logs = sums.reshape(*step.query.shape[:4], 1)

    def compute(block: _Block) -> None:
        at = block.samples, block.groups
        # The weights [B, H, L, S] are not stored but recomputed from the scores and the saved
        # log-sum-exp.
        shares = step.scores(block)
        shares -= logs[at]
        np.exp(shares, out=shares)
        flat = shares.reshape(*shares.shape[:2], -1, step.keys)
        gradient = step.stacked(gradients, block)
        to_value[at] = np.matmul(flat.swapaxes(-1, -2), gradient)
        along = np.matmul(gradient, step.value[at].swapaxes(-1, -2))
        # The sum of weights times their gradients is dy · y: a dot product over D, not over all
        # keys (Dao et al., FlashAttention, 2022).
        along -= np.einsum("...i,...i->...", gradient, step.stacked(grouped_out, block))[..., None]
        along *= flat
        along *= step.scale
        result = np.matmul(along, step.key[at])
        to_query[at] = result.reshape(to_query[at].shape)
        to_key[at] = np.matmul(along.swapaxes(-1, -2), step.stacked(step.query, block))

    step.run(compute)
    dq, dk, dv = (x.astype(query.dtype, copy=False) for x in results)
    return dq, dk, dv
