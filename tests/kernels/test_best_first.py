"""Of many boxes, suppression sorts only those that can be kept: the order is the same."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.vision import detection
from tests.changed_costs import change_costs

PARAMS: dict[str, Any] = {
    "overlap_thresh": 0.5,
    "coord_start": 2,
    "score_index": 1,
    "id_index": 0,
    "background_id": -1,
    "force_suppress": False,
    "in_format": "corner",
    "out_format": "corner",
}


def boxes(rng: np.random.Generator, levels: int) -> Any:
    """Three rows of 600 boxes in three classes, with so many different scores."""
    corners = rng.uniform(0, 1, (3, 600, 2)).astype(np.float32)
    classes = rng.integers(0, 3, (3, 600, 1)).astype(np.float32)
    scores = rng.integers(0, levels, (3, 600, 1)).astype(np.float32) / levels
    scores[2, :590] = 0  # few valid ones
    return np.concatenate([classes, scores, corners, corners + 0.1], axis=-1)


@pytest.mark.parametrize("topk", [-1, 1, 40, 700])
@pytest.mark.parametrize("levels", [3, 100_000], ids=["equal scores", "different scores"])
@pytest.mark.parametrize("threshold", [0.0, 0.4, 2.0], ids=["most", "some", "none"])
def test_the_boxes_kept_are_those_of_a_full_sort(
    topk: int, levels: int, threshold: float, rng: np.random.Generator, monkeypatch: Any
) -> None:
    data = boxes(rng, levels)
    found = detection.box_nms(data, topk=topk, valid_thresh=threshold, **PARAMS)
    change_costs(monkeypatch, boxes={"best_first": 1 << 30})
    expected = detection.box_nms(data, topk=topk, valid_thresh=threshold, **PARAMS)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)
