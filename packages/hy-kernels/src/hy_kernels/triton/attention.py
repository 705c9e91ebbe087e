"""Attention in one step, without the matrix of scores, and its gradients.

Scores and sums are float32; weights are rounded to the dtype of the values before they multiply
them, so that results of float16 have an error of a few units of 2^-11, of bfloat16 of 2^-8.
"""

from typing import Any, NamedTuple

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch._precision import wide
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._launch import launch, runs_on
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import next_power
from hy_kernels.triton.device import attention as device
from hy_kernels.triton.matmul import precision

__all__ = ["LARGEST", "attended", "attended_backward", "attention", "self_attention"]

LARGEST = 256
"""Elements of a vector of a head."""

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class _Tiles(NamedTuple):
    queries: int
    keys: int
    size: int
    warps: int

    @classmethod
    def of(cls, query: Tensor, backward: bool) -> "_Tiles":
        size = max(next_power(query.shape[-1]), 16)
        wide = size * query.element_size()
        if wide > 256:
            return cls(32, 32, size, 4)
        if backward:
            return cls(64, 32, size, 8) if wide > 128 else cls(32, 64, size, 4)
        return cls(64, 64, size, 4) if wide > 128 else cls(128, 64, size, 8)


def _strides(*tensors: Tensor) -> list[int]:
    return [n for x in tensors for n in x.stride()[:3]]


def _how(
    query: Tensor, scale: float, causal: bool, length: Tensor | None, tiles: _Tiles
) -> dict[str, Any]:
    return {
        "warps": tiles.warps,
        "SCALE": scale,
        "CAUSAL": causal,
        "HAS_LENGTH": length is not None,
        "PRECISION": precision(),
        "QUERIES": tiles.queries,
        "KEYS": tiles.keys,
        "SIZE": tiles.size,
    }


def _check(query: Tensor, key: Tensor, value: Tensor) -> None:
    if key.shape != value.shape or query.shape[:2] != key.shape[:2]:
        shapes = ", ".join(str(tuple(x.shape)) for x in (query, key, value))
        raise ValueError(f"no attention of queries, keys and values of shapes {shapes}")
    if query.shape[-1] != key.shape[-1] or query.shape[-1] > LARGEST:
        sizes = f"{query.shape[-1]} and {key.shape[-1]}"
        raise ValueError(f"vectors of {sizes} elements; they have to be equal, {LARGEST} at most")


