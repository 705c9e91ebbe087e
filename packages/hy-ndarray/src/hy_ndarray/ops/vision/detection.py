"""Bounding boxes: overlap, suppression, matching, and offsets from anchors.

A box is four numbers: the edges ``x1, y1, x2, y2`` (format ``"corner"``), or the center, width and
height ``x, y, w, h`` (``"center"``).
"""

from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by, no_gradient
from hy_ndarray.ops.record.ranges import NonNegative
from hy_ndarray.ops.record.rules import expect_rank, floating, like_result, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show

Format: TypeAlias = Literal["center", "corner"]


def expect_boxes(data: TensorType) -> None:
    """Raise :class:`ShapeError` unless ``data`` is ``[*shape, 4]``."""
    if data.shape is None:
        return
    if len(data.shape) < 2:
        raise ShapeError(f"{data.label}{show(data.shape)} must have at least 2 axes")
    data.set_shape((*data.shape[:-1], 4))


@operator("_contrib_box_iou", grad=no_gradient)
def box_iou(lhs: TensorType, rhs: TensorType, *, format: Format = "corner") -> TensorType:
    """Return the intersection over union of each pair of boxes of two arrays.

    Args:
        lhs: ``[*A, 4]``, floating.
        rhs: ``[*B, 4]``, same dtype as ``lhs``.
        format: ``"corner"`` or ``"center"``.

    Returns:
        ``[*A, *B]``; 0 where boxes do not overlap, or have no area.

    Raises:
        ShapeError: The last size of an operand is not 4, or it has only one axis.

    Gradient:
        Zero.

    Example:
        >>> from hy_ndarray import nd
        >>> a, b = nd.array([[0, 0, 2, 2]]), nd.array([[1, 0, 3, 2], [5, 5, 6, 6]])
        >>> nd.contrib.box_iou(a, b).asnumpy().round(3)
        array([[0.333, 0.   ]], dtype=float32)
    """
    floating(lhs, rhs)
    expect_boxes(lhs)
    expect_boxes(rhs)
    if lhs.shape is None or rhs.shape is None:
        return lhs.with_shape(None)
    return lhs.with_shape((*lhs.shape[:-1], *rhs.shape[:-1]))


def _grad_box_nms(saved: Saved, dy: Any) -> tuple[Any]:
    names = ("coord_start", "in_format", "out_format")
    options = {name: saved.params[name] for name in names}
    return (box_nms_backward(dy, saved.outputs[1], saved.inputs[0], **options),)


def _without_last(data: TensorType) -> PartialShape | None:
    if data.shape is None:
        return None
    if len(data.shape) < 2:
        raise ShapeError(f"{data.label}{show(data.shape)} must have at least 2 axes")
    return data.shape[:-1]


@operator(
    "_contrib_box_nms",
    "_contrib_box_non_maximum_suppression",
    outputs=("output0", "output1"),
    visible=1,
    grad=_grad_box_nms,
)
def box_nms(
    data: TensorType,
    *,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0,
    topk: int = -1,
    coord_start: NonNegative = 2,
    score_index: NonNegative = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: Format = "corner",
    out_format: Format = "corner",
) -> tuple[TensorType, TensorType]:
    """Return the boxes that remain after non-maximum suppression, best first.

    Boxes are visited by descending score; each box not yet suppressed suppresses the boxes of lower
    score that it overlaps by more than ``overlap_thresh``.

    Args:
        data: ``[*batch, N, K]``, floating: for each box its score, four coordinates, and any
            other numbers.
        overlap_thresh: Intersection over union above which a box is suppressed.
        valid_thresh: Boxes whose score is not above it are removed first.
        topk: Number of boxes of the highest scores that take part in suppression, per batch
            entry; all, if not positive.
        coord_start: Index of the first coordinate in the last axis.
        score_index: Index of the score in the last axis.
        id_index: Index of the class in the last axis; boxes suppress only boxes of their own
            class. Negative if there are no classes.
        background_id: Boxes of this class are removed first.
        force_suppress: Whether boxes suppress boxes of other classes too.
        in_format: Format of the boxes in ``data``.
        out_format: Format of the boxes in the result.

    Returns:
        ``[*batch, N, K]``: the remaining boxes by descending score, then rows of -1.

    Raises:
        ShapeError: ``data`` has fewer than two axes, or too few numbers for a box.

    Gradient:
        Flows to the rows of ``data`` that remain.

    Example:
        >>> from hy_ndarray import nd
        >>> boxes = nd.array([[0, 0.5, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 1.9], [0, 0.4, 5, 5, 6, 6]])
        >>> nd.contrib.box_nms(boxes)[:, 1].asnumpy()
        array([ 0.9,  0.4, -1. ], dtype=float32)
    """
    needed = max(coord_start + 4, score_index + 1, id_index + 1)
    per_box = _without_last(data)
    if data.shape is not None and (data.shape[-1] or needed) < needed:
        raise ShapeError(
            f"{data.label}{show(data.shape)} must have at least {needed} numbers in each row"
        )
    return data, TensorType(per_box, "int64")


