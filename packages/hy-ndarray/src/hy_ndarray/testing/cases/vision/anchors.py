"""Cases of single-shot detection: anchors, training targets, and decoded boxes."""

from typing import Any

import numpy as np

from hy_ndarray.testing.cases.vision.detection import boxes
from hy_ndarray.testing.op_case import OpCase


def _prior(data: Any, **params: Any) -> Any:
    _, _, rows, columns = data.shape
    sizes, ratios = params.get("sizes", (1,)), params.get("ratios", (1,))
    (down, right), (y0, x0) = (
        params.get("steps", (1 / rows, 1 / columns)),
        params.get("offsets", (0.5,) * 2),
    )
    boxes = []
    for i in range(rows):
        for j in range(columns):
            for s, r in [(s, ratios[0]) for s in sizes] + [(sizes[0], r) for r in ratios[1:]]:
                w, h = s * rows / columns * r**0.5 / 2, s / r**0.5 / 2
                x, y = (j + x0) * right, (i + y0) * down
                boxes.append([x - w, y - h, x + w, y + h])
    return np.clip([boxes], 0, 1) if params.get("clip") else np.array([boxes])


ANCHORS = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.5], [0.4, 0.4, 0.6, 0.7], [0.8, 0.8, 0.9, 0.9]]])
LABELS = np.full((3, 2, 5), -1.0)
LABELS[0, 0] = [1, 0, 0, 1, 0.5]
LABELS[2] = [[2, 0, 0, 1, 1], [0, 0.85, 0.8, 0.9, 0.9]]
SCORES = np.zeros((3, 2, 4))
SCORES[:, 0] = [3, 1, 2, 4]


OBJECTS = np.concatenate([np.ones((2, 3, 1)), boxes(2, 3)], -1)


def _target(classes: Any) -> Any:
    """Return the expected-value function of training targets, with the given classes."""
    mask = np.zeros((3, 4, 4))
    mask[0, 1] = mask[2, 0] = mask[2, 3] = 1
    offsets = np.zeros((3, 4, 4))
    offsets[2, 3] = [0.25 / 0.1, 0, np.log(0.5) / 0.2, 0]
    return lambda *_, **params: (offsets.reshape(3, -1), mask.reshape(3, -1), np.array(classes))


PROB = np.array([[[0.1, 0.2, 0.3], [0.5, 0.3, 0.6], [0.4, 0.5, 0.1]]])
NEAR = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.5], [0.4, 0.4, 0.6, 0.7]]])


def _detection(rows: Any) -> Any:
    """Return the expected-value function of detections, rows of (class, score, box index)."""
    rows_out = [[-1.0] * 6 if i is None else [c, s, *NEAR[0, i]] for c, s, i in rows]
    return lambda *_, **params: np.array([rows_out])


def _inputs(*values: Any) -> dict[int, Any]:
    return dict(enumerate(values))


MINED = {"negative_mining_ratio": 1.0, "negative_mining_thresh": 0.5, "ignore_label": -2.0}

CASES = (
    OpCase("_contrib_MultiBoxPrior", ((1, 2, 2, 3),), _prior),
    OpCase("_contrib_MultiBoxPrior", ((2, 1, 3, 1),), _prior,
           {"sizes": (0.5, 0.2), "ratios": (2.0, 1.0, 0.5), "clip": True}),
    OpCase("_contrib_MultiBoxPrior", ((1, 1, 1, 2),), _prior,
           {"sizes": (0.3,), "steps": (0.2, 0.4), "offsets": (0.1, 0.7)}),
    OpCase("_contrib_MultiBoxPrior", ((1, 1, 0, 2),), lambda *_: np.zeros((1, 0, 4))),
    OpCase("_contrib_MultiBoxTarget", ((1, 4, 4), (3, 2, 5), (3, 2, 4)),
           _target([[0, 2, 0, 0], [-1] * 4, [3, 0, 0, 1]]),
           inputs=_inputs(ANCHORS, LABELS, SCORES)),
    OpCase("_contrib_MultiBoxTarget", ((1, 4, 4), (3, 2, 5), (3, 2, 4)),
           _target([[-2, 2, 0, -2], [-2] * 4, [3, -2, 0, 1]]), MINED,
           inputs=_inputs(ANCHORS, LABELS, SCORES)),
    OpCase("_contrib_MultiBoxTarget", ((1, 4, 4), (3, 2, 5), (3, 2, 4)),
           _target([[-2, 2, 0, 0], [-2] * 4, [3, -2, 0, 1]]),
           {**MINED, "minimum_negative_samples": 2}, inputs=_inputs(ANCHORS, LABELS, SCORES)),
    OpCase("_contrib_MultiBoxTarget", ((1, 7, 4), (2, 0, 6), (2, 3, 7)),
           lambda *_: (np.zeros((2, 28)), np.zeros((2, 28)), -np.ones((2, 7))),
           inputs={0: boxes(1, 7)}),
    OpCase("_contrib_MultiBoxTarget", ((1, 5, 4), (2, 3, 5), (2, 3, 5)), None,
           {"overlap_threshold": 0.2}, inputs=_inputs(boxes(1, 5), OBJECTS)),
    OpCase("_contrib_MultiBoxDetection", ((1, 3, 3), (1, 12), (1, 3, 4)),
           _detection([(0, 0.6, 2), (0, 0.5, 0), (1, 0.5, 1)]),
           inputs=_inputs(PROB, np.zeros((1, 12)), NEAR)),
    OpCase("_contrib_MultiBoxDetection", ((1, 3, 3), (1, 12), (1, 3, 4)),
           _detection([(0, 0.6, 2), (0, 0.5, 0), (-1, 0.5, 1)]), {"force_suppress": True},
           inputs=_inputs(PROB, np.zeros((1, 12)), NEAR)),
    OpCase("_contrib_MultiBoxDetection", ((1, 3, 3), (1, 12), (1, 3, 4)),
           _detection([(0, 0.6, 2), (-1, 0.5, 1), (-1, 0.6, 2)]), {"nms_topk": 1},
           inputs=_inputs(PROB, np.zeros((1, 12)), NEAR)),
    OpCase("_contrib_MultiBoxDetection", ((1, 3, 3), (1, 12), (1, 3, 4)),
           _detection([(0, 0.6, 2), (0, 0, None), (0, 0, None)]),
           {"threshold": 0.55, "nms_threshold": 2.0},
           inputs=_inputs(PROB, np.zeros((1, 12)), NEAR)),
    OpCase("_contrib_MultiBoxDetection", ((2, 2, 5), (2, 20), (1, 5, 4)), None,
           {"clip": False, "variances": (1.0, 1.0, 1.0, 1.0)}, check_grad=False, low=0.1),
    OpCase("_contrib_MultiBoxDetection", ((2, 2, 0), (2, 0), (1, 0, 4)),
           lambda *_: np.zeros((2, 0, 6))),
)  # fmt: skip
