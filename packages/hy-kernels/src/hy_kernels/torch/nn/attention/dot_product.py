"""Scaled dot-product attention and its gradients, by torch's own functions."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import torch
from torch.nn import functional

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype, to_storage_dtype
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, stored, target
from hy_kernels.torch.nn._window import factor
from hy_kernels.torch.nn.attention._forms import Attention
from hy_kernels.torch.nn.attention._fused import dense


class _Layout:
    """Axis order of the operands, and the heads that share keys (grouped queries).

    Args:
        layout: The letters B, H, L and D in the order of the axes.
        kv_repeat: Number of heads of queries that share a head of keys.
    """

    def __init__(self, layout: str, kv_repeat: int) -> None:
        self.order = [layout.index(axis) for axis in "BHLD"]
        self.inverse = ["BHLD".index(axis) for axis in layout]
        self._repeat = kv_repeat

    def by_head(self, x: Tensor) -> Tensor:
        """Return an operand as ``[B, H, L, D]``, in a dtype whose products are fast."""
        return factor(x).permute(self.order)

    def repeated(self, x: Tensor) -> Tensor:
        """Return keys or values as ``[B, H, L, D]``, repeated for the heads that share them."""
        x = self.by_head(x)
        return x.repeat_interleave(self._repeat, 1) if self._repeat > 1 else x

    def summed(self, x: Tensor) -> Tensor:
        """Return gradients to keys or values, summed over the heads that share them."""
        return x.unflatten(1, (-1, self._repeat)).sum(2) if self._repeat > 1 else x

    def result(self, x: Tensor, like: Tensor, out: OutBuffers, k: int = 0) -> Tensor:
        """Return a tensor ``[B, H, L, D]`` in the axis order and dtype of the operand ``like``."""
        if out is None or out[k] is None:
            return to_storage_dtype(x.permute(self.inverse), like.dtype).contiguous()
        memory = target(out, like.shape, like.dtype, like.device, k)
        memory.permute(self.order).copy_(x)
        return memory


def _by_head_bias(bias: Tensor) -> Tensor:
    """Return a view of a bias with four axes, which torch's function requires."""
    return bias.reshape((1,) * (4 - bias.ndim) + bias.shape)


def _step(
    arrays: Sequence[Tensor],
    bias: Tensor | None,
    head_layout: _Layout,
    causal: bool,
    scale: float | None,
) -> Attention:
    query, key, value = (
        head_layout.by_head(arrays[0]),
        head_layout.repeated(arrays[1]),
        head_layout.repeated(arrays[2]),
    )
    rows, columns, size = query.shape[2], key.shape[2], query.shape[3]
    bias_array = None if bias is None else factor(_by_head_bias(bias))
    # torch multiplies what is_causal hides, minus infinity, by the scale: 0 makes nan of it.
    is_positive = scale is None or scale > 0
    from_start = causal and rows == columns and bias_array is None and is_positive
    # torch's is_causal aligns the first query with the first key; here the last ones are aligned.
    if causal and rows > 1 and not from_start:
        seen = torch.ones((rows, columns), dtype=torch.bool, device=query.device)
        hidden = ~seen.tril(columns - rows)
        added = query.new_zeros((1, 1, rows, columns)) if bias_array is None else bias_array
        bias_array = added.masked_fill(hidden, -inf)
    return Attention(
        arrays=(query, key, value),
        scale=max(size, 1) ** -0.5 if scale is None else scale,
        kind="none" if bias_array is None else "added",
        mask_array=bias_array,
        causal=from_start,
        nothing=0.0,
    )


def _bind_prediction(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of predictions by torch's function, without logsumexp for gradients.

    On CPUs it gives zeros to a query that sees no key, as this operator does.
    """
    head_layout, scale = _Layout(params["layout"], params["kv_repeat"]), params["scale"]
    if params["causal"]:
        return None
    order, inverse, repeat = head_layout.order, head_layout.inverse, params["kv_repeat"]

    def attend(query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None = None) -> Tensor:
        is_plain = query.is_cpu and query.dtype in PLAIN
        if not is_plain or 0 in query.shape or 0 in key.shape:
            y: Tensor = general(query, key, value, bias)[0]
            return y
        # By no methods of the layout: of one query they take half as long as torch's function.
        q, k, v = query.permute(*order), key.permute(*order), value.permute(*order)
        if repeat > 1:
            k, v = k.repeat_interleave(repeat, 1), v.repeat_interleave(repeat, 1)
        mask = bias if bias is None or bias.ndim == len(order) else _by_head_bias(bias)
        by_head = functional.scaled_dot_product_attention(
            dense(q), dense(k), dense(v), None if mask is None else dense(mask), scale=scale
        )
        return by_head.permute(*inverse).contiguous()

    return attend


@kernel(out="apart", specialize=by_params(_bind_prediction))
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return ``softmax(query · keyᵀ · scale + bias) · value``, and the logsumexp of rows."""
    head_layout = _Layout(layout, kv_repeat)
    step = _step((query, key, value), bias, head_layout, causal, scale)
    y, sums = step.result()
    if sums is None:
        sums = to_compute_dtype(y).new_zeros(y.shape[:3])
    return head_layout.result(y, query, out), stored(sums, out, 1).contiguous()


@kernel(out="apart")
def scaled_dot_product_attention_backward(
    dy: Tensor, query: Tensor, key: Tensor, value: Tensor, output: Tensor, sums: Tensor,
    bias: Tensor | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: OutBuffers = None
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return the gradients to queries, keys and values."""
    head_layout = _Layout(layout, kv_repeat)
    step = _step((query, key, value), bias, head_layout, causal, scale)
    # Saved as the operator's dtype; torch's backward wants what its forward gave.
    sums = sums.to(torch.promote_types(query.dtype, torch.float32))  # torch's own are so
    dq, dk, dv = step.gradients(head_layout.by_head(dy), head_layout.by_head(output), sums)
    return (
        head_layout.result(dq, query, out),
        head_layout.result(head_layout.summed(dk), key, out, 1),
        head_layout.result(head_layout.summed(dv), value, out, 2),
    )
