"""Cases of bounding boxes: overlap, suppression, matching, and offsets from anchors."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _edges(box: Any, form: str) -> Any:
    a, b, c, d = box
    return box if form == "corner" else (a - c / 2, b - d / 2, a + c / 2, b + d / 2)


def _iou(a: Any, b: Any, format: str = "corner") -> float:  # noqa: A002
    a, b = _edges(a, format), _edges(b, format)
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    common = max(w, 0) * max(h, 0)
    areas = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return common / (areas - common) if common else 0.0


def _box_iou(lhs: Any, rhs: Any, **form: Any) -> Any:
    overlaps = [_iou(a, b, **form) for a in lhs.reshape(-1, 4) for b in rhs.reshape(-1, 4)]
    return np.reshape(overlaps, (*lhs.shape[:-1], *rhs.shape[:-1]))


def _nms(data: Any, **params: Any) -> Any:
    if data.ndim > 2:
        return np.stack([_nms(x, **params) for x in data])
    score, first = params.get("score_index", 1), params.get("coord_start", 2)
    kind, form = params.get("id_index", -1), params.get("in_format", "corner")
    left = [r for r in data if r[score] > params.get("valid_thresh", 0)]
    if kind >= 0:
        left = [r for r in left if r[kind] != params.get("background_id", -1)]
    left.sort(key=lambda r: -r[score])
    left = left[: params["topk"]] if params.get("topk", -1) > 0 else left
    survivors: list[Any] = []
    while left:
        best, *left = left
        survivors.append(best.copy())
        left = [
            r for r in left
            if (kind >= 0 and r[kind] != best[kind] and not params.get("force_suppress"))
            or _iou(r[first : first + 4], best[first : first + 4], form)
            <= params.get("overlap_thresh", 0.5)
        ]  # fmt: skip
    for r in survivors:
        a, b, c, d = r[first : first + 4]
        if form != params.get("out_format", "corner"):
            centers = ((a + c) / 2, (b + d) / 2, c - a, d - b)
            r[first : first + 4] = _edges((a, b, c, d), form) if form == "center" else centers
    return np.array([*survivors, *-np.ones((len(data) - len(survivors), data.shape[1]))])


def _select(data: Any, index: Any) -> Any:
    rows = np.take_along_axis(data, np.maximum(index, 0).astype(int)[..., None], 1)
    return np.where(index[..., None] < 0, 0, rows)


def _select_backward(dy: Any, index: Any, data: Any) -> Any:
    dx = np.zeros_like(data)
    for n, i in np.argwhere(index >= 0):
        dx[n, int(index[n, i])] = dy[n, i]
    return dx


def _decode(data: Any, anchors: Any, *, clip: float = -1, **params: Any) -> Any:
    s = [params.get(f"std{i}", 1) for i in range(4)]
    x, y, w, h = np.moveaxis(anchors, -1, 0)
    if params.get("format") == "corner":
        x, y, w, h = (x + w) / 2, (y + h) / 2, w - x, h - y
    a, b, c, d = np.moveaxis(data * s, -1, 0)
    c, d = (np.minimum(c, clip), np.minimum(d, clip)) if clip > 0 else (c, d)
    x, y, w, h = x + a * w, y + b * h, w * np.exp(c) / 2, h * np.exp(d) / 2
    return np.stack([x - w, y - h, x + w, y + h], -1)


RNG = np.random.default_rng(5)


def boxes(*shape: int) -> Any:
    """Return random boxes in corner format."""
    center, half = RNG.uniform(0, 1, (*shape, 2)), RNG.uniform(0.1, 0.4, (*shape, 2))
    return np.concatenate([center - half, center + half], -1)


def detections(*shape: int, classes: int = 2) -> Any:
    """Return class, score and box of random detections."""
    kind = RNG.integers(0, classes, (*shape, 1))
    return np.concatenate([kind, RNG.uniform(0.1, 1, (*shape, 1)), boxes(*shape)], -1)


INDEX = np.array([[2, -1, 0], [1, 0, -1]])
SCORES = np.array([[0.5, 0.6, 0.0], [0.1, 0.2, 0.9], [0.3, 0.8, 0.7], [0.95, 0.1, 0.1]])
CORNER = {"coord_start": 0, "in_format": "corner", "out_format": "center"}
CENTER = {"coord_start": 1, "in_format": "center", "out_format": "corner"}

CASES = (
    OpCase("_contrib_box_iou", ((5, 4), (2, 3, 4)), _box_iou, check_grad=False,
           inputs={0: boxes(5), 1: boxes(2, 3)}),
    OpCase("_contrib_box_iou", ((1, 4), (7, 4)), _box_iou, {"format": "center"}, low=0.2, high=1,
           check_grad=False),
    OpCase("_contrib_box_iou", ((3, 4), (2, 4)), _box_iou, check_grad=False),
    OpCase("_contrib_box_iou", ((0, 4), (2, 4)), lambda a, b: np.zeros((0, 2)), check_grad=False),
    OpCase("_contrib_box_nms", ((7, 6),), _nms, {"overlap_thresh": 0.1},
           inputs={0: detections(7)}, grad_inputs=(0,)),
    OpCase("_contrib_box_nms", ((2, 9, 6),), _nms,
           {"overlap_thresh": 0.05, "id_index": 0, "background_id": 1, "valid_thresh": 0.3},
           inputs={0: detections(2, 9, classes=3)}, check_grad=False),
    OpCase("_contrib_box_nms", ((3, 2, 5, 6),), _nms,
           {"overlap_thresh": 0.1, "id_index": 0, "force_suppress": True, "topk": 3},
           inputs={0: detections(3, 2, 5)}, grad_inputs=(0,)),
    OpCase("_contrib_box_nms", ((6, 6),), _nms,
           {"overlap_thresh": 0.2, "in_format": "center", "out_format": "corner"},
           inputs={0: np.abs(detections(6))}, grad_inputs=(0,)),
    OpCase("_contrib_box_nms", ((6, 5),), _nms,
           {"overlap_thresh": 0.2, "out_format": "center", "coord_start": 1, "score_index": 0},
           inputs={0: detections(6)[:, 1:]}, grad_inputs=(0,)),
    OpCase("_contrib_box_nms", ((2, 3, 6),), lambda data, **_: -np.ones((2, 3, 6)),
           {"valid_thresh": 5}, inputs={0: detections(2, 3)}, grad_inputs=(0,)),
    OpCase("_contrib_box_nms", ((2, 0, 6),), lambda data: np.zeros((2, 0, 6))),
    OpCase("_contrib_box_nms", ((0, 3, 6),), lambda data: np.zeros((0, 3, 6))),
    OpCase("_box_nms_select", ((2, 3, 6), (2, 3)), _select, inputs={1: INDEX}),
    OpCase("_box_nms_select", ((2, 3, 4), (2, 3)), None, CORNER, inputs={1: INDEX}),
    OpCase("_box_nms_select", ((2, 3, 5), (2, 3)), None, CENTER, inputs={1: INDEX}),
    OpCase("_box_nms_backward", ((2, 3, 6), (2, 3), (2, 3, 6)), _select_backward,
           inputs={1: INDEX}),
    OpCase("_box_nms_backward", ((2, 3, 5), (2, 3), (2, 3, 5)), None, CENTER, inputs={1: INDEX}),
    OpCase("_contrib_bipartite_matching", ((4, 3),),
           lambda data, **_: (np.array([-1, 2, 1, 0]), np.array([3, 2, 1])), {"threshold": 0.2},
           inputs={0: SCORES}),
    OpCase("_contrib_bipartite_matching", ((2, 4, 3),),
           lambda data, **_: (np.array([[2, 0, -1, -1]] * 2), np.array([[1, -1, 0]] * 2)),
           {"threshold": 0.6, "is_ascend": True, "topk": 1}, inputs={0: np.stack([SCORES] * 2)}),
    OpCase("_contrib_bipartite_matching", ((2, 0, 3),),
           lambda data, **_: (np.zeros((2, 0)), -np.ones((2, 3))), {"threshold": 0.1}),
    OpCase("_contrib_box_encode", ((1, 3), (1, 3), (1, 3, 4), (1, 2, 4), (4,), (4,)),
           lambda *_: (np.array([[[0, 0, 0, 0], [-5, -5, np.log(2) * 2, 0], [0, 0, 0, 0]]]),
                       np.array([[[0] * 4, [1] * 4, [0] * 4]])),
           inputs={0: np.array([[0.0, 1, -1]]), 1: np.array([[1.0, 0, 1]]),
                   2: np.array([[[0.0, 0, 1, 1], [0.25, 0.5, 0.75, 1], [1, 1, 2, 2]]]),
                   3: np.array([[[-0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1]]]),
                   4: np.zeros(4), 5: np.array([0.1, 0.1, 0.5, 0.5])}, check_grad=False),
    OpCase("_contrib_box_encode", ((2, 1), (2, 1), (2, 1, 4), (2, 0, 4), (4,), (4,)),
           lambda *_: (np.zeros((2, 1, 4)), np.zeros((2, 1, 4))),
           inputs={0: np.zeros((2, 1)), 1: -np.ones((2, 1))}, check_grad=False, low=0.5),
    OpCase("_contrib_box_decode", ((3, 4, 4), (1, 4, 4)), _decode,
           {"std0": 0.1, "std1": 0.2, "std2": 0.3, "std3": 2.0, "format": "corner"},
           check_grad=False),
    OpCase("_contrib_box_decode", ((2, 3, 4), (1, 3, 4)), _decode, {"clip": 0.4},
           check_grad=False),
    OpCase("_contrib_box_decode", ((1, 0, 4), (1, 0, 4)), _decode, check_grad=False),
)  # fmt: skip
