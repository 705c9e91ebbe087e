"""The operator ``scaled_dot_product_attention`` and its gradients, also causal and grouped."""

from typing import Any

import torch

from hy_kernels.torch._tensor import OutBuffers, Tensor, target
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.nn.attention.dot_product import (
    LARGEST,
    AttentionOptions,
    attended,
    attended_backward,
    supports,
)

__all__ = ["scaled_dot_product_attention", "scaled_dot_product_attention_backward"]


class _Layout:
    """Views of the operands by head, for an order of the axes B, H, L and D."""

    def __init__(self, layout: str) -> None:
        self.order = [layout.index(axis) for axis in "BHLD"]

    def by_head(self, x: Tensor) -> Tensor:
        """Return a view ``[B, H, L, D]`` of an operand or result."""
        return x.permute(self.order)

    def options(
        self, query: Tensor, key: Tensor, bias: Tensor | None, causal: bool, scale: float | None
    ) -> AttentionOptions:
        """Return the options of kernels for operands by head."""
        batch, heads, rows, size = query.shape
        columns = key.shape[2]
        return AttentionOptions(
            scale=size**-0.5 if scale is None else scale,
            causal=causal,
            mask=None if bias is None else bias.expand(batch, heads, rows, columns),
            kind="none" if bias is None else "added",
            ahead=columns - rows if causal else 0,  # the last query sees all keys
        )


def _supports(*tensors: Tensor | None, **_: Any) -> bool:
    first = tensors[0]
    assert first is not None
    return first.shape[-1] <= LARGEST and supports(*tensors)


def _supports_gradients(*tensors: Tensor | None, layout: str, **_: Any) -> bool:
    query = tensors[1]
    assert query is not None
    # A program loops over all keys for a tile of queries: with a single one most of the tile and of
    # the GPU would be idle. Torch's kernels share the keys out.
    return query.shape[layout.index("L")] > 1 and _supports(*tensors)


@overlay(supports=_supports)
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return ``softmax(query · keyᵀ · scale + bias) · value``, and the logsumexp of scores.

    Both are 0 for a query that sees no key. Heads that share keys and values read the same ones.
    """
    del kv_repeat  # follows from the shapes
    axes = _Layout(layout)
    arrays = [x if x.stride(-1) == 1 else x.contiguous() for x in (query, key, value)]
    q, k, v = map(axes.by_head, arrays)
    y = target(out, query.shape, query.dtype, query.device)
    sums = target(out, q.shape[:3], torch.float32, query.device, 1)
    options = axes.options(q, k, bias, causal, scale)
    attended(q, k, v, axes.by_head(y), options, sums.flatten(0, 1))
    return y, sums


@overlay(supports=_supports_gradients)
def scaled_dot_product_attention_backward(
    dy: Tensor, query: Tensor, key: Tensor, value: Tensor, output: Tensor, sums: Tensor,
    bias: Tensor | None = None, *,
    causal: bool, scale: float | None, kv_repeat: int, layout: str, out: OutBuffers = None
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return the gradients to queries, keys and values; of shared heads, summed."""
    del kv_repeat
    axes = _Layout(layout)
    arrays = [x.contiguous() for x in (query, key, value)]
    q, k, v = map(axes.by_head, arrays)
    dq, dk, dv = (target(out, x.shape, x.dtype, x.device, place) for place, x in enumerate(arrays))
    attended_backward(
        axes.by_head(dy.contiguous()),
        (q, k, v),
        axes.by_head(output.contiguous()),
        sums.contiguous().flatten(0, 1),
        (axes.by_head(dq), axes.by_head(dk), axes.by_head(dv)),
        axes.options(q, k, bias, causal, scale),
    )
    return dq, dk, dv
