"""Boxes of objects: overlap, suppression, matching, and their offsets from anchors."""

from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._boxes import edges, overlap, pairs
from hy_kernels.numpy._suppression import survivors
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = [
    "bipartite_matching",
    "box_decode",
    "box_encode",
    "box_iou",
    "box_nms",
    "box_nms_backward",
    "box_nms_select",
]


def box_iou(lhs: Array, rhs: Array, *, format: str) -> Array:
    """Overlap of each box with each."""
    if min(lhs.ndim, rhs.ndim) < 2 or {lhs.shape[-1], rhs.shape[-1]} != {4}:
        raise ValueError("arrays of boxes")
    a = wide(lhs).reshape(*lhs.shape[:-1], *(1,) * (rhs.ndim - 1), lhs.shape[-1])
    return narrow(overlap(edges(a, format), edges(wide(rhs), format)), lhs.dtype)


def _converted(boxes: Array, before: str, after: str) -> Array:
    """Boxes ``[*shape, 4]`` in another format."""
    if before == after:
        return boxes
    a, b, c, d = (boxes[..., i] for i in range(4))
    if after == "corner":
        return np.stack(edges(boxes, "center"), axis=-1)
    return np.stack([(a + c) / 2, (b + d) / 2, c - a, d - b], axis=-1)


def _converted_backward(dy: Array, before: str, after: str) -> Array:
    """Gradient of :func:`_converted`."""
    if before == after:
        return dy
    a, b, c, d = (dy[..., i] for i in range(4))
    if after == "corner":
        return np.stack([a + c, b + d, (c - a) / 2, (d - b) / 2], axis=-1)
    return np.stack([a / 2 - c, b / 2 - d, a / 2 + c, b / 2 + d], axis=-1)


def box_nms(
    data: Array,
    *,
    overlap_thresh: float,
    valid_thresh: float,
    topk: int,
    coord_start: int,
    score_index: int,
    id_index: int,
    background_id: int,
    force_suppress: bool,
    in_format: str,
    out_format: str,
) -> tuple[Array, Array]:
    """The rows that are kept, best first, and the row of ``data`` that each one was."""
    *batch, count, width = data.shape
    if coord_start + 4 > width or max(score_index, id_index) >= width or data.ndim < 2:
        raise ValueError(f"rows of {width} numbers lack one of the positions")
    if min(coord_start, score_index) < 0:
        raise ValueError("negative positions")
    rows = wide(data).reshape(prod(batch), count, width)
    scores = rows[..., score_index]
    valid = scores > valid_thresh
    if id_index >= 0:
        valid &= rows[..., id_index] != background_id
    order = np.argsort(np.where(valid, -scores, np.inf), axis=1, kind="stable")
    found = valid.sum(axis=1, keepdims=True)
    if topk > 0:
        found = np.minimum(found, topk)
    order = order[:, : int(found.max(initial=0))]
    best = np.take_along_axis(rows, order[..., None], axis=1)
    boxes = edges(best[..., coord_start : coord_start + 4], in_format)
    classes = best[..., id_index] if id_index >= 0 and not force_suppress else None
    alive = np.arange(order.shape[1]) < found
    kept = survivors(boxes, alive, overlap_thresh, classes=classes)
    first = np.argsort(~kept, axis=1, kind="stable")
    index = np.full((len(rows), count), -1, np.int64)
    index[:, : order.shape[1]] = np.where(
        np.take_along_axis(kept, first, 1), np.take_along_axis(order, first, 1), -1
    )
    index = index.reshape(*batch, count)
    y = box_nms_select(
        data, index, coord_start=coord_start, in_format=in_format, out_format=out_format
    )
    y[index < 0] = -1
    return y, index


