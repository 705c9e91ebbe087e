"""What operators on boxes, regions and images refuse; arrays and types agree."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, DTypeError, HyError, IndexingError, ShapeError, nd, ops
from hy_ndarray.array._functions import function_named
from hy_ndarray.ops import Operator, TensorType

A, S = ArgumentError, ShapeError
POOL: dict[str, Any] = {"pooled_size": (2, 2), "spatial_scale": 1.0}
PARTS: dict[str, Any] = {"spatial_scale": 1.0, "output_dim": 2, "pooled_size": 2}
SHIFTS = {**PARTS, "group_size": 2}
CONV = {"kernel": (1, 1), "num_filter": 2, "no_bias": True}
TWO = [(1, 2, 3, 3), (1, 2, 3, 3), (2, 2, 1, 1)]
BORDER = {"top": 0, "bot": 0, "left": 0, "right": 0}
FACTORS = {"min_factor": 0.5, "max_factor": 1.0}

REFUSED: tuple[tuple[str, list[Any], dict[str, Any], type[Exception], str], ...] = (
    ("_contrib_box_iou", [(4,), (2, 4)], {}, S, r"lhs \(4,\) must have at least 2 axes"),
    ("_contrib_box_iou", [(2, 3), (2, 4)], {}, S, r"lhs \(2, 3\) must be \(2, 4\)"),
    ("_contrib_box_nms", [(3, 5)], {}, S, r"data \(3, 5\) must have at least 6 numbers"),
    ("_contrib_box_nms", [(3, 6)], {"id_index": 6}, S, "must have at least 7 numbers"),
    ("_contrib_box_nms", [(6,)], {}, S, "must have at least 2 axes"),
    ("_contrib_box_nms", [(3, 6)], {"score_index": -1}, A, "score_index=-1 must be"),
    ("_contrib_bipartite_matching", [(3,)], {"threshold": 0.1}, S, "must have at least 2 axes"),
    ("_contrib_box_encode", [(2, 3), (2, 3), (1, 3, 4), (2, 1, 4), (4,), (4,)], {}, S,
     r"anchors \(1, 3, 4\) must be \(2, 3, 4\)"),
    ("_contrib_box_decode", [(2, 3, 4), (2, 3, 4)], {}, S, r"anchors .* must be \(1, 3, 4\)"),
    ("_contrib_MultiBoxPrior", [(1, 1, 2, 2)], {"sizes": ()}, A, "must not be empty"),
    ("_contrib_MultiBoxPrior", [(1, 1, 2, 2)], {"steps": (0.1,)}, A, "must have 2 numbers"),
    ("_contrib_MultiBoxPrior", [(1, 1, 2, 2)], {"steps": (0.1, -1.0)}, A,
     "both positive, or both -1"),
    ("_contrib_MultiBoxTarget", [(1, 3, 4), (2, 1, 4), (2, 2, 3)], {}, S, "at least 5 numbers"),
    ("_contrib_MultiBoxTarget", [(1, 3, 4), (2, 1, 5), (2, 2, 4)], {}, S, r"cls_pred .* must be"),
    ("_contrib_MultiBoxTarget", [(1, 3, 4), (2, 1, 5), (2, 2, 3)],
     {"negative_mining_ratio": 1.0, "negative_mining_thresh": 0.0}, A, "must be positive"),
    ("_contrib_MultiBoxDetection", [(1, 2, 3), (1, 12), (1, 3, 4)], {"variances": (1.0,)}, A,
     "must have 4 numbers"),
    ("_contrib_MultiBoxDetection", [(1, 1, 3), (1, 12), (1, 3, 4)], {}, S, "the background first"),
    ("_contrib_MultiBoxDetection", [(1, 2, 3), (1, 8), (1, 3, 4)], {}, S, r"must be \(\?, 12\)"),
    ("_contrib_Proposal", [(1, 2, 3, 3), (1, 4, 3, 3), (1, 3)], {}, S, r"must be \(\?, 24"),
    ("_contrib_MultiProposal", [(1, 24, 3, 3), (1, 48, 3, 4), (1, 3)], {}, S, "must be"),
    ("_contrib_ROIAlign", [(1, 2, 3, 3), (1, 4)], POOL, S, r"rois \(1, 4\) must be \(\?, 5\)"),
    ("_contrib_ROIAlign", [(1, 3, 3, 3), (1, 5)], {**POOL, "position_sensitive": True}, S,
     "not a multiple of the 4 bins"),
    ("_contrib_ROIAlign", [(1, 2, 3, 3), (1, 5)], {**POOL, "pooled_size": (2,)}, A,
     r"pooled_size=\(2,\) must have 2 numbers"),
    ("_contrib_RROIAlign", [(1, 2, 3, 3), (1, 5)], POOL, S, r"must be \(\?, 6\)"),
    ("_contrib_PSROIPooling", [(1, 7, 3, 3), (1, 5)], PARTS, S, r"must be \(\?, 8, \?, \?\)"),
    ("_contrib_DeformablePSROIPooling", [(1, 8, 3, 3), (1, 5), (1, 3, 2, 2)], SHIFTS, S,
     r"must have 2 K channels \(x and y for each of K classes\)"),
    ("_contrib_DeformablePSROIPooling", [(1, 8, 3, 3), (1, 5), (1, 2, 2, 2)],
     {**SHIFTS, "sample_per_part": 0}, A, "sample_per_part=0 must be .* of at least 1"),
    ("_contrib_DeformableConvolution", TWO, {**CONV, "num_deformable_group": 3}, S,
     "not a multiple of num_deformable_group=3"),
    ("_contrib_DeformableConvolution", TWO, {**CONV, "kernel": (1,)}, A, "must have 2 numbers"),
    ("_contrib_DeformableConvolution", TWO, {**CONV, "num_group": 3}, A, "must divide"),
    ("_contrib_DeformableConvolution", [(1, 2, 3, 3), (1, 1, 3, 3), (2, 2, 1, 1)], CONV, S,
     r"offset .* must be \(1, 2, 3, 3\)"),
    ("_image_to_tensor", [(3, 4)], {}, S, "must have 3 or 4 axes"),
    ("_image_normalize", [(2, 3, 3)], {}, S, "must have 1 or 3 channels"),
    ("_image_normalize", [(3, 3, 3)], {"mean": (1.0, 2.0)}, A,
     "must have one number, or one for each of the 3 channels of data"),
    ("_image_resize", [(3, 3, 3)], {}, A, "must have one or two numbers"),
    ("_image_resize", [(3, 3, 3)], {"size": (0, 2)}, A, "must be .* of at least 1"),
    ("_image_resize", [(3, 3, 3)], {"size": (2,), "interp": 5}, A, "interp=5 must be"),
    ("_image_resize", [(3, 3)], {"size": (2,)}, S, "must have 3 or 4 axes"),
    ("_cvimresize", [(3, 3, 3)], {"w": 0, "h": 1}, A, "w=0 must be .* of at least 1"),
    ("_image_crop", [(3, 3, 1)], {"x": 2, "y": 2, "width": 2, "height": 1}, S,
     r"2 x 1 at x=2, y=2 exceeds data \(3, 3, 1\)"),
    ("_image_crop", [(3, 3, 1)], {"x": -1, "y": 2, "width": 2, "height": 1}, A, "of at least 0"),
    ("_image_flip_left_right", [(3, 3)], {}, S, "must have 3 or 4 axes"),
    ("_image_random_brightness", [(3, 3, 2)], FACTORS, S, "must have 1 or 3 channels"),
    ("_image_random_hue", [(3, 3, 3)], {**FACTORS, "min_factor": -1.0}, A, "of at least 0"),
    ("_image_adjust_lighting", [(3, 3, 3)], {"alpha": (1.0,)}, A, "must have 3 numbers"),
    ("_cvcopyMakeBorder", [(3, 3)], BORDER, S, "must have 3 axes"),
    ("_cvcopyMakeBorder", [(3, 3, 1)], {**BORDER, "type": 5}, A, "type=5 must be .* from 0 to 4"),
    ("_cvcopyMakeBorder", [(3, 3, 1)], {**BORDER, "top": -1}, A, "top=-1 must be .* of at least 0"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "shapes", "given", "error", "message"), REFUSED)
def test_arrays_and_types_are_refused_alike(
    name: str, shapes: list[Any], given: dict[str, Any], error: type[Exception], message: str
) -> None:
    op = ops.find(name)
    arrays = [nd.zeros(shape) for shape in shapes]
    with pytest.raises(error, match=message):
        function_named(name)(*arrays, **given)
    with pytest.raises(error, match=message):
        _infer(op, shapes, given)


def _infer(op: Operator, shapes: list[Any], given: dict[str, Any]) -> None:
    params = op.parse(given)
    inputs = op.active_inputs(params)
    types: list[TensorType | None] = [None] * len(op.inputs)
    for name, shape in zip(inputs, shapes, strict=True):
        types[op.inputs.index(name)] = TensorType(shape, "float32", name)
    op.infer(types, params)


def test_regions_of_an_image_that_is_not_there() -> None:
    x, region = nd.zeros((1, 2, 3, 3)), nd.array([[1, 0, 0, 2, 2]])
    with pytest.raises(IndexingError, match="region 0 is of image 1; there are 1"):
        nd.contrib.ROIAlign(x, region, **POOL)
    with pytest.raises(IndexingError, match="region 0 is of image 1; there are 1"):
        nd.contrib.RROIAlign(x, nd.array([[1, 0, 0, 2, 2, 0]]), **POOL)


@pytest.mark.parametrize(
    ("name", "given"),
    [("box_iou", {}), ("box_decode", {}), ("ROIAlign", POOL), ("PSROIPooling", PARTS)],
)
def test_mixed_dtypes_are_refused(name: str, given: dict[str, Any]) -> None:
    function = function_named(f"_contrib_{name}")
    with pytest.raises(DTypeError, match=f"^_contrib_{name}: .* float64 must be float32"):
        function(nd.ones((1, 4)), nd.ones((1, 4), dtype="float64"), **given)


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_image_is_refused(content: bytes) -> None:
    buffer = nd.array(np.frombuffer(content, np.uint8), dtype="uint8")
    with pytest.raises(HyError, match="no image, or a damaged one"):
        nd._internal._cvimdecode(buffer)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(HyError, match=r"_cvimread: .*No such file"):
        nd._internal._cvimread(filename="nowhere.png")


def test_flags_of_images() -> None:
    buffer = nd.array([1, 2], dtype="uint8")
    with pytest.raises(ArgumentError, match="flag=-1 must be an integer from 0 to 1"):
        nd._internal._cvimdecode(buffer, flag=-1)
    with pytest.raises(DTypeError, match="buf float32 must be uint8"):
        nd._internal._cvimdecode(nd.array([1, 2]))
