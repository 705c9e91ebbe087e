"""Export of elementwise functions of one array."""

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import Converter, converter

__all__: list[str] = []

_SAME = {
    "abs": "Abs",
    "arccos": "Acos",
    "arccosh": "Acosh",
    "arcsin": "Asin",
    "arcsinh": "Asinh",
    "arctan": "Atan",
    "arctanh": "Atanh",
    "cos": "Cos",
    "cosh": "Cosh",
    "erf": "Erf",
    "exp": "Exp",
    "log": "Log",
    "negative": "Neg",
    "reciprocal": "Reciprocal",
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "softsign": "Softsign",
    "sqrt": "Sqrt",
    "tan": "Tan",
    "tanh": "Tanh",
}
"""Operators with an ONNX operator of the same meaning."""

_ROUNDING = {"ceil": "Ceil", "floor": "Floor"}


_INTEGER_OPERATORS = ("Abs", "Neg", "Sign", "Relu")
"""Operators that support integers; others compute integers in float32."""


def _as(op: str) -> Converter:
    def convert(call: Call) -> str:
        if call.is_floating() or op in _INTEGER_OPERATORS:
            return call.op(op, call.x)
        return call.cast(call.op(op, call.cast(call.x, "float32")), call.dtype())

    return convert


for _name, _op in _SAME.items():
    converter(_name)(_as(_op))


def _rounded(op: str) -> Converter:
    return lambda call: call.op(op, call.x) if call.is_floating() else call.x


for _name, _op in _ROUNDING.items():
    converter(_name)(_rounded(_op))


@converter("rint")
def _rint(call: Call) -> str:
    """Return the nearest integer; halves are rounded down."""
    if not call.is_floating():
        return call.x
    # Not Round, which takes the even one of two.
    return call.op("Ceil", call.op("Sub", call.x, call.like(0.5)))


@converter("round")
def _round(call: Call) -> str:
    """Return the nearest integer, halves away from 0."""
    if not call.is_floating():
        return call.x
    size = call.op("Floor", call.op("Add", call.op("Abs", call.x), call.like(0.5)))
    return call.op("Mul", call.op("Sign", call.x), size)


@converter("_npi_around")
def _around(call: Call) -> str:
    decimals = call.params["decimals"]
    if not call.is_floating():
        if decimals < 0:
            raise call.refused(f"decimals={decimals} of integers; ONNX rounds floating numbers")
        return call.x
    if decimals == 0:
        return call.op("Round", call.x)
    scaled = call.op("Round", call.op("Mul", call.x, call.like(10.0**decimals)))
    return call.op("Div", scaled, call.like(10.0**decimals))


@converter("cbrt")
def _cbrt(call: Call) -> str:
    # Pow of a negative base with a fraction is nan.
    size = call.op("Pow", call.op("Abs", call.x), call.like(1 / 3))
    return call.op("Mul", call.op("Sign", call.x), size)


@converter("expm1")
def _expm1(call: Call) -> str:
    """Return ``2 sinh(x / 2) exp(x / 2)``, which is precise near 0."""
    half = call.op("Mul", call.x, call.like(0.5))
    product = call.op("Mul", call.op("Sinh", half), call.op("Exp", half))
    return call.op("Mul", product, call.like(2))


@converter("log1p")
def _log1p(call: Call) -> str:
    """Return ``2 artanh(x / (x + 2))``, which is precise near 0."""
    ratio = call.op("Div", call.x, call.op("Add", call.x, call.like(2)))
    exact = call.op("Mul", call.op("Atanh", ratio), call.like(2))
    small = call.op("Less", call.op("Abs", call.x), call.like(0.5))
    return call.op("Where", small, exact, call.op("Log", call.op("Add", call.x, call.like(1))))


@converter("_contrib_div_sqrt_dim")
def _div_sqrt_dim(call: Call) -> str:
    return call.op("Div", call.x, call.like(call.size(0, -1) ** 0.5))


@converter("smooth_l1")
def _smooth_l1(call: Call) -> str:
    square = call.params["scalar"] ** 2
    size = call.op("Abs", call.x)
    parabola = call.op("Mul", call.op("Mul", call.x, call.x), call.like(0.5 * square))
    if not square:
        return parabola
    line = call.op("Sub", size, call.like(0.5 / square))
    return call.op("Where", call.op("Less", size, call.like(1 / square)), parabola, line)


@converter("clip")
def _clip(call: Call) -> str:
    low, high = call.params["a_min"], call.params["a_max"]
    if not call.is_floating():
        limits = np.iinfo(call.dtype())
        # A bound beyond the dtype would wrap in the constant.
        low, high = max(low, limits.min), min(high, limits.max)
    return call.op("Clip", call.x, call.like(low), call.like(high))


@converter("_copy", "IdentityAttachKLSparseReg")
def _identity(call: Call) -> str:
    return call.x


@converter("Cast", "amp_cast", "_cast_like")
def _cast(call: Call) -> str:
    old, new = call.dtype(), call.out_dtype()
    if old == new:
        return call.x
    if call.is_floating() and new in ("uint8", "int8"):  # MXNet's wrap, ONNX does not say
        return call.cast(call.cast(call.x, "int32"), new)
    return call.cast(call.x, new)


@converter("amp_multicast")
def _multicast(call: Call) -> list[str]:
    count = len(call.names)
    return [call.cast_from(call.name(i), call.dtype(i), call.out_dtype(i)) for i in range(count)]
