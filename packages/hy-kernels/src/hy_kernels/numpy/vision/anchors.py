"""Single-shot detection (Liu et al., SSD, 2016): anchors, training targets, decoding of boxes."""

import numpy as np

from hy_kernels.boxes import Floats, edges, half_sizes
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._order import stable_order
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.vision._boxes import overlap, pairs
from hy_kernels.numpy.vision._suppression import survivors


@kernel()
def multi_box_prior(
    data: Array, *, sizes: Floats, ratios: Floats, clip: bool, steps: Floats, offsets: Floats
) -> Array:
    """Return the anchors ``[1, H W A, 4]``: boxes of several sizes and ratios at each pixel."""
    rows, columns = data.shape[2:]
    down, right = (
        s if s > 0 else 1 / max(n, 1) for s, n in zip(steps, (rows, columns), strict=True)
    )
    dtype = to_compute_dtype(data[:0]).dtype
    half = np.array(half_sizes(sizes, ratios, rows / max(columns, 1)), dtype)
    y = np.empty((rows, columns, len(half), 4), dtype)
    x_center = ((np.arange(columns) + offsets[1]) * right).astype(dtype)[None, :, None]
    y_center = ((np.arange(rows) + offsets[0]) * down).astype(dtype)[:, None, None]
    y[..., 0], y[..., 2] = x_center - half[:, 0], x_center + half[:, 0]
    y[..., 1], y[..., 3] = y_center - half[:, 1], y_center + half[:, 1]
    if clip:
        np.clip(y, 0, 1, out=y)
    return to_storage_dtype(y.reshape(1, -1, 4), data.dtype)


def _negatives(
    scores: Array, matched: Array, best: Array, ratio: float, threshold: float, lowest: int
) -> Array:
    """Return a mask ``[B, A]`` of the hard negatives.

    These are the unmatched anchors that are predicted as background with the least probability.
    """
    candidates = ~matched & (best < threshold)
    num_negatives = (matched.sum(axis=1) * ratio).astype(int)
    num_negatives = np.minimum(np.maximum(num_negatives, lowest), candidates.sum(axis=1))
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    background = shifted[:, 0] / shifted.sum(axis=1)
    # Hardest first; anchors that are no candidates come last.
    order = stable_order(np.where(candidates, background, np.inf))
    selected = np.zeros_like(matched)
    np.put_along_axis(selected, order, np.arange(order.shape[1]) < num_negatives[:, None], axis=1)
    return selected


@quiet
def _offsets(anchors: Array, boxes: Array, variances: Floats) -> Array:
    """Encode ``boxes [B, A, 4]`` as offsets from ``anchors [A, 4]``, divided by the variances."""
    size, box_size = anchors[:, 2:] - anchors[:, :2], boxes[..., 2:] - boxes[..., :2]
    shift = (boxes[..., :2] + boxes[..., 2:]) / 2 - (anchors[:, :2] + anchors[:, 2:]) / 2
    offsets = np.concatenate([shift / size, np.log(box_size / size)], axis=-1)
    offsets /= np.asarray(variances, offsets.dtype)
    return offsets


@kernel()
def multi_box_target(
    anchor: Array,
    label: Array,
    cls_pred: Array,
    *,
    overlap_threshold: float,
    ignore_label: float,
    negative_mining_ratio: float,
    negative_mining_thresh: float,
    minimum_negative_samples: int,
    variances: Floats,
) -> tuple[Array, Array, Array]:
    """Return the training targets of all anchors: offsets, a mask of matched ones, and classes."""
    count, objects = label.shape[:2]
    anchors, labels = to_compute_dtype(anchor)[0], to_compute_dtype(label)
    real = np.logical_and.accumulate(labels[..., 0] != -1, axis=1)[:, None]
    shared = overlap(edges(anchors[None, :, None]), edges(labels[:, None, :, 1:5]))
    shared = np.where(real, shared, -1)
    best, nearest = shared.max(axis=2, initial=-1), np.zeros((count, len(anchors)), int)
    if objects:
        nearest = shared.argmax(axis=2)
    # First, a bipartite matching gives every object an anchor; then anchors above the threshold are
    # matched with the object of largest overlap.
    own_object, _ = pairs(np.where(shared > 1e-6, shared, -np.inf), objects)
    matched = own_object >= 0
    own_object = np.where(matched, own_object, nearest)
    if overlap_threshold > 0:
        matched |= best > overlap_threshold
    classes = np.zeros(matched.shape, labels.dtype)
    if negative_mining_ratio > 0:
        negative = _negatives(
            to_compute_dtype(cls_pred),
            matched,
            best,
            negative_mining_ratio,
            negative_mining_thresh,
            minimum_negative_samples,
        )
        classes[~negative] = ignore_label
    classes[~real.any(axis=(1, 2))] = ignore_label
    offsets = np.zeros((*matched.shape, 4), labels.dtype)
    if objects:
        selected = np.take_along_axis(labels, own_object[..., None], axis=1)
        classes[matched] = selected[matched, 0] + 1
        offsets[matched] = _offsets(anchors, selected[..., 1:5], variances)[matched]
    mask = np.repeat(matched, 4, axis=1).astype(anchor.dtype)
    return (
        to_storage_dtype(offsets.reshape(count, -1), anchor.dtype),
        mask,
        to_storage_dtype(classes, anchor.dtype),
    )


