"""Suppression in blocks keeps the boxes that a loop over single boxes keeps."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.boxes import Edges, edges
from hy_kernels.numpy.vision._boxes import overlap
from hy_kernels.numpy.vision._suppression import survivors


def _of(boxes: Edges, row: int, at: int | slice) -> Edges:
    x1, y1, x2, y2 = (e[row, at] for e in boxes)
    return x1, y1, x2, y2


def one_by_one(
    boxes: Edges,
    alive: Any,
    threshold: float,
    *,
    classes: Any = None,
    border: float = 0.0,
    max_boxes: int | None = None,
    inclusive: bool = False,
) -> Any:
    kept = np.zeros_like(alive)
    for b, row in enumerate(alive):
        left = row.copy()
        for i in range(len(row)):
            if not left[i] or kept[b].sum() == max_boxes:
                continue
            kept[b, i] = True
            shared = overlap(_of(boxes, b, i), _of(boxes, b, slice(None)), border)
            hit = shared >= threshold if inclusive else shared > threshold
            left &= ~(hit if classes is None else hit & (classes[b] == classes[b, i]))
    return kept


@pytest.fixture
def boxes(rng: np.random.Generator) -> Edges:
    low = rng.integers(0, 40, (2, 300, 2))
    return edges(np.concatenate([low, low + rng.integers(0, 12, (2, 300, 2))], 2).astype("float32"))


@pytest.mark.parametrize(
    "how",
    [{}, {"border": 1.0}, {"max_boxes": 0}, {"max_boxes": 7}, {"inclusive": True}],
    ids=["plain", "of pixels", "none", "seven", "inclusive"],
)
@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.2, 0.5, 1.0])
def test_the_same_boxes_are_kept(
    rng: np.random.Generator, boxes: Edges, threshold: float, how: dict[str, Any]
) -> None:
    alive = rng.random((2, 300)) < 0.9
    for classes in (None, rng.integers(0, 3, (2, 300))):
        found = survivors(boxes, alive, threshold, classes=classes, **how)
        expected = one_by_one(boxes, alive, threshold, classes=classes, **how)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [2.0, 12.0, 60.0])
@pytest.mark.parametrize("threshold", [1e-3, 0.3, 0.7])
def test_near_boxes_are_all_that_matter(
    rng: np.random.Generator, threshold: float, size: float, dtype: str
) -> None:
    low = rng.uniform(-50, 50, (3, 400, 2))
    low[0] += 1e6  # where coordinates have few digits behind the point
    both = np.concatenate([low, low + rng.uniform(-0.1, 1, low.shape) * size], 2).astype(dtype)
    both[1, ::9, 0], both[1, ::11, 3], both[2, ::13, 2] = np.nan, np.inf, -np.inf
    alive, kinds = rng.random((3, 400)) < 0.9, rng.integers(0, 3, (3, 400))
    for classes in (None, kinds):
        found = survivors(edges(both), alive, threshold, classes=classes)
        with np.errstate(invalid="ignore"):
            expected = one_by_one(edges(both), alive, threshold, classes=classes)
        np.testing.assert_array_equal(found, expected)


def test_boxes_turned_inside_out_remove_nothing(rng: np.random.Generator) -> None:
    x1, y1, x2, y2 = edges(rng.integers(0, 9, (1, 50, 4)).astype("float32"))
    inside_out = (x1 + 9, y1, x2, y2)
    assert survivors(inside_out, np.ones((1, 50), bool), 0.0).all()


def test_there_may_be_no_boxes() -> None:
    none = edges(np.zeros((2, 0, 4), "float32"))
    assert survivors(none, np.ones((2, 0), bool), 0.5).shape == (2, 0)
    assert survivors(edges(np.zeros((0, 3, 4))), np.ones((0, 3), bool), 0.5).shape == (0, 3)


HOW = [{}, {"border": 1.0}, {"max_boxes": 40}, {"inclusive": True}]


@pytest.mark.parametrize("how", HOW, ids=["plain", "of pixels", "forty", "inclusive"])
@pytest.mark.parametrize("room", [20, 200], ids=["crowded", "apart"])
@pytest.mark.parametrize("threshold", [0.2, 0.5, 1.0])
def test_the_same_boxes_are_kept_of_many(
    rng: np.random.Generator, threshold: float, room: int, how: dict[str, Any]
) -> None:
    low = rng.integers(0, room, (3, 500, 2))
    size = rng.integers(-2, 25, (3, 500, 2))
    boxes = edges(np.concatenate([low, low + size], 2).astype("float32"))
    alive = rng.random((3, 500)) < 0.9
    for classes in (None, rng.integers(0, 3, (3, 500))):
        found = survivors(boxes, alive, threshold, classes=classes, **how)
        expected = one_by_one(boxes, alive, threshold, classes=classes, **how)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 3e38])
def test_boxes_without_end_remove_no_others(rng: np.random.Generator, odd: float) -> None:
    low = rng.uniform(0, 100, (1, 600, 2))
    boxes = np.concatenate([low, low + rng.uniform(5, 20, (1, 600, 2))], 2).astype("float32")
    alive = np.ones((1, 600), np.bool_)
    plain = survivors(edges(boxes), alive, 0.5)
    boxes[0, 300] = [-abs(odd), 0, odd, 50]
    found = survivors(edges(boxes), alive, 0.5)
    assert found[0, 300]
    alive[0, 300] = False
    np.testing.assert_array_equal(survivors(edges(boxes), alive, 0.5)[0, :300], plain[0, :300])
    found[0, 300] = False
    np.testing.assert_array_equal(found, survivors(edges(boxes), alive, 0.5))
