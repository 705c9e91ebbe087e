"""Constant folding of elementwise functions, with broadcasting."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from hy_ndarray import numpy_type
from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.constants.plan import Plan, Planner, planner
from hy_onnx.from_onnx.dtypes import DTYPES, dtype_code
from hy_onnx.from_onnx.versions import aligned_axes, clip_limits
from hy_onnx.model import Array

__all__: list[str] = []

_BOOL = np.dtype(np.bool_)


_UNARY: dict[str, Callable[[Any], Any]] = {
    "Abs": np.abs,
    "BitwiseNot": np.invert,
    "Ceil": np.ceil,
    "Cos": np.cos,
    "Exp": np.exp,
    "Floor": np.floor,
    "Identity": lambda x: x,
    "IsNaN": np.isnan,
    "Log": np.log,
    "Neg": np.negative,
    "Not": np.logical_not,
    "Reciprocal": lambda x: 1 / x,
    "Relu": lambda x: np.maximum(x, 0),
    "Round": np.rint,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Sign": np.sign,
    "Sin": np.sin,
    "Sqrt": np.sqrt,
    "Tanh": np.tanh,
}


def _unary(function: Callable[[Any], Any]) -> Planner:
    def plan(call: Call) -> Plan:
        x = call.known(0, "its operand")
        dtype = _BOOL if function is np.isnan else x.dtype
        return Plan(x.shape, dtype, lambda: function(x), work=4 * x.size)

    return plan


for _name, _function in _UNARY.items():
    planner(_name)(_unary(_function))


# --- several operands -----------------------------------------------------------------------------


def _quotient(a: Any, b: Any) -> Any:
    """Divide; integer quotients are truncated towards zero."""
    if a.dtype.kind not in "iu":
        return a / b
    # ONNX divides integers towards zero, numpy down.
    floor = a // b
    return floor + ((a - floor * b != 0) & ((a < 0) != (b < 0)))


def _power(a: Any, b: Any) -> Any:
    if a.dtype.kind in "iu" and (b.dtype.kind not in "iu" or b.min(initial=0) < 0):
        # numpy refuses negative powers of integers.
        return np.power(a.astype(np.float64), b.astype(np.float64))
    return np.power(a, b)


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add,
    "And": np.logical_and,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "Div": _quotient,
    "Equal": np.equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Mul": np.multiply,
    "Or": np.logical_or,
    "Pow": _power,
    "Sub": np.subtract,
    "Xor": np.logical_xor,
}
_TRUTHS = {"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor"}


def _broadcast_plan(call: Call, arrays: Sequence[Array], function: Callable[..., Any]) -> Plan:
    """Return the plan of an elementwise function of broadcast arrays."""
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    dtype = _BOOL if call.node.op in _TRUTHS else arrays[0].dtype
    return Plan(shape, dtype, lambda: function(*arrays), work=len(arrays) * 4 * math.prod(shape))


def _operands(call: Call) -> list[Array]:
    return [call.known(i, "an operand") for i in range(len(call.operands))]


def _binary(call: Call) -> Plan:
    a, b = _operands(call)
    axes = aligned_axes(call, a.ndim, b.ndim)
    return _broadcast_plan(call, [a, np.expand_dims(b, axes)], _BINARY[call.node.op])


planner(*_BINARY)(_binary)


@planner("Mod")
def _mod(call: Call) -> Plan:
    return _broadcast_plan(call, _operands(call), np.fmod if call.attr("fmod", 0) else np.mod)


_FOLDED: dict[str, Callable[..., Any]] = {
    "Max": lambda *arrays: reduce(np.maximum, arrays),
    "Mean": lambda *arrays: reduce(np.add, arrays) / len(arrays),
    "Min": lambda *arrays: reduce(np.minimum, arrays),
    "Sum": lambda *arrays: reduce(np.add, arrays),
}


@planner(*_FOLDED)
def _several(call: Call) -> Plan:
    return _broadcast_plan(call, _operands(call), _FOLDED[call.node.op])


@planner("Where")
def _where(call: Call) -> Plan:
    condition, a, b = _operands(call)
    plan = _broadcast_plan(call, [condition, a, b], np.where)
    return Plan(plan.shape, a.dtype, plan.compute, plan.work)


@planner("Clip")
def _clip(call: Call) -> Plan:
    x, (low, high) = call.known(0, "its operand"), clip_limits(call)

    def compute() -> Any:
        y = x if low is None else np.maximum(x, np.asarray(low, x.dtype))
        return y if high is None else np.minimum(y, np.asarray(high, x.dtype))

    return Plan(x.shape, x.dtype, compute)


# --- dtypes ---------------------------------------------------------------------------------------


def _as(x: Array, dtype: np.dtype[Any]) -> Plan:
    if dtype == _BOOL:
        return Plan(x.shape, dtype, lambda: x != 0)
    return Plan(x.shape, dtype, lambda: x.astype(dtype))


@planner("Cast")
def _cast(call: Call) -> Plan | None:
    code = dtype_code(call.attr("to"))
    if code not in DTYPES:
        return None
    return _as(call.known(0, "its operand"), np.dtype(numpy_type(DTYPES[code])))


@planner("CastLike")
def _cast_like(call: Call) -> Plan:
    return _as(call.known(0, "its operand"), call.known(1, "its example").dtype)
