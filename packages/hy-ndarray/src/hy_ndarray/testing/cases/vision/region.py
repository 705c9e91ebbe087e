"""Cases of pooling of regions of interest, and of correlation."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _roi_pooling(
    data: Any, rois: Any, *, pooled_size: tuple[int, int], spatial_scale: float
) -> Any:
    y = np.zeros((len(rois), data.shape[1], *pooled_size))
    for r, (n, *corners) in enumerate(rois):
        left, top, right, bottom = (int(np.floor(c * spatial_scale + 0.5)) for c in corners)
        for i, j in np.ndindex(*pooled_size):
            ends = []
            for k, low, high, count, size in (
                (i, top, bottom, pooled_size[0], data.shape[2]),
                (j, left, right, pooled_size[1], data.shape[3]),
            ):
                step = max(high - low + 1, 1) / count
                start, stop = int(np.floor(k * step)) + low, int(np.ceil((k + 1) * step)) + low
                ends.append(slice(min(max(start, 0), size), min(max(stop, 0), size)))
            part = data[int(n), :, ends[0], ends[1]]
            y[r, :, i, j] = part.max((1, 2)) if part.size else 0
    return y


def _correlation(
    data1: Any,
    data2: Any,
    *,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
) -> Any:
    pad = [(0, 0), (0, 0), (pad_size, pad_size), (pad_size, pad_size)]
    a, b = np.pad(data1, pad), np.pad(data2, pad)
    half = kernel_size // 2
    border = max_displacement + half
    rows, columns = (range(border, n - border, stride1) for n in a.shape[2:])
    around = max_displacement // stride2
    shifts = [i * stride2 for i in range(-around, around + 1)]
    y = np.zeros((len(a), len(shifts) ** 2, len(rows), len(columns)))
    for d, (down, right) in enumerate((u, v) for u in shifts for v in shifts):
        for i, r in enumerate(rows):
            for j, c in enumerate(columns):
                p = a[:, :, r - half : r + half + 1, c - half : c + half + 1]
                r2, c2 = r + down, c + right
                q = b[:, :, r2 - half : r2 + half + 1, c2 - half : c2 + half + 1]
                y[:, d, i, j] = (p * q if is_multiply else np.abs(p - q)).mean((1, 2, 3))
    return y


_ROIS = np.array(
    [[0, 0, 0, 3, 3], [1, 0.6, 1.4, 2.5, 4], [0, 2, 2, 1, 1], [1, -2, -2, 1, 1], [1, 1, 3, 9, 9.0]]
)
_ROI = {"pooled_size": (2, 3), "spatial_scale": 1.0}
_INDEX = np.array([[0, 3, -1], [3, 5, 2]])
_VARIANTS: tuple[dict[str, Any], ...] = (
    {"pad_size": 1},
    {"kernel_size": 3, "max_displacement": 2, "stride2": 2, "pad_size": 2},
    {"max_displacement": 2, "stride1": 2, "pad_size": 2, "is_multiply": False},
)

CASES = (
    OpCase("ROIPooling", ((2, 3, 5, 6), None), _roi_pooling, _ROI, inputs={1: _ROIS}),
    OpCase(
        "ROIPooling",
        ((2, 1, 5, 6), None),
        _roi_pooling,
        {"pooled_size": (1, 1), "spatial_scale": 0.5},
        inputs={1: _ROIS[:2]},
    ),
    OpCase(
        "_roi_pooling_backward",
        ((2, 3), None, (2, 3)),
        lambda dy, index, data: np.array(
            [[dy[0, 0], 0, dy[1, 2]], [dy[0, 1] + dy[1, 0], 0, dy[1, 1]]]
        ),
        inputs={1: _INDEX},
        grad_inputs=(0,),
    ),
    OpCase(
        "_roi_pooling_select",
        ((2, 3), None),
        lambda x, index: np.where(index < 0, 0, x.ravel()[index]),
        inputs={1: _INDEX},
    ),
    *(OpCase("Correlation", ((2, 2, 6, 5),) * 2, _correlation, params) for params in _VARIANTS),
    OpCase("_correlation_backward", ((1, 9, 3, 2), (1, 2, 5, 4), (1, 2, 5, 4)), None),
)
