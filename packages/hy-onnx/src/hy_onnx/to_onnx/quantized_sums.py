"""Export of quantized convolutions and dense layers, with exact ``int32`` sums."""

from math import log

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.convolution import first_layout, from_first, rows_of, to_first, window
from hy_onnx.to_onnx.known import Number, along, cast, computed, largest, named, number
from hy_onnx.to_onnx.quantization import (
    LARGEST,
    ends,
    magnitude_of,
    rounded_double,
    single,
    steps_per,
    unit,
)
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []

_INT32_MAX = LARGEST["int32"]

_MIDDLE = 128
"""Zero point of ``int8`` values that are stored as ``uint8``."""


def _unsigned(call: Call, i: int) -> tuple[str, str]:
    """Return input ``i`` as ``uint8``, and its zero point.

    Only for ``uint8`` operands does onnxruntime have fast kernels with exact sums on every CPU:
    with ``int8`` weights some saturate, and with ``int8`` data all are slow.
    """
    if call.dtype(i) == "uint8":
        return call.name(i), call.constant(0, "uint8")
    zero, known = call.constant(_MIDDLE, "uint8"), call.constant_value(i)
    if known is not None:
        return call.constant(known.astype(np.int32) + _MIDDLE, "uint8"), zero
    return call.builder.once(("unsigned", call.name(i)), lambda: _shifted(call, i, zero)), zero


def _shifted(call: Call, i: int, zero: str) -> str:
    x = call.cast(call.name(i), "float32")
    return call.op("QuantizeLinear", x, call.constant(1, "float32"), zero)


@converter("_contrib_quantized_conv")
def _convolution(call: Call) -> list[str]:
    params = call.params
    rank = len(params["kernel"])
    first = first_layout(params["layout"])
    (x, zero), (weight, weight_zero) = _unsigned(call, 0), _unsigned(call, 1)
    if not first:
        x, weight = to_first(call, x, rank + 2), to_first(call, weight, rank + 2)
    pad = list(params["pad"] or (0,) * rank)
    options = {"kernel_shape": list(params["kernel"]), "pads": [*pad, *pad], **window(call, rank)}
    sums = call.op("ConvInteger", x, weight, zero, weight_zero, **options)
    y, low, high = _in_one_range(call, sums, -rank - 1)
    return [y if first else from_first(call, y, rank + 2), low, high]


@converter("_contrib_quantized_fully_connected")
def _dense(call: Call) -> list[str]:
    (x, zero), (weight, weight_zero) = _unsigned(call, 0), _unsigned(call, 1)
    rows, _ = rows_of(call, x)
    columns = call.op("Transpose", weight, perm=[1, 0])
    sums = call.op("MatMulInteger", rows, columns, zero, weight_zero)
    return _in_one_range(call, sums, -1)


def _in_one_range(call: Call, sums: str, axis: int) -> list[str]:
    """Add the bias and rescale to one range; return ``int32`` sums and both ends of the range.

    Args:
        call: The node.
        sums: Name of the ``int32`` sums.
        axis: Axis of the filters, negative.
    """
    data, weights = magnitude_of(call, 3), magnitude_of(call, 5)
    bias = _bias(call, data, weights) if call.has(2) else None
    bound = _upper_bound(call, bias)
    scale, factors = single(1), None
    # Ranges by filter need one scale, for which the weight must be known.
    if call.dims(5) not in ((), (1,)):
        if bound is None:
            raise call.refused("its weight has a range for each filter, and is no parameter")
        scale = _finest_step(call, bound)
        factors = _factors(call, scale, weights)
    if bias is not None and factors is None and _fits_int32(bound):
        whole = along(call, cast(call, bias, "int32"), axis)
        sums = call.op("Add", sums, named(call, whole))
    elif bias is not None or factors is not None:
        sums = _scaled_with_bias(call, sums, bias, factors, axis)
    levels = single(LARGEST[call.dtype()])
    product = computed(call, "Div", largest(call, weights), single(LARGEST["int8"]))
    product = computed(call, "Mul", computed(call, "Div", data, levels), product)
    high = computed(call, "Div", computed(call, "Mul", product, single(_INT32_MAX)), scale)
    return [sums, *ends(call, computed(call, "Neg", high), high)]


def _fits_int32(bound: Number | None) -> bool:
    """Return whether a bound is known and below the largest ``int32``."""
    return isinstance(bound, np.ndarray) and float(bound.item()) < _INT32_MAX


def _bias(call: Call, data: Number, weights: Number) -> Number:
    """Return the bias in steps of each filter's sums, truncated to integers, in float32."""
    steps = computed(
        call, "Mul", steps_per(call, data, call.dtype()), steps_per(call, weights, "int8")
    )
    steps = computed(call, "Mul", steps, unit(call, magnitude_of(call, 7), "int8"))
    bias = computed(call, "Mul", cast(call, number(call, 2), "float32"), steps)
    # Cut off towards zero, as the kernels do.
    size = computed(call, "Floor", computed(call, "Abs", bias))
    return computed(call, "Mul", computed(call, "Sign", bias), size)


def _upper_bound(call: Call, bias: Number | None) -> Number | None:
    """Return a float64 upper bound of all sums' magnitude, None for a variable weight."""
    weight = call.constant_value(1)
    if weight is None:
        return None
    filters = np.abs(weight.astype(np.float64)).reshape(len(weight), -1).sum(1)
    bound: Number = filters.max(initial=0, keepdims=True) * (LARGEST[call.dtype()] + 1)
    if bias is None:
        return bound
    max_bias = largest(call, computed(call, "Abs", bias))
    return computed(call, "Add", bound, cast(call, max_bias, "float64"))


def _finest_step(call: Call, bound: Number) -> Number:
    """Return the largest power of 2 whose product with ``bound`` fits into int32, as float32."""
    bound = computed(call, "Max", bound, np.ones(1))
    # The largest power of two below int32's largest over the bound.
    logarithm = computed(call, "Log", computed(call, "Div", np.array([_INT32_MAX]), bound))
    steps = computed(call, "Floor", computed(call, "Div", logarithm, np.array([log(2)])))
    return cast(call, computed(call, "Pow", np.array([2.0]), steps), "float32")


def _factors(call: Call, scale: Number, weights: Number) -> Number:
    """Return the float64 factor of each filter's sums that brings all to one range."""
    scale_max = largest(call, weights)
    scale_max = computed(
        call, "Where", computed(call, "Equal", scale_max, single(0)), single(1), scale_max
    )
    scaled = cast(call, computed(call, "Mul", scale, weights), "float64")
    return computed(call, "Div", scaled, cast(call, scale_max, "float64"))


def _scaled_with_bias(
    call: Call, sums: str, bias: Number | None, factors: Number | None, axis: int
) -> str:
    """Return ``(sums + bias) * factors``, computed in float64 and saturated to ``int32``."""
    y = call.cast(sums, "float64")
    if bias is not None:
        y = call.op("Add", y, named(call, along(call, cast(call, bias, "float64"), axis)))
    if factors is not None:
        y = call.op("Mul", y, named(call, along(call, factors, axis)))
    return rounded_double(call, y, "int32")
