"""Fused attention steps that graph rewritings insert, and their gradients.

On operands that the kernels do not support, torch runs separate operators and drops the same
weights, so that a step and its gradient agree whichever of the two computes each.
"""

from math import e, log2
from typing import Any

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._philox import drawn
from hy_kernels.triton.nn.attention.dot_product import (
    AttentionOptions,
    attended,
    attended_backward,
    supports,
)

_LOG2E = log2(e)


def _options(
    query: Tensor,
    key: Tensor,
    more: tuple[Tensor | None, ...],
    scale: float,
    with_length: bool,
    mask: str,
    fill: float,
    rate: float,
) -> AttentionOptions:
    """Return the options; ``more`` holds length, mask and seed, as far as there are such."""
    # Operands follow each other without gaps; parameters say which there are.
    left = [x for x in more if x is not None]
    length = left.pop(0).contiguous() if with_length else None
    full = (len(query), query.shape[1], key.shape[1])
    masking = None if mask == "none" else left.pop(0).expand(full)
    seed = left.pop(0) if rate else None
    return AttentionOptions(scale, False, length, masking, mask, fill, rate, seed)


def _by_sample(options: AttentionOptions, heads: int) -> AttentionOptions:
    """Return options for kernels, whose mask is a view ``[N / heads, heads, L, S]``."""
    if options.mask is None:
        return options
    return options._replace(mask=options.mask.unflatten(0, (-1, heads)))


def _weights(
    query: Tensor, key: Tensor, options: AttentionOptions
) -> tuple[Tensor, Tensor, Tensor]:
    """Return ``exp(scores - max)``, the statistics of :func:`attended`, and factors of the weights.

    These are computed by torch. The factors are those of mask and dropout for each weight. A query
    that sees no key has exponentials 0, maximum 0 and sum 1.
    """
    scores = to_compute_dtype(torch.bmm(query, key.mT)) * options.scale
    left = torch.ones_like(scores)
    if options.mask is not None and options.kind == "added":
        scores = scores + options.mask
    elif options.mask is not None:
        scores = scores.masked_fill(options.mask == 0, options.fill)
        left = options.mask.to(left.dtype) if options.kind == "both" else left
    if options.length is not None:
        position = torch.arange(scores.shape[2], device=scores.device)
        scores = scores.masked_fill(position >= options.length[..., None], -torch.inf)
    if options.seed is not None:
        leading = drawn(options.seed, scores.shape) >= options.rate
        left = torch.where(leading, left / (1 - options.rate), 0)
    peaks = scores.amax(-1, keepdim=True)
    # A row that sees nothing is measured from 0: minus infinity less itself is nan.
    peaks = torch.where(peaks == -torch.inf, 0, peaks)
    shares = torch.exp(scores - peaks)
    totals = shares.sum(-1, keepdim=True)
    peaks = peaks * _LOG2E  # as kernels here keep them, for gradients by these
    return shares, torch.cat([peaks, torch.where(totals == 0, 1, totals)], -1), left