def attended(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    y: Tensor,
    *,
    scale: float,
    causal: bool = False,
    length: Tensor | None = None,
) -> Tensor:
    """``softmax(query · keyᵀ · scale) · value``, written to ``y``.

    Args:
        query: ``[batch, heads, queries, size]``, the last axis without gaps.
        key: ``[batch, heads, keys, size]``, likewise.
        value: As ``key``.
        y: As ``query``, memory for the result.
        scale: Of the scores.
        causal: Whether query ``i`` sees no key behind ``i``.
        length: ``[batch * heads, queries]``, contiguous: how many keys each query sees.

    Returns:
        ``[batch * heads, queries]``, logarithms of the sums of exponentials.

    Raises:
        ValueError: The shapes do not fit.
    """
    _check(query, key, value)
    batch, heads, queries, size = query.shape
    log = query.new_empty((batch * heads, queries), dtype=torch.float32)
    tiles = _Tiles.of(query, backward=False)
    launch(
        device.attention_forward,
        (-(-queries // tiles.queries) * batch * heads,),
        *(query, key, value, y, log),
        log if length is None else length,
        *(heads, queries, key.shape[2], size),
        *_strides(query, key, value, y),
        **_how(query, scale, causal, length, tiles),
    )
    return log


def attended_backward(
    dy: Tensor,
    arrays: tuple[Tensor, Tensor, Tensor],
    y: Tensor,
    log: Tensor,
    results: tuple[Tensor, Tensor, Tensor],
    *,
    scale: float,
    causal: bool = False,
    length: Tensor | None = None,
) -> None:
    """Gradients of :func:`attended`.

    Args:
        dy: The gradient of the result, of the strides of ``y``.
        arrays: Queries, keys and values.
        y: The result.
        log: What that returned.
        results: Memory for gradients, of the strides of ``arrays``.
        scale: As there.
        causal: As there.
        length: As there.
    """
    query, key, value = arrays
    batch, heads, queries, size = query.shape
    keys = key.shape[2]
    tiles = _Tiles.of(query, backward=True)
    along = torch.empty_like(log)
    launch(
        device.attention_along,
        (-(-queries // tiles.queries) * batch * heads,),
        *(dy, y, along, heads, queries, size),
        *_strides(y),
        QUERIES=tiles.queries,
        SIZE=tiles.size,
    )
    how = _how(query, scale, causal, length, tiles)
    sizes = (heads, queries, keys, size)
    lengths = log if length is None else length
    given = (query, key, value, dy, log, along)
    strides = _strides(query, key, value, y)
    launch(
        device.attention_backward_keys,
        (-(-keys // tiles.keys) * batch * heads,),
        *(*given, results[1], results[2], lengths, *sizes, *strides),
        **how,
    )
    launch(
        device.attention_backward_queries,
        (-(-queries // tiles.queries) * batch * heads,),
        *(*given, results[0], lengths, *sizes, *strides),
        **how,
    )


def _suits(data: Tensor, length: Tensor | None = None, *, heads: int, **_: Any) -> bool:
    exact = data.dtype is torch.float32 and precision() == "ieee"  # torch's is for these
    usual = data.dtype in _DTYPES and data.numel() > 0 and not exact
    return usual and data.shape[2] // (3 * heads) <= LARGEST and runs_on(data, length)


@overlay(suits=_suits)
def self_attention(
    queries_keys_values: Tensor, length: Tensor | None = None, *, heads: int, with_length: bool
) -> Tensor:
    """``softmax(query · keyᵀ / sqrt(D)) · value`` of each head, of projections side by side.

    Args:
        queries_keys_values: ``(L, N, heads * 3 * D)``, read where it lies.
        length: ``(N * heads, L)``, how many keys each query sees.
        heads: Number of heads.
        with_length: Whether there is a ``length``.
    """
    steps, samples, width = queries_keys_values.shape
    size = width // (3 * heads)
    parts = queries_keys_values.contiguous().view(steps, samples, heads, 3, size)
    query, key, value = parts.permute(3, 1, 2, 0, 4).unbind(0)
    y = torch.empty((steps, samples, heads, size), dtype=query.dtype, device=query.device)
    seen = None if length is None else length.contiguous()
    result = y.permute(1, 2, 0, 3)
    attended(query, key, value, result, scale=size**-0.5, length=seen)
    return y.view(steps, samples, width // 3)


def _by_torch(query: Tensor, key: Tensor, value: Tensor, *, scale: float) -> Tensor:
    """The operators in turn."""
    weights = torch.softmax(wide(torch.bmm(query, key.mT)) * scale, -1)
    return torch.bmm(weights.to(value.dtype), value)


def _suits_products(query: Tensor, key: Tensor, value: Tensor, **_: Any) -> bool:
    exact = query.dtype is torch.float32 and precision() == "ieee"  # torch's is for these
    return query.numel() > 0 and key.numel() > 0 and not exact and runs_on(query, key, value)


@overlay(suits=_suits_products, below=Kernel("attention", _by_torch))
def attention(query: Tensor, key: Tensor, value: Tensor, *, scale: float) -> Tensor:
    """``softmax(query · keyᵀ · scale) · value``.

    Args:
        query: ``(N, L, D)``.
        key: ``(N, S, D)``.
        value: As ``key``.
        scale: Of the scores.
    """
    q, k, v = (x.contiguous().unsqueeze(1) for x in (query, key, value))
    y = torch.empty_like(q)
    attended(q, k, v, y, scale=scale)
    return y.squeeze(1)
