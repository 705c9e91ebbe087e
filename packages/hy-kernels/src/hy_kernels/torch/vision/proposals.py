"""Region proposals from scores and offsets at each pixel (Ren et al., Faster R-CNN, 2015)."""

import torch

from hy_kernels.boxes import Floats, base_anchors, edges
from hy_kernels.torch._constants import constant
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._precision import to_compute_dtype, to_storage_dtype
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.vision._boxes import rows_at
from hy_kernels.torch.vision._suppression import survivors


def _anchors(
    rows: int, columns: int, stride: int, scales: Floats, ratios: Floats, device: torch.device
) -> Tensor:
    """Return the anchors of all pixels, ``[H * W * A, 4]``."""
    y, x = torch.meshgrid(
        torch.arange(rows, device=device), torch.arange(columns, device=device), indexing="ij"
    )
    shift = torch.stack([x, y, x, y], -1).reshape(-1, 1, 4) * stride
    base = constant(base_anchors(stride, scales, ratios), widest(device), device)
    return (base + shift).reshape(-1, 4)


def _boxes_at_offsets(anchors: Tensor, offsets: Tensor, iou_loss: bool) -> Tensor:
    """Return the boxes ``[B, K, 4]`` with given offsets from anchors ``[K, 4]``."""
    if iou_loss:
        return anchors + offsets
    size = anchors[:, 2:] - anchors[:, :2] + 1
    middle = offsets[..., :2] * size + (anchors[:, :2] + (size - 1) / 2)
    half = (offsets[..., 2:].exp() * size - 1) / 2
    return torch.cat([middle - half, middle + half], -1)


def _real_scores(scores: Tensor, real: Tensor) -> Tensor:
    """Return scores ``[B, H * W * A]``, -1 for pixels outside of the unpadded images.

    ``real [B, 2]`` are the unpadded sizes, in pixels of the feature maps.
    """
    # Feature pixels beyond the real image (padding of a batch) get the lowest score.
    count, kinds, rows, columns = scores.shape
    below = torch.arange(rows, device=scores.device) >= real[:, :1]
    beside = torch.arange(columns, device=scores.device) >= real[:, 1:]
    outside = below[:, None, :, None] | beside[:, None, None, :]
    keep = torch.where(outside, -1, scores)
    return keep.permute(0, 2, 3, 1).reshape(count, rows * columns * kinds)


@kernel()
def multi_proposal(
    cls_prob: Tensor,
    bbox_pred: Tensor,
    im_info: Tensor,
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
) -> tuple[Tensor, Tensor]:
    """Return the best proposals of each image and their scores.

    Proposals are ``[B * rpn_post_nms_top_n, 5]``: image index and box.
    """
    count, _, rows, columns = cls_prob.shape
    kinds = len(scales) * len(ratios)
    maps, info = to_compute_dtype(cls_prob)[:, kinds:], to_compute_dtype(im_info)
    anchors = _anchors(rows, columns, feature_stride, scales, ratios, maps.device).to(maps.dtype)
    offsets = to_compute_dtype(bbox_pred).reshape(count, kinds, 4, rows, columns)
    offsets = offsets.permute(0, 3, 4, 1, 2).reshape(count, len(anchors), 4)
    # Image sizes are (rows, columns); edges are x, y, x, y.
    edge = info[:, [1, 0, 1, 0]][:, None] - 1
    boxes = torch.minimum(_boxes_at_offsets(anchors, offsets, iou_loss).clamp_(min=0), edge)
    scores = _real_scores(maps, (info[:, :2] / feature_stride).floor())
    boxes, scores = _marked(boxes, scores, rpn_min_size * info[:, 2])
    total = scores.shape[1]
    before = min(rpn_pre_nms_top_n, total) if rpn_pre_nms_top_n > 0 else total
    # Negated and stable: descending with equal scores in their order.
    order = (-scores).argsort(dim=1, stable=True)[:, :before]
    boxes, scores = rows_at(boxes, order), scores.gather(1, order)
    regions, best = _surviving(
        boxes, scores, threshold, min(rpn_post_nms_top_n, before), rpn_post_nms_top_n
    )
    return to_storage_dtype(regions, cls_prob.dtype), to_storage_dtype(best, cls_prob.dtype)


def _marked(boxes: Tensor, scores: Tensor, lowest: Tensor) -> tuple[Tensor, Tensor]:
    """Return boxes and scores; boxes smaller than ``lowest [B]`` are widened and scored -1."""
    lowest = lowest[:, None]
    w, h = boxes[..., 2] - boxes[..., 0] + 1, boxes[..., 3] - boxes[..., 1] + 1
    small = (w < lowest) | (h < lowest)
    more = torch.where(small, lowest / 2, 0)[..., None]
    boxes = torch.cat([boxes[..., :2] - more, boxes[..., 2:] + more], -1)
    return boxes, torch.where(small, -1, scores)


def _surviving(
    boxes: Tensor, scores: Tensor, threshold: float, max_boxes: int, num_proposals: int
) -> tuple[Tensor, Tensor]:
    """Return the proposals ``[B * num_proposals, 5]``, image index and box, and their scores."""
    count, total = scores.shape
    alive = torch.ones((count, total), dtype=torch.bool, device=boxes.device)
    keep = survivors(edges(boxes), alive, threshold, border=1.0, max_boxes=max_boxes)
    result = keep.sum(1, keepdim=True)
    order = (~keep).to(torch.uint8).argsort(dim=1, stable=True)
    # Fewer survivors than proposals: they repeat, as in MXNet, so that shapes are fixed.
    positions = torch.arange(num_proposals, device=boxes.device) % result.clamp(min=1)
    again = order.gather(1, positions)
    y = boxes.new_empty((count, num_proposals, 5))
    y[..., 0] = torch.arange(count, device=boxes.device)[:, None]
    y[..., 1:] = rows_at(boxes, again)
    return y.reshape(-1, 5), scores.gather(1, again).reshape(-1, 1)


proposal = alias("proposal", multi_proposal)
