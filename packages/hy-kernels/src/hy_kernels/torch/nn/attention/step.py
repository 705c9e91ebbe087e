"""Kernels of the fused attention step and of its gradients."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.nn.attention._forms import Attention
from hy_kernels.torch.nn.attention._fused import Arrays
from hy_kernels.torch.nn.attention.interleaved import part_of

_Part: TypeAlias = Sequence[int]
_BY_HEAD = 4  # axes of masks by sample and head


def _attention(
    arrays: Arrays,
    mask_array: Tensor | None,
    *,
    parts: Sequence[_Part],
    scale: float,
    mask: str,
    fill: float,
    binary: bool,
) -> Attention:
    samples = len(mask_array) if mask_array is not None and mask_array.ndim == _BY_HEAD else None
    query, key, value = (_by_head(x, part, samples) for x, part in zip(arrays, parts, strict=True))
    if mask_array is None:
        return Attention(arrays=(query, key, value), scale=scale, kind=mask)
    if mask == "length":
        mask_array = mask_array.reshape(*query.shape[:3], 1)
    elif mask_array.ndim < _BY_HEAD:
        axes = (1, 1) if len(mask_array) == 1 else query.shape[:2]
        mask_array = mask_array.reshape(*axes, *mask_array.shape[1:])
    # Zeros and ones are their own squares; other masks also scale the weights.
    scales_weights = (
        mask == "both" and not binary and not torch.equal(mask_array * mask_array, mask_array)
    )
    return Attention(
        arrays=(query, key, value),
        scale=scale,
        kind=mask,
        fill=fill,
        mask_array=mask_array,
        scales_weights=scales_weights,
    )


def _by_head(x: Tensor, part: _Part, samples: int | None) -> Tensor:
    """Return vectors as a view ``[N, heads, L, D]``, or a copy if they are not contiguous."""
    contiguous = x.contiguous()
    if part:
        return part_of(contiguous, *part)
    count, rows, size = x.shape
    samples = count if samples is None else samples
    return contiguous.view(samples, count // samples, rows, size)


def _to_heads(y: Tensor, heads: int = 0) -> Tensor:
    """Return ``[N, heads, L, D]`` as ``[N * heads, L, D]``, or ``[L, N, heads * D]`` with heads."""
    samples, each, rows, size = y.shape
    if heads:
        return y.permute(2, 0, 1, 3).reshape(rows, samples, each * size)
    return y.reshape(samples * each, rows, size).contiguous()


@kernel()
def dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask_array: Tensor | None = None,
    *,
    heads: int,
    **options: Any,
) -> Tensor:
    """Return ``softmax(query · keyᵀ · scale) · value`` under a mask.

    Args:
        query: ``[N, L, D]``, or an array of interleaved heads.
        key: ``[N, S, D]``, likewise.
        value: As ``key``.
        mask_array: The mask, or None. For ``"length"`` the number of keys that each query sees,
            ``[N, L]``; else ``[N, L, S]``, or ``[N / heads, 1, L, S]``, whose axes may be 1.
        heads: Number of heads, consecutive in N: the result is ``[L, N / heads, heads * D]``. 0:
            the result is ``[N, L, D]``.
        options: ``parts``: for queries, keys and values ``(heads, parts, k)`` if they are part
            ``k`` of an array of interleaved heads, else ``()``; ``scale`` of the scores; ``mask``:
            ``"none"``, ``"length"``, ``"added"`` to scores, ``"where"`` (scores are ``fill`` where
            the mask is 0), or ``"both"``, which also multiplies the weights by the mask;
            ``binary``: whether the mask is known to consist of zeros and ones.
    """
    return _to_heads(_attention((query, key, value), mask_array, **options).result()[0], heads)


@kernel()
def dot_product_attention_with_sums(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask_array: Tensor | None = None,
    *,
    heads: int,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """Return :func:`dot_product_attention`, and the logsumexp of rows, ``[N, L]``."""
    step = _attention((query, key, value), mask_array, **options)
    y, sums = step.result()
    if sums is None:
        # Kernels have a fixed number of results, so memory that nobody reads stands in.
        sums = to_compute_dtype(y).new_empty(y.shape[:3])
    return _to_heads(y, heads), sums.reshape(-1, y.shape[2]).contiguous()


@kernel()
def dot_product_attention_backward(
    dy: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    sums: Tensor,
    mask_array: Tensor | None = None,
    *,
    heads: int,
    **options: Any,
) -> Arrays:
    """Return the gradients of :func:`dot_product_attention`, each ``[N, L, D]``.

    Args:
        dy: Gradient of the result.
        query: As for :func:`dot_product_attention`.
        key: As for :func:`dot_product_attention`.
        value: As for :func:`dot_product_attention`.
        output: The result.
        sums: The logsumexp of rows.
        mask_array: As for :func:`dot_product_attention`.
        heads: As for :func:`dot_product_attention`.
        options: As for :func:`dot_product_attention`.
    """
    step = _attention((query, key, value), mask_array, **options)
    samples = len(step.arrays[0])
    g, y = (_by_head(x, (heads, 1, 0) if heads else (), samples) for x in (dy, output))
    dq, dk, dv = step.gradients(g, y, sums.view(y.shape[:3]))
    return _to_heads(dq), _to_heads(dk), _to_heads(dv)
