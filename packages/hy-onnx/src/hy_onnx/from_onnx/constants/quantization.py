"""Constant folding of quantization with scale and zero point."""

from typing import Any

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.constants.plan import Plan, planner
from hy_onnx.model import Array

__all__: list[str] = []


def _broadcastable(call: Call, part: Array, x: Array) -> Any:
    """Return a scale or zero point reshaped or repeated to broadcast to ``x``."""
    if part.size == 1:
        return part.reshape(())
    axis = call.axis_of(call.attr("axis", 1), x.ndim)
    block = call.attr("block_size", 0)
    if block:
        if part.shape[axis] != -(-x.shape[axis] // block):
            raise ValueError(
                f"{part.shape[axis]} blocks of {block} do not cover an axis of size {x.shape[axis]}"
            )
        return np.repeat(part, min(block, x.shape[axis]), axis)[
            (*[slice(None)] * axis, slice(x.shape[axis]))
        ]
    if part.shape != (x.shape[axis],):
        raise ValueError(
            f"scale or zero point {part.shape} does not fit an axis of size {x.shape[axis]}"
        )
    return part.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


@planner("DequantizeLinear")
def _dequantize(call: Call) -> Plan:
    x, scale = call.known(0, "its data"), call.known(1, "a scale")

    def compute() -> Any:
        y = x.astype(np.float32)
        if call.has(2):
            y = y - _broadcastable(call, call.known(2, "a zero point"), x).astype(np.float32)
        return y * _broadcastable(call, scale, x)

    return Plan(x.shape, scale.dtype, compute, work=4 * x.size)


@planner("QuantizeLinear")
def _quantize(call: Call) -> Plan | None:
    x, scale = call.known(0, "its data"), call.known(1, "a scale")
    zero = call.known(2, "a zero point") if call.has(2) else np.zeros((), np.uint8)
    if zero.dtype.name not in ("int8", "uint8") or call.attr("output_dtype", 0):
        return None
    ends = np.iinfo(zero.dtype.name)

    def compute() -> Any:
        # Ties to even, then the zero point, then saturation, as ONNX defines it.
        y = np.rint(x.astype(scale.dtype) / _broadcastable(call, scale, x))
        return np.clip(y + _broadcastable(call, zero, x).astype(y.dtype), ends.min, ends.max)

    return Plan(x.shape, zero.dtype, compute, work=8 * x.size)
