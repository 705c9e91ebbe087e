"""RoIAlign (He et al., Mask R-CNN, 2017) of upright and rotated regions."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.vision._regions import regions

Size = tuple[int, ...]


def _weights(start: Array, length: Array, parts: int, samples: int, size: int) -> Array:
    """Return weights ``[R, parts, size]`` that average interpolated samples of each part."""
    count = len(start)
    step = length / parts
    number = np.full(count, samples) if samples > 0 else np.ceil(step).astype(int)
    number = np.maximum(number, 0)
    each = number * parts
    # Regions may have different numbers of samples, so the samples of all are one flat list.
    owner = np.repeat(np.arange(count), each)
    k = np.arange(len(owner)) - np.repeat(np.cumsum(each) - each, each)
    n, bins = number[owner], step[owner]
    positions = start[owner] + k // n * bins + (k % n + start.dtype.type(0.5)) * bins / n
    # Samples up to one pixel outside of the image take the edge's value; farther ones are zero.
    share = ((positions >= -1) & (positions <= size)) / n
    positions = np.clip(positions, 0, size - 1)
    low = np.floor(positions).astype(int)
    high = np.minimum(low + 1, size - 1)
    row = (owner * parts + k // n) * size
    total = np.bincount(row + low, (1 - (positions - low)) * share, count * parts * size)
    total += np.bincount(row + high, (positions - low) * share, count * parts * size)
    return total.reshape(count, parts, size).astype(start.dtype)


def _axis_weights(
    data: Array, rois: Array, pooled: Size, scale: float, samples: int, aligned: bool
) -> tuple[Array, Array]:
    """Return the weights of image rows ``[R, PH, H]`` and of columns ``[R, PW, W]``."""
    corners = to_compute_dtype(rois)[:, 1:] * scale
    # Pixel centres are at integers, so subtracting half a pixel aligns regions with them. Without
    # that, as in MXNet's first version, regions have at least one pixel.
    if aligned:
        corners -= 0.5
    size = corners[:, 2:] - corners[:, :2]
    if not aligned:
        size = np.maximum(size, 1)
    return (
        _weights(corners[:, 1], size[:, 1], pooled[0], samples, data.shape[2]),
        _weights(corners[:, 0], size[:, 0], pooled[1], samples, data.shape[3]),
    )


@kernel(out="apart")
def roi_align(
    data: Array,
    rois: Array,
    *,
    pooled_size: Size,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the mean of interpolated samples in each part of each region."""
    x = to_compute_dtype(data)
    outputs = x.shape[1] // (pooled_size[0] * pooled_size[1]) if position_sensitive else x.shape[1]
    y = zeroed(out, (len(rois), outputs, *pooled_size), x.dtype)
    if not x.size:
        return to_storage_dtype(y, data.dtype)
    rows, columns = _axis_weights(x, rois, pooled_size, spatial_scale, sample_ratio, aligned)
    for region in regions(rois[:, 0], rows, columns, len(x)):
        seen = x[region.image][(slice(None), *region.where)]
        if position_sensitive:
            seen = seen.reshape(outputs, *pooled_size, *seen.shape[1:])
            part = np.einsum("cpqyx,qx->cpqy", seen, region.columns)
            y[region.number] = np.einsum("cpqy,py->cpq", part, region.rows)
        else:
            y[region.number] = region.rows @ (seen @ region.columns.T)
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
def roi_align_backward(
    dy: Array,
    rois: Array,
    data: Array,
    *,
    pooled_size: Size,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``roi_align`` to the images: ``dy`` spread over sampled pixels."""
    g = to_compute_dtype(dy)
    dx = zeroed(out, data.shape, g.dtype)
    if not dx.size:
        return to_storage_dtype(dx, data.dtype)
    rows, columns = _axis_weights(data, rois, pooled_size, spatial_scale, sample_ratio, aligned)
    for region in regions(rois[:, 0], rows, columns, len(data)):
        seen = dx[region.image][(slice(None), *region.where)]
        if position_sensitive:
            part = g[region.number][..., None] * region.columns
            spread = part[..., None, :] * region.rows[:, None, :, None]
            seen += spread.reshape(seen.shape)
        else:
            seen += region.rows.T @ (g[region.number] @ region.columns)
    return to_storage_dtype(dx, data.dtype)


def _rotated_samples(roi: Array, pooled: Size, samples: int) -> tuple[Array, Array, int]:
    """Return the y and x of a rotated region's samples, ``[PH, PW, samples]``, and their number."""
    cx, cy, w, h, angle = roi
    step_y, step_x = h / pooled[0], w / pooled[1]
    along_y = samples if samples > 0 else int(np.ceil(step_y))
    along_x = samples if samples > 0 else int(np.ceil(step_x))
    y = (np.arange(pooled[0] * along_y) + 0.5) * step_y / along_y - h / 2
    x = (np.arange(pooled[1] * along_x) + 0.5) * step_x / along_x - w / 2
    y, x = y[:, None], x[None]
    rotated = (
        y * np.cos(angle) - x * np.sin(angle) + cy,
        x * np.cos(angle) + y * np.sin(angle) + cx,
    )
    grid = (pooled[0], along_y, pooled[1], along_x)
    y, x = (v.reshape(grid).swapaxes(1, 2).reshape(*pooled, -1) for v in rotated)
    return y, x, along_y * along_x


@kernel(out="apart")
def rroi_align(
    data: Array,
    rois: Array,
    *,
    pooled_size: Size,
    spatial_scale: float,
    sampling_ratio: int,
    out: OutBuffers = None,
) -> Array:
    """Return the mean of interpolated samples in each part of each rotated region."""
    x = to_compute_dtype(data)
    height, width = x.shape[2:]
    y = zeroed(out, (len(rois), x.shape[1], *pooled_size), x.dtype)
    boxes = to_compute_dtype(rois)[:, 1:] * np.array([spatial_scale] * 4 + [np.pi / 180], x.dtype)
    boxes[:, 2:4] = np.maximum(boxes[:, 2:4], 1)
    for index, (image, box) in enumerate(zip(rois[:, 0].astype(int).tolist(), boxes, strict=True)):
        if image >= len(x):
            raise IndexError(f"region {index} is of image {image}; there are {len(x)}")
        if image < 0 or not x.size:
            continue
        down, right, count = _rotated_samples(box, pooled_size, sampling_ratio)
        share = (down >= -1) & (down <= height) & (right >= -1) & (right <= width)
        down, right = np.clip(down, 0, height - 1), np.clip(right, 0, width - 1)
        top, left = np.floor(down).astype(int), np.floor(right).astype(int)
        low, far = np.minimum(top + 1, height - 1), np.minimum(left + 1, width - 1)
        v, h = down - top, right - left
        picture = x[image]
        upper = picture[:, top, left] * (1 - h) + picture[:, top, far] * h
        lower = picture[:, low, left] * (1 - h) + picture[:, low, far] * h
        y[index] = ((upper * (1 - v) + lower * v) * share).sum(axis=-1) / max(count, 1)
    return to_storage_dtype(y, data.dtype)
