"""Box operators of detection: IoU, non-maximum suppression, matching, encoding."""

from functools import partial
from math import prod

import numpy as np

from hy_kernels.boxes import centers, converted, converted_backward, edges
from hy_kernels.numpy._array import Array, OutBuffers, copied, quiet, target, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._order import stable_order
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.vision._boxes import overlap, pairs
from hy_kernels.numpy.vision._suppression import survivors

_stack = partial(np.stack, axis=-1)


@kernel()
def box_iou(lhs: Array, rhs: Array, *, format: str) -> Array:
    """Return the intersection over union of all pairs of boxes of ``lhs`` and ``rhs``."""
    a = to_compute_dtype(lhs).reshape(*lhs.shape[:-1], *(1,) * (rhs.ndim - 1), lhs.shape[-1])
    return to_storage_dtype(
        overlap(edges(a, format), edges(to_compute_dtype(rhs), format)), lhs.dtype
    )


@kernel(out="apart")
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
    out: OutBuffers = None,
) -> tuple[Array, Array]:
    """Return the rows that survive non-maximum suppression, and their indices in ``data``.

    Survivors come first, by descending score; all other rows and indices are -1.
    """
    *batch, count, width = data.shape
    rows = to_compute_dtype(data).reshape(prod(batch), count, width)
    scores = rows[..., score_index]
    valid = scores > valid_thresh
    if id_index >= 0:
        valid &= rows[..., id_index] != background_id
    counts = valid.sum(axis=1, keepdims=True)
    if topk > 0:
        counts = np.minimum(counts, topk)
    # Only as many rows as the image with the most candidates needs.
    order = _best_first(scores, valid, int(counts.max(initial=0)))
    best = np.take_along_axis(rows, order[..., None], axis=1)
    where = slice(coord_start, coord_start + 4)
    classes = best[..., id_index] if id_index >= 0 and not force_suppress else None
    alive = np.arange(order.shape[1]) < counts
    boxes = edges(best[..., where], in_format)
    keep = survivors(boxes, alive, overlap_thresh, classes=classes)
    best[..., where] = converted(best[..., where], in_format, out_format, _stack)
    best[~keep], order[~keep] = -1, -1
    # A stable sort of the mask moves survivors to the front, in their order.
    first = np.argsort(~keep, axis=1, kind="stable")
    limit = order.shape[1]
    index = np.full((len(rows), count), -1, np.int64)
    index[:, :limit] = np.take_along_axis(order, first, 1)
    y = target(out, data.shape, rows.dtype)
    result = y.reshape(rows.shape)
    result[:, :limit] = np.take_along_axis(best, first[..., None], 1)
    result[:, limit:] = -1
    return to_storage_dtype(y, data.dtype), index.reshape(*batch, count)


def _best_first(scores: Array, valid: Array, limit: int) -> Array:
    """Return ``limit`` indices of each row: valid ones by descending score, then any others."""
    if scores.shape[1] < COSTS.boxes.best_first:
        return stable_order(np.where(valid, -scores, np.inf))[:, :limit]
    order = np.zeros((len(scores), limit), np.int64)
    for row, own, selected in zip(order, scores, valid, strict=True):
        indices = np.flatnonzero(selected)
        keys = -own[indices]
        # A partition takes linear time: only candidates for the best, including ties, are sorted.
        if limit < len(indices):
            candidates = keys <= np.partition(keys, limit - 1)[limit - 1]
            indices, keys = indices[candidates], keys[candidates]
        best = indices[stable_order(keys)][:limit]
        row[: len(best)] = best
    return order


def _flat_rows(index: Array, count: int) -> Array:
    """Convert row indices within batches of ``count`` rows to indices into all rows."""
    batch = index.shape[:-1]
    first = np.arange(prod(batch)).reshape(*batch, 1) * count
    return np.asarray(index + first)


@kernel(out="apart")
def box_nms_select(
    data: Array,
    index: Array,
    *,
    coord_start: int,
    in_format: str,
    out_format: str,
    out: OutBuffers = None,
) -> Array:
    """Return the rows of ``data`` at ``index``, boxes converted; zeros where ``index`` is -1."""
    count, width = data.shape[-2:]
    rows = to_compute_dtype(data).reshape(-1, width)
    y = target(out, (*index.shape, width), rows.dtype)
    np.take(rows, _flat_rows(np.maximum(index, 0), count), 0, y, "clip")
    y[index < 0] = 0
    where = slice(coord_start, coord_start + 4)
    y[..., where] = converted(y[..., where], in_format, out_format, _stack)
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
def box_nms_backward(
    dy: Array,
    index: Array,
    data: Array,
    *,
    coord_start: int,
    in_format: str,
    out_format: str,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``box_nms`` to the data: rows of ``dy`` written at ``index``."""
    g = to_compute_dtype(dy).copy()
    where = slice(coord_start, coord_start + 4)
    g[..., where] = converted_backward(g[..., where], in_format, out_format, _stack)
    count, width = data.shape[-2:]
    dx = zeroed(out, data.shape, data.dtype)
    result = index >= 0
    dx.reshape(-1, width)[_flat_rows(index, count)[result]] = g[result]
    return dx


@kernel(out="apart")
def bipartite_matching(
    data: Array, *, is_ascend: bool, threshold: float, topk: int, out: OutBuffers = None
) -> tuple[Array, Array]:
    """Return a greedy matching of rows and columns by score.

    Returns:
        The column of each row, and the row of each column; -1 for none.
    """
    *batch, rows, columns = data.shape
    scores = to_compute_dtype(data).reshape(prod(batch), rows, columns)
    passing = scores < threshold if is_ascend else scores > threshold
    # MXNet makes one match more than topk.
    limit = topk + 1 if topk > 0 else rows
    of_row, of_column = pairs(np.where(passing, -scores if is_ascend else scores, -np.inf), limit)
    of_row, of_column = of_row.reshape(*batch, rows), of_column.reshape(*batch, columns)
    return copied(of_row, out, dtype=data.dtype), copied(of_column, out, 1, dtype=data.dtype)


@kernel(out="apart")
@quiet
def box_encode(
    samples: Array,
    matches: Array,
    anchors: Array,
    refs: Array,
    means: Array,
    stds: Array,
    *,
    out: OutBuffers = None,
) -> tuple[Array, Array]:
    """Return matched boxes encoded as normalised offsets from anchors, and a mask of matches."""
    mask = np.broadcast_to((samples > 0.5)[..., None], (*samples.shape, 4))
    # The match of a sample that is masked below may be out of range.
    index = np.clip(matches.astype(np.intp), 0, max(refs.shape[1] - 1, 0))
    center, size = centers(to_compute_dtype(anchors))
    if refs.shape[1]:
        matched = np.take_along_axis(to_compute_dtype(refs), index[..., None], axis=1)
    else:
        matched = np.zeros((*samples.shape, 4), center.dtype)
    box_center, box_size = centers(matched)
    offsets = np.concatenate([(box_center - center) / size, np.log(box_size / size)], axis=-1)
    offsets = (offsets - to_compute_dtype(means)) / to_compute_dtype(stds)
    targets = copied(np.where(mask, offsets, 0), out, dtype=anchors.dtype)
    return targets, copied(mask, out, 1, dtype=anchors.dtype)
