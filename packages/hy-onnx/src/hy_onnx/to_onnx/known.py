"""Arithmetic of numbers that are computed now where they are known, and by nodes where not."""

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
    """Input ``i``: what it holds, if that is known, as a vector."""
    constant = call.constant_value(i)
    if constant is not None:
        return constant.reshape(-1)
    return call.name(i) if call.rank(i) else call.op("Reshape", call.name(i), call.ints(1))


def computed(call: Call, op: str, *operands: Number) -> Number:
    """Return an operator of ONNX on numbers of one dtype."""
    if all(isinstance(x, np.ndarray) for x in operands):
        with np.errstate(all="ignore"):
            return np.asarray(_NOW[op](*operands))
    return call.op(op, *(named(call, x) for x in operands))


def cast(call: Call, x: Number, dtype: str) -> Number:
    """Numbers in another dtype."""
    return x.astype(dtype) if isinstance(x, np.ndarray) else call.cast(x, dtype)


def named(call: Call, x: Number) -> str:
    """Return the name of numbers, which are a constant if they are known."""
    return call.constant(x, x.dtype.name) if isinstance(x, np.ndarray) else x


def largest(call: Call, x: Number) -> Number:
    """Return the largest of numbers that are not negative."""
    if isinstance(x, np.ndarray):
        return np.asarray(x.max(initial=0, keepdims=True))
    return call.reduce("ReduceMax", x, [0], keepdims=True)


def along(call: Call, x: Number, axis: int) -> Number:
    """Return a vector that meets arrays along an axis, counted from the end."""
    shape = -1, *(1,) * (-axis - 1)
    return (
        x.reshape(shape) if isinstance(x, np.ndarray) else call.op("Reshape", x, call.ints(*shape))
    )
