"""Cases of L2 normalization and local response normalization."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _axes(mode: str, rank: int) -> tuple[int, ...]:
    return (1,) if mode == "channel" else tuple(range(2 if mode == "spatial" else 1, rank))


def _l2(data: Any, *, mode: str = "instance", eps: float = 1e-10) -> Any:
    square = (data * data).sum(_axes(mode, data.ndim), keepdims=True)
    return data / np.sqrt(square + eps)


def _total(data: Any, *, mode: str) -> Any:
    return np.broadcast_to(data.sum(_axes(mode, data.ndim), keepdims=True), data.shape)


def _window(data: Any, *, nsize: int) -> Any:
    half = nsize // 2
    return np.stack(
        [data[:, max(c - half, 0) : c + half + 1].sum(1) for c in range(data.shape[1])], 1
    )


def _lrn(data: Any, *, nsize: int, alpha: float, beta: float, knorm: float) -> Any:
    return data / (knorm + alpha / nsize * _window(data * data, nsize=nsize)) ** beta


_MODES = ("instance", "channel", "spatial")
_LRN = (
    {"nsize": 3, "alpha": 0.5, "beta": 0.75, "knorm": 2.0},
    {"nsize": 7, "alpha": 0.1, "beta": 0.5, "knorm": 1.0},
    {"nsize": 1, "alpha": 0.1, "beta": 0.5, "knorm": 1.0},
)

CASES = (
    OpCase("L2Normalization", ((2, 3),), _l2),
    *(
        OpCase("L2Normalization", ((2, 3, 4),), _l2, {"mode": mode, "eps": eps})
        for mode in _MODES
        for eps in (1e-10, 0.1)
    ),
    OpCase("L2Normalization", ((0, 3),), _l2),
    *(
        OpCase("_l2_normalization_backward", ((2, 3, 4),) * 2, None, {"mode": mode, "eps": 0.1})
        for mode in _MODES
    ),
    *(OpCase("_l2_total", ((2, 3, 4),), _total, {"mode": mode}) for mode in _MODES),
    *(OpCase("LRN", ((2, 5, 2, 3),), _lrn, params) for params in _LRN),
    *(OpCase("_lrn_backward", ((2, 5, 2),) * 2, None, params) for params in _LRN),
    OpCase("_channel_window", ((2, 5, 3),), _window, {"nsize": 3}),
    OpCase("_channel_window", ((2, 3),), _window, {"nsize": 9}),
)
