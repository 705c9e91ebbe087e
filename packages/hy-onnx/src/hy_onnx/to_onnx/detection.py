"""Export of object detection: anchors, box overlap, decoding, non-maximum suppression."""

import numpy as np

from hy_ndarray import nd
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []

_MAX_DENSE_BOXES = 512
"""Number of boxes up to which all pairs are compared."""


@converter("_contrib_MultiBoxPrior")
def _prior(call: Call) -> str:
    """Return anchors as a constant, as they depend on the image size only."""
    # The anchors depend on sizes alone: computed now.
    rows, columns = call.shape_of(0, (2, 3))
    anchors = nd.contrib.MultiBoxPrior(nd.empty((1, 1, rows, columns)), **call.params)
    return call.constant(anchors.asnumpy(), call.out_dtype())


def _column(call: Call, x: str, column: int, rank: int) -> str:
    """Return one element of the last axis of ``x``, which has ``rank`` axes."""
    return call.op("Gather", x, call.scalar_int(column), axis=rank - 1)


def _edges(call: Call, boxes: str, rank: int, form: str) -> list[str]:
    """Return the left, top, right and bottom edges of boxes, each ``[..., 1]``."""
    parts = call.split(boxes, rank - 1, [1] * 4)
    if form == "corner":
        return parts
    x, y, width, height = parts
    half = call.like(0.5)
    w, h = call.op("Mul", width, half), call.op("Mul", height, half)
    low = [call.op("Sub", x, w), call.op("Sub", y, h)]
    return [*low, call.op("Add", x, w), call.op("Add", y, h)]


def _to_form(call: Call, boxes: str, rank: int, old: str, new: str) -> str:
    """Convert boxes between the formats ``"corner"`` and ``"center"``."""
    if old == new:
        return boxes
    edges = _edges(call, boxes, rank, old)
    if new == "center":
        half = call.like(0.5)
        pairs = ((edges[0], edges[2]), (edges[1], edges[3]))
        middles = [call.op("Mul", call.op("Add", a, b), half) for a, b in pairs]
        edges = [*middles, *(call.op("Sub", b, a) for a, b in pairs)]
    return call.op("Concat", *edges, axis=rank - 1)


@converter("_contrib_box_iou")
def _overlap(call: Call) -> str:
    form = call.params["format"]
    lhs, rhs = call.dims(0)[:-1], call.dims(1)[:-1]
    a, b = (call.op("Reshape", call.name(i), call.ints(-1, 4)) for i in (0, 1))
    left, right = _edges(call, a, 2, form), _edges(call, b, 2, form)
    right = [call.transpose(edge, 1, 0) for edge in right]
    zero = call.like(0)
    low = [call.op("Max", left[i], right[i]) for i in (0, 1)]
    high = [call.op("Min", left[i], right[i]) for i in (2, 3)]
    sides = [call.op("Max", call.op("Sub", h, w), zero) for h, w in zip(high, low, strict=True)]
    shared = call.op("Mul", *sides)
    areas = [_area(call, edges) for edges in (left, right)]
    union = call.op("Sub", call.op("Add", *areas), shared)
    # Empty boxes have no union: 0, not NaN.
    positive = call.op("Greater", union, zero)
    safe = call.op("Where", positive, union, call.like(1))
    ratio = call.op("Where", positive, call.op("Div", shared, safe), zero)
    return call.reshape(ratio, (*lhs, *rhs))


def _area(call: Call, edges: list[str]) -> str:
    zero = call.like(0)
    sides = [call.op("Max", call.op("Sub", edges[i + 2], edges[i]), zero) for i in (0, 1)]
    return call.op("Mul", *sides)


def _survivors(
    call: Call,
    boxes: str,
    scores: str,
    own: str | None,
    overlap: float,
    form: str,
) -> str:
    """Return a mask ``[B, N]`` of the boxes that survive non-maximum suppression.

    Args:
        call: The node.
        boxes: ``[B, N, 4]``.
        scores: ``[B, N]``; minus infinity excludes a box.
        own: Mask ``[B, C, N]`` of the boxes of each class, which only suppress each other; None:
            one class.
        overlap: IoU threshold, above which a box is suppressed.
        form: Format of the boxes, ``"corner"`` or ``"center"``.
    """
    lowest = call.like(float(np.finfo(call.dtype()).min))
    rows = call.unsqueeze(scores, 1)
    if own is not None:
        rows = call.op("Where", own, rows, call.like(-np.inf))
    size = call.op("Gather", call.op("Shape", scores), call.ints(1), axis=0)
    selected = call.op(
        "NonMaxSuppression",
        call.cast_from(boxes, call.dtype(), "float32"),
        call.cast_from(rows, call.dtype(), "float32"),
        size,
        call.constant([overlap], "float32"),
        call.cast_from(call.op("Reshape", lowest, call.ints(1)), call.dtype(), "float32"),
        center_point_box=int(form == "center"),
    )
    # Rows of image and box, from which a mask is scattered; padding rows name none.
    positions = call.op("Gather", selected, call.ints(0, 2), axis=1)
    none = call.op("ConstantOfShape", call.op("Shape", scores), value=np.zeros(1, np.int32))
    image = call.op("Gather", selected, call.scalar_int(0), axis=1)
    ones = call.cast(call.op("GreaterOrEqual", image, call.scalar_int(0)), "int32")
    return call.cast(call.op("ScatterND", none, positions, ones), "bool")


