"""Region proposals from scores and offsets per pixel (Ren et al., Faster R-CNN, 2015)."""

from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import no_gradient
from hy_ndarray.ops.record.params import Floats
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import expect_rank, floating
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType

_OUTPUTS = ("output", "score")


def _visible(params: Params) -> int:
    return 2 if params["output_score"] else 1


def _regions(
    cls_prob: TensorType, bbox_pred: TensorType, im_info: TensorType, kinds: int, each: int
) -> tuple[TensorType, TensorType]:
    floating(cls_prob, bbox_pred, im_info)
    if not kinds:
        raise ArgumentError("scales and ratios must not be empty")
    for operand in (cls_prob, bbox_pred):
        expect_rank(operand, 4)
    expect_rank(im_info, 2)
    cls_prob.set_shape((None, 2 * kinds, None, None))
    bbox_pred.set_shape((None, 4 * kinds, None, None))
    im_info.set_shape((None, 3))
    for one, other in ((cls_prob, bbox_pred), (bbox_pred, cls_prob)):
        assert one.shape is not None
        batch, channels, *space = one.shape
        assert channels is not None
        other.set_shape((batch, 4 * kinds if other is bbox_pred else 2 * kinds, *space))
    assert cls_prob.shape is not None
    batch = cls_prob.shape[0]
    im_info.set_shape((batch, 3))
    count = None if batch is None else batch * each
    return cls_prob.with_shape((count, 5)), cls_prob.with_shape((count, 1))


@operator("_contrib_MultiProposal", outputs=_OUTPUTS, visible=_visible, grad=no_gradient)
def multi_proposal(
    cls_prob: TensorType,
    bbox_pred: TensorType,
    im_info: TensorType,
    *,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: Positive = 300,
    threshold: float = 0.7,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: Positive = 16,
    output_score: bool = False,
    iou_loss: bool = False,
) -> tuple[TensorType, TensorType]:
    """Return the regions of each image that most likely contain an object.

    There are ``A = len(scales) * len(ratios)`` anchors at each pixel of the feature map. Predicted
    offsets are applied to the anchors, and the boxes are clipped to the image. The best boxes
    remain after non-maximum suppression.

    Args:
        cls_prob: ``[N, 2 A, H, W]``: for each anchor the probability of background, then of an
            object.
        bbox_pred: ``[N, 4 A, H, W]``: offsets ``(x - X) / W, (y - Y) / H, log(w / W),
            log(h / H)`` of the boxes from the anchors.
        im_info: ``[N, 3]``: height, width and scale factor of the image.
        rpn_pre_nms_top_n: Number of boxes of the highest scores before suppression; all, if not
            positive.
        rpn_post_nms_top_n: Number of boxes per image after suppression.
        threshold: Overlap above which the box of the lower score is suppressed.
        rpn_min_size: Least width and height of boxes, in pixels before scaling; smaller ones rank
            last.
        scales: Sizes of the anchors, in units of ``feature_stride``.
        ratios: Aspect ratios of the anchors, height over width.
        feature_stride: Pixels of the image per pixel of the feature map.
        output_score: Also return the scores.
        iou_loss: Whether ``bbox_pred`` holds distances of the edges from those of the anchors.

    Returns:
        ``[N * rpn_post_nms_top_n, 5]``: index of the image, and edges ``x1, y1, x2, y2`` in pixels,
        by descending score; repeated if too few remain. With ``output_score`` also the scores,
        ``[N * rpn_post_nms_top_n, 1]``.

    Raises:
        ShapeError: The operands are incompatible with each other or with the number of anchors.

    Gradient:
        Zero.

    Source:
        Ren, He, Girshick, Sun 2015, arXiv:1506.01497, section 3.1.
    """
    kinds = len(scales) * len(ratios)
    return _regions(cls_prob, bbox_pred, im_info, kinds, rpn_post_nms_top_n)


@operator(
    "_contrib_Proposal",
    outputs=_OUTPUTS,
    visible=_visible,
    grad=no_gradient,
    params_of=multi_proposal,
)
def proposal(
    cls_prob: TensorType, bbox_pred: TensorType, im_info: TensorType, **params: Any
) -> tuple[TensorType, TensorType]:
    """Return :func:`multi_proposal` of a single image."""
    kinds = len(params["scales"]) * len(params["ratios"])
    return _regions(cls_prob, bbox_pred, im_info, kinds, params["rpn_post_nms_top_n"])
