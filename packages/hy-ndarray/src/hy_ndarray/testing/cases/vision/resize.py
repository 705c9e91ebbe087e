"""Cases of resizing of images."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _nearest(*data: Any, scale: int, multi_input_mode: str = "concat", **_: Any) -> Any:
    height = data[0].shape[2] * scale
    images = [x.repeat(height // x.shape[2], 2).repeat(height // x.shape[2], 3) for x in data]
    return np.concatenate(images, 1) if multi_input_mode == "concat" else sum(images)


def _bilinear(data: Any, weight: Any, *, scale: int, **_: Any) -> Any:
    n, c, h, w = data.shape
    k, pad = weight.shape[2], scale // 2
    y = np.zeros((n, c, (h - 1) * scale + k, (w - 1) * scale + k))
    for i, j in np.ndindex(h, w):
        window = (..., slice(i * scale, i * scale + k), slice(j * scale, j * scale + k))
        y[window] += data[:, :, i, j, None, None] * weight[:, 0]
    return y[:, :, pad : pad + h * scale, pad : pad + w * scale]


def _source_positions(size: int, wanted: int, align: bool) -> Any:
    """Return the position in the source image of each element of the resized axis."""
    if align:
        return np.linspace(0, size - 1, wanted) if wanted > 1 else np.zeros(1)
    return np.clip((np.arange(wanted) + 0.5) * size / wanted - 0.5, 0, size - 1)


def _resize(data: Any, height: int, width: int, align: bool) -> Any:
    rows, columns = (
        np.stack(
            [np.interp(_source_positions(n, m, align), range(n), unit) for unit in np.eye(n)],
            axis=1,
        )
        for n, m in ((data.shape[2], height), (data.shape[3], width))
    )
    return rows @ data @ columns.T


def _target_size(
    data: Any,
    like: Any = None,
    *,
    height: int = 1,
    width: int = 1,
    align_corners: bool = True,
    **p: Any,
) -> Any:
    if like is not None:
        height, width = like.shape[2:]
    return _resize(data, height, width, align_corners)


def _adaptive(data: Any, *, output_size: Any = ()) -> Any:
    h, w = data.shape[2:]
    height, width = (output_size * 2)[:2] if output_size else (1, 1)
    y = np.zeros((*data.shape[:2], height, width))
    for i, j in np.ndindex(height, width):
        rows = slice(i * h // height, -(-(i + 1) * h // height))
        columns = slice(j * w // width, -(-(j + 1) * w // width))
        y[:, :, i, j] = data[:, :, rows, columns].mean((2, 3))
    return y


_NEAREST = {"scale": 2, "sample_type": "nearest"}
_TWO = ((2, 1, 2, 4), (2, 2, 1, 2))
_SUM = ((2, 2, 2, 4), (2, 2, 1, 2))

CASES = (
    OpCase("UpSampling", ((2, 3, 2, 3),), _nearest, _NEAREST),
    OpCase("UpSampling", _TWO, _nearest, {**_NEAREST, "scale": 3}),
    OpCase("UpSampling", _SUM, _nearest, {**_NEAREST, "multi_input_mode": "sum"}),
    OpCase(
        "UpSampling",
        ((2, 3, 2, 3), (3, 1, 4, 4)),
        _bilinear,
        {"scale": 2, "sample_type": "bilinear", "num_filter": 3},
    ),
    OpCase(
        "UpSampling",
        ((1, 1, 2, 2), (1, 1, 5, 5)),
        _bilinear,
        {"scale": 3, "sample_type": "bilinear", "num_filter": 1},
    ),
    OpCase(
        "_up_sampling_nearest_backward",
        ((2, 3, 4, 8), *_TWO),
        None,
        {"parts": 2},
        grad_inputs=(0,),
    ),
    OpCase(
        "_up_sampling_nearest_backward",
        ((2, 2, 4, 8), *_SUM),
        None,
        {"parts": 2, "multi_input_mode": "sum"},
        grad_inputs=(0,),
    ),
    OpCase(
        "_up_sampling_like",
        ((2, 3, 4, 8), *_TWO),
        lambda like, *data: _nearest(*data, scale=2),
        grad_inputs=(1, 2),
    ),
    *(
        OpCase("_contrib_BilinearResize2D", ((2, 2, 3, 4), None), _target_size, params)
        for params in (
            {"height": 5, "width": 3},
            {"height": 1, "width": 6},
            {"height": 7, "width": 3, "align_corners": False},
            {"height": 2, "width": 1, "align_corners": False},
        )
    ),
    OpCase(
        "_contrib_BilinearResize2D",
        ((2, 2, 3, 4), None),
        lambda x, **_: _resize(x, 5, 8, True),
        {"scale_height": 2.0, "scale_width": 2.0, "mode": "odd_scale"},
    ),
    OpCase(
        "_contrib_BilinearResize2D",
        ((2, 2, 3, 4), None),
        lambda x, **_: _resize(x, 4, 4, True),
        {"mode": "to_even_up"},
    ),
    OpCase(
        "_contrib_BilinearResize2D", ((2, 2, 3, 4), (1, 1, 2, 5)), _target_size, {"mode": "like"}
    ),
    OpCase("_bilinear_resize2d_like", ((1, 2, 3, 4), (1, 1, 5, 2)), _target_size, grad_inputs=(0,)),
    *(
        OpCase(
            "_bilinear_resize2d_backward",
            ((1, 2, 5, 2), (1, 2, 3, 4)),
            None,
            {"align_corners": align},
            grad_inputs=(0,),
        )
        for align in (True, False)
    ),
    OpCase("_contrib_AdaptiveAvgPooling2D", ((2, 2, 3, 5),), _adaptive),
    OpCase("_contrib_AdaptiveAvgPooling2D", ((2, 2, 3, 5),), _adaptive, {"output_size": (2,)}),
    OpCase("_contrib_AdaptiveAvgPooling2D", ((2, 2, 3, 5),), _adaptive, {"output_size": (4, 3)}),
    OpCase(
        "_adaptive_avg_pooling2d_backward", ((1, 2, 2, 3), (1, 2, 3, 5)), None, grad_inputs=(0,)
    ),
    OpCase(
        "_adaptive_avg_pooling2d_like",
        ((1, 2, 3, 5), (1, 2, 2, 3)),
        lambda x, like: _adaptive(x, output_size=like.shape[2:]),
        grad_inputs=(0,),
    ),
)
