"""Import of elementwise functions."""

from collections.abc import Callable
from functools import reduce

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.dtypes import DTYPES, dtype_code
from hy_onnx.from_onnx.registry import Reader, reader
from hy_onnx.from_onnx.value import Tensor
from hy_onnx.from_onnx.versions import aligned_axes, clip_limits

__all__ = ["added", "binary"]

_UNARY = {
    "Abs": "abs",
    "Acos": "arccos",
    "Acosh": "arccosh",
    "Asin": "arcsin",
    "Asinh": "arcsinh",
    "Atan": "arctan",
    "Atanh": "arctanh",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Log": "log",
    "Neg": "negative",
    "Not": "_npi_logical_not",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Round": "_npi_around",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Softsign": "softsign",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
    "IsNaN": "_npi_isnan",
    "BitwiseNot": "_npi_bitwise_not",
}


def _unary(op: str) -> Reader:
    return lambda call: call.op(op, call.x)


for _name, _op in _UNARY.items():
    reader(_name)(_unary(_op))


@reader("Identity")
def _identity(call: Call) -> Tensor:
    return call.x


@reader("Dropout")
def _dropout(call: Call) -> list[Tensor]:
    if call.has(2) and bool(call.known(2, "training_mode").reshape(())):
        ratio = float(call.known(1, "ratio").reshape(())) if call.has(1) else 0.5
        return [call.op("Dropout", call.x, p=ratio)]
    if len(call.node.outputs) == 1:
        return [call.x]
    # Nothing is dropped; onnxruntime fills the mask with zeros up to version 11.
    mask = call.op("zeros_like" if call.opset < 12 else "ones_like", call.x)  # noqa: PLR2004
    return [call.x, mask if call.opset < 10 else call.cast(mask, "bool")]  # noqa: PLR2004


# --- two operands ---------------------------------------------------------------------------------

_ELEMENTWISE = {"Add": "elemwise_add", "Sub": "elemwise_sub", "Mul": "elemwise_mul"}
_BROADCAST = {
    "Add": "_npi_add",
    "Sub": "_npi_subtract",
    "Mul": "_npi_multiply",
    "Pow": "_npi_power",
    "Equal": "_npi_equal",
    "Greater": "_npi_greater",
    "GreaterOrEqual": "_npi_greater_equal",
    "Less": "_npi_less",
    "LessOrEqual": "_npi_less_equal",
    "And": "broadcast_logical_and",
    "Or": "broadcast_logical_or",
    "Xor": "broadcast_logical_xor",
    "BitwiseAnd": "_npi_bitwise_and",
    "BitwiseOr": "_npi_bitwise_or",
    "BitwiseXor": "_npi_bitwise_xor",
}
_NUMBER = {
    "Add": ("_plus_scalar", "_plus_scalar"),
    "Sub": ("_minus_scalar", "_rminus_scalar"),
    "Mul": ("_mul_scalar", "_mul_scalar"),
    "Div": ("_div_scalar", "_rdiv_scalar"),
    "Pow": ("_power_scalar", "_rpower_scalar"),
}
"""Operators of an array and a number: as second operand, and as first."""


def _with_number(call: Call) -> Tensor | None:
    """Return the result of a scalar operator if one operand is a constant number, else None."""
    pair = _NUMBER.get(call.node.op)
    for k in (1, 0):
        number, other = call.constant_value(k), call.operands[1 - k]
        if pair is None or number is None or not isinstance(other, Tensor):
            continue
        # As a scalar operator: no array for a number, and fewer nodes to plan.
        fits = number.ndim == 0 or (number.size == 1 and number.ndim <= other.rank)
        if fits and other.is_floating and number.dtype.name == other.dtype:
            return call.op(pair[1 - k], other, scalar=float(number.reshape(())), is_int=False)
    return None


def binary(call: Call, op: str, a: Tensor, b: Tensor) -> Tensor:
    """Apply the ONNX operator ``op`` to two operands, with broadcasting."""
    same = a.shapes == b.shapes and a.dtype == b.dtype
    if op == "Div":
        if a.shapes == b.shapes:
            return call.op("elemwise_div", a, b)
        return call.op("_npi_true_divide" if a.is_floating else "broadcast_div", a, b)
    # ONNX's integer power of a floating exponent is computed in floats.
    if op == "Pow" and b.is_floating and not a.is_floating:
        power = call.op("_npi_power", call.cast(a, "float64"), call.cast(b, "float64"))
        return call.cast(power, a.dtype)
    if op == "Pow":
        b = call.cast(b, a.dtype)
    return call.op(_ELEMENTWISE[op] if same and op in _ELEMENTWISE else _BROADCAST[op], a, b)


