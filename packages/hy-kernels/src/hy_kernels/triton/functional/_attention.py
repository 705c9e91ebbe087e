"""Attention as a function of PyTorch."""

from math import inf
from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._arguments import OF_PRODUCTS, check_dtypes, require, runs_here
from hy_kernels.triton.functional._calls import LIBRARY, like
from hy_kernels.triton.nn.attention.dot_product import (
    LARGEST,
    AttentionOptions,
    attended,
    attended_backward,
)


@custom_op(f"{LIBRARY}::attention", mutates_args=())
def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    scale: float,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    runs_here("attention", query, key, value, mask)
    if query.numel() == 0 or key.numel() == 0:
        y, sums = _attention_fake(query)
        return y.zero_(), sums
    q, k, v = (x.contiguous() for x in (query, key, value))
    y = torch.empty_like(q)
    return y, attended(q, k, v, y, _options(q, k, mask, scale, causal))


@custom_op(f"{LIBRARY}::attention_backward", mutates_args=())
def _attention_backward(
    dy: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    y: torch.Tensor,
    sums: torch.Tensor,
    scale: float,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q, k, v = (x.contiguous() for x in (query, key, value))
    results = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    if query.numel() == 0 or key.numel() == 0:
        return results[0].zero_(), results[1].zero_(), results[2].zero_()
    options = _options(q, k, mask, scale, causal)
    attended_backward(dy.contiguous(), (q, k, v), y, sums, results, options)
    return results


def _attention_fake(query: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    batch, heads, queries, _size = query.shape
    sums = query.new_empty((batch * heads, queries, 2), dtype=torch.float32)
    return like(query), sums


def _attention_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    *arrays, ctx.scale, ctx.causal = inputs
    ctx.save_for_backward(*arrays, *output)


def _attention_gradient(ctx: Any, dy: Tensor, _: Any) -> tuple[Any, ...]:
    result = _attention_backward(dy, *ctx.saved_tensors, ctx.scale, ctx.causal)
    return *result, None, None, None


_attention.register_fake(_attention_fake)
_attention_backward.register_fake(lambda dy, *arrays: tuple(like(x) for x in arrays[:3]))
_attention.register_autograd(_attention_gradient, setup_context=_attention_keep)


def _options(
    query: Tensor, key: Tensor, mask: Tensor | None, scale: float, causal: bool
) -> AttentionOptions:
    if mask is None:
        return AttentionOptions(scale, causal)
    is_where = mask.dtype is torch.bool
    # Triton has no loads of bits: a byte of a bool is read as it lies.
    numbers = mask.view(torch.uint8) if is_where else mask
    return AttentionOptions(
        scale=scale,
        causal=causal,
        length=None,
        mask=numbers.expand(*query.shape[:3], key.shape[2]),
        kind="where" if is_where else "added",
        fill=-inf,
    )


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    mask: Tensor | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """Return ``softmax(query · keyᵀ · scale + mask) · value``, without storing a matrix of scores.

    Args:
        query: ``[batch, heads, queries, size]``, float16, bfloat16 or float32; vectors of 256
            elements at most.
        key: ``[batch, groups, keys, size]``, of the dtype of ``query``; ``heads`` is a multiple of
            ``groups``, and consecutive heads share a group (grouped-query attention).
        value: As ``key``.
        mask: Broadcast to ``[batch, heads, queries, keys]``: bool, True where a query sees a key,
            or numbers of the dtype of ``query``, added to scores. It has no gradient.
        causal: Whether query ``i`` sees no key after ``i``; combined with the mask if there is one.
        scale: Factor of the scores; ``1 / sqrt(size)`` if None.

    Returns:
        ``[batch, heads, queries, size]``, of the dtype of ``query``.

    Raises:
        TypeError: The dtypes differ, or there is no kernel for them.
        ValueError: The shapes do not fit, or the mask requires a gradient.
    """
    arrays = {"query": query, "key": key, "value": value}
    check_dtypes("attention", OF_PRODUCTS, **arrays)
    four = all(x.ndim == 4 for x in arrays.values())
    require(four, "attention", "takes tensors of four axes", **arrays)
    fit = query.shape[0] == key.shape[0] and query.shape[3] == key.shape[3] <= LARGEST
    rule = f"batch and size have to agree, and the size to be {LARGEST} at most"
    require(fit and key.shape == value.shape, "attention", rule, **arrays)
    heads, groups = query.shape[1], key.shape[1]
    whole = heads == groups or (groups > 0 and heads % groups == 0)
    require(whole, "attention", "heads have to be a multiple of those of keys", **arrays)
    if mask is not None:
        mask = _checked_mask(mask, query, key)
    size = max(query.shape[-1], 1)
    y: Tensor = _attention(
        query, key, value, mask, size**-0.5 if scale is None else float(scale), causal
    )[0]
    return y


def _checked_mask(mask: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Return the mask with four axes, after checking its dtype and that it broadcasts."""
    arrays = {"query": query, "key": key, "mask": mask}
    if mask.dtype is not torch.bool:
        check_dtypes("attention", OF_PRODUCTS, query=query, mask=mask)
    require(not mask.requires_grad, "attention", "the mask has no gradient: detach it", **arrays)
    full = (*query.shape[:3], key.shape[2])
    pairs = zip(reversed(mask.shape), reversed(full), strict=False)
    fits = mask.ndim <= len(full) and all(n in (1, size) for n, size in pairs)
    require(fits, "attention", f"the mask has to broadcast to {full}", **arrays)
    return mask.reshape((1,) * (len(full) - mask.ndim) + tuple(mask.shape))
