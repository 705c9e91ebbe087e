"""Resizing of images by repetition, bilinear interpolation and adaptive averages."""

from functools import lru_cache
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, out_buffer, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._rows import by_rows
from hy_kernels.numpy.nn._window import Windows, to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution._gradients import backward_data
from hy_kernels.windows import resized_length

_MAX_CACHED = 8
"""Cached matrices of each kind: they depend on sizes alone, and nobody writes to them."""


def _repeated(x: Array, scale: int, out: OutBuffers = None) -> Array:
    n, c, h, w = x.shape
    result = target(out, (n, c, h * scale, w * scale), x.dtype)
    rows, blocks = x.reshape(-1, w), result.reshape(-1, scale, w * scale)

    def work(part: slice) -> None:
        # First columns, in loops over a row that stay in the cache; then whole rows.
        repeated = workspace("wide", (part.stop - part.start, w * scale), x.dtype)
        for k in range(scale):
            repeated[:, k::scale] = rows[part]
        blocks[part] = repeated[:, None]

    by_rows(rows, work)
    return result


@kernel(out="apart")
def up_sampling(
    *data: Array,
    scale: int,
    num_filter: int,
    sample_type: str,
    multi_input_mode: str,
    workspace: int,
    out: OutBuffers = None,
) -> Array:
    """Return images upsampled to ``scale`` times the height of the first, and combined.

    Nearest sampling concatenates or sums several inputs; bilinear sampling takes a weight.
    """
    first = data[0]
    if sample_type == "bilinear":
        x, w = to_compute_dtype(first), to_compute_dtype(data[1])
        size = tuple(n * scale for n in x.shape[2:])
        kernel = w.shape[2:]
        pad = (scale // 2,) * 2
        # Bilinear upsampling is a transposed depthwise convolution with the weight, as in MXNet.
        windows = Windows(
            size=size,
            kernel=kernel,
            stride=(scale, scale),
            dilate=(1, 1),
            pad=pad,
            number=x.shape[2:],
        )
        result = target(out, (*x.shape[:2], *size), x.dtype)
        return to_storage_dtype(backward_data(x, w, result, windows, num_filter), first.dtype)
    return _enlarged(data, first.shape[2] * scale, multi_input_mode, out)


def _enlarged(data: tuple[Array, ...], height: int, mode: str, out: OutBuffers) -> Array:
    """Return images enlarged by repetition to ``height``, and concatenated or summed."""
    scales = [height // x.shape[2] for x in data]
    if mode == "concat" and len(data) > 1:
        return np.concatenate(list(map(_repeated, data, scales)), axis=1, out=out_buffer(out))
    result = _repeated(data[0], scales[0], out)
    for image in map(_repeated, data[1:], scales[1:]):
        result += image
    return result


def _map_axes(x: Array, rows: Array, columns: Array, dtype: Any, out: OutBuffers) -> Array:
    """Return ``rows · x · columnsᵀ`` of each image: a separable linear map."""
    return to_storage_dtype(np.matmul(np.matmul(rows, x), columns.T, out=out_buffer(out)), dtype)


@lru_cache(maxsize=_MAX_CACHED)
def _interpolation(size: int, new_size: int, align_corners: bool, dtype: Any) -> Array:
    """Return the matrix ``[new_size, size]`` of linear interpolation along one axis."""
    at = np.arange(new_size, dtype=np.float64)
    if align_corners:
        at *= (size - 1) / (new_size - 1) if new_size > 1 else 0
    else:
        # Pixel centres are at half-integers; positions before the first are clamped to it.
        at = np.maximum((at + 0.5) * size / new_size - 0.5, 0)
    low = np.minimum(at.astype(np.int64), size - 1)
    high = np.minimum(low + 1, size - 1)
    weight = at - low
    matrix = np.zeros((new_size, size), dtype)
    rows = np.arange(new_size)
    matrix[rows, low] += (1 - weight).astype(dtype)
    matrix[rows, high] += weight.astype(dtype)
    return matrix


def _resized(
    x: Array, height: int, width: int, align_corners: bool, dtype: Any, out: OutBuffers
) -> Array:
    rows = _interpolation(x.shape[2], height, align_corners, x.dtype)
    columns = _interpolation(x.shape[3], width, align_corners, x.dtype)
    return _map_axes(x, rows, columns, dtype, out)


@kernel(out="apart")
def bilinear_resize2d(
    data: Array,
    like: Array | None = None,
    *,
    height: int,
    width: int,
    scale_height: float | None,
    scale_width: float | None,
    mode: str,
    align_corners: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the images resized by bilinear interpolation."""
    if like is not None:
        new_height, new_width = like.shape[2:]
    else:
        new_height = resized_length(data.shape[2], mode, height, scale_height)
        new_width = resized_length(data.shape[3], mode, width, scale_width)
    return _resized(to_compute_dtype(data), new_height, new_width, align_corners, data.dtype, out)


@kernel(out="apart")
def bilinear_resize2d_backward(
    dy: Array, data: Array, *, align_corners: bool, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``bilinear_resize2d``: ``dy`` times the transposed interpolation."""
    g = to_compute_dtype(dy)
    rows = _interpolation(data.shape[2], g.shape[2], align_corners, g.dtype)
    columns = _interpolation(data.shape[3], g.shape[3], align_corners, g.dtype)
    return _map_axes(g, rows.T, columns.T, data.dtype, out)


@lru_cache(maxsize=_MAX_CACHED)
def _averages(size: int, new_size: int, dtype: Any) -> Array:
    """Return the matrix ``[new_size, size]`` that averages parts of an axis, which may overlap."""
    at = np.arange(new_size)
    start, stop = at * size // new_size, -(-(at + 1) * size // new_size)
    index = np.arange(size)
    inside = (index >= start[:, None]) & (index < stop[:, None])
    return np.asarray(inside / (stop - start)[:, None], dtype)


@kernel(out="apart")
def adaptive_avg_pooling2d(
    data: Array, *, output_size: tuple[int, ...], out: OutBuffers = None
) -> Array:
    """Return the images averaged to a grid of ``output_size`` parts."""
    height, width = (output_size[0], output_size[-1]) if output_size else (1, 1)
    x = to_compute_dtype(data)
    rows = _averages(x.shape[2], height, x.dtype)
    return _map_axes(x, rows, _averages(x.shape[3], width, x.dtype), data.dtype, out)


@kernel(out="apart")
def adaptive_avg_pooling2d_backward(dy: Array, data: Array, *, out: OutBuffers = None) -> Array:
    """Return the gradient of ``adaptive_avg_pooling2d``: ``dy`` spread over the parts' pixels."""
    g = to_compute_dtype(dy)
    rows = _averages(data.shape[2], g.shape[2], g.dtype)
    return _map_axes(g, rows.T, _averages(data.shape[3], g.shape[3], g.dtype).T, data.dtype, out)