def added(call: Call, x: Tensor, bias: Tensor | None) -> Tensor:
    """Return ``x + bias``, or ``x`` without a bias."""
    return x if bias is None else binary(call, "Add", x, bias)


def _binary(call: Call) -> Tensor:
    scalar_form = _with_number(call)
    if scalar_form is not None:
        return scalar_form
    a, b = call.tensors()
    for axis in aligned_axes(call, a.rank, b.rank):
        b = call.op("expand_dims", b, axis=axis)
    return binary(call, call.node.op, a, b)


reader("Div", *_BROADCAST)(_binary)


@reader("Mod")
def _mod(call: Call) -> Tensor:
    a, b = call.tensors()
    if not call.attr("fmod", 0):
        return call.op("_npi_mod", a, b)
    # fmod has the sign of the dividend, Mod of the divisor.
    quotient = call.op("trunc", call.op("_npi_true_divide", a, b))
    if not a.is_floating:
        whole = call.op("_npi_multiply", call.cast(quotient, a.dtype), b)
        return call.op("_npi_subtract", a, whole)
    return call.op("_npi_subtract", a, call.op("_npi_multiply", quotient, b))


def _folded(op: str) -> Reader:
    return lambda call: reduce(lambda a, b: call.op(op, a, b), call.tensors())


reader("Max")(_folded("broadcast_maximum"))
reader("Min")(_folded("broadcast_minimum"))
reader("Sum")(_folded("_npi_add"))


@reader("Mean")
def _mean(call: Call) -> Tensor:
    total = reduce(lambda a, b: call.op("_npi_add", a, b), call.tensors())
    return call.op("_mul_scalar", total, scalar=1 / len(call.operands), is_int=False)


@reader("Where")
def _where(call: Call) -> Tensor:
    return call.op("_npi_where", *call.tensors())


@reader("Cast")
def _cast(call: Call) -> Tensor:
    code = dtype_code(call.attr("to"))
    if code not in DTYPES:
        raise call.refused(f"to={code}: hy has no such dtype")
    if DTYPES[code] == "bool" and call.x.dtype != "bool":
        return call.op("_npi_not_equal_scalar", call.x, scalar=0.0)
    return call.cast(call.x, DTYPES[code])


@reader("CastLike")
def _cast_like(call: Call) -> Tensor:
    return call.cast(call.x, call.tensor(1).dtype)


@reader("Clip")
def _clip(call: Call) -> Tensor:
    low, high = clip_limits(call)
    low, high = -np.inf if low is None else low, np.inf if high is None else high
    if not call.x.is_floating:
        info = np.iinfo(call.x.dtype)
        low, high = max(low, info.min), min(high, info.max)
    return call.op("clip", call.x, a_min=low, a_max=high)


# --- activations ----------------------------------------------------------------------------------


def _leaky(kind: str, slope: float) -> Reader:
    return lambda call: call.op("LeakyReLU", call.x, act_type=kind, slope=call.attr("alpha", slope))


reader("LeakyRelu")(_leaky("leaky", 0.01))
reader("Elu")(_leaky("elu", 1.0))


@reader("Selu")
def _selu(call: Call) -> Tensor:
    alpha, gamma = call.attr("alpha", 1.67326319), call.attr("gamma", 1.05070102)
    y = call.op("LeakyReLU", call.x, act_type="elu", slope=alpha)
    return call.op("_mul_scalar", y, scalar=gamma, is_int=False)


@reader("Celu")
def _celu(call: Call) -> Tensor:
    alpha = call.attr("alpha", 1.0)
    scaled = call.op("_div_scalar", call.x, scalar=alpha, is_int=False)
    y = call.op("LeakyReLU", scaled, act_type="elu", slope=1.0)
    return call.op("_mul_scalar", y, scalar=alpha, is_int=False)


@reader("PRelu")
def _prelu(call: Call) -> Tensor:
    x, slope = call.x, call.tensor(1)
    # Until opset 6 slopes broadcast along axis 1.
    old = call.opset < 7 and slope.rank == 1  # noqa: PLR2004  # a slope for each channel
    each = slope.rank == x.rank - 1 and slope.dims[1:] == (1,) * (slope.rank - 1)
    if (old or each) and x.is_floating:
        slope = call.reshape(slope, -1)  # a slope for each channel
        return call.op("LeakyReLU", x, slope, act_type="prelu")
    negative = call.op("broadcast_minimum", x, call.op("zeros_like", x))
    return call.op("_npi_add", call.op("relu", x), call.op("_npi_multiply", negative, slope))


