"""Conversion between coordinates and flat indices; counts of elements, histograms."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import integers


def _strides(shape: tuple[int, ...] | None) -> list[int]:
    """Return the strides of a contiguous array of ``shape``, in elements."""
    strides = [1]
    for n in reversed((shape or ())[1:]):
        strides.append(strides[-1] * n)
    return strides[::-1]


@kernel(out="apart")
def ravel_multi_index(
    data: Array, *, shape: tuple[int, ...] | None, out: OutBuffers = None
) -> Array:
    """Convert coordinates ``[rank, ...]`` to flat indices into an array of ``shape``."""
    index = np.asarray(np.array(_strides(shape)) @ integers(data))
    return copied(index, out, dtype=data.dtype)


@kernel(out="apart")
def unravel_index(data: Array, *, shape: tuple[int, ...] | None, out: OutBuffers = None) -> Array:
    """Convert flat indices into an array of ``shape`` to coordinates ``[rank, ...]``."""
    left = integers(data)
    y = target(out, (len(shape or ()), *data.shape), data.dtype)
    for i, stride in enumerate(_strides(shape)):
        y[i], left = np.divmod(left, stride)
    return y


@kernel()
def index_array(data: Array, *, axes: tuple[int, ...] | None) -> Array:
    """Return the coordinates of each element of ``data`` along ``axes``, on a new last axis."""
    selected = range(data.ndim) if axes is None else axes
    y = np.empty((*data.shape, len(selected)), np.int64)
    for i, axis in enumerate(selected):
        size = data.shape[axis]
        y[..., i] = np.arange(size).reshape(-1, *(1,) * (data.ndim - 1 - axis % data.ndim))
    return y


@kernel(out="apart")
def histogram(
    data: Array,
    bins: Array | None = None,
    *,
    bin_cnt: int | None,
    range: tuple[float, ...] | None,
    out: OutBuffers = None,
) -> tuple[Array, Array]:
    """Return the counts of a histogram, and the edges of its bins."""
    values = data.astype(np.float64).ravel()
    if bins is None:
        assert bin_cnt is not None and range is not None  # noqa: PT018  # by the type rule
        counts, edges = np.histogram(values, bin_cnt, (range[0], range[1]))
    elif bins.dtype != data.dtype:
        raise ValueError(f"bins are {bins.dtype}, not {data.dtype} as the data")
    else:
        counts, edges = np.histogram(values, bins.astype(np.float64))
    return counts.astype(np.int64), copied(edges, out, 1, dtype=data.dtype)
