"""Arithmetic of numbers, computed now if constant, else by nodes."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from hy_onnx.model import Array
from hy_onnx.to_onnx.call import Call

__all__ = ["Number", "along", "cast", "computed", "largest", "named", "number"]

Number: TypeAlias = Array | str
"""Numbers that are known, or the name of a value."""

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
    """Return input ``i`` as a vector, or its value if it is constant."""
    constant = call.constant_value(i)
    if constant is not None:
        return constant.reshape(-1)
    return call.name(i) if call.rank(i) else call.op("Reshape", call.name(i), call.ints(1))


def computed(call: Call, op: str, *operands: Number) -> Number:
    """Return an ONNX operator on numbers, computed now if all are constant."""
    if all(isinstance(x, np.ndarray) for x in operands):
        with np.errstate(all="ignore"):
            return np.asarray(_NOW[op](*operands))
    return call.op(op, *(named(call, x) for x in operands))


def cast(call: Call, x: Number, dtype: str) -> Number:
    """Return numbers cast to another dtype."""
    return x.astype(dtype) if isinstance(x, np.ndarray) else call.cast(x, dtype)


def named(call: Call, x: Number) -> str:
    """Return the name of numbers, as a constant if they are known."""
    return call.constant(x, x.dtype.name) if isinstance(x, np.ndarray) else x


def largest(call: Call, x: Number) -> Number:
    """Return the maximum of non-negative numbers."""
    if isinstance(x, np.ndarray):
        return np.asarray(x.max(initial=0, keepdims=True))
    return call.reduce("ReduceMax", x, [0], keepdims=True)


def along(call: Call, x: Number, axis: int) -> Number:
    """Return a vector shaped to broadcast along an axis, counted from the end."""
    shape = -1, *(1,) * (-axis - 1)
    return (
        x.reshape(shape) if isinstance(x, np.ndarray) else call.op("Reshape", x, call.ints(*shape))
    )
