"""Single-shot detection (Liu et al., SSD, 2016): anchors, training targets, decoded boxes.

Boxes are given by edges ``x1, y1, x2, y2``, as fractions of the width and height of the image.
"""

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import no_gradient
from hy_ndarray.ops.record.params import Floats
from hy_ndarray.ops.record.rules import expect_rank, floating
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.vision.detection import expect_boxes


def _expect_count(name: str, values: Floats, count: int) -> None:
    if len(values) != count:
        raise ArgumentError(f"{name}={values} must have {count} numbers")


def _expect_anchors(anchor: TensorType) -> None:
    expect_rank(anchor, 3)
    expect_boxes(anchor)
    anchor.set_shape((1, None, 4))


@operator("_contrib_MultiBoxPrior", "_npx_multibox_prior", grad=no_gradient)
def multi_box_prior(
    data: TensorType,
    *,
    sizes: Floats = (1.0,),
    ratios: Floats = (1.0,),
    clip: bool = False,
    steps: Floats = (-1.0, -1.0),
    offsets: Floats = (0.5, 0.5),
) -> TensorType:
    """Return anchor boxes of several sizes and aspect ratios for each pixel of a feature map.

    There are ``K = len(sizes) + len(ratios) - 1`` anchors per pixel: all sizes with the first
    ratio, then the first size with the other ratios. An anchor of size ``s`` and ratio ``r`` has
    the height ``s / sqrt(r)`` and the width ``s sqrt(r)``, as fractions of the image's height.

    Args:
        data: ``[N, C, H, W]``: the feature map, of which only the type is used.
        sizes: Sizes, as fractions of the height.
        ratios: Aspect ratios, width over height.
        clip: Clip the boxes to the image.
        steps: Height and width of a pixel, as fractions of the image; ``1 / H`` and ``1 / W`` if
            not positive.
        offsets: Vertical and horizontal position of the center within the pixel, from 0 to 1.

    Returns:
        ``[1, H W K, 4]``, in the order of the pixels.

    Raises:
        ShapeError: ``data`` does not have four axes.
        ArgumentError: There is no size, no ratio, or not two steps or offsets.

    Source:
        Liu et al. 2016, arXiv:1512.02325, section 2.2.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.MultiBoxPrior(nd.zeros((1, 3, 1, 1)), sizes=(0.5,)).asnumpy()
        array([[[0.25, 0.25, 0.75, 0.75]]], dtype=float32)
    """
    expect_rank(data, 4)
    if not sizes or not ratios:
        raise ArgumentError(f"sizes={sizes} and ratios={ratios} must not be empty")
    _expect_count("steps", steps, 2)
    _expect_count("offsets", offsets, 2)
    if steps[0] * steps[1] < 0:
        raise ArgumentError(f"steps={steps} must be both positive, or both -1")
    _, _, rows, columns = data.shape or (None,) * 4
    if rows is None or columns is None:
        return data.with_shape((1, None, 4))
    return data.with_shape((1, rows * columns * (len(sizes) + len(ratios) - 1), 4))


