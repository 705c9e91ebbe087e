"""Position-sensitive RoI pooling, in which each part of a region reads its own channels.

Source: Dai et al., R-FCN, 2016.
"""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.vision._regions import channel_indices, interpolation, regions, rounded
from hy_kernels.record import Params


def _extent(rois: Array, scale: float) -> tuple[Array, Array]:
    """Return the starts and sizes of regions along x and y, ``[R, 2]`` each."""
    corners = rounded(to_compute_dtype(rois)[:, 1:])
    start, end = corners[:, :2] * scale, (corners[:, 2:] + 1) * scale
    # At least a tenth of a pixel, so that no part of a region is empty.
    return start, np.maximum(end - start, 0.1)


def _averages(start: Array, length: Array, parts: int, size: int) -> Array:
    """Return weights ``[R, parts, size]`` that average the pixels touched by each part."""
    step = (length / parts)[:, None]
    numbers = np.arange(parts, dtype=start.dtype)
    low = np.clip(np.floor(numbers * step + start[:, None]), 0, size)[..., None]
    high = np.clip(np.ceil((numbers + 1) * step + start[:, None]), 0, size)[..., None]
    line = np.arange(size)
    inside = (line >= low) & (line < high)
    return np.asarray(inside / np.maximum(high - low, 1)).astype(start.dtype)


def _plain(data: Array, rois: Array, scale: float, parts: int) -> tuple[Array, Array]:
    start, size = _extent(rois, scale)
    return (
        _averages(start[:, 1], size[:, 1], parts, data.shape[2]),
        _averages(start[:, 0], size[:, 0], parts, data.shape[3]),
    )


