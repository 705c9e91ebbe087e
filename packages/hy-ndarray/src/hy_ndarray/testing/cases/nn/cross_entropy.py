"""Cases of log-softmax at one index of each row, or weighted by labels."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

_INDEX = np.array([[1.0, 3, 0], [9, 2, -1]], "float32")
_VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"keepdims": True, "mode": "wrap"},
    {"negative": True, "keepdims": True},
)


def _class_index(index: Any, mode: str) -> Any:
    whole = index.astype(int)
    return (whole % 4 if mode == "wrap" else np.clip(whole, 0, 3))[..., None]


def _picked(
    data: Any, index: Any, *, keepdims: bool = False, mode: str = "clip", negative: bool = False
) -> Any:
    p = np.exp(data) / np.exp(data).sum(axis=-1, keepdims=True)
    y = np.log(np.take_along_axis(p, _class_index(index, mode), axis=-1))
    if negative:
        y = -y
    return y if keepdims else y[..., 0]


def _picked_backward(
    dy: Any,
    data: Any,
    index: Any,
    statistics: Any,
    *,
    keepdims: bool = False,
    mode: str = "clip",
    negative: bool = False,
) -> Any:
    p = np.exp(data) / np.exp(data).sum(axis=-1, keepdims=True)
    dx = dy.reshape(*index.shape, 1) * ((np.arange(4) == _class_index(index, mode)) - p)
    return -dx if negative else dx


def _statistics(data: Any) -> Any:
    peak = data.max(axis=-1, keepdims=True)
    return np.concatenate([peak, np.exp(data - peak).sum(axis=-1, keepdims=True)], axis=-1)


def _dot(data: Any, label: Any) -> Any:
    p = np.exp(data) / np.exp(data).sum(axis=-1, keepdims=True)
    return (np.log(p) * label).sum(axis=-1, keepdims=True)


def _dot_backward(dy: Any, data: Any, label: Any, statistics: Any) -> Any:
    p = np.exp(data) / np.exp(data).sum(axis=-1, keepdims=True)
    return dy * (label - p * label.sum(axis=-1, keepdims=True))


def _sums(data: Any, label: Any) -> Any:
    return np.concatenate([_statistics(data), label.sum(axis=-1, keepdims=True)], axis=-1)


_DATA = np.random.RandomState(0).uniform(-2, 2, (2, 3, 4))
_WEIGHTS = np.random.RandomState(1).uniform(0, 1, (2, 3, 4))

CASES = (
    *(
        OpCase("_log_softmax_pick", ((2, 3, 4), (2, 3)), _picked, params, inputs={1: _INDEX})
        for params in _VARIANTS
    ),
    OpCase(
        "_log_softmax_pick",
        ((4,), (1,)),
        lambda x, i: (x - np.log(np.exp(x).sum()))[i.astype(int)],
        inputs={1: np.array([2.0])},
    ),
    OpCase(
        "_log_softmax_pick",
        ((0, 3), (0,)),
        lambda x, i: np.zeros(0),
        inputs={1: np.zeros(0)},
    ),
    *(
        OpCase("_log_softmax_pick", ((3, 4), (3,)), _picked, params, inputs={1: _INDEX[1]})
        for params in _VARIANTS
    ),
    *(
        OpCase(
            "_log_softmax_pick_backward",
            ((3, *([1] if params else [])), (3, 4), (3,), (3, 2)),
            _picked_backward,
            params,
            inputs={1: _DATA[1], 2: _INDEX[1], 3: _statistics(_DATA[1])},
            grad_inputs=(0,),
        )
        for params in _VARIANTS
    ),
    *(
        OpCase(
            "_log_softmax_pick_backward",
            ((2, 3, *([1] if params else [])), (2, 3, 4), (2, 3), (2, 3, 2)),
            _picked_backward,
            params,
            inputs={1: _DATA, 2: _INDEX, 3: _statistics(_DATA)},
            grad_inputs=(0,),
        )
        for params in _VARIANTS
    ),
    *(OpCase("_log_softmax_dot", (shape, shape), _dot) for shape in ((2, 3, 4), (4,), (0, 3))),
    OpCase(
        "_log_softmax_dot_backward",
        ((2, 3, 1), (2, 3, 4), (2, 3, 4), (2, 3, 3)),
        _dot_backward,
        inputs={1: _DATA, 2: _WEIGHTS, 3: _sums(_DATA, _WEIGHTS)},
        grad_inputs=(0,),
    ),
)
