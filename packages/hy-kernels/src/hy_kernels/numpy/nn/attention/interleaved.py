"""Multi-head attention on MXNet's interleaved projections: scores and weighted sums."""

from functools import partial
from math import sqrt

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    accumulator,
    copied,
    flattened,
    shaped,
    target,
    zeroed,
)
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._pool import num_chunks, split, together


def _head_view(data: Array, heads: int, parts: int, part: int) -> Array:
    """Return one projection (query, key or value) as a view ``[N, heads, L, D]``.

    ``data`` is ``[L, N, heads * parts * D]``; ``part`` is the index of the projection.
    """
    # MXNet's contrib operators interleave by head: query, key and value of one head, then the
    # next head's.
    size = data.shape[2] // (heads * parts)
    split = data.reshape(*data.shape[:2], heads, parts, size)
    return split[:, :, :, part].transpose(1, 2, 0, 3)


def _matmul(a: Array, b: Array, scale: float = 1.0, out: OutBuffers = None) -> Array:
    """Return ``scale * a · b`` for stacks of matrices, computed in at least float32."""
    dtype = accumulator(a.dtype)
    y = target(out, (*a.shape[:-1], b.shape[-1]), dtype)
    left, right = a.astype(dtype, copy=False), b.astype(dtype, copy=False)

    def multiply_share(own: slice) -> None:
        part = np.matmul(left[own], right[own], out=y[own])
        if scale != 1.0:
            part *= scale

    count = num_chunks(y.size * a.shape[-1], COSTS.threads.attention)
    together([partial(multiply_share, own) for own in split(len(y), count)])
    return np.asarray(y.astype(a.dtype, copy=False))


def _scores(query: Array, key: Array, out: OutBuffers) -> Array:
    if query.shape[-1] != key.shape[-1] or query.shape[:2] != key.shape[:2]:
        raise ValueError(f"queries {query.shape} and keys {key.shape} must agree in heads and size")
    shape = *query.shape[:3], key.shape[2]
    scale = 1 / sqrt(max(query.shape[-1], 1))
    y = _matmul(query, key.swapaxes(-1, -2), scale, shaped(out, shape))
    return flattened(y, 0, 2)


def _values(data: Array, attention: Array, heads: int, parts: int, out: OutBuffers) -> Array:
    value = _head_view(data, heads, parts, parts - 1)
    samples, _, length, size = value.shape
    rows = attention.shape[1]
    y = _matmul(attention.reshape(samples, heads, rows, length), value)
    result = target(out, (rows, samples, heads * size), y.dtype)
    result.reshape(rows, samples, heads, size)[...] = y.transpose(2, 0, 1, 3)
    return result


@kernel(out="apart", threads=COSTS.threads.rows)
def selfatt_scores(queries_keys_values: Array, *, heads: int, out: OutBuffers = None) -> Array:
    """Return the scores of self-attention, ``query · keyᵀ / sqrt(D)``: ``[N heads, L, L]``."""
    query, key = (_head_view(queries_keys_values, heads, 3, part) for part in (0, 1))
    return _scores(query, key, out)


@kernel(out="apart", threads=COSTS.threads.rows)
def selfatt_values(
    queries_keys_values: Array, attention: Array, *, heads: int, out: OutBuffers = None
) -> Array:
    """Return ``attention · value`` of self-attention, ``[L, N, heads D]``."""
    return _values(queries_keys_values, attention, heads, 3, out)


@kernel(out="apart", threads=COSTS.threads.rows)
def encdec_scores(
    queries: Array, keys_values: Array, *, heads: int, out: OutBuffers = None
) -> Array:
    """Return the scores of cross-attention, ``query · keyᵀ / sqrt(D)``: ``[N heads, L, S]``."""
    return _scores(_head_view(queries, heads, 1, 0), _head_view(keys_values, heads, 2, 0), out)


@kernel(out="apart", threads=COSTS.threads.rows)
def encdec_values(
    keys_values: Array, attention: Array, *, heads: int, out: OutBuffers = None
) -> Array:
    """Return ``attention · value`` of cross-attention, ``[L, N, heads D]``."""
    return _values(keys_values, attention, heads, 2, out)


# A composition of operators would copy twice, so that gradients of interleaved attention take 1.2
# to 1.3 times as long.
@kernel(out="apart")
def head_part(data: Array, *, heads: int, parts: int, part: int, out: OutBuffers = None) -> Array:
    """Return a copy of one interleaved projection (query, key or value), ``[N heads, L, D]``."""
    view = _head_view(data, heads, parts, part)
    return flattened(copied(view, shaped(out, view.shape)), 0, 2)


@kernel(out="apart")
def place_head_part(
    y: Array, data: Array, *, heads: int, parts: int, part: int, out: OutBuffers = None
) -> Array:
    """Return zeros in the shape of ``data``, with ``y [N heads, L, D]`` as one projection."""
    whole = zeroed(out, data.shape, y.dtype)
    view = _head_view(whole, heads, parts, part)
    view[...] = y.reshape(view.shape)
    return whole


@kernel(out="apart", threads=COSTS.threads.rows)
def join_head_parts(*data: Array, heads: int, out: OutBuffers = None) -> Array:
    """Return projections ``[N heads, L, D]`` interleaved by head, ``[L, N, heads parts D]``."""
    rows, length, size = data[0].shape
    samples = rows // heads
    whole = target(out, (length, samples, heads * len(data) * size), data[0].dtype)

    def put(part: int) -> None:
        view = _head_view(whole, heads, len(data), part)
        view[...] = data[part].reshape(view.shape)

    if whole.size >= COSTS.threads.rows:
        together([partial(put, part) for part in range(len(data))])
    else:
        for part in range(len(data)):
            put(part)
    return whole
