"""Scores and weighted sums of multi-head attention, on projections that lie side by side."""

from math import sqrt

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor, place, target
from hy_kernels.torch.nn._window import factor, narrow

__all__ = [
    "encdec_scores",
    "encdec_values",
    "head_part",
    "join_head_parts",
    "part_of",
    "place_head_part",
    "selfatt_scores",
    "selfatt_values",
]


def part_of(data: Tensor, heads: int, parts: int, part: int) -> Tensor:
    """A view ``[N, heads, L, D]`` of one vector of each head."""
    size = data.shape[2] // (heads * parts)
    split = data.view(*data.shape[:2], heads, parts, size)
    return split[:, :, :, part].permute(1, 2, 0, 3)


def _matrices(x: Tensor) -> Tensor:
    """``[N, heads, L, D]`` as one stack of matrices."""
    n, heads, length, size = x.shape
    return x.reshape(n * heads, length, size)


def _scores(query: Tensor, key: Tensor, out: Places) -> Tensor:
    if query.shape[-1] != key.shape[-1] or query.shape[:2] != key.shape[:2]:
        raise ValueError("queries and keys differ")
    left, right = (_matrices(factor(x)) for x in (query, key))
    memory = place(out) if left.dtype is query.dtype else None
    shape = (len(left), left.shape[1], right.shape[1])
    y = left.new_empty(shape) if memory is None else memory
    scale = 1 / sqrt(max(query.shape[-1], 1))
    torch.baddbmm(y, left, right.transpose(1, 2), beta=0, alpha=scale, out=y)
    return narrow(y, query.dtype, out)


def _values(data: Tensor, attention: Tensor, heads: int, parts: int, out: Places) -> Tensor:
    value = part_of(data, heads, parts, parts - 1)
    samples, _, _, size = value.shape
    rows = attention.shape[1]
    y = torch.bmm(factor(attention), _matrices(factor(value)))
    each = y.view(samples, heads, rows, size).permute(2, 0, 1, 3)
    result = target(out, (rows, samples, heads * size), data.dtype, data.device)
    result.view(each.shape).copy_(each)
    return result


@kernel(out="apart")
def selfatt_scores(queries_keys_values: Tensor, *, heads: int, out: Places = None) -> Tensor:
    """``query · keyᵀ / sqrt(D)``."""
    query, key = (part_of(queries_keys_values, heads, 3, part) for part in (0, 1))
    return _scores(query, key, out)


@kernel(out="apart")
def selfatt_values(
    queries_keys_values: Tensor, attention: Tensor, *, heads: int, out: Places = None
) -> Tensor:
    """``attention · value``."""
    return _values(queries_keys_values, attention, heads, 3, out)


@kernel(out="apart")
def encdec_scores(
    queries: Tensor, keys_values: Tensor, *, heads: int, out: Places = None
) -> Tensor:
    """``query · keyᵀ / sqrt(D)``."""
    return _scores(part_of(queries, heads, 1, 0), part_of(keys_values, heads, 2, 0), out)


@kernel(out="apart")
def encdec_values(
    keys_values: Tensor, attention: Tensor, *, heads: int, out: Places = None
) -> Tensor:
    """``attention · value``."""
    return _values(keys_values, attention, heads, 2, out)


@kernel(out="apart")
def head_part(data: Tensor, *, heads: int, parts: int, part: int, out: Places = None) -> Tensor:
    """One vector of each head."""
    view = part_of(data, heads, parts, part)
    n, _, length, size = view.shape
    y = target(out, (n * heads, length, size), data.dtype, data.device)
    y.view(view.shape).copy_(view)
    return y


@kernel(out="apart")
def place_head_part(
    y: Tensor, data: Tensor, *, heads: int, parts: int, part: int, out: Places = None
) -> Tensor:
    """Zeros, but for one vector of each head."""
    whole = target(out, data.shape, y.dtype, y.device).zero_()
    view = part_of(whole, heads, parts, part)
    view.copy_(y.view(view.shape))
    return whole


@kernel(out="apart")
def join_head_parts(*data: Tensor, heads: int, out: Places = None) -> Tensor:
    """All vectors of each head side by side."""
    first = data[0]
    rows, length, size = first.shape
    shape = length, rows // heads, heads * len(data) * size
    whole = target(out, shape, first.dtype, first.device)
    for part, value in enumerate(data):
        view = part_of(whole, heads, len(data), part)
        view.copy_(value.view(view.shape))
    return whole
