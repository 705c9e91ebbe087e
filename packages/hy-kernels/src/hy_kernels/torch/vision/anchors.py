"""Single-shot detection (Liu et al., SSD, 2016): anchor boxes, training targets, detections."""

from math import inf

import torch

from hy_kernels.boxes import Floats, edges, half_sizes
from hy_kernels.torch._constants import constant
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import real, to_compute_dtype, to_storage_dtype
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.vision._boxes import overlap, pairs, rows_at
from hy_kernels.torch.vision._suppression import survivors


def _middles(count: int, offset: float, step: float, like: Tensor) -> Tensor:
    """Return the centers of pixels along an axis, in relative coordinates."""
    positions = torch.arange(count, dtype=widest(like.device), device=like.device)
    # In float64, then rounded: middles of wide images need more than 16 bits.
    return positions.add_(offset).mul_(step).to(to_compute_dtype(like[:0]).dtype)


@kernel()
def multi_box_prior(
    data: Tensor, *, sizes: Floats, ratios: Floats, clip: bool, steps: Floats, offsets: Floats
) -> Tensor:
    """Return the anchors ``[1, H * W * A, 4]``: the same boxes around each pixel."""
    rows, columns = data.shape[2:]
    down, right = (
        s if s > 0 else 1 / max(n, 1) for s, n in zip(steps, (rows, columns), strict=True)
    )
    x_center = _middles(columns, offsets[1], right, data)[None, :, None]
    y_center = _middles(rows, offsets[0], down, data)[:, None, None]
    halves = half_sizes(sizes, ratios, rows / max(columns, 1))
    half = constant(halves, x_center.dtype, x_center.device)
    y = x_center.new_empty((rows, columns, len(halves), 4))
    y[..., 0], y[..., 2] = x_center - half[:, 0], x_center + half[:, 0]
    y[..., 1], y[..., 3] = y_center - half[:, 1], y_center + half[:, 1]
    if clip:
        y.clamp_(0, 1)
    return to_storage_dtype(y.reshape(1, -1, 4), data.dtype)


def _negatives(
    scores: Tensor, matched: Tensor, best: Tensor, ratio: float, threshold: float, lowest: int
) -> Tensor:
    """Return ``[B, A]``, a mask of hard negatives: unmatched anchors least likely background."""
    # Hard negative mining: three negatives for each positive, say, the most confident mistakes.
    candidates = ~matched & (best < threshold)
    num_negatives = (matched.sum(1) * ratio).to(torch.int64).clamp_(min=lowest)
    num_negatives = torch.minimum(num_negatives, candidates.sum(1))
    background = torch.softmax(real(scores), 1)[:, 0]
    order = torch.where(candidates, background, inf).argsort(dim=1, stable=True)
    ranks = torch.arange(order.shape[1], device=order.device)
    # By scattered ranks rather than sorting back: order is a permutation.
    return torch.zeros_like(matched).scatter_(1, order, ranks < num_negatives[:, None])


def _offsets(anchors: Tensor, boxes: Tensor, variances: Floats) -> Tensor:
    """Return the offsets of boxes ``[B, A, 4]`` from anchors ``[A, 4]``, divided by variances."""
    size, box_size = anchors[:, 2:] - anchors[:, :2], boxes[..., 2:] - boxes[..., :2]
    shift = (boxes[..., :2] + boxes[..., 2:]) / 2 - (anchors[:, :2] + anchors[:, 2:]) / 2
    offsets = torch.cat([shift / size, (box_size / size).log()], -1)
    return offsets.div_(constant(variances, offsets.dtype, offsets.device))


