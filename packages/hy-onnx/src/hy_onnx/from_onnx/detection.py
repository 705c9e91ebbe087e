"""Import of non-maximum suppression."""

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor

__all__: list[str] = []

_LOWEST_SCORE = -3.4e38
"""A threshold below all scores."""


def _scalar_input(call: Call, i: int, what: str, default: float) -> float:
    return float(call.known(i, what).reshape(-1)[0]) if call.has(i) else default


def _max_boxes(call: Call, scores: Tensor) -> int:
    """Return the maximal number of selected boxes per class, -1 for no limit.

    A limit given by an open size is accepted only if it is the number of boxes.
    """
    limit = call.operands[2] if call.has(2) else None
    if isinstance(limit, list) and limit == [scores.dims[2]]:
        return -1
    count = int(_scalar_input(call, 2, "max_output_boxes_per_class", 0))
    return -1 if count >= max(s[2] for s in scores.shapes) else max(count, 0)


def _ordered(call: Call, boxes: Tensor) -> Tensor:
    """Return boxes as (min, max) corners, as ONNX allows corners in any order."""
    # ONNX allows corners in any order.
    a, b = (call.op("slice_axis", boxes, axis=2, begin=i, end=i + 2) for i in (0, 2))
    low, high = call.op("broadcast_minimum", a, b), call.op("broadcast_maximum", a, b)
    return call.op("Concat", low, high, dim=2)


@reader("NonMaxSuppression")
def _suppressed(call: Call) -> Tensor:
    """Return rows (image, class, box) of the boxes that ``box_nms`` keeps."""
    scores, max_boxes = call.tensor(1), _max_boxes(call, call.tensor(1))
    is_center = bool(call.attr("center_point_box", 0))
    boxes = call.x if is_center else _ordered(call, call.x)
    # box_nms takes one row per box: score, corners, and the number to tell boxes by.
    columns = call.op("expand_dims", scores, axis=3)  # [B, C, N, 1]
    numbers = call.op(
        "_contrib_arange_like", call.op("slice_axis", scores, axis=1, begin=0, end=1), axis=2
    )
    numbers = call.op("Reshape", numbers, shape=(1, 1, -1, 1))
    rows = [
        columns,
        call.op(
            "broadcast_like",
            call.op("expand_dims", boxes, axis=1),
            scores,
            lhs_axes=(1,),
            rhs_axes=(1,),
        ),
        call.op("broadcast_like", numbers, columns),
    ]
    survivors = call.op(
        "_contrib_box_nms",
        call.op("Concat", *rows, dim=3),
        overlap_thresh=_scalar_input(call, 3, "iou_threshold", 0.0),
        valid_thresh=_scalar_input(call, 4, "score_threshold", _LOWEST_SCORE),
        coord_start=1,
        score_index=0,
        in_format="center" if is_center else "corner",
        out_format="center" if is_center else "corner",
    )
    box_indices = call.op("slice_axis", survivors, axis=3, begin=5, end=6)
    if max_boxes >= 0:
        box_indices = call.op("slice_axis", box_indices, axis=2, begin=0, end=max_boxes)
    positions = call.op("_contrib_index_array", box_indices, axes=(0, 1))  # [B, C, N, 1, 2]
    positions = call.op("Reshape", positions, shape=(-1, 2))
    box_indices = call.op("Reshape", box_indices, shape=(-1, 1))
    indices = call.op("Concat", positions, call.cast(box_indices, "int64"), dim=1)
    # Boxes that were suppressed have -1 everywhere.
    present = call.op(
        "_greater_equal_scalar", call.op("Reshape", box_indices, shape=(-1,)), scalar=0.0
    )
    return call.op("_contrib_boolean_mask", indices, present)