@operator("_box_nms_select", grad=gradient_by("_box_nms_backward", 1, 0))
def box_nms_select(
    data: TensorType,
    index: TensorType,
    *,
    coord_start: NonNegative = 2,
    in_format: Format = "corner",
    out_format: Format = "corner",
) -> TensorType:
    """Return the rows of ``data`` at ``index``, with boxes converted; zeros for index -1."""
    index.set_dtype("int64")
    index.set_shape(_without_last(data))
    return data


@operator("_box_nms_backward", grad=gradient_by("_box_nms_select", 1), params_of=box_nms_select)
def box_nms_backward(
    dy: TensorType, index: TensorType, data: TensorType, **params: Any
) -> TensorType:
    """Return the gradient of ``box_nms`` with respect to ``data``.

    Only the type of ``data`` is used.
    """
    same_dtype(dy, data)
    like_result(dy, box_nms_select, data, index, **params)
    return data


@operator("_contrib_bipartite_matching", outputs=("output0", "output1"), grad=no_gradient)
def bipartite_matching(
    data: TensorType, *, is_ascend: bool = False, threshold: float, topk: int = -1
) -> tuple[TensorType, TensorType]:
    """Return a greedy matching of rows with columns by score.

    Args:
        data: ``[*batch, N, M]``, floating: the score of each pair.
        is_ascend: Whether lower scores are better.
        threshold: Pairs must score above it; below it, with ``is_ascend``.
        topk: Limit of pairs: at most ``topk + 1`` are made; no limit if not positive.

    Returns:
        ``[*batch, N]``, the column matched with each row; ``[*batch, M]``, the row matched with
        each column; -1 if unmatched. In the dtype of ``data``.

    Raises:
        ShapeError: ``data`` has fewer than two axes.

    Gradient:
        Zero.

    Example:
        >>> from hy_ndarray import nd
        >>> scores = nd.array([[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]])
        >>> rows, columns = nd.contrib.bipartite_matching(scores, threshold=0.05)
        >>> rows.asnumpy(), columns.asnumpy()
        (array([ 1., -1.,  0.], dtype=float32), array([2., 0.], dtype=float32))
    """
    rows = _without_last(data)
    if data.shape is None or rows is None:
        return data.with_shape(None), data.with_shape(None)
    return data.with_shape(rows), data.with_shape((*rows[:-1], data.shape[-1]))


@operator("_contrib_box_encode", outputs=("output0", "output1"), grad=no_gradient)
def box_encode(
    samples: TensorType,
    matches: TensorType,
    anchors: TensorType,
    refs: TensorType,
    means: TensorType,
    stds: TensorType,
) -> tuple[TensorType, TensorType]:
    """Return the training targets of each anchor: normalized offsets of the matched box.

    For a box of center ``x, y`` and size ``w, h``, and an anchor ``X, Y, W, H``, the offsets are
    ``(x - X) / W``, ``(y - Y) / H``, ``log(w / W)`` and ``log(h / H)``, minus the means and divided
    by the standard deviations.

    Args:
        samples: ``[B, N]``: 1 for a matched anchor, 0 for background, -1 to ignore the anchor.
        matches: ``[B, N]``: index of the matched box in ``refs``.
        anchors: ``[B, N, 4]``, corners.
        refs: ``[B, M, 4]``, corners.
        means: ``[4]``, means of the offsets.
        stds: ``[4]``, standard deviations of the offsets.

    Returns:
        ``[B, N, 4]``, the offsets, 0 for unmatched anchors; ``[B, N, 4]``, 1 for matched anchors.

    Raises:
        ShapeError: The operands are incompatible.

    Gradient:
        Zero.
    """
    same_dtype(anchors, refs)
    for data in (samples, matches):
        expect_rank(data, 2)
    for data in (anchors, refs):
        expect_rank(data, 3)
        expect_boxes(data)
    means.set_shape((4,))
    stds.set_shape((4,))
    samples.set_shape(matches.shape)
    matches.set_shape(samples.shape)
    if samples.shape is not None:
        anchors.set_shape((*samples.shape, 4))
        refs.set_shape((samples.shape[0], None, 4))
    return anchors.with_dtype(anchors.dtype), anchors.with_dtype(anchors.dtype)


@operator("_contrib_box_decode", grad=no_gradient)
def box_decode(
    data: TensorType,
    anchors: TensorType,
    *,
    std0: float = 1,
    std1: float = 1,
    std2: float = 1,
    std3: float = 1,
    clip: float = -1,
    format: Format = "center",
) -> TensorType:
    """Return boxes from predicted offsets and anchors: the inverse of ``box_encode``.

    Args:
        data: ``[B, N, 4]``: offsets.
        anchors: ``[1, N, 4]``.
        std0: Factor of the first offset.
        std1: Factor of the second.
        std2: Factor of the third.
        std3: Factor of the fourth.
        clip: Upper bound of the last two scaled offsets (logarithms); none if not positive.
        format: Format of ``anchors``.

    Returns:
        ``[B, N, 4]``, corners.

    Raises:
        ShapeError: The operands are incompatible.

    Gradient:
        Zero.
    """
    same_dtype(data, anchors)
    for operand in (data, anchors):
        expect_rank(operand, 3)
        expect_boxes(operand)
    if data.shape is not None:
        anchors.set_shape((1, *data.shape[1:]))
    return data
