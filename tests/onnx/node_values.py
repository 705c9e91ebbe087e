"""Values for nodes: arrays of each kind, and rows of them."""

from typing import Any

import numpy as np

from tests.onnx.nodes import NEWEST, Row

_RNG = np.random.default_rng(7)
F32, F64, F16, I64, I32, U8, I8, BOOL = (
    np.float32,
    np.float64,
    np.float16,
    np.int64,
    np.int32,
    np.uint8,
    np.int8,
    np.bool_,
)


def floats(*shape: int, dtype: Any = F32) -> Any:
    return _RNG.uniform(-2, 2, shape).astype(dtype)


def positive(*shape: int, dtype: Any = F32) -> Any:
    return _RNG.uniform(0.1, 2, shape).astype(dtype)


def inside(*shape: int) -> Any:
    return _RNG.uniform(-0.9, 0.9, shape).astype(F32)


def wholes(*shape: int, dtype: Any = I64, low: int = -5, high: int = 6) -> Any:
    return _RNG.integers(low, high, shape).astype(dtype)


def truths(*shape: int) -> Any:
    return _RNG.integers(0, 2, shape).astype(BOOL)


def ints(*values: int) -> Any:
    return np.array(values, I64)


def of(op: str, *feeds: Any, since: int = 1, until: int = NEWEST, **params: Any) -> Row:
    return Row(op, feeds, params, since, until)
