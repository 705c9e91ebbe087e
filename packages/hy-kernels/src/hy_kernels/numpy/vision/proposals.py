"""Region proposals from scores and box offsets (Ren et al., Faster R-CNN, 2015)."""

import numpy as np

from hy_kernels.boxes import Floats, base_anchors
from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.numpy._order import stable_order
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.vision._suppression import survivors


def _anchors(rows: int, columns: int, stride: int, scales: Floats, ratios: Floats) -> Array:
    """Return the anchors of all pixels, ``[H W A, 4]``."""
    y, x = np.mgrid[:rows, :columns].reshape(2, -1, 1, 1) * stride
    shift = np.concatenate([x, y, x, y], axis=-1)
    anchors: Array = np.array(base_anchors(stride, scales, ratios)) + shift
    return anchors.reshape(-1, 4)


@quiet
def _boxes_at_offsets(anchors: Array, offsets: Array, iou_loss: bool) -> Array:
    """Decode ``offsets [B, K, 4]`` from ``anchors [K, 4]`` to boxes ``[B, K, 4]``."""
    if iou_loss:
        return np.asarray(anchors + offsets)
    size = anchors[:, 2:] - anchors[:, :2] + 1
    middle = offsets[..., :2] * size + (anchors[:, :2] + (size - 1) / 2)
    half = (np.exp(offsets[..., 2:]) * size - 1) / 2
    return np.concatenate([middle - half, middle + half], axis=-1)


@kernel()
def multi_proposal(
    cls_prob: Array,
    bbox_pred: Array,
    im_info: Array,
    *,
    rpn_pre_nms_top_n: int,
    rpn_post_nms_top_n: int,
    threshold: float,
    rpn_min_size: int,
    scales: Floats,
    ratios: Floats,
    feature_stride: int,
    output_score: bool,
    iou_loss: bool,
) -> tuple[Array, Array]:
    """Return the best proposals of each image and their scores.

    Proposals are ``[B * rpn_post_nms_top_n, 5]``: image index and box.
    """
    count, _, rows, columns = cls_prob.shape
    kinds = len(scales) * len(ratios)
    scores, info = to_compute_dtype(cls_prob)[:, kinds:], to_compute_dtype(im_info)
    anchors = _anchors(rows, columns, feature_stride, scales, ratios).astype(scores.dtype)
    offsets = to_compute_dtype(bbox_pred).reshape(count, kinds, 4, rows, columns)
    offsets = offsets.transpose(0, 3, 4, 1, 2).reshape(count, len(anchors), 4)
    boxes = _boxes_at_offsets(anchors, offsets, iou_loss)
    edge = info[:, [1, 0, 1, 0]][:, None] - 1
    boxes = np.clip(boxes, 0, edge, out=boxes)
    scores = scores.transpose(0, 2, 3, 1).copy()
    # Pixels in the padding of an image, which brings a batch to one size, propose no boxes.
    real = np.floor(info[:, :2] / feature_stride).astype(int)
    scores[np.arange(rows) >= real[:, :1]] = -1
    scores.transpose(0, 2, 1, 3)[np.arange(columns) >= real[:, 1:]] = -1
    scores = scores.reshape(count, len(anchors))
    _mark_small(boxes, scores, rpn_min_size * info[:, 2])
    total = scores.shape[1]
    before = min(rpn_pre_nms_top_n, total) if rpn_pre_nms_top_n > 0 else total
    order = stable_order(-scores)[:, :before]
    boxes = np.take_along_axis(boxes, order[..., None], axis=1)
    scores = np.take_along_axis(scores, order, axis=1)
    regions, best = _surviving(
        boxes, scores, threshold, min(rpn_post_nms_top_n, before), rpn_post_nms_top_n
    )
    return to_storage_dtype(regions, cls_prob.dtype), to_storage_dtype(best, cls_prob.dtype)


def _mark_small(boxes: Array, scores: Array, lowest: Array) -> None:
    """Set the scores of boxes smaller than ``lowest [B]`` to -1, and enlarge these boxes by it."""
    lowest = lowest[:, None]
    w, h = boxes[..., 2] - boxes[..., 0] + 1, boxes[..., 3] - boxes[..., 1] + 1
    small = (w < lowest) | (h < lowest)
    boxes[..., :2] -= np.where(small, lowest / 2, 0)[..., None]
    boxes[..., 2:] += np.where(small, lowest / 2, 0)[..., None]
    scores[small] = -1


def _surviving(
    boxes: Array, scores: Array, threshold: float, max_boxes: int, num_proposals: int
) -> tuple[Array, Array]:
    """Return the survivors of non-maximum suppression: ``[B * num_proposals, 5]``, and scores.

    A row is the image index and the box.
    """
    count, total = scores.shape
    edges = boxes[..., 0], boxes[..., 1], boxes[..., 2], boxes[..., 3]
    alive = np.ones((count, total), bool)
    keep = survivors(edges, alive, threshold, border=1.0, max_boxes=max_boxes)
    result = keep.sum(axis=1, keepdims=True)
    order = np.argsort(~keep, axis=1, kind="stable")
    # The result has a fixed size: too few survivors are repeated from the first on.
    again = np.take_along_axis(order, np.arange(num_proposals) % np.maximum(result, 1), axis=1)
    y = np.empty((count, num_proposals, 5), boxes.dtype)
    y[..., 0] = np.arange(count)[:, None]
    y[..., 1:] = np.take_along_axis(boxes, again[..., None], axis=1)
    return y.reshape(-1, 5), np.take_along_axis(scores, again, axis=1).reshape(-1, 1)


proposal = alias("proposal", multi_proposal)
