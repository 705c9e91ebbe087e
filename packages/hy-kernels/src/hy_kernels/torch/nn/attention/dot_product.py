"""Scaled dot-product attention and its gradients, by torch's own functions."""

from collections.abc import Sequence
from math import inf

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import wide
from hy_kernels.torch._tensor import Places, Tensor, stored, target
from hy_kernels.torch.nn._window import factor
from hy_kernels.torch.nn.attention._forms import Attention

__all__ = ["scaled_dot_product_attention", "scaled_dot_product_attention_backward"]


class _Layout:
    """The order of axes, and how queries share keys.

    Args:
        layout: The order.
        kv_repeat: Heads of queries that share a head of keys.
    """

    def __init__(self, layout: str, kv_repeat: int) -> None:
        self._order = [layout.index(axis) for axis in "BHLD"]
        self._repeat = kv_repeat

    def by_head(self, x: Tensor) -> Tensor:
        """A view ``[B, H, L, D]``."""
        return factor(x).permute(self._order)

    def repeated(self, x: Tensor) -> Tensor:
        """Arrange like :meth:`by_head`, each head as often as queries share it."""
        x = self.by_head(x)
        return x.repeat_interleave(self._repeat, 1) if self._repeat > 1 else x

    def summed(self, x: Tensor) -> Tensor:
        """Gradients over repetitions."""
        return x.unflatten(1, (-1, self._repeat)).sum(2) if self._repeat > 1 else x

    def result(self, x: Tensor, like: Tensor, out: Places, k: int = 0) -> Tensor:
        """Return a tensor by head in the operands' order of axes and dtype."""
        if out is None or out[k] is None:
            inverse = [self._order.index(axis) for axis in range(len(self._order))]
            return x.permute(inverse).to(like.dtype).contiguous()
        memory = target(out, like.shape, like.dtype, like.device, k)
        memory.permute(self._order).copy_(x)
        return memory


def _step(
    arrays: Sequence[Tensor], bias: Tensor | None, how: _Layout, causal: bool, scale: float | None
) -> Attention:
    query, key, value = how.by_head(arrays[0]), how.repeated(arrays[1]), how.repeated(arrays[2])
    rows, columns, size = query.shape[2], key.shape[2], query.shape[3]
    bias_array = None if bias is None else factor(bias).reshape((1,) * (4 - bias.ndim) + bias.shape)
    from_start = causal and rows == columns and bias_array is None
    if causal and rows > 1 and not from_start:
        seen = torch.ones((rows, columns), dtype=torch.bool, device=query.device)
        hidden = ~seen.tril(columns - rows)
        added = query.new_zeros((1, 1, rows, columns)) if bias_array is None else bias_array
        bias_array = added.masked_fill(hidden, -inf)
    return Attention(
        (query, key, value),
        max(size, 1) ** -0.5 if scale is None else scale,
        "none" if bias_array is None else "added",
        mask_array=bias_array,
        causal=from_start,
        nothing=0.0,
    )


@kernel(out="apart")
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: Places = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """``softmax(query · keyᵀ · scale + bias) · value``, and perhaps sums for its gradients."""
    how = _Layout(layout, kv_repeat)
    step = _step((query, key, value), bias, how, causal, scale)
    y, sums = step.result()
    if sums is None:
        sums = wide(y).new_zeros(y.shape[:3])
    return how.result(y, query, out), stored(sums, out, 1)


@kernel(out="apart")
def scaled_dot_product_attention_backward(
    dy: Tensor, query: Tensor, key: Tensor, value: Tensor, output: Tensor, sums: Tensor,
    bias: Tensor | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: Places = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Gradients to queries, keys and values."""
    how = _Layout(layout, kv_repeat)
    step = _step((query, key, value), bias, how, causal, scale)
    sums = sums.to(torch.promote_types(query.dtype, torch.float32))  # torch's own are so
    dq, dk, dv = step.gradients(how.by_head(dy), how.by_head(output), sums)
    return (
        how.result(dq, query, out),
        how.result(how.summed(dk), key, out, 1),
        how.result(how.summed(dv), value, out, 2),
    )
