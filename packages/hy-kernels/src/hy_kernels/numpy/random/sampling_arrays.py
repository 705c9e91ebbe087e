"""Sampling from many distributions at once, whose parameters are arrays."""

import numpy as np

from hy_kernels.distributions import OF_ARRAYS, of_arrays
from hy_kernels.numpy._array import Array, OutBuffers, copied, flattened, out_buffer
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.random import _draws
from hy_kernels.numpy.random._draws import Generator

Shape = tuple[int, ...]


for _name, _names in OF_ARRAYS.items():
    kernel(f"sample_{_name}", out="apart")(of_arrays(getattr(_draws, _name), *_names))


def _draw_indices(data: Array, shape: Shape, rng: Generator) -> Array:
    """Draw indices ``[rows, draws]`` with the probabilities in each row of ``data``."""
    rows, size = data.shape
    if not size:
        raise ValueError(f"cannot draw from a distribution without outcomes: data {data.shape}")
    bounds = np.cumsum(data, axis=1, dtype=np.float64)
    # A row of zeros becomes nan.
    with np.errstate(invalid="ignore"):
        bounds /= bounds[:, -1:]
    first = np.arange(rows)[:, None]
    # Inverse transform sampling. With the row number added, the rows' cumulative sums form one
    # sorted array, so that one binary search serves all rows.
    bounds += first
    points = rng.random((rows, int(np.prod(shape)))) + first
    index = np.searchsorted(bounds.ravel(), points, side="right") - first * size
    return np.asarray(np.clip(index, 0, size - 1))


@kernel(out="apart")
def sample_multinomial(
    data: Array, *, shape: Shape, get_prob: bool, dtype: str, rng: Generator, out: OutBuffers = None
) -> Array | tuple[Array, Array]:
    """Draw indices with the probabilities along the last axis of ``data``.

    If ``get_prob``, the logarithms of their probabilities are returned, too.
    """
    flat = flattened(data, 0, data.ndim - 1)
    sizes = (*data.shape[:-1], *shape) or (1,)
    index = _draw_indices(flat, shape, rng)
    drawn = copied(index.reshape(sizes), out, dtype=np.dtype(dtype))
    if not get_prob:
        return drawn
    memory = out_buffer(out, 1)
    probabilities = np.take_along_axis(flat, index, 1).reshape(sizes)
    with np.errstate(divide="ignore"):
        return drawn, np.log(probabilities, out=memory)


@kernel(out="apart")
def sample_multinomial_backward(
    dy: Array, data: Array, index: Array, *, out: OutBuffers = None
) -> Array:
    """Return the gradient to the probabilities: ``dy / data`` added at the drawn indices."""
    flat = flattened(data, 0, data.ndim - 1)
    rows, size = flat.shape
    each = index.size // max(rows, 1)
    indices = (index.reshape(rows, each) + np.arange(rows)[:, None] * size).astype(np.intp)
    sums = np.bincount(indices.ravel(), dy.ravel().astype(np.float64), flat.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        dx = np.where(sums == 0, 0, sums / flat.ravel())
    return copied(dx.reshape(data.shape), out, dtype=dy.dtype)


def _different(range_max: int, count: int, rng: Generator) -> tuple[Array, int]:
    """Draw ``count`` distinct log-uniform integers; also return the number of draws it took."""
    drawn = np.empty(0, np.int64)
    first = np.empty(0, np.intp)
    # In batches twice as large as needed, because some numbers repeat. Inverse transform:
    # exp(u log(n + 1)) - 1 is log-uniform below n.
    while len(first) < count:
        more = np.exp(rng.random(2 * count + 8) * np.log(range_max + 1)).astype(np.int64) - 1
        drawn = np.concatenate([drawn, np.minimum(more, range_max - 1)])
        first = np.sort(np.unique(drawn, return_index=True)[1])
    first = first[:count]
    return drawn[first], int(first[-1]) + 1 if count else 0


@kernel()
def sample_unique_zipfian(
    *, range_max: int, shape: Shape | None, rng: Generator
) -> tuple[Array, Array]:
    """Draw rows of distinct log-uniform integers; also return each row's number of draws."""
    if shape is None or len(shape) != 2 or shape[1] > range_max:
        raise ValueError(
            f"shape {shape} must be (rows, draws), with at most range_max={range_max} draws a row"
        )
    rows = [_different(range_max, shape[1], rng) for _ in range(shape[0])]
    numbers = np.array([row for row, _ in rows], np.int64).reshape(shape)
    return numbers, np.array([tries for _, tries in rows], np.int64)
