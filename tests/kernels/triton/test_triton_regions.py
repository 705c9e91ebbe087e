"""Suppression of boxes and regions of interest on the Triton table give numpy's numbers."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.torch import table as torch_table
from hy_kernels.torch.vision._suppression import survivors as torch_survivors
from hy_kernels.triton import table
from hy_kernels.triton.runtime._launch import watched
from hy_kernels.triton.vision.suppression import survivors
from tests.kernels.triton.parity import DEVICE, TOLERANCES, Tolerance, assert_parity, computed

NMS: dict[str, Any] = {
    "overlap_thresh": 0.3,
    "valid_thresh": 0.123,
    "topk": -1,
    "coord_start": 2,
    "score_index": 1,
    "id_index": -1,
    "background_id": -1,
    "force_suppress": False,
    "in_format": "corner",
    "out_format": "corner",
}
CHOICES: dict[str, dict[str, Any]] = {
    "all of one class": {},
    "classes": {"id_index": 0, "background_id": 0},
    "any class": {"id_index": 0, "force_suppress": True, "topk": 20},
    "centers": {"in_format": "center", "out_format": "center", "overlap_thresh": 0.6},
    "no overlap at all": {"overlap_thresh": 0.0},
    "whatever the overlap": {"overlap_thresh": -0.5, "topk": 1},
}


def boxes(*batch: int, count: int) -> Any:
    """Class, score, and corners of boxes that often overlap."""
    generator = np.random.default_rng(count)
    corner = generator.integers(0, 24, (*batch, count, 2))
    size = generator.integers(0, 12, (*batch, count, 2))
    kind = generator.integers(0, 3, (*batch, count, 1))
    score = generator.permuted(np.arange(count) / count * np.ones((*batch, count)), axis=-1)
    return np.concatenate([kind, score[..., None], corner, corner + size], -1).astype("float64")


@pytest.mark.parametrize("count", [1, 32, 65])
@pytest.mark.parametrize("name", CHOICES)
def test_the_best_boxes_are_those_of_numpy(name: str, count: int) -> None:
    params, exact = {**NMS, **CHOICES[name]}, Tolerance(0, 0, "rows are copied")
    assert_parity("box_nms", [boxes(2, count=count)], "float32", params, tolerance=exact)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_the_choice_is_torch_s_in_other_dtypes(dtype: torch.dtype) -> None:
    data = torch.from_numpy(boxes(2, 2, count=33)).to(DEVICE, dtype)
    ours = computed("box_nms", [data], {**NMS, "id_index": 0})
    below = torch_table().find("box_nms")
    assert below is not None
    for mine, theirs in zip(ours, below.function(data, **{**NMS, "id_index": 0}), strict=True):
        assert torch.equal(mine, theirs)


def test_survivors_are_found_in_two_launches_and_boxes_without_area_are_kept() -> None:
    data = torch.from_numpy(boxes(3, count=40)).to(DEVICE, torch.float32)
    corners = data[..., 2:].unbind(-1)
    found = torch.tensor([[40], [7], [0]], device=DEVICE)
    with watched() as launches:
        kept = survivors(corners, found, 0.4)
    assert [each.name for each in launches] == ["suppression_hits", "suppression_scan"]
    alive = torch.arange(40, device=DEVICE) < found
    assert torch.equal(kept, torch_survivors(corners, alive, 0.4))
    empty = (corners[2] == corners[0]) | (corners[3] == corners[1])
    assert kept[empty & alive].all()


ROIS = [[0, 1.2, 0.3, 4.9, 3.1], [1, -2, -1, 3.3, 9], [1, 2, 2, 2.2, 2.1], [-1, 0, 0, 3, 3]]
ALIGN: dict[str, Any] = {
    "pooled_size": (2, 3),
    "spatial_scale": 1.0,
    "sample_ratio": -1,
    "position_sensitive": False,
    "aligned": False,
}
HOW: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "as many samples as pixels": ((2, 3, 5, 6), {}),
    "two samples at halves": ((2, 1, 7, 5), {"sample_ratio": 2, "aligned": True}),
    "channels of each part": ((2, 12, 5, 5), {"position_sensitive": True, "spatial_scale": 0.75}),
    "many channels": ((2, 67, 5, 6), {"sample_ratio": 1, "pooled_size": (3, 1)}),
    "one pixel": ((2, 2, 1, 1), {}),
}
REGIONS = {
    **TOLERANCES,
    "float64": Tolerance(1e-5, 1e-6, "the scale is a number of 32 bits"),
    "float32": Tolerance(1e-4, 1e-5, "positions of samples, from rounded corners"),
    "float16": Tolerance(2**-8, 2**-8, "one rounding; positions of samples, from rounded corners"),
    "bfloat16": Tolerance(2**-5, 2**-5, "one rounding; positions of samples, from rounded corners"),
}


@pytest.mark.parametrize("dtype", REGIONS)
@pytest.mark.parametrize("name", HOW)
def test_regions_and_their_gradient(name: str, dtype: str) -> None:
    shape, more = HOW[name]
    params, generator = {**ALIGN, **more}, np.random.default_rng(3)
    x, rois = generator.uniform(-1, 1, shape), np.array(ROIS)
    assert_parity("roi_align", [x, rois], dtype, params, tolerance=REGIONS[dtype])
    dy = generator.uniform(-1, 1, _aligned(x, rois, params).shape)
    sums = REGIONS[dtype]._replace(atol=REGIONS[dtype].atol * 8)  # of many gradients
    assert_parity("roi_align_backward", [dy, rois, x], dtype, params, tolerance=sums)


def _aligned(x: Any, rois: Any, params: dict[str, Any]) -> Any:
    below = torch_table().find("roi_align")
    assert below is not None
    return below.function(torch.from_numpy(x), torch.from_numpy(rois), **params)


def test_no_region_is_no_result() -> None:
    from_table = torch.zeros(0, 5, device=DEVICE)
    x = torch.ones(1, 2, 3, 3, device=DEVICE)
    with watched() as launches:
        record = table().find("roi_align")
        assert record is not None
        assert record.function(x, from_table, **ALIGN).shape == (0, 2, 2, 3)
    assert not launches
