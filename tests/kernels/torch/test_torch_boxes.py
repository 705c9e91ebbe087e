"""Boxes on torch tensors: many of them give what the numpy table gives, block after block."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.numpy import table
from hy_kernels.numpy.vision._boxes import pairs as their_pairs
from hy_kernels.numpy.vision._suppression import survivors
from hy_kernels.torch.vision import _suppression as ours
from hy_kernels.torch.vision._boxes import pairs
from hy_kernels.torch.vision.detection import suppressed

NMS: dict[str, Any] = {
    "overlap_thresh": 0.3,
    "valid_thresh": 0.1,
    "topk": -1,
    "coord_start": 2,
    "score_index": 1,
    "id_index": -1,
    "background_id": -1,
    "force_suppress": False,
    "in_format": "corner",
    "out_format": "corner",
}


@pytest.mark.parametrize("count", [0, 1, 128, 270])
@pytest.mark.parametrize("border", [0.0, 1.0])
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("most", [None, 40])
def test_the_same_boxes_survive_on_each_way(
    count: int, border: float, classes: bool, most: int | None
) -> None:
    rng = np.random.default_rng(count)
    low = rng.uniform(0, 40, (2, count, 2))
    corners = np.concatenate([low, low + rng.uniform(0, 25, low.shape)], axis=2)
    x1, y1, x2, y2 = np.moveaxis(corners, -1, 0)
    alive = rng.uniform(size=(2, count)) < 0.8
    kinds = rng.integers(0, 3, (2, count)) if classes else None
    tensors = torch.from_numpy(corners).unbind(-1), torch.from_numpy(alive)
    of = None if kinds is None else torch.from_numpy(kinds)
    for threshold, inclusive in ((0.5, False), (0.1, True), (0.0, False)):
        more: dict[str, Any] = {"border": border, "max_boxes": most, "inclusive": inclusive}
        wanted = survivors((x1, y1, x2, y2), alive, threshold, classes=kinds, **more)
        rule = ours.Rule(threshold, border, inclusive)
        found = ours.on_any_device(*tensors, of, rule, most)
        np.testing.assert_array_equal(found.numpy(), wanted)
        chosen = ours.survivors(*tensors, threshold, classes=of, **more)
        np.testing.assert_array_equal(chosen.numpy(), wanted)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(
    "how",
    [{}, {"id_index": 0, "background_id": 1}, {"topk": 20, "in_format": "center"}],
    ids=["all", "classes", "some"],
)
def test_other_devices_keep_the_same_rows(how: dict[str, Any], waits: bool) -> None:
    rng = np.random.default_rng(5)
    low = rng.uniform(0, 40, (2, 90, 2))
    first = [rng.integers(0, 3, (2, 90, 1)), rng.uniform(0, 1, (2, 90, 1))]
    rows = np.concatenate([*first, low, low + rng.uniform(0, 25, low.shape)], 2)
    params: dict[str, Any] = NMS | how

    def choose(boxes: Any, found: Any, threshold: float, *, classes: Any = None) -> Any:
        alive = torch.arange(boxes[0].shape[1]) < found
        return ours.on_any_device(boxes, alive, classes, ours.Rule(threshold, 0.0, False), None)

    wanted = table().find("box_nms")
    assert wanted is not None
    results = suppressed(torch.from_numpy(rows), choose, waits=waits, **params)
    for result, other in zip(results, wanted.function(rows, **params), strict=True):
        np.testing.assert_array_equal(result.numpy(), other)


@pytest.mark.parametrize("most", [1, 5, 40])
def test_the_same_pairs_are_made(most: int) -> None:
    scores = np.random.default_rng(0).uniform(-1, 1, (3, 30, 12))
    scores[scores < -0.5] = -np.inf
    wanted = their_pairs(scores.copy(), most)
    for found, one in zip(pairs(torch.from_numpy(scores.copy()), most), wanted, strict=True):
        np.testing.assert_array_equal(found.numpy(), one)