@reader("Gelu")
def _gelu(call: Call) -> Tensor:
    if call.attr("approximate", "none") == "none":
        return call.op("LeakyReLU", call.x, act_type="gelu")
    x = call.x
    cube = call.op("elemwise_mul", call.op("square", x), x)
    inner = call.op("elemwise_add", x, call.op("_mul_scalar", cube, scalar=0.044715, is_int=False))
    curve = call.op("tanh", call.op("_mul_scalar", inner, scalar=(2 / np.pi) ** 0.5, is_int=False))
    half = call.op("_mul_scalar", x, scalar=0.5, is_int=False)
    return call.op("elemwise_mul", half, call.op("_plus_scalar", curve, scalar=1.0, is_int=False))


@reader("HardSigmoid")
def _hard_sigmoid(call: Call) -> Tensor:
    options = {"alpha": call.attr("alpha", 0.2), "beta": call.attr("beta", 0.5)}
    return call.op("hard_sigmoid", call.x, **options)


@reader("HardSwish")
def _hard_swish(call: Call) -> Tensor:
    return call.op("elemwise_mul", call.x, call.op("hard_sigmoid", call.x, alpha=1 / 6, beta=0.5))


@reader("Softplus")
def _softplus(call: Call) -> Tensor:
    return call.op("Activation", call.x, act_type="softrelu")


@reader("Mish")
def _mish(call: Call) -> Tensor:
    curve = call.op("tanh", call.op("Activation", call.x, act_type="softrelu"))
    return call.op("elemwise_mul", call.x, curve)


@reader("Swish")
def _swish(call: Call) -> Tensor:
    scaled = call.op("_mul_scalar", call.x, scalar=call.attr("alpha", 1.0), is_int=False)
    return call.op("elemwise_mul", call.x, call.op("sigmoid", scaled))


@reader("ThresholdedRelu")
def _thresholded(call: Call) -> Tensor:
    above = call.op("_greater_scalar", call.x, scalar=call.attr("alpha", 1.0))
    return call.op("elemwise_mul", call.x, above)


@reader("Shrink")
def _shrink(call: Call) -> Tensor:
    limit, bias = call.attr("lambd", 0.5), call.attr("bias", 0.0)
    x = call.x if call.x.is_floating else call.cast(call.x, "float64")
    low = call.op("_lesser_scalar", x, scalar=-limit)
    high = call.op("_greater_scalar", x, scalar=limit)
    up = call.op("elemwise_mul", call.op("_plus_scalar", x, scalar=bias), low)
    down = call.op("elemwise_mul", call.op("_minus_scalar", x, scalar=bias), high)
    return call.cast(call.op("elemwise_add", up, down), call.x.dtype)


_INFINITE: dict[tuple[int, int], str] = {
    (1, 1): "_npi_isinf",
    (1, 0): "_npi_isneginf",
    (0, 1): "_npi_isposinf",
}


@reader("IsInf")
def _is_infinite(call: Call) -> Tensor:
    signs = call.attr("detect_negative", 1), call.attr("detect_positive", 1)
    if signs == (0, 0):
        return call.op("_npi_isinf", call.op("zeros_like", call.x))
    return call.op(_INFINITE[signs], call.x)


# --- softmax --------------------------------------------------------------------------------------


def _along(op: str) -> Callable[[Call], Tensor]:
    def read(call: Call) -> Tensor:
        # Before opset 13 softmax flattened all axes from `axis` on.
        if call.opset >= 13:  # noqa: PLR2004
            return call.op(op, call.x, axis=call.attr("axis", -1))
        return _over_rows(call, lambda rows: call.op(op, rows, axis=-1))

    return read


def _over_rows(call: Call, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Apply a function to ``x`` with the axes from ``axis`` on merged, as up to opset 12."""
    axis = call.axis(call.attr("axis", 1))
    if axis == call.x.rank - 1:
        return function(call.x)
    rows = call.op("Reshape", call.x, shape=(*[0] * axis, -1))
    return call.op("reshape_like", function(rows), call.x)


reader("Softmax")(_along("softmax"))
reader("LogSoftmax")(_along("log_softmax"))


@reader("Hardmax")
def _hardmax(call: Call) -> Tensor:
    if call.opset < 13:  # noqa: PLR2004
        return _over_rows(call, lambda rows: _largest(call, rows, rows.rank - 1))
    return _largest(call, call.x, call.axis(call.attr("axis", -1)))


def _largest(call: Call, x: Tensor, axis: int) -> Tensor:
    """Return a one-hot encoding of the first maximum along an axis."""
    size = x.dims[axis]
    if not isinstance(size, int):
        raise call.refused(f"along an open size, {size}; export it with a fixed one")
    y = call.op("one_hot", call.op("_npi_argmax", x, axis=axis), depth=size, dtype=x.dtype)
    order = list(range(y.rank - 1))
    order.insert(axis, y.rank - 1)
    return call.transpose(y, *order)
