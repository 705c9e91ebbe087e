"""Export of quantization with ranges, and dequantization.

To get the same integers as hy's kernels, every step has the kernels' dtype, and values are scaled
by a product before QuantizeLinear, whose quotient could be rounded differently.
"""

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.known import Number, cast, computed, named, number
from hy_onnx.to_onnx.registry import converter

__all__ = [
    "LARGEST",
    "calibrated_range",
    "ends",
    "levels_per_unit",
    "magnitude",
    "magnitude_of",
    "range_of",
    "rounded",
    "rounded_double",
    "single",
    "steps_per",
    "unit",
]

LARGEST = {"int8": 127.0, "uint8": 255.0, "int32": 2147483647.0}
"""The largest integer of each dtype."""

_LEVELS = {"int8": 127.5, "uint8": 255.5, "int32": 2147483647.0}
"""Number of steps in MXNet's ranges, half a step more for 8 bits."""


def single(value: float) -> Number:
    """Return a float32 constant with one element."""
    return np.array([value], np.float32)


def magnitude(call: Call, low: Number, high: Number) -> Number:
    """Return ``max(abs(low), abs(high))``, elementwise."""
    return computed(call, "Max", computed(call, "Abs", low), computed(call, "Abs", high))


def magnitude_of(call: Call, i: int) -> Number:
    """Return :func:`magnitude` of the ranges given by inputs ``i`` and ``i + 1``."""
    return magnitude(call, number(call, i), number(call, i + 1))


def unit(call: Call, largest: Number, dtype: str) -> Number:
    """Return the real value of one integer step, for a range up to ``largest``."""
    return computed(call, "Div", largest, single(_LEVELS[dtype]))


def levels_per_unit(call: Call, levels: float, largest: Number) -> Number:
    """Return ``levels / largest``, 0 where ``largest`` is 0."""
    none = computed(call, "Equal", largest, single(0))
    return computed(call, "Where", none, single(0), computed(call, "Div", single(levels), largest))


def steps_per(call: Call, largest: Number, dtype: str) -> Number:
    """Return the number of integer steps per real 1.0, ``1 / unit``; 0 for an empty range."""
    return levels_per_unit(call, _LEVELS[dtype], largest)


def rounded(call: Call, x: str, dtype: str) -> str:
    """Round float32 values half to even, and saturate them to an 8-bit dtype."""
    zero = call.constant(0, dtype)
    # QuantizeLinear with scale 1: rounds to even and saturates in one node.
    return call.op("QuantizeLinear", x, call.constant(1, "float32"), zero)


def rounded_double(call: Call, x: str, dtype: str) -> str:
    """Round float64 values half to even, and saturate them to an integer dtype."""
    info = np.iinfo(dtype)
    limits = (call.constant(end, "float64") for end in (info.min, info.max))
    return call.cast(call.op("Clip", call.op("Round", x), *limits), dtype)


def ends(call: Call, low: Number, high: Number) -> list[str]:
    """Return the names of both ends of a range."""
    return [named(call, low), named(call, high)]


def calibrated_range(call: Call) -> tuple[Number, ...] | None:
    """Return the node's calibrated range, None if it has none."""
    low, high = call.params["min_calib_range"], call.params["max_calib_range"]
    return None if low is None or high is None else (single(low), single(high))


def range_of(call: Call, x: str) -> tuple[Number, ...]:
    """Return the minimum and maximum of ``x``, computed at run time."""
    if 0 in call.dims():
        return single(0), single(0)
    axes = range(call.rank())
    low, high = (
        call.op("Reshape", call.reduce(op, x, axes, keepdims=False), call.ints(1))
        for op in ("ReduceMin", "ReduceMax")
    )
    return low, high


@converter("_contrib_quantize")
def _quantize(call: Call) -> list[str]:
    dtype = call.out_dtype()
    low, high = number(call, 1), number(call, 2)
    largest = magnitude(call, low, high)
    steps = named(call, levels_per_unit(call, LARGEST[dtype], largest))
    # A product, not QuantizeLinear's quotient: rounding is the same as the kernels'.
    y = rounded(call, call.op("Mul", call.x, steps), dtype)
    if dtype == "int8":
        low, high = computed(call, "Neg", largest), largest
    return [_shaped(call, y), *ends(call, low, high)]


@converter("_contrib_quantize_v2")
def _quantize_v2(call: Call) -> list[str]:
    dtype = call.out_dtype()
    low, high = calibrated_range(call) or range_of(call, call.x)
    largest = magnitude(call, low, high)
    steps = named(call, steps_per(call, largest, dtype))
    y = rounded(call, call.op("Mul", call.x, steps), dtype)
    if dtype == "int8":
        low, high = computed(call, "Neg", largest), largest
    return [_shaped(call, y), *ends(call, low, high)]


@converter("_contrib_dequantize")
def _dequantize(call: Call) -> str:
    scale = unit(call, magnitude_of(call, 1), call.dtype())
    whole = scale.reshape(()) if isinstance(scale, np.ndarray) else call.squeeze(scale, 0)
    return call.op("DequantizeLinear", call.x, named(call, whole))


@converter("_contrib_requantize")
def _requantize(call: Call) -> list[str]:
    dtype = call.out_dtype()
    largest_code = np.array([LARGEST["int32"]])
    # In float64, as int32 has more digits than float32.
    own = computed(call, "Div", cast(call, magnitude_of(call, 1), "float64"), largest_code)
    calibrated = calibrated_range(call)
    if calibrated is None:
        range_ends = (cast(call, end, "float64") for end in range_of(call, call.x))
        scaled = (computed(call, "Mul", end, own) for end in range_ends)
        calibrated = tuple(cast(call, end, "float32") for end in scaled)
    largest = magnitude(call, *calibrated)
    steps = computed(
        call, "Mul", own, cast(call, levels_per_unit(call, LARGEST[dtype], largest), "float64")
    )
    y = call.op("Mul", call.cast(call.x, "float64"), named(call, steps))
    y = rounded_double(call, y, dtype)
    low = computed(call, "Neg", largest) if dtype == "int8" else single(0)
    return [_shaped(call, y), *ends(call, low, largest)]


def _shaped(call: Call, y: str) -> str:
    """Return ``y`` in the shape of the data, as products with vectors turn scalars into vectors."""
    return y if call.rank() else call.reshape(y, ())