def box_nms_select(
    data: Array, index: Array, *, coord_start: int, in_format: str, out_format: str
) -> Array:
    """The rows chosen by ``index``, their boxes in another format; zeros where it is -1."""
    y = np.take_along_axis(wide(data), np.maximum(index, 0)[..., None], axis=-2)
    y[index < 0] = 0
    where = slice(coord_start, coord_start + 4)
    y[..., where] = _converted(y[..., where], in_format, out_format)
    return narrow(y, data.dtype)


def box_nms_backward(
    dy: Array, index: Array, data: Array, *, coord_start: int, in_format: str, out_format: str
) -> Array:
    """Gradients of the rows chosen, put where they come from."""
    g = wide(dy).copy()
    where = slice(coord_start, coord_start + 4)
    g[..., where] = _converted_backward(g[..., where], in_format, out_format)
    count = data.shape[-2]
    dx = np.zeros((*data.shape[:-2], count + 1, data.shape[-1]), g.dtype)  # one row for the rest
    np.put_along_axis(dx, np.where(index < 0, count, index)[..., None], g, axis=-2)
    return np.ascontiguousarray(narrow(dx[..., :count, :], data.dtype))


def bipartite_matching(
    data: Array, *, is_ascend: bool, threshold: float, topk: int
) -> tuple[Array, Array]:
    """The best pair again and again, each row and each column in one pair at most."""
    *batch, rows, columns = data.shape
    scores = wide(data).reshape(prod(batch), rows, columns)
    passing = scores < threshold if is_ascend else scores > threshold
    most = topk + 1 if topk > 0 else rows  # MXNet makes one more than topk
    of_row, of_column = pairs(np.where(passing, -scores if is_ascend else scores, -np.inf), most)
    of_row, of_column = of_row.reshape(*batch, rows), of_column.reshape(*batch, columns)
    return of_row.astype(data.dtype), of_column.astype(data.dtype)


def _centers(boxes: Array) -> tuple[Array, Array]:
    """Centers and sizes, ``[*shape, 2]`` each, of boxes given by their edges."""
    low, high = boxes[..., :2], boxes[..., 2:]
    return (low + high) / 2, high - low


@quiet
def box_encode(
    samples: Array, matches: Array, anchors: Array, refs: Array, means: Array, stds: Array
) -> tuple[Array, Array]:
    """Offsets of matched boxes from their anchors, normalised; and where there are any."""
    if anchors.shape[:2] != samples.shape or len(refs) != len(samples):
        raise ValueError("one row of anchors and of boxes for each row of samples")
    mask = np.broadcast_to((samples > 0.5)[..., None], (*samples.shape, 4))
    index = np.clip(matches.astype(np.intp), 0, max(refs.shape[1] - 1, 0))
    center, size = _centers(wide(anchors))
    if refs.shape[1]:
        matched = np.take_along_axis(wide(refs), index[..., None], axis=1)
    else:
        matched = np.zeros((*samples.shape, 4), center.dtype)
    wanted, wanted_size = _centers(matched)
    offsets = np.concatenate([(wanted - center) / size, np.log(wanted_size / size)], axis=-1)
    offsets = (offsets - wide(means)) / wide(stds)
    targets = np.where(mask, offsets, 0).astype(anchors.dtype)
    return targets, mask.astype(anchors.dtype)


@quiet
def box_decode(
    data: Array,
    anchors: Array,
    *,
    std0: float,
    std1: float,
    std2: float,
    std3: float,
    clip: float,
    format: str,
) -> Array:
    """Boxes at offsets from anchors."""
    if anchors.shape != (1, *data.shape[1:]):
        raise ValueError("one row of anchors")
    x, a = wide(data), wide(anchors)
    center, size = _centers(a) if format == "corner" else (a[..., :2], a[..., 2:])
    offset, growth = x[..., :2] * [std0, std1], x[..., 2:] * [std2, std3]
    if clip > 0:
        growth = np.minimum(growth, clip)
    middle, half = offset * size + center, np.exp(growth) * size / 2
    return narrow(np.concatenate([middle - half, middle + half], axis=-1), data.dtype)