def _class_masks(call: Call, classes: str, count: int) -> str:
    """Return the mask ``[B, C, N]`` of the boxes of each class, from classes ``[B, N]``."""
    ids = call.cast_from(classes, call.dtype(), "int64")
    if (
        count <= _MAX_DENSE_BOXES
    ):  # each class has the number of its first box, and every size is known
        # One "class" for each box that is the first of its class: sizes stay known.
        same = call.op("Equal", call.unsqueeze(ids, 2), call.unsqueeze(ids, 1))
        ids = call.op("ArgMax", call.cast(same, "int32"), axis=2, keepdims=0)
        every = call.constant(np.arange(count), "int64")
    else:
        ids = call.op("Sub", ids, call.reduce("ReduceMin", ids, [0, 1], keepdims=True))
        largest = call.reduce("ReduceMax", ids, [0, 1], keepdims=False)
        end = call.op("Add", largest, call.scalar_int(1))
        every = call.op("Range", call.scalar_int(0), end, call.scalar_int(1))
    return _of_each(call, ids, every)


def _of_each(call: Call, ids: str, every: str) -> str:
    return call.op("Equal", call.unsqueeze(ids, 1), call.unsqueeze(every, 0, 2))


def _sorted_rows(call: Call, rows: str, keys: str, count: int) -> tuple[str, str]:
    """Return the ``count`` rows ``[B, N, K]`` with the largest keys ``[B, N]``, and the keys."""
    values, order = call.ops(2, "TopK", keys, call.ints(count), axis=1)
    return call.op("GatherND", rows, call.unsqueeze(order, 2), batch_dims=1), values


@converter("_contrib_box_nms")
def _suppressed(call: Call) -> str:
    params, rank = call.params, call.rank()
    count, width = call.shape_of(0, (rank - 2, rank - 1))
    rows = call.op("Reshape", call.x, call.ints(-1, count, width))
    scores = _column(call, rows, params["score_index"], 3)
    valid = call.op("Greater", scores, call.like(params["valid_thresh"]))
    if params["id_index"] >= 0:
        ids = _column(call, rows, params["id_index"], 3)
        background = call.op("Equal", ids, call.like(params["background_id"]))
        valid = call.op("And", valid, call.op("Not", background))
    keys = call.op("Where", valid, scores, call.like(-np.inf))
    part = min(params["topk"], count) if params["topk"] > 0 else count
    best, keys = _sorted_rows(call, rows, keys, part)
    start = params["coord_start"]
    boxes = call.slice(best, 2, start, start + 4)
    own = None
    if params["id_index"] >= 0 and not params["force_suppress"]:
        own = _class_masks(call, _column(call, best, params["id_index"], 3), part)
    overlap = params["overlap_thresh"]
    survivors = _survivors(call, boxes, keys, own, overlap, params["in_format"])
    keys = call.op("Where", survivors, keys, call.like(-np.inf))
    if params["in_format"] != params["out_format"]:
        boxes = _to_form(call, boxes, 3, params["in_format"], params["out_format"])
        ends = [call.slice(best, 2, 0, start), call.slice(best, 2, start + 4, width)]
        best = call.op("Concat", ends[0], boxes, ends[1], axis=2)
    best, keys = _sorted_rows(call, best, keys, part)
    present = call.op("Greater", keys, call.like(-np.inf))
    y = call.op("Where", call.unsqueeze(present, 2), best, call.like(-1))
    if part < count:
        # Suppressed rows are -1 and after all others, as in MXNet.
        y = call.op("Pad", y, call.ints(0, 0, 0, 0, count - part, 0), call.like(-1))
    return call.reshape(y, call.dims())


