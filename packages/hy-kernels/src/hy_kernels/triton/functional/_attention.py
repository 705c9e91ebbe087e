"""Attention as a function of PyTorch."""

from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._arguments import OF_PRODUCTS, alike, require, runs_here
from hy_kernels.triton.attention import LARGEST, Weighing, attended, attended_backward
from hy_kernels.triton.functional._calls import LIBRARY, like

__all__ = ["attention"]


@custom_op(f"{LIBRARY}::attention", mutates_args=())
def _attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    runs_here("attention", query, key, value)
    if query.numel() == 0 or key.numel() == 0:
        y, sums = _attention_fake(query)
        return y.zero_(), sums
    q, k, v = (x.contiguous() for x in (query, key, value))
    y = torch.empty_like(q)
    return y, attended(q, k, v, y, Weighing(scale, causal))


@custom_op(f"{LIBRARY}::attention_backward", mutates_args=())
def _attention_backward(
    dy: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    y: torch.Tensor,
    sums: torch.Tensor,
    scale: float,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q, k, v = (x.contiguous() for x in (query, key, value))
    results = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    if query.numel() == 0 or key.numel() == 0:
        return results[0].zero_(), results[1].zero_(), results[2].zero_()
    attended_backward(dy.contiguous(), (q, k, v), y, sums, results, Weighing(scale, causal))
    return results


def _attention_fake(query: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    batch, heads, queries, _size = query.shape
    sums = query.new_empty((batch * heads, queries, 2), dtype=torch.float32)
    return like(query), sums


def _attention_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    *arrays, ctx.scale, ctx.causal = inputs
    ctx.save_for_backward(*arrays, *output)


def _attention_gradient(ctx: Any, dy: Tensor, _: Any) -> tuple[Any, ...]:
    return *_attention_backward(dy, *ctx.saved_tensors, ctx.scale, ctx.causal), None, None


_attention.register_fake(_attention_fake)
_attention_backward.register_fake(lambda dy, *arrays: tuple(like(x) for x in arrays[:3]))
_attention.register_autograd(_attention_gradient, setup_context=_attention_keep)


def attention(query: Tensor, key: Tensor, value: Tensor, *, causal: bool = False) -> Tensor:
    """``softmax(query · keyᵀ / sqrt(size)) · value``, without the matrix of scores.

    Args:
        query: ``[batch, heads, queries, size]``, float16, bfloat16 or float32; vectors of 256
            elements at most.
        key: ``[batch, heads, keys, size]``, of the dtype of ``query``.
        value: As ``key``.
        causal: Whether query ``i`` sees no key behind ``i``.

    Raises:
        TypeError: The dtypes differ, or there is no kernel for them.
        ValueError: The shapes do not fit.
    """
    arrays = {"query": query, "key": key, "value": value}
    alike("attention", OF_PRODUCTS, **arrays)
    four = all(x.ndim == 4 for x in arrays.values())
    require(four, "attention", "takes tensors of four axes", **arrays)
    fit = query.shape[:2] == key.shape[:2] and query.shape[3] == key.shape[3] <= LARGEST
    rule = f"batch, heads and size have to agree, and the size to be {LARGEST} at most"
    require(fit and key.shape == value.shape, "attention", rule, **arrays)
    y: Tensor = _attention(query, key, value, max(query.shape[-1], 1) ** -0.5, causal)[0]
    return y
