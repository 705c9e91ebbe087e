"""Export of quantized layers other than convolution and dense."""

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.known import Number, along, cast, computed, named, number
from hy_onnx.to_onnx.pooling import pooled
from hy_onnx.to_onnx.quantization import (
    LARGEST,
    calibrated_range,
    ends,
    levels_per_unit,
    magnitude,
    magnitude_of,
    range_of,
    rounded,
    rounded_double,
    single,
    steps_per,
    unit,
)
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


def _same_range(call: Call, y: str) -> list[str]:
    """Return the outputs ``y``, low, high, with the range in inputs 1 and 2."""
    return [y, *ends(call, number(call, 1), number(call, 2))]


@converter("_contrib_quantized_flatten")
def _flatten(call: Call) -> list[str]:
    return _same_range(call, call.reshape(call.x, call.out_dims()))


@converter("_contrib_quantized_pooling")
def _pool(call: Call) -> list[str]:
    return _same_range(call, rounded(call, pooled(call.in_float32()), call.out_dtype()))


@converter("_contrib_quantized_concat")
def _concat(call: Call) -> list[str]:
    count, dtype = call.params["num_args"], call.out_dtype()
    own = [(number(call, i), number(call, i + 1)) for i in range(count, 3 * count, 2)]
    low, high = own[0]
    for other_low, other_high in own[1:]:
        low, high = computed(call, "Min", low, other_low), computed(call, "Max", high, other_high)
    largest_code = levels_per_unit(call, LARGEST[dtype], magnitude(call, low, high))
    parts = []
    for i, pair in enumerate(own):
        scale = computed(call, "Div", magnitude(call, *pair), single(LARGEST[call.dtype(i)]))
        factor = named(call, computed(call, "Mul", largest_code, scale))
        values = call.op("Mul", call.cast(call.name(i), "float32"), factor)
        parts.append(rounded(call, values, dtype))
    y = parts[0] if count == 1 else call.op("Concat", *parts, axis=call.params["dim"])
    return [y, *ends(call, low, high)]


def _units(call: Call) -> tuple[Number, Number]:
    """Return the real value of one integer step for both operands."""
    left, right = (unit(call, magnitude_of(call, i + 2 + i), call.dtype(i)) for i in (0, 1))
    return left, right


@converter("_contrib_quantized_elemwise_add")
def _add(call: Call) -> list[str]:
    dtype, symmetric = call.out_dtype(), calibrated_range(call)
    if symmetric is None:
        high = computed(call, "Add", magnitude_of(call, 2), magnitude_of(call, 4))
        symmetric = computed(call, "Neg", high), high
    step = unit(call, magnitude(call, *symmetric), dtype)
    parts = []
    for i, own in enumerate(_units(call)):
        ratio = computed(call, "Div", own, step)
        # Both ranges are 0 then, and the ratio would be 0 / 0.
        none = computed(call, "Equal", step, single(0))
        factor = named(call, computed(call, "Where", none, single(0), ratio))
        parts.append(call.op("Mul", call.cast(call.name(i), "float32"), factor))
    total = call.op("Add", *parts)
    if dtype == "int32":
        # float32 does not hold every int32.
        y = rounded_double(call, call.cast(total, "float64"), dtype)
    else:
        y = rounded(call, total, dtype)
    return [y, *ends(call, *symmetric)]


@converter("_contrib_quantized_elemwise_mul")
def _multiply(call: Call) -> list[str]:
    calibrated, dtype = calibrated_range(call), call.out_dtype()
    y = call.op("Mul", *(call.cast(call.name(i), "int32") for i in (0, 1)))
    step = computed(call, "Mul", *_units(call))
    if call.params["enable_float_output"]:
        return [call.op("Mul", call.cast(y, "float32"), named(call, step))]
    if calibrated is None:
        left, right = (
            computed(call, "Div", magnitude_of(call, 2 + 2 * i), single(LARGEST[call.dtype(i)]))
            for i in (0, 1)
        )
        high = computed(call, "Mul", computed(call, "Mul", left, right), single(LARGEST["int32"]))
        return [y, *ends(call, computed(call, "Neg", high), high)]
    steps = computed(call, "Mul", step, steps_per(call, magnitude(call, *calibrated), dtype))
    factor = named(call, cast(call, steps, "float64"))
    y = rounded_double(call, call.op("Mul", call.cast(y, "float64"), factor), dtype)
    return [y, *ends(call, *calibrated)]


@converter("_contrib_quantized_batch_norm")
def _batch_norm(call: Call) -> list[str]:
    params = call.params
    axis = call.axis(params["axis"]) - call.rank()
    gamma, beta, mean, variance = (cast(call, number(call, i), "float64") for i in range(1, 5))
    spread = computed(call, "Sqrt", computed(call, "Add", variance, np.array([params["eps"]])))
    slope = computed(call, "Div", np.ones(1) if params["fix_gamma"] else gamma, spread)
    shift = computed(call, "Sub", beta, computed(call, "Mul", mean, slope))
    step = cast(call, unit(call, magnitude_of(call, 5), call.dtype()), "float64")
    slope = computed(call, "Mul", slope, step)
    y = call.op("Mul", call.cast(call.x, "float64"), named(call, along(call, slope, axis)))
    y = call.op("Add", y, named(call, along(call, shift, axis)))
    low, high = calibrated_range(call) or (cast(call, end, "float32") for end in range_of(call, y))
    steps = cast(call, steps_per(call, magnitude(call, low, high), "int8"), "float64")
    y = rounded_double(call, call.op("Mul", y, named(call, steps)), "int8")
    return [y, *ends(call, low, high)]
