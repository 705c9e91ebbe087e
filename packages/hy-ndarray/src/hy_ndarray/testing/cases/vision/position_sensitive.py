"""Cases of position-sensitive pooling of regions of interest."""

from math import ceil, floor
from typing import Any

import numpy as np

from hy_ndarray.testing.cases.vision.roi_align import pixel
from hy_ndarray.testing.op_case import OpCase


def _extent(roi: Any, scale: float) -> Any:
    x1, y1, x2, y2 = np.trunc(roi[1:] + np.copysign(0.5, roi[1:]))
    return x1 * scale, y1 * scale, max((x2 + 1 - x1) * scale, 0.1), max((y2 + 1 - y1) * scale, 0.1)


def _channel(c: int, p: int, q: int, groups: int, parts: int) -> int:
    return (c * groups + p * groups // parts) * groups + q * groups // parts


def _pooled(data: Any, rois: Any, **params: Any) -> Any:
    size, groups = params["pooled_size"], params.get("group_size") or params["pooled_size"]
    y = np.zeros((len(rois), params["output_dim"], size, size))
    for (r, c, p, q), _ in np.ndenumerate(y):
        x0, y0, w, h = _extent(rois[r], params["spatial_scale"])
        image = data[int(rois[r, 0]), _channel(c, p, q, groups, size)]
        rows, columns = image.shape
        top, low = (ceil if k else floor for k in (0, 1))
        i, j = np.clip([top(p * h / size + y0), low((p + 1) * h / size + y0)], 0, rows)
        k, m = np.clip([top(q * w / size + x0), low((q + 1) * w / size + x0)], 0, columns)
        y[r, c, p, q] = image[i:j, k:m].mean() if j > i and m > k else 0
    return y


def _shifted(data: Any, rois: Any, trans: Any = None, **params: Any) -> Any:
    size, groups, n = params["pooled_size"], params["group_size"], params.get("sample_per_part", 1)
    y = np.zeros((len(rois), params["output_dim"], size, size))
    for (r, c, p, q), _ in np.ndenumerate(y):
        x0, y0, w, h = _extent(rois[r], params["spatial_scale"])
        image = data[int(rois[r, 0]), _channel(c, p, q, groups, size)]
        dx = dy = 0
        if trans is not None:
            kind = c // (params["output_dim"] // (trans.shape[1] // 2))
            part = params.get("part_size") or size
            i, j = p * part // size, q * part // size
            dx, dy = trans[r, 2 * kind : 2 * kind + 2, i, j] * params["trans_std"]
        ys = [y0 - 0.5 + (p + k / n) * h / size + dy * h for k in range(n)]
        xs = [x0 - 0.5 + (q + k / n) * w / size + dx * w for k in range(n)]
        seen = [
            pixel(image[None], i, j)[0] for i in ys for j in xs
            if -0.5 <= i <= image.shape[0] - 0.5 and -0.5 <= j <= image.shape[1] - 0.5
        ]  # fmt: skip
        y[r, c, p, q] = np.mean(seen) if seen else 0
    return y


ROIS = np.array([[0, 1.2, 0.3, 4.9, 3.1], [1, -2, -1, 3.3, 9], [1, 2, 2, 2.2, 2.1]])
PLAIN = {"spatial_scale": 0.7, "output_dim": 2, "pooled_size": 3}
GROUPED = {"spatial_scale": 1.0, "output_dim": 1, "pooled_size": 3, "group_size": 2}
SHIFT = {"spatial_scale": 0.9, "output_dim": 4, "group_size": 2, "pooled_size": 2,
         "sample_per_part": 2, "trans_std": 0.11}  # fmt: skip
PARTS = {**SHIFT, "group_size": 1, "pooled_size": 3, "part_size": 2, "sample_per_part": 3}
FIXED = {**SHIFT, "output_dim": 1, "no_trans": True, "sample_per_part": 3}

CASES = (
    OpCase("_contrib_PSROIPooling", ((2, 18, 5, 6), (3, 5)), _pooled, PLAIN, inputs={1: ROIS}),
    OpCase("_contrib_PSROIPooling", ((2, 4, 7, 1), (3, 5)), _pooled, GROUPED, inputs={1: ROIS}),
    OpCase("_contrib_PSROIPooling", ((2, 4, 4, 5), (0, 5)),
           lambda *_, **params: np.zeros((0, 1, 3, 3)), GROUPED, grad_inputs=(0,)),
    OpCase("_psroi_pooling_backward", ((3, 2, 3, 3), (3, 5), (2, 18, 5, 6)), None, PLAIN,
           inputs={1: ROIS}, grad_inputs=(0,)),
    OpCase("_psroi_pooling_backward", ((3, 1, 3, 3), (3, 5), (2, 4, 5, 6)), None, GROUPED,
           inputs={1: ROIS}, grad_inputs=(0,)),
    OpCase("_contrib_DeformablePSROIPooling", ((2, 16, 5, 6), (3, 5), (3, 4, 2, 2)), _shifted,
           SHIFT, inputs={1: ROIS}),
    OpCase("_contrib_DeformablePSROIPooling", ((2, 4, 6, 7), (3, 5), (3, 2, 2, 2)), _shifted,
           PARTS, inputs={1: ROIS}),
    OpCase("_contrib_DeformablePSROIPooling", ((2, 4, 5, 6), (3, 5), None), _shifted, FIXED,
           inputs={1: ROIS}),
    OpCase("_deformable_psroi_pooling_backward",
           ((3, 4, 2, 2), (2, 16, 5, 6), (3, 5), (3, 4, 2, 2)), None, SHIFT, inputs={2: ROIS}),
    OpCase("_deformable_psroi_pooling_backward", ((3, 1, 2, 2), (2, 4, 5, 6), (3, 5), None), None,
           FIXED, inputs={2: ROIS}),
)  # fmt: skip