@kernel(out="apart")
def psroi_pooling(
    data: Array,
    rois: Array,
    *,
    spatial_scale: float,
    output_dim: int,
    pooled_size: int,
    group_size: int,
    out: OutBuffers = None,
) -> Array:
    """Return ``[R, output_dim, P, P]``, the mean of each of ``P`` by ``P`` parts of each region."""
    x = to_compute_dtype(data)
    channels = channel_indices(output_dim, group_size or pooled_size, pooled_size)
    y = zeroed(out, (len(rois), output_dim, pooled_size, pooled_size), x.dtype)
    rows, columns = _plain(x, rois, spatial_scale, pooled_size)
    for region in regions(rois[:, 0], rows, columns, len(x)):
        seen = x[region.image][(slice(None), *region.where)][channels]
        # Weights are separable: columns are summed first, then rows.
        part = np.einsum("cpqyx,qx->cpqy", seen, region.columns)
        y[region.number] = np.einsum("cpqy,py->cpq", part, region.rows)
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
def psroi_pooling_backward(
    dy: Array,
    rois: Array,
    data: Array,
    *,
    spatial_scale: float,
    output_dim: int,
    pooled_size: int,
    group_size: int,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``psroi_pooling`` to the images: ``dy`` spread over its pixels."""
    g = to_compute_dtype(dy)
    channels = channel_indices(output_dim, group_size or pooled_size, pooled_size)
    dx = zeroed(out, data.shape, g.dtype)
    rows, columns = _plain(data, rois, spatial_scale, pooled_size)
    for region in regions(rois[:, 0], rows, columns, len(data)):
        spread = (g[region.number][..., None] * region.columns)[..., None, :]
        spread = spread * region.rows[:, None, :, None]
        # Not +=, because the parts of a group share a channel.
        np.add.at(dx[region.image][(slice(None), *region.where)], channels, spread)
    return to_storage_dtype(dx, data.dtype)


class _ShiftedParts:
    """Interpolation weights of samples in shifted parts, ``[R, K, P, P, size]`` for each axis.

    For ``R`` regions, ``K`` classes of shifts and ``P`` parts along each side.
    """

    def __init__(
        self,
        data: Array,
        rois: Array,
        trans: Array | None,
        params: Params,
    ) -> None:
        start, self.size = _extent(rois, params["spatial_scale"])
        parts, samples, trans_std = (
            params[name] for name in ("pooled_size", "sample_per_part", "trans_std")
        )
        # Pixel centres are at integers here, so a region begins half a pixel before its first.
        start = start - 0.5
        count = len(rois)
        self.std = trans_std
        kinds = 1 if trans is None else trans.shape[1] // 2
        self.part = np.arange(parts) * (params["part_size"] or parts) // parts
        shift = np.zeros((count, kinds, 2, parts, parts), start.dtype)
        if trans is not None:
            pairs = to_compute_dtype(trans).reshape(count, kinds, 2, *trans.shape[2:])
            shift[...] = pairs[:, :, :, self.part[:, None], self.part] * trans_std
        self.rows, self.row_derivatives = self._axis(start, shift, 1, parts, samples, data.shape[2])
        self.columns, self.column_derivatives = self._axis(
            start, shift, 0, parts, samples, data.shape[3]
        )

    def _axis(
        self, start: Array, shift: Array, axis: int, parts: int, samples: int, size: int
    ) -> tuple[Array, Array]:
        length = self.size[:, axis][:, None, None, None]
        numbers = np.arange(parts, dtype=start.dtype)[:, None] if axis else np.arange(parts)
        first = numbers * (length / parts) + start[:, axis][:, None, None, None]
        first = first + shift[:, :, axis] * length
        steps = np.arange(samples) * (length / parts / samples)[..., None]
        positions = (first[..., None] + steps).astype(start.dtype)
        # Samples outside of the image are excluded from the mean.
        inside = (positions >= -0.5) & (positions <= size - 0.5)
        share = (inside / np.maximum(inside.sum(axis=-1, keepdims=True), 1))[..., None]
        values, derivatives = interpolation(positions, size)
        dtype = start.dtype
        return (values * share).sum(-2).astype(dtype), (derivatives * share).sum(-2).astype(dtype)


@kernel(out="apart")
def deformable_psroi_pooling(
    data: Array, rois: Array, trans: Array | None = None, *, out: OutBuffers = None, **params: Any
) -> Array:
    """Return ``[R, output_dim, P, P]``, the mean of samples in each region's shifted parts."""
    x = to_compute_dtype(data)
    weights = _ShiftedParts(x, rois, trans, params)
    parts, outputs = params["pooled_size"], params["output_dim"]
    channels = channel_indices(outputs, params["group_size"], parts)
    kinds = weights.rows.shape[1]
    y = zeroed(out, (len(rois), outputs, parts, parts), x.dtype)
    for region in regions(rois[:, 0], weights.rows, weights.columns, len(x)):
        seen = x[region.image][(slice(None), *region.where)][channels]
        seen = seen.reshape(kinds, -1, *seen.shape[1:])
        part = np.einsum("kcpqyx,kpqx->kcpqy", seen, region.columns)
        y[region.number] = np.einsum("kcpqy,kpqy->kcpq", part, region.rows).reshape(y.shape[1:])
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
def deformable_psroi_pooling_backward(
    dy: Array,
    data: Array,
    rois: Array,
    trans: Array | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> Array | tuple[Array, Array]:
    """Return the gradients of ``deformable_psroi_pooling`` to ``data`` and, if given, ``trans``."""
    x, g = to_compute_dtype(data), to_compute_dtype(dy)
    weights = _ShiftedParts(x, rois, trans, params)
    parts, outputs = params["pooled_size"], params["output_dim"]
    channels = channel_indices(outputs, params["group_size"], parts)
    count, kinds = len(rois), weights.rows.shape[1]
    dx = zeroed(out, data.shape, g.dtype)
    g = g.reshape(count, kinds, g.shape[1] // kinds, parts, parts)
    dshift = np.zeros((count, kinds, 2, parts, parts), g.dtype)
    for region in regions(rois[:, 0], weights.rows, weights.columns, len(x)):
        own, where = g[region.number], region.where
        spread = np.einsum("kcpq,kpqy,kpqx->kcpqyx", own, region.rows, region.columns)
        target = dx[region.image][(slice(None), *where)]
        np.add.at(target, channels, spread.reshape(*channels.shape, *target.shape[1:]))
        seen = x[region.image][(slice(None), *where)][channels]
        seen = np.einsum("kcpqyx,kcpq->kpqyx", seen.reshape(spread.shape), own)
        across = weights.column_derivatives[region.number][..., where[1]]
        down = weights.row_derivatives[region.number][..., where[0]]
        dshift[region.number, :, 0] = np.einsum("kpqyx,kpqy,kpqx->kpq", seen, region.rows, across)
        dshift[region.number, :, 1] = np.einsum("kpqyx,kpqy,kpqx->kpq", seen, down, region.columns)
    dx = to_storage_dtype(dx, data.dtype)
    if trans is None:
        return dx
    dshift *= (weights.size * weights.std)[:, None, :, None, None]
    dtrans = zeroed(out, trans.shape, g.dtype, 1)
    by_part = np.moveaxis(dtrans.reshape(count, kinds, 2, *trans.shape[2:]), (3, 4), (0, 1))
    # Several parts may have the same shift, if part_size is below pooled_size.
    np.add.at(by_part, (weights.part[:, None], weights.part), np.moveaxis(dshift, (3, 4), (0, 1)))
    return dx, to_storage_dtype(dtrans, trans.dtype)
