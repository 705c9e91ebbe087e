"""Cases of quantization and dequantization."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

LEVELS = {"int8": 127.5, "uint8": 255.5, "int32": 2.0**31 - 1}
F = np.float32


def _array(*values: float) -> Any:
    return np.array(values, F)


def _integers(values: Any, dtype: str) -> Any:
    info = np.iinfo(dtype)
    return np.clip(np.rint(values), info.min, info.max).astype(dtype)


def _quantize(data: Any, low: Any, high: Any, *, out_type: str) -> Any:
    r = max(abs(low.item()), abs(high.item()))
    y = _integers(data * (127 if out_type == "int8" else 255) / r, out_type)
    return (y, _array(-r), _array(r)) if out_type == "int8" else (y, low, high)


def _quantize_v2(
    data: Any,
    *,
    out_type: str = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Any:
    low, high = min_calib_range, max_calib_range
    if out_type == "auto":
        out_type = "uint8" if low is not None and low >= 0 else "int8"
    if low is None or high is None:
        low, high = (data.min(), data.max()) if data.size else (0, 0)
    r = max(abs(low), abs(high))
    y = _integers(data * LEVELS[out_type] / r if r else 0 * data, out_type)
    return y, _array(-r if out_type == "int8" else low), _array(r if out_type == "int8" else high)


def _dequantize(data: Any, low: Any, high: Any) -> Any:
    step = max(abs(low.item()), abs(high.item())) / LEVELS[data.dtype.name]
    return (data * step).astype(F)


def _requantize(data: Any, low: Any, high: Any, **params: Any) -> Any:
    values = data * (max(abs(low.item()), abs(high.item())) / LEVELS["int32"])
    low = params.get("min_calib_range", np.min(values))
    r = max(abs(low), abs(params.get("max_calib_range", np.max(values))))
    out_type = params.get("out_type", "int8")
    y = _integers(values * (127 if out_type == "int8" else 255) / r, out_type)
    return y, _array(-r if out_type == "int8" else 0), _array(r)


X = np.array([[-2.6, -1.2, 0.3], [0.55, 1.5, 2.6]], F)
NONE = np.zeros((0, 3), F)
SUMS = np.array([[1 << 30, -(1 << 29), 1 << 20]], np.int32)
BYTES = np.array([[0, 7, 255]], np.uint8)
SIGNED = np.array([[-128, 7, 127]], np.int8)
ENDS = {1: _array(-1.0), 2: _array(2.0)}
CALIB = {"min_calib_range": -1.0, "max_calib_range": 2.0}
POSITIVE = {"min_calib_range": 0.0, "max_calib_range": 2.0}
PEAKS = _array(900, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 900)
HIST = np.array([3, 0, 5, 8, 13, 40, 17, 9, 0, 2, 4], F)
EDGES = np.linspace(-1, 1, 12, dtype=F)


def _calibrated(*_: Any, **__: Any) -> Any:
    return _array(1.0), _array(1.2773499)  # what MXNet 1.9.1 gives


def _case(op: str, values: Any, expected: Any, params: Any = None, ends: Any = None) -> OpCase:
    inputs = {0: values, **(ends or {})}
    shapes = tuple(np.shape(v) for v in inputs.values())
    return OpCase(op, shapes, expected, params or {}, inputs=inputs)


CASES = (
    *(
        _case("_contrib_quantize", x, _quantize, {"out_type": t}, ENDS)
        for t in ("int8", "uint8")
        for x in (X, NONE)
    ),
    *(
        _case("_contrib_quantize_v2", x, _quantize_v2, {"out_type": t, **calib})
        for t in ("auto", "int8", "uint8")
        for calib in ({}, CALIB, POSITIVE)
        for x in (X, NONE, 0 * X)
    ),
    *(
        _case("_contrib_dequantize", x, _dequantize, None, ENDS)
        for x in (SIGNED, BYTES, SUMS, SIGNED[:, :0])
    ),
    *(
        _case("_contrib_requantize", SUMS, _requantize, {"out_type": t, **calib}, ENDS)
        for t in ("int8", "uint8")
        for calib in ({}, CALIB)
    ),
    _case(
        "_contrib_calibrate_entropy",
        PEAKS,
        _calibrated,
        {"num_quantized_bins": 7},
        {1: np.linspace(-1, 1, 16, dtype=F)},
    ),
    _case("_contrib_calibrate_entropy", HIST, None, {"num_quantized_bins": 5}, {1: EDGES}),
    _case("_contrib_calibrate_entropy", 0 * HIST, None, {"num_quantized_bins": 5}, {1: EDGES}),
)