@kernel()
def multi_box_target(
    anchor: Tensor,
    label: Tensor,
    cls_pred: Tensor,
    *,
    overlap_threshold: float,
    ignore_label: float,
    negative_mining_ratio: float,
    negative_mining_thresh: float,
    minimum_negative_samples: int,
    variances: Floats,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return box offsets, a mask of the anchors that have a target, and classes of anchors."""
    objects = label.shape[1]
    anchors, labels = to_compute_dtype(anchor)[0], to_compute_dtype(label)
    # Labels end at the first row of class -1; cumprod keeps padding after it out.
    real = (labels[..., 0] != -1).cumprod(1).to(torch.bool)[:, None]
    shared = overlap(edges(anchors[None, :, None]), edges(labels[:, None, :, 1:5]))
    shared = torch.where(real, shared, -1)
    # A pair must overlap by more than rounding.
    own_object, _ = pairs(torch.where(shared > 1e-6, shared, -inf), objects)
    matched = own_object >= 0
    if objects:
        best, nearest = shared.max(2)
        own_object = torch.where(matched, own_object, nearest)
    else:
        best = shared.new_full(matched.shape, -1)
    if overlap_threshold > 0:
        matched = matched | (best > overlap_threshold)
    classes = torch.zeros(matched.shape, dtype=labels.dtype, device=labels.device)
    if negative_mining_ratio > 0:
        negative = _negatives(
            to_compute_dtype(cls_pred),
            matched,
            best,
            negative_mining_ratio,
            negative_mining_thresh,
            minimum_negative_samples,
        )
        classes.masked_fill_(~negative, ignore_label)
    classes.masked_fill_(~real.any(2), ignore_label)
    offsets = classes.new_zeros((*matched.shape, 4))
    if objects:
        selected = rows_at(labels, own_object)
        classes = torch.where(matched, selected[..., 0] + 1, classes)
        box_offsets = _offsets(anchors, selected[..., 1:5], variances)
        offsets = torch.where(matched.unsqueeze(-1), box_offsets, offsets)
    mask = matched.repeat_interleave(4, 1).to(anchor.dtype)
    return (
        to_storage_dtype(offsets.flatten(1), anchor.dtype),
        mask,
        to_storage_dtype(classes, anchor.dtype),
    )


def _boxes(offsets: Tensor, anchors: Tensor, variances: Floats, clip: bool) -> Tensor:
    """Return the boxes ``[B, A, 4]`` with given offsets from anchors ``[1, A, 4]``."""
    scaled = offsets * constant(variances, offsets.dtype, offsets.device)
    size = anchors[..., 2:] - anchors[..., :2]
    middle = scaled[..., :2] * size + (anchors[..., :2] + anchors[..., 2:]) / 2
    half = scaled[..., 2:].exp() * size / 2
    boxes = torch.cat([middle - half, middle + half], -1)
    return boxes.clamp_(0, 1) if clip else boxes


@kernel()
def multi_box_detection(
    cls_prob: Tensor,
    loc_pred: Tensor,
    anchor: Tensor,
    *,
    clip: bool,
    threshold: float,
    background_id: int,
    nms_threshold: float,
    force_suppress: bool,
    variances: Floats,
    nms_topk: int,
) -> Tensor:
    """Return class, score and box of each anchor, best first; class -1 for suppressed ones."""
    scores, anchors = to_compute_dtype(cls_prob), to_compute_dtype(anchor)
    count, _, number = scores.shape
    best, kind = scores[:, 1:].max(1)
    boxes = _boxes(to_compute_dtype(loc_pred).reshape(count, number, 4), anchors, variances, clip)
    rows = torch.cat([kind.to(best.dtype)[..., None], best[..., None], boxes], -1)
    valid = best >= threshold
    counts = valid.sum(1, keepdim=True)
    # A stable sort of flags moves valid rows to the front in their order; rows of -1 follow.
    order = (~valid).to(torch.uint8).argsort(dim=1, stable=True)
    after = torch.arange(number, device=valid.device) >= counts
    y = rows_at(rows.to(scores.dtype), order).masked_fill_(after.unsqueeze(-1), -1)
    if 0 < nms_threshold <= 1:
        y = _suppressed(y, counts, nms_threshold, force_suppress, nms_topk)
    return to_storage_dtype(y, cls_prob.dtype)


def _suppressed(y: Tensor, counts: Tensor, threshold: float, force: bool, topk: int) -> Tensor:
    """Return the first ``counts`` rows sorted by score, with class -1 for suppressed ones."""
    positions = torch.arange(y.shape[1], device=y.device)
    present = positions < counts
    order = torch.where(present, -y[..., 1], inf).argsort(dim=1, stable=True)
    alive = present & (positions < topk) if topk > 0 else present
    # Behind topk rows stay where they were, as in MXNet.
    y = torch.where(alive.unsqueeze(-1), rows_at(y, order), y)
    keep = survivors(
        edges(y[..., 2:]),
        alive,
        threshold,
        classes=None if force else y[..., 0],
        inclusive=True,
    )
    y[..., 0].masked_fill_(present & ~keep, -1)
    return y