def _result_of(y: Tensor, heads: int) -> Tensor:
    """Return ``(N * heads, L, D)`` as ``(L, N, heads * D)``; with ``heads`` 0 unchanged."""
    if not heads:
        return y
    count, rows, size = y.shape
    transposed = y.view(count // heads, heads, rows, size).permute(2, 0, 1, 3)
    return transposed.reshape(rows, count // heads, heads * size)


def _by_torch(
    query: Tensor, key: Tensor, value: Tensor, *more: Tensor | None, heads: int, **params: Any
) -> tuple[Tensor, Tensor]:
    """Compute :func:`attention` by separate torch operators."""
    shares, sums, left = _weights(query, key, _options(query, key, more, **params))
    weights = shares / sums[..., 1:] * left
    y = torch.bmm(weights.to(value.dtype), value)
    return _result_of(y, heads).contiguous(), sums


@overlay(supports=lambda *tensors, **_: supports(*tensors), below=Kernel("attention", _by_torch))
def attention(
    query: Tensor, key: Tensor, value: Tensor, *more: Tensor | None, heads: int, **params: Any
) -> tuple[Tensor, Tensor]:
    """Return ``softmax(query · keyᵀ · scale) · value``, and the statistics of :func:`attended`.

    Args:
        query: ``(N, L, D)``.
        key: ``(N, S, D)``.
        value: As ``key``.
        more: Optional operands, in order: ``(N, L)``, the number of keys that each query sees; a
            mask that broadcasts to ``(N, L, S)``; the seed of dropout.
        heads: Number of heads, which are consecutive in N; the result is then
            ``(L, N / heads, heads * D)``. 0: the result is ``(N, L, D)``.
        params: ``scale``, ``with_length``, ``mask``, ``fill`` and ``rate``: see
            :class:`AttentionOptions`.
    """
    each = heads or 1
    options = _by_sample(_options(query, key, more, **params), each)
    q, k, v = (_by_head(x, each) for x in (query, key, value))
    count, rows, size = query.shape
    y = query.new_empty((rows, count // each, each * size) if heads else query.shape)
    return y, attended(q, k, v, _heads_of(y, heads), options)


def _by_head(x: Tensor, heads: int) -> Tensor:
    """Return ``(N * heads, L, D)`` as ``(N, heads, L, D)``."""
    return x.contiguous().view(len(x) // heads, heads, *x.shape[1:])


def _heads_of(y: Tensor, heads: int) -> Tensor:
    """Return a view ``(N, heads, L, D)`` of a contiguous result of :func:`attention`."""
    if not heads:
        return y.unsqueeze(1)
    rows, count, width = y.shape
    return y.view(rows, count, heads, width // heads).permute(1, 2, 0, 3)


def _gradients_by_torch(
    dy: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    y: Tensor,
    sums: Tensor,
    *more: Tensor | None,
    heads: int,
    **params: Any,
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute :func:`attention_backward` by separate torch operators."""
    options = _options(query, key, more, **params)
    shares, sums, left = _weights(query, key, options)
    g = to_compute_dtype(_heads_of(dy.contiguous(), heads).reshape(query.shape))
    q, k, v = (to_compute_dtype(x) for x in (query, key, value))
    weights = shares / sums[..., 1:]
    dv = torch.bmm((weights * left).mT, g)
    dp = torch.bmm(g, v.mT) * left
    ds = weights * (dp - (weights * dp).sum(-1, keepdim=True)) * options.scale
    if options.mask is not None and options.kind != "added":
        ds = ds.masked_fill(options.mask == 0, 0)
    result = (torch.bmm(ds, k), torch.bmm(ds.mT, q), dv)
    dq, dk, dv = (x.to(query.dtype) for x in result)
    return dq, dk, dv


@overlay(
    supports=lambda *tensors, **_: supports(*tensors),
    below=Kernel("attention_backward", _gradients_by_torch),
)
def attention_backward(
    dy: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    y: Tensor,
    sums: Tensor,
    *more: Tensor | None,
    heads: int,
    **params: Any,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of :func:`attention` to queries, keys and values.

    Args:
        dy: Gradient of the result ``y``.
        query: As for :func:`attention`.
        key: As for :func:`attention`.
        value: As for :func:`attention`.
        y: The result.
        sums: The statistics that :func:`attention` returned.
        more: As for :func:`attention`.
        heads: As for :func:`attention`.
        params: As for :func:`attention`.
    """
    options = _by_sample(_options(query, key, more, **params), heads or 1)
    q, k, v = (_by_head(x, heads or 1) for x in (query, key, value))
    dq, dk, dv = (torch.empty_like(x) for x in (q, k, v))
    result, g = (_heads_of(x.contiguous(), heads) for x in (y, dy))
    attended_backward(g, (q, k, v), result, sums, (dq, dk, dv), options)
    return dq.view(query.shape), dk.view(key.shape), dv.view(value.shape)
