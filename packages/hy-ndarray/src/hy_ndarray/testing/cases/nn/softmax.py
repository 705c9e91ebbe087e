"""Cases of softmax and its variants."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _softmax(data: Any, *, axis: int = -1, temperature: float | None = None) -> Any:
    e = np.exp(data / (temperature or 1))
    return e / e.sum(axis=axis, keepdims=True)


def _with_length(data: Any, length: Any, *, axis: int, **_: Any) -> Any:
    at = np.arange(data.shape[axis]).reshape([-1 if i == axis else 1 for i in range(data.ndim)])
    e = np.exp(data) * (at < np.expand_dims(length, axis))
    return e / np.maximum(e.sum(axis=axis, keepdims=True), 1e-30)


def _log_softmax(data: Any, **params: Any) -> Any:
    return np.log(_softmax(data, **params))


def _softmax_backward(
    dy: Any, output: Any, data: Any, *, axis: int = -1, temperature: float | None = None
) -> Any:
    total = (dy * output).sum(axis=axis, keepdims=True)
    return output * (dy - total) / (temperature or 1)


def _log_softmax_backward(
    dy: Any, output: Any, data: Any, *, axis: int = -1, temperature: float | None = None
) -> Any:
    return (dy - np.exp(output) * dy.sum(axis=axis, keepdims=True)) / (temperature or 1)


_LENGTH = np.array([[1, 3, 0], [4, 2, 3]], "int32")
_VARIANTS: tuple[dict[str, Any], ...] = ({}, {"axis": 1}, {"axis": -2, "temperature": 2.5})

CASES = (
    *(OpCase("softmax", ((2, 3, 4), None), _softmax, extra) for extra in _VARIANTS),
    OpCase("softmax", ((0, 3), None), _softmax),
    OpCase("softmax", ((3, 1), None), _softmax),
    OpCase(
        "softmax",
        ((2, 3, 4), None),
        _with_length,
        {"axis": 2, "use_length": True},
        inputs={1: _LENGTH},
    ),
    OpCase(
        "softmax",
        ((2, 4, 3), None),
        _with_length,
        {"axis": 1, "use_length": True},
        inputs={1: _LENGTH},
    ),
    *(
        OpCase("softmin", ((2, 3, 4),), lambda x, **p: _softmax(-x, **p), extra)
        for extra in _VARIANTS
    ),
    *(OpCase("log_softmax", ((2, 3, 4),), _log_softmax, extra) for extra in _VARIANTS),
    OpCase("log_softmax", ((0, 3),), _log_softmax),
    *(
        OpCase("_softmax_backward", ((2, 3, 4),) * 3, _softmax_backward, extra, grad_inputs=(0, 1))
        for extra in _VARIANTS
    ),
    *(
        OpCase(
            "_log_softmax_backward",
            ((2, 3, 4),) * 3,
            _log_softmax_backward,
            extra,
            grad_inputs=(0, 1),
        )
        for extra in _VARIANTS
    ),
    OpCase("SoftmaxActivation", ((2, 3, 4),), _softmax),
    OpCase(
        "SoftmaxActivation", ((2, 3, 4),), lambda x, mode: _softmax(x, axis=1), {"mode": "channel"}
    ),
    OpCase(
        "_axis_total",
        ((2, 3, 4),),
        lambda x, axis: np.broadcast_to(x.sum(axis, keepdims=True), x.shape),
        {"axis": 1},
    ),
)
