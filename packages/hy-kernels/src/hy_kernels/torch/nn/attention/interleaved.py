"""Multi-head attention on MXNet's interleaved projections: scores and weighted sums."""

from math import sqrt

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer, target
from hy_kernels.torch.nn._window import factor, to_storage_dtype


def part_of(data: Tensor, heads: int, parts: int, part: int) -> Tensor:
    """Return a view ``[N, heads, L, D]`` of part ``part`` of interleaved projections."""
    # MXNet interleaves: each head has its query, key and value side by side.
    size = data.shape[2] // (heads * parts)
    split = data.view(*data.shape[:2], heads, parts, size)
    return split[:, :, :, part].permute(1, 2, 0, 3)


def _split(data: Tensor, heads: int, parts: int) -> Tensor:
    """Return a view ``[N * heads, L, parts, D]`` of interleaved projections."""
    length, samples, width = data.shape
    split = data.view(length, samples * heads, parts, width // (heads * parts))
    return split.transpose(0, 1)


def _stacked(data: Tensor, heads: int, parts: int, part: int) -> Tensor:
    """Return a view ``[N * heads, L, D]`` of part ``part`` of interleaved projections."""
    return _split(data, heads, parts).select(2, part)


def _scores(query: Tensor, key: Tensor, out: OutBuffers) -> Tensor:
    left, right = factor(query), factor(key)
    memory = out_buffer(out) if left.dtype is query.dtype else None
    shape = (len(left), left.shape[1], right.shape[1])
    y = left.new_empty(shape) if memory is None else memory
    scale = 1 / sqrt(max(query.shape[2], 1))
    # Product and scale in one call; with beta=0 what the memory held is not read.
    torch.baddbmm(y, left, right.transpose(1, 2), beta=0, alpha=scale, out=y)
    return to_storage_dtype(y, query.dtype, out)


def _weighted_values(
    data: Tensor, attention: Tensor, heads: int, parts: int, out: OutBuffers
) -> Tensor:
    value = _stacked(data, heads, parts, parts - 1)
    each = torch.bmm(factor(attention), factor(value)).transpose(0, 1)
    memory = out_buffer(out)
    if memory is not None:
        memory.view(each.shape).copy_(each)
        return memory
    rows, samples = len(each), data.shape[1]
    return each.to(data.dtype).reshape(rows, samples, heads * each.shape[2])


@kernel(out="apart")
def selfatt_scores(queries_keys_values: Tensor, *, heads: int, out: OutBuffers = None) -> Tensor:
    """Return ``query · keyᵀ / sqrt(D)`` of self-attention, ``[N * heads, L, L]``."""
    query, key, _ = _split(queries_keys_values, heads, 3).unbind(2)
    return _scores(query, key, out)


@kernel(out="apart")
def selfatt_values(
    queries_keys_values: Tensor, attention: Tensor, *, heads: int, out: OutBuffers = None
) -> Tensor:
    """Return ``attention · value`` of self-attention, ``[L, N, heads * D]``."""
    return _weighted_values(queries_keys_values, attention, heads, 3, out)


@kernel(out="apart")
def encdec_scores(
    queries: Tensor, keys_values: Tensor, *, heads: int, out: OutBuffers = None
) -> Tensor:
    """Return ``query · keyᵀ / sqrt(D)`` of encoder-decoder attention."""
    return _scores(_stacked(queries, heads, 1, 0), _stacked(keys_values, heads, 2, 0), out)


@kernel(out="apart")
def encdec_values(
    keys_values: Tensor, attention: Tensor, *, heads: int, out: OutBuffers = None
) -> Tensor:
    """Return ``attention · value`` of encoder-decoder attention."""
    return _weighted_values(keys_values, attention, heads, 2, out)


@kernel(out="apart")
def head_part(data: Tensor, *, heads: int, parts: int, part: int, out: OutBuffers = None) -> Tensor:
    """Return a copy of part ``part`` of interleaved projections, ``[N * heads, L, D]``."""
    return copied(_stacked(data, heads, parts, part), out)


@kernel(out="apart")
def place_head_part(
    y: Tensor, data: Tensor, *, heads: int, parts: int, part: int, out: OutBuffers = None
) -> Tensor:
    """Return zeros like ``data`` with one part set to ``y``: the gradient of ``head_part``."""
    whole = target(out, data.shape, y.dtype, y.device).zero_()
    _stacked(whole, heads, parts, part).copy_(y)
    return whole


@kernel(out="apart")
def join_head_parts(*data: Tensor, heads: int, out: OutBuffers = None) -> Tensor:
    """Return the parts interleaved by head, ``[L, N, heads * parts * D]``."""
    rows, length, size = data[0].shape
    stacks = [value.transpose(0, 1) for value in data]
    memory = out_buffer(out)
    if memory is not None:
        torch.stack(stacks, 2, out=memory.view(length, rows, len(data), size))
        return memory
    return torch.stack(stacks, 2).view(length, rows // heads, heads * len(data) * size)
