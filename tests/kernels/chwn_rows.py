"""Rows of convolution with the batch innermost, to which small images are lowered."""

from typing import Any

import numpy as np

from hy_ndarray.testing.cases.nn.conv import _backward_data, _backward_weight, _convolution
from hy_ndarray.testing.op_case import OpCase


def _first(images: Any) -> Any:
    return np.moveaxis(images, -1, 0)


def _last(images: Any) -> Any:
    return np.moveaxis(images, 0, -1)


def _forward(data: Any, weight: Any, bias: Any = None, **how: Any) -> Any:
    return _last(_convolution(_first(data), weight, bias, **how))


def _to_data(dy: Any, weight: Any, data: Any, **how: Any) -> Any:
    return _last(_backward_data(_first(dy), weight, _first(data), **how))


def _to_weight(dy: Any, data: Any, weight: Any, **how: Any) -> Any:
    return _backward_weight(_first(dy), _first(data), weight, **how)


def _to_both(dy: Any, data: Any, weight: Any, **how: Any) -> Any:
    return _to_data(dy, weight, data, **how), _to_weight(dy, data, weight, **how)


_HOW: dict[str, Any] = {"stride": (2, 1), "dilate": (1, 2), "pad": (1, 2)}
_DATA, _WEIGHT, _RESULT = (3, 7, 5, 2), (4, 3, 3, 2), (4, 4, 7, 2)

CASES = (
    OpCase("_chwn_convolution", ((2, 6, 5, 3), (4, 2, 3, 2), (4,)), _forward),
    OpCase("_chwn_convolution", (_DATA, _WEIGHT, (4,)), _forward, _HOW),
    OpCase(
        "_chwn_convolution",
        ((2, 5, 9, 1), (1, 2, 2, 3), None),
        _forward,
    ),
    OpCase(
        "_chwn_convolution",
        ((1, 10, 8, 16), (3, 1, 3, 3), (3,)),
        _forward,
        {"stride": (1, 3)},
    ),
    OpCase(
        "_chwn_convolution_backward_data",
        (_RESULT, _WEIGHT, _DATA),
        _to_data,
        _HOW,
    ),
    OpCase(
        "_chwn_convolution_backward_data",
        ((3, 4, 5, 2), (3, 2, 3, 2), (2, 6, 6, 2)),
        _to_data,
    ),
    OpCase(  # dilated, with a frame
        "_chwn_convolution_backward_data",
        ((4, 4, 7, 3), (4, 2, 3, 2), (2, 6, 5, 3)),
        _to_data,
        {"dilate": (2, 2), "pad": (1, 2)},
    ),
    OpCase(  # a frame wider than the kernel
        "_chwn_convolution_backward_data",
        ((2, 7, 7, 2), (2, 2, 2, 2), (2, 4, 4, 2)),
        _to_data,
        {"pad": (2, 2)},
    ),
    OpCase(  # many more filters than channels
        "_chwn_convolution_backward_data",
        ((5, 5, 4, 2), (5, 2, 3, 3), (2, 5, 4, 2)),
        _to_data,
        {"pad": (1, 1)},
    ),
    OpCase(
        "_chwn_convolution_backward_weight",
        (_RESULT, _DATA, _WEIGHT),
        _to_weight,
        _HOW,
    ),
    OpCase(
        "_chwn_convolution_backward_weight",
        ((3, 4, 5, 32), (2, 6, 6, 32), (3, 2, 3, 2)),
        _to_weight,
    ),
    OpCase("_chwn_convolution_backward", (_RESULT, _DATA, _WEIGHT), _to_both, _HOW),
    OpCase(
        "_chwn_convolution_backward",
        ((3, 6, 6, 4), (2, 6, 6, 4), (3, 2, 3, 3)),
        _to_both,
        {"pad": (1, 1)},
    ),
)
