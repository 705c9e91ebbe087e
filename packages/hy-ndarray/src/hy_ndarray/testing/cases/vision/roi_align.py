"""Cases of RoIAlign, of upright and rotated regions."""

from math import ceil, cos, floor, radians, sin
from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def pixel(image: Any, y: float, x: float) -> Any:
    """Return the pixel of ``image [C, H, W]`` at a fractional position, zero outside."""
    _, rows, columns = image.shape
    if y < -1 or y > rows or x < -1 or x > columns:
        return np.zeros(len(image))
    y, x = min(max(y, 0), rows - 1), min(max(x, 0), columns - 1)
    i, j = min(floor(y), max(rows - 2, 0)), min(floor(x), max(columns - 2, 0))
    k, m = min(i + 1, rows - 1), min(j + 1, columns - 1)
    v, h = y - i, x - j
    upper = image[:, i, j] * (1 - h) + image[:, i, m] * h
    return upper * (1 - v) + (image[:, k, j] * (1 - h) + image[:, k, m] * h) * v


def _align(data: Any, rois: Any, **attrs: Any) -> Any:
    rows, columns = attrs["pooled_size"]
    aligned = []
    for image, *edges in rois:
        x1, y1, x2, y2 = np.multiply(edges, attrs["spatial_scale"]) - attrs.get("aligned", 0) / 2
        h, w = y2 - y1, x2 - x1
        if not attrs.get("aligned"):
            h, w = max(h, 1), max(w, 1)
        aligned.append(_parts(data[int(image)], h, w, rows, columns, attrs.get("sample_ratio", -1),
                            lambda y, x, a=y1, b=x1: (a + y, b + x)))  # fmt: skip
    y = np.array(aligned)
    if attrs.get("position_sensitive"):
        split = y.reshape(len(y), -1, rows, columns, rows, columns)
        return np.einsum("rcpqpq->rcpq", split)
    return y


def _parts(image: Any, h: float, w: float, rows: int, columns: int, samples: int,
           position: Any) -> Any:  # fmt: skip
    down, right = h / rows, w / columns
    n = samples if samples > 0 else ceil(down)
    m = samples if samples > 0 else ceil(right)
    y = np.zeros((len(image), rows, columns))
    for p in range(rows):
        for q in range(columns):
            for i in range(n):
                for j in range(m):
                    where = position(
                        p * down + (i + 0.5) * down / n, q * right + (j + 0.5) * right / m
                    )
                    y[:, p, q] += pixel(image, *where) / (n * m)
    return y


def _rotated(data: Any, rois: Any, **attrs: Any) -> Any:
    rows, columns = attrs["pooled_size"]
    rotated = []
    for image, cx, cy, *size, angle in rois * [1, *[attrs["spatial_scale"]] * 4, 1]:
        w, h = np.maximum(size, 1)
        c, s = cos(radians(angle)), sin(radians(angle))

        def position(y: float, x: float, c: float = c, s: float = s, h: float = h, w: float = w,
                  cx: float = cx, cy: float = cy) -> Any:  # fmt: skip
            y, x = y - h / 2, x - w / 2
            return y * c - x * s + cy, x * c + y * s + cx

        ratio = attrs.get("sampling_ratio", -1)
        rotated.append(_parts(data[int(image)], h, w, rows, columns, ratio, position))
    return np.array(rotated)


ROIS = np.array([[0, 1.2, 0.3, 4.9, 3.1], [1, -2, -1, 3.3, 9], [1, 2, 2, 2.2, 2.1]])
ROTATED = np.array([[0, 2.5, 2, 3, 2, 30], [1, 1, 3, 4.5, 0.5, -100], [1, 9, 9, 1, 1, 0]])
ONE = {"pooled_size": (2, 3), "spatial_scale": 1.0}
HALF = {"pooled_size": (1, 2), "spatial_scale": 0.5, "sample_ratio": 2, "aligned": True}
OWN = {"pooled_size": (2, 2), "spatial_scale": 0.75, "sample_ratio": 1, "position_sensitive": True}
NOWHERE = np.array([[-1.0, 0, 0, 2, 2]])

CASES = (
    OpCase("_contrib_ROIAlign", ((2, 3, 5, 6), (3, 5)), _align, ONE, inputs={1: ROIS}),
    OpCase("_contrib_ROIAlign", ((2, 1, 7, 5), (3, 5)), _align, HALF, inputs={1: ROIS}),
    OpCase("_contrib_ROIAlign", ((2, 8, 5, 5), (3, 5)), _align, OWN, inputs={1: ROIS}),
    OpCase("_contrib_ROIAlign", ((2, 2, 1, 1), (3, 5)), _align, ONE, inputs={1: ROIS}),
    OpCase("_contrib_ROIAlign", ((2, 2, 3, 3), (1, 5)), lambda *_, **attrs: np.zeros((1, 2, 2, 3)),
           ONE, inputs={1: NOWHERE}),
    OpCase("_contrib_ROIAlign", ((2, 2, 3, 3), (0, 5)), lambda *_, **attrs: np.zeros((0, 2, 2, 3)),
           ONE, grad_inputs=(0,)),
    OpCase("_roi_align_backward", ((3, 3, 2, 3), (3, 5), (2, 3, 5, 6)), None, ONE,
           inputs={1: ROIS}, grad_inputs=(0,)),
    OpCase("_roi_align_backward", ((3, 2, 2, 2), (3, 5), (2, 8, 5, 5)), None, OWN,
           inputs={1: ROIS}, grad_inputs=(0,)),
    OpCase("_contrib_RROIAlign", ((2, 3, 5, 6), (3, 6)), _rotated, ONE, inputs={1: ROTATED}),
    OpCase("_contrib_RROIAlign", ((2, 1, 4, 7), (3, 6)), _rotated,
           {"pooled_size": (3, 1), "spatial_scale": 0.5, "sampling_ratio": 2}, inputs={1: ROTATED}),
    OpCase("_contrib_RROIAlign", ((2, 0, 5, 6), (3, 6)),
           lambda *_, **attrs: np.zeros((3, 0, 2, 3)), ONE, inputs={1: ROTATED}),
)  # fmt: skip