@operator(
    "_contrib_MultiBoxTarget",
    "_npx_multibox_target",
    outputs=("loc_target", "loc_mask", "cls_target"),
    grad=no_gradient,
)
def multi_box_target(
    anchor: TensorType,
    label: TensorType,
    cls_pred: TensorType,
    *,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1,
    negative_mining_ratio: float = -1,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
) -> tuple[TensorType, TensorType, TensorType]:
    """Return the training targets of each anchor: its class, and offsets of the matched box.

    Objects and anchors are first matched greedily, the pair of the greatest overlap first. Then
    each unmatched anchor is matched with the object it overlaps most, if the overlap exceeds
    ``overlap_threshold``. All other anchors are background.

    Args:
        anchor: ``[1, A, 4]``.
        label: ``[N, O, 5 or more]``: class and box of each object; rows from the first of class
            -1 on are ignored.
        cls_pred: ``[N, C, A]``: predicted scores of the classes, before softmax; class 0 is the
            background.
        overlap_threshold: Least overlap of the second step, which is skipped if not positive.
        ignore_label: Class of anchors that are excluded from training.
        negative_mining_ratio: Number of background anchors per matched anchor that are kept for
            training: those whose background is predicted worst. All, if not positive.
        negative_mining_thresh: Anchors with at least this overlap are not kept as background.
        minimum_negative_samples: Least number of background anchors to keep.
        variances: Divisors of the offsets.

    Returns:
        ``[N, A * 4]``: offsets ``(x - X) / W, (y - Y) / H, log(w / W), log(h / H)``, divided by the
        variances; 0 for unmatched anchors. ``[N, A * 4]``: 1 for matched anchors, else 0.
        ``[N, A]``: class of the matched object plus 1, or 0 for background. In images without
        objects all classes are ``ignore_label``.

    Raises:
        ShapeError: The operands are incompatible.
        ArgumentError: There are not four variances, or a threshold is not positive.

    Gradient:
        Zero.

    Source:
        Liu et al. 2016, arXiv:1512.02325, section 2.2.
    """
    _expect_count("variances", variances, 4)
    if negative_mining_ratio > 0 and negative_mining_thresh <= 0:
        raise ArgumentError(f"negative_mining_thresh={negative_mining_thresh} must be positive")
    floating(anchor, label, cls_pred)
    _expect_anchors(anchor)
    for operand in (label, cls_pred):
        expect_rank(operand, 3)
    if label.shape is not None:
        if (width := label.shape[2]) is not None and width < 5:
            raise ShapeError(
                f"{label.label}{show(label.shape)} must have at least 5 numbers in each row: class "
                "and corners"
            )
        cls_pred.set_shape((label.shape[0], None, None))
    count = None if anchor.shape is None else anchor.shape[1]
    cls_pred.set_shape((None, None, count))
    batch = None if cls_pred.shape is None else cls_pred.shape[0]
    flat = (batch, None if count is None else count * 4)
    return anchor.with_shape(flat), anchor.with_shape(flat), anchor.with_shape((batch, count))


@operator("_contrib_MultiBoxDetection", "_npx_multibox_detection", grad=no_gradient)
def multi_box_detection(
    cls_prob: TensorType,
    loc_pred: TensorType,
    anchor: TensorType,
    *,
    clip: bool = True,
    threshold: float = 0.01,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
) -> TensorType:
    """Return the detected objects: class, score and box for each anchor.

    Args:
        cls_prob: ``[N, C, A]``: probabilities of the classes; class 0 is the background.
        loc_pred: ``[N, A * 4]``: offsets from the anchors, divided by the variances.
        anchor: ``[1, A, 4]``.
        clip: Clip the boxes to the image.
        threshold: Least probability of the best class for an anchor to be an object.
        background_id: Accepted and ignored; the background is class 0.
        nms_threshold: Overlap from which an object suppresses objects of lower score. Outside of
            0 … 1 objects are neither suppressed nor sorted.
        force_suppress: Whether objects suppress objects of other classes too.
        variances: Factors of the offsets.
        nms_topk: Greatest number of objects before suppression; all, if not positive.

    Returns:
        ``[N, A, 6]``: class (minus 1, so that 0 is the first object class), score and box, by
        descending score. Suppressed objects have class -1; rows after the last object are -1.

    Raises:
        ShapeError: The operands are incompatible.
        ArgumentError: There are not four variances.

    Gradient:
        Zero.

    Source:
        Liu et al. 2016, arXiv:1512.02325.
    """
    _expect_count("variances", variances, 4)
    floating(cls_prob, loc_pred, anchor)
    _expect_anchors(anchor)
    expect_rank(cls_prob, 3)
    expect_rank(loc_pred, 2)
    if cls_prob.shape is not None and (cls_prob.shape[1] or 2) < 2:
        raise ShapeError(
            f"{cls_prob.label}{show(cls_prob.shape)} must have at least 2 classes, the background "
            "first"
        )
    if anchor.shape is not None and (count := anchor.shape[1]) is not None:
        cls_prob.set_shape((None, None, count))
        loc_pred.set_shape((None, count * 4))
    if loc_pred.shape is not None:
        cls_prob.set_shape((loc_pred.shape[0], None, None))
    if cls_prob.shape is None:
        return cls_prob.with_shape((None, None, 6))
    batch, _, count = cls_prob.shape
    anchor.set_shape((1, count, 4))
    loc_pred.set_shape((batch, None if count is None else count * 4))
    return cls_prob.with_shape((batch, count, 6))
