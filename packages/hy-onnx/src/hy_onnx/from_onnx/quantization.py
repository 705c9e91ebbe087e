"""Import of quantization and dequantization with scale and zero point.

Composed of floating operators, which represent 8-bit integers exactly: the catalogue's
``quantize_v2`` has no zero point, and multiplies where ONNX divides.
"""

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.dtypes import DTYPES
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor

__all__ = ["combined", "dequantized", "number_of", "quantized", "rounded"]

_OPS = {
    "Add": ("_plus_scalar", "_npi_add"),
    "Div": ("_div_scalar", "_npi_true_divide"),
    "Mul": ("_mul_scalar", "_npi_multiply"),
    "Sub": ("_minus_scalar", "_npi_subtract"),
}
"""Catalogue operators of an array and a number, and of two arrays, by ONNX operator."""


def number_of(call: Call, i: int) -> float | None:
    """Return input ``i`` as a number, 0 if omitted, None if not a single constant."""
    value = call.constant_value(i) if call.has(i) else np.zeros(())
    return None if value is None or value.size != 1 else float(value.reshape(()))


def combined(call: Call, op: str, x: Tensor, i: int, axis: int) -> Tensor:
    """Return ``x op input i``; the input is one number, or one per index or block of ``axis``."""
    number = number_of(call, i)
    if number is not None:
        # A factor of 1, or a summand of 0: True equals 1.
        same = number == (op in ("Div", "Mul"))
        return x if same else call.op(_OPS[op][0], x, scalar=number, is_int=False)
    other = call.cast(call.tensor(i), x.dtype)
    block = call.attr("block_size", 0)
    if block:
        other = call.op("repeat", other, repeats=block, axis=axis)
        other = call.op("slice_like", other, x, axes=(axis,))  # the last block may be shorter
    elif other.rank == 1 and x.rank > 1:
        shape = [1] * x.rank
        shape[call.axis(axis, x)] = -1
        other = call.reshape(other, *shape)
    return call.op(_OPS[op][1], x, other)


def dequantized(call: Call, i: int, axis: int = 1) -> Tensor:
    """Dequantize input ``i``; its scale is input ``i + 1``, its zero point input ``i + 2``."""
    scale = call.operands[i + 1]
    dtype = "float32" if scale is None or isinstance(scale, list) else str(scale.dtype)
    x = combined(call, "Sub", call.cast(call.tensor(i), dtype), i + 2, axis)
    return combined(call, "Mul", x, i + 1, axis)


def quantized(call: Call, x: Tensor, i: int, axis: int = 1) -> Tensor:
    """Quantize ``x``; the scale is input ``i``, the zero point input ``i + 1``."""
    return rounded(call, combined(call, "Div", x, i, axis), i + 1, axis)


def rounded(call: Call, x: Tensor, i: int, axis: int = 1) -> Tensor:
    """Round half to even, add the zero point in input ``i``, and saturate to its dtype."""
    dtype = _integer_dtype(call, i)
    info = np.iinfo(dtype)
    # Rounded before the zero point is added, in ONNX's order: halves go to even numbers of steps.
    y = combined(call, "Add", call.op("_npi_around", x), i, axis)
    return call.cast(call.op("clip", y, a_min=info.min, a_max=info.max), dtype)


def _integer_dtype(call: Call, i: int) -> str:
    """Return the dtype of quantized values: of zero point ``i``, or attribute ``output_dtype``."""
    zero = call.operands[i] if call.has(i) else None
    code = call.attr("output_dtype", 0)
    dtype = DTYPES.get(code, str(code)) if code else "uint8"
    if isinstance(zero, Tensor | np.ndarray):
        dtype = str(zero.dtype)
    if dtype not in ("int8", "uint8"):
        raise call.refused(f"integers of {dtype}; the catalogue has int8 and uint8")
    return dtype


@reader("QuantizeLinear")
def _quantize(call: Call) -> Tensor:
    scale = call.tensor(1)
    x = call.cast(call.x, scale.dtype)
    return quantized(call, x, 1, call.attr("axis", 1))


@reader("DequantizeLinear")
def _dequantize(call: Call) -> Tensor:
    return dequantized(call, 0, call.attr("axis", 1))


@reader("DynamicQuantizeLinear")
def _dynamic(call: Call) -> list[Tensor]:
    x = call.x
    low, high = (call.op(op, x) for op in ("_np_min", "_np_max"))
    # The range has to hold 0, so that zeros, such as padding, are exact.
    low = call.op("_minimum_scalar", low, scalar=0.0)
    high = call.op("_maximum_scalar", high, scalar=0.0)
    spread = call.op("_npi_subtract", high, low)
    scale = call.op("_div_scalar", spread, scalar=255.0, is_int=False)
    empty = call.op("_equal_scalar", spread, scalar=0.0)
    scale = call.op("_npi_add", scale, empty)  # 1, which only zeros are divided by
    zero = call.op("negative", call.op("_npi_true_divide", low, scale))
    zero = call.op("_npi_around", call.op("clip", zero, a_min=0.0, a_max=255.0))
    y = call.op("_npi_around", call.op("_npi_true_divide", x, scale))
    y = call.op("clip", call.op("_npi_add", y, zero), a_min=0.0, a_max=255.0)
    return [call.cast(y, "uint8"), scale, call.cast(zero, "uint8")]
