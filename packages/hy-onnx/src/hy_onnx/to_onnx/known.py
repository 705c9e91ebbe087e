"""Arithmetic on numbers, computed during export if constant, else by ONNX nodes."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from hy_onnx.model import Array
from hy_onnx.to_onnx.call import Call

__all__ = ["Number", "along", "cast", "computed", "largest", "named", "number"]

Number: TypeAlias = Array | str
"""A constant array, or the name of a value."""

_NOW: dict[str, Callable[..., Any]] = {
    "Abs": np.abs,
    "Add": np.add,
    "Div": np.divide,
    "Equal": np.equal,
    "Floor": np.floor,
    "Log": np.log,
    "Max": np.maximum,
    "Min": np.minimum,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Pow": np.power,
    "Sign": np.sign,
    "Sqrt": np.sqrt,
    "Sub": np.subtract,
    "Where": np.where,
}


def number(call: Call, i: int) -> Number:
    """Return input ``i`` as a vector: its value if it is constant, else a name."""
    constant = call.constant_value(i)
    if constant is not None:
        return constant.reshape(-1)
    return call.name(i) if call.rank(i) else call.op("Reshape", call.name(i), call.ints(1))


def computed(call: Call, op: str, *operands: Number) -> Number:
    """Apply an ONNX operator, during export if all operands are constant."""
    if all(isinstance(x, np.ndarray) for x in operands):
        with np.errstate(all="ignore"):
            return np.asarray(_NOW[op](*operands))
    return call.op(op, *(named(call, x) for x in operands))


def cast(call: Call, x: Number, dtype: str) -> Number:
    """Cast numbers to another dtype."""
    return x.astype(dtype) if isinstance(x, np.ndarray) else call.cast(x, dtype)


def named(call: Call, x: Number) -> str:
    """Return the name of ``x``, after adding it as a constant if it is an array."""
    return call.constant(x, x.dtype.name) if isinstance(x, np.ndarray) else x


def largest(call: Call, x: Number) -> Number:
    """Return the maximum of non-negative numbers, as a vector with one element."""
    if isinstance(x, np.ndarray):
        return np.asarray(x.max(initial=0, keepdims=True))
    return call.reduce("ReduceMax", x, [0], keepdims=True)


def along(call: Call, x: Number, axis: int) -> Number:
    """Return a vector reshaped to broadcast along a negative ``axis``."""
    shape = -1, *(1,) * (-axis - 1)
    return (
        x.reshape(shape) if isinstance(x, np.ndarray) else call.op("Reshape", x, call.ints(*shape))
    )