@quiet
def _boxes(offsets: Array, anchors: Array, variances: Floats, clip: bool) -> Array:
    """Decode ``offsets [B, A, 4]`` from ``anchors [1, A, 4]`` to boxes ``[B, A, 4]``."""
    scaled = offsets * np.asarray(variances, offsets.dtype)
    size = anchors[..., 2:] - anchors[..., :2]
    middle = scaled[..., :2] * size + (anchors[..., :2] + anchors[..., 2:]) / 2
    half = np.exp(scaled[..., 2:]) * size / 2
    boxes = np.concatenate([middle - half, middle + half], axis=-1)
    return np.clip(boxes, 0, 1, out=boxes) if clip else boxes


def _valid_first(rows: Array, valid: Array) -> Array:
    """Return ``rows [B, A, 6]`` with the valid ones first, in order, followed by rows of -1."""
    order = np.argsort(~valid, axis=1, kind="stable")
    y = np.take_along_axis(rows, order[..., None], axis=1)
    y[np.arange(valid.shape[1]) >= valid.sum(axis=1, keepdims=True)] = -1
    return y


@kernel()
def multi_box_detection(
    cls_prob: Array,
    loc_pred: Array,
    anchor: Array,
    *,
    clip: bool,
    threshold: float,
    background_id: int,
    nms_threshold: float,
    force_suppress: bool,
    variances: Floats,
    nms_topk: int,
) -> Array:
    """Return ``[B, A, 6]``: class, score and box of each anchor, best first.

    Suppressed boxes have class -1.
    """
    scores, anchors = to_compute_dtype(cls_prob), to_compute_dtype(anchor)
    count, _, number = scores.shape
    kind = scores[:, 1:].argmax(axis=1)
    best = scores[:, 1:].max(axis=1)
    boxes = _boxes(to_compute_dtype(loc_pred).reshape(count, number, 4), anchors, variances, clip)
    rows = np.concatenate([kind[..., None], best[..., None], boxes], axis=-1).astype(scores.dtype)
    valid = best >= threshold
    y = _valid_first(rows, valid)
    if 0 < nms_threshold <= 1:
        _suppress(y, valid.sum(axis=1, keepdims=True), nms_threshold, force_suppress, nms_topk)
    return to_storage_dtype(y, cls_prob.dtype)


def _suppress(y: Array, counts: Array, threshold: float, force: bool, topk: int) -> None:
    """Apply non-maximum suppression to ``y`` in place.

    The first ``counts`` rows are sorted by score; suppressed ones get class -1.
    """
    positions = np.arange(y.shape[1])
    present = positions < counts
    order = stable_order(np.where(present, -y[..., 1], np.inf))
    alive = present & (positions < topk) if topk > 0 else present
    ordered = np.take_along_axis(y, order[..., None], axis=1)
    # As in MXNet, rows beyond topk are not sorted.
    y[alive] = ordered[alive]
    keep = survivors(
        edges(y[..., 2:]),
        alive,
        threshold,
        classes=None if force else y[..., 0].copy(),
        inclusive=True,
    )
    y[..., 0][present & ~keep] = -1
