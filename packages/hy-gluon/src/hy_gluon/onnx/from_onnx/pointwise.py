"""Functions of elements."""

from collections.abc import Callable
from functools import reduce

import numpy as np

from hy_gluon.onnx.from_onnx.call import Call
from hy_gluon.onnx.from_onnx.registry import Reader, reader
from hy_gluon.onnx.from_onnx.value import Tensor

__all__ = ["DTYPES", "added", "binary"]

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

DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    16: "bfloat16",
}
"""Dtypes by ONNX's numbers of them."""


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
    return [call.x, call.cast(call.op("ones_like", call.x), "bool")]


# --- two operands ---------------------------------------------------------------------------------

_ALIKE = {"Add": "elemwise_add", "Sub": "elemwise_sub", "Mul": "elemwise_mul"}
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
"""Operators of an array and a number, which is the second operand, or the first."""


def _with_number(call: Call) -> Tensor | None:
    """The result where one operand is a constant number; None where none is."""
    pair = _NUMBER.get(call.node.op)
    for k in (1, 0):
        number, other = call.held(k), call.operands[1 - k]
        if pair is None or number is None or not isinstance(other, Tensor):
            continue
        fits = number.ndim == 0 or (number.size == 1 and number.ndim <= other.rank)
        if fits and other.is_floating and number.dtype.name == other.dtype:
            return call.op(pair[1 - k], other, scalar=float(number.reshape(())), is_int=False)
    return None


def binary(call: Call, op: str, a: Tensor, b: Tensor) -> Tensor:
    """An operator of ONNX on two operands that broadcast."""
    same = a.shapes == b.shapes and a.dtype == b.dtype
    if op == "Div":
        return _divided(call, a, b)
    if op == "Pow":
        b = call.cast(b, a.dtype)
    return call.op(_ALIKE[op] if same and op in _ALIKE else _BROADCAST[op], a, b)


def _divided(call: Call, a: Tensor, b: Tensor) -> Tensor:
    if a.shapes == b.shapes:
        return call.op("elemwise_div", a, b)
    return call.op("_npi_true_divide" if a.is_floating else "broadcast_div", a, b)


def added(call: Call, x: Tensor, bias: Tensor | None) -> Tensor:
    """A sum with what may be left out."""
    return x if bias is None else binary(call, "Add", x, bias)


def _binary(call: Call) -> Tensor:
    found = _with_number(call)
    return binary(call, call.node.op, *call.tensors()) if found is None else found


reader("Div", *_BROADCAST)(_binary)


@reader("Mod")
def _mod(call: Call) -> Tensor:
    a, b = call.tensors()
    if not call.attr("fmod", 0):
        return call.op("_npi_mod", a, b)
    quotient = call.op("trunc", call.op("_npi_true_divide", a, b))  # with the sign of a
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
    code = call.attr("to")
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
    limits = []
    for i, name, default in ((1, "min", -np.inf), (2, "max", np.inf)):
        given = call.attr(name)
        if given is None and call.has(i):
            given = float(call.known(i, name).reshape(()))
        limits.append(default if given is None else given)
    if not call.x.is_floating:
        info = np.iinfo(call.x.dtype)
        limits = [max(limits[0], info.min), min(limits[1], info.max)]
    return call.op("clip", call.x, a_min=limits[0], a_max=limits[1])


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
    if slope.rank == x.rank - 1 and slope.dims[1:] == (1,) * (slope.rank - 1):
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
    how = {"alpha": call.attr("alpha", 0.2), "beta": call.attr("beta", 0.5)}
    return call.op("hard_sigmoid", call.x, **how)


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
    x, limit, bias = call.x, call.attr("lambd", 0.5), call.attr("bias", 0.0)
    low = call.op("_lesser_scalar", x, scalar=-limit)
    high = call.op("_greater_scalar", x, scalar=limit)
    up = call.op("elemwise_mul", call.op("_plus_scalar", x, scalar=bias), low)
    down = call.op("elemwise_mul", call.op("_minus_scalar", x, scalar=bias), high)
    return call.op("elemwise_add", up, down)


_INFINITE: dict[tuple[int, int], str] = {
    (1, 1): "_npi_isinf",
    (1, 0): "_npi_isneginf",
    (0, 1): "_npi_isposinf",
}


@reader("IsInf")
def _is_infinite(call: Call) -> Tensor:
    signs = call.attr("detect_negative", 1), call.attr("detect_positive", 1)
    if signs == (0, 0):
        return call.op("_npi_not_equal", call.x, call.x)
    return call.op(_INFINITE[signs], call.x)


# --- softmax --------------------------------------------------------------------------------------


def _along(op: str) -> Callable[[Call], Tensor]:
    def read(call: Call) -> Tensor:
        if call.opset >= 13:  # noqa: PLR2004
            return call.op(op, call.x, axis=call.attr("axis", -1))
        axis = call.axis(call.attr("axis", 1))  # all axes from there on were one
        if axis == call.x.rank - 1:
            return call.op(op, call.x, axis=-1)
        rows = call.op("Reshape", call.x, shape=(*[0] * axis, -1))
        return call.op("reshape_like", call.op(op, rows, axis=-1), call.x)

    return read


reader("Softmax")(_along("softmax"))
reader("LogSoftmax")(_along("log_softmax"))


@reader("Hardmax")
def _hardmax(call: Call) -> Tensor:
    axis = call.attr("axis", -1 if call.opset >= 13 else 1)  # noqa: PLR2004
    size = call.x.shapes[0][axis]
    best = call.op("_npi_argmax", call.x, axis=axis)
    y = call.op("one_hot", best, depth=size, dtype=call.x.dtype)
    order = list(range(y.rank - 1))
    order.insert(call.axis(axis), y.rank - 1)
    return call.transpose(y, *order)