@converter("_contrib_MultiBoxDetection")
def _detected(call: Call) -> str:
    params = call.params
    classes, count = call.shape_of(0, (1, 2))
    objects = call.slice(call.x, 1, 1, classes)
    best = call.reduce("ReduceMax", objects, [1], keepdims=False)
    kind = call.cast(call.op("ArgMax", objects, axis=1, keepdims=0), call.dtype())
    boxes = _located(call, count)
    columns = [call.unsqueeze(kind, 2), call.unsqueeze(best, 2), boxes]
    rows = call.op("Concat", *columns, axis=2)
    valid = call.op("GreaterOrEqual", best, call.like(params["threshold"]))
    infinite = call.like(-np.inf)
    # A threshold outside of (0, 1] means no suppression in MXNet.
    if not 0 < params["nms_threshold"] <= 1:
        rows, keys = _sorted_rows(call, rows, call.cast(valid, "float32"), count)
        present = call.op("Greater", keys, call.constant(0, "float32"))
        return call.op("Where", call.unsqueeze(present, 2), rows, call.like(-1))
    ordered, keys = _sorted_rows(call, rows, call.op("Where", valid, best, infinite), count)
    present = call.op("Greater", keys, infinite)
    topk = params["nms_topk"]
    if 0 < topk < count:  # rows after those that take part stay in the order of the anchors
        positions = call.constant(np.arange(count)[None] < topk, "bool")
        front, _ = _sorted_rows(call, rows, call.cast(valid, "float32"), count)
        ordered = call.op("Where", call.unsqueeze(positions, 2), ordered, front)
        keys = call.op("Where", positions, keys, infinite)
    own = None
    if not params["force_suppress"]:
        ids = call.cast_from(_column(call, ordered, 0, 3), call.dtype(), "int64")
        own = _of_each(call, ids, call.constant(np.arange(classes - 1), "int64"))
    # MXNet suppresses at the threshold itself, ONNX above it.
    inclusive = float(np.nextafter(np.float32(params["nms_threshold"]), np.float32(0)))
    survivors = _survivors(call, call.slice(ordered, 2, 2, 6), keys, own, inclusive, "corner")
    kind = call.op("Where", survivors, _column(call, ordered, 0, 3), call.like(-1))
    y = call.op("Concat", call.unsqueeze(kind, 2), call.slice(ordered, 2, 1, 6), axis=2)
    return call.op("Where", call.unsqueeze(present, 2), y, call.like(-1))


def _located(call: Call, count: int) -> str:
    """Return the boxes of MultiBoxDetection as corners, decoded from offsets and anchors."""
    params = call.params
    offsets = call.split(call.reshape(call.name(1), (call.dims()[0], count, 4)), 2, [1] * 4)
    scaled = [
        call.op("Mul", offset, call.like(factor))
        for offset, factor in zip(offsets, params["variances"], strict=True)
    ]
    centers = _to_form(call, call.name(2), 3, "corner", "center")
    x, y, width, height = call.split(centers, 2, [1] * 4)
    middles = [
        call.op("Add", call.op("Mul", scaled[0], width), x),
        call.op("Add", call.op("Mul", scaled[1], height), y),
    ]
    half = call.like(0.5)
    halves = [
        call.op("Mul", call.op("Mul", call.op("Exp", offset), size), half)
        for offset, size in zip(scaled[2:], (width, height), strict=True)
    ]
    edges = [
        call.op(op, middle, size)
        for op in ("Sub", "Add")
        for middle, size in zip(middles, halves, strict=True)
    ]
    boxes = call.op("Concat", *edges, axis=2)
    return call.op("Clip", boxes, call.like(0), call.like(1)) if params["clip"] else boxes


@converter("_contrib_ROIAlign")
def _align(call: Call) -> str:
    params = call.params
    if params["position_sensitive"]:
        raise call.refused("position_sensitive=True: ONNX's RoiAlign reads all channels")
    if params["aligned"] and call.opset < 16:  # noqa: PLR2004
        raise call.refused("aligned=True needs opset_version=16 or later")
    rows, columns = params["pooled_size"]
    number = call.squeeze(call.slice(call.name(1), 1, 0, 1), 1)
    # MXNet's negative image numbers mean no region: computed anyway, and set to 0.
    image = call.op("Max", call.cast(number, "int64"), call.scalar_int(0))
    mode = "half_pixel" if params["aligned"] else "output_half_pixel"
    y = call.op(
        "RoiAlign",
        call.x,
        call.slice(call.name(1), 1, 1, 5),
        image,
        output_height=rows,
        output_width=columns,
        sampling_ratio=max(params["sample_ratio"], 0),
        spatial_scale=params["spatial_scale"],
        coordinate_transformation_mode=mode if call.opset >= 16 else None,  # noqa: PLR2004
    )
    present = call.op("GreaterOrEqual", number, call.like(0, 1))
    return call.op("Where", call.unsqueeze(present, 1, 2, 3), y, call.like(0))


@converter("ROIPooling")
def _pool_regions(call: Call) -> str:
    params = call.params
    options = {
        "pooled_shape": list(params["pooled_size"]),
        "spatial_scale": params["spatial_scale"],
    }
    return call.op("MaxRoiPool", call.x, call.name(1), **options)
