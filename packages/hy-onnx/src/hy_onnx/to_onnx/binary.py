"""Export of binary arithmetic, comparison and logic, also with a number."""

from collections.abc import Callable
from math import pi
from typing import TypeAlias

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import Converter, converter

__all__: list[str] = []

Formula: TypeAlias = Callable[[Call, str, str, str], str]
"""``formula(call, lhs, rhs, dtype)`` adds nodes; operands and result have the dtype."""

_FLOATS = ("float16", "bfloat16", "float32", "float64")


def _simple(op: str, logical: str | None = None) -> Formula:
    """Return the formula of an ONNX operator; ``logical`` takes its place for bool."""
    return lambda call, a, b, dtype: call.op(logical if logical and dtype == "bool" else op, a, b)


def _remainder(call: Call, a: str, b: str, dtype: str) -> str:
    """Return ``a mod b`` with the sign of ``b``, and 0 where ``b`` is 0."""
    zero, one = call.constant(0, dtype), call.constant(1, dtype)
    by_zero = call.op("Equal", b, zero)
    divisor = call.op("Where", by_zero, one, b)
    # ONNX's Mod of floats has the sign of the dividend, MXNet's of the divisor.
    if dtype in _FLOATS:
        whole = call.op("Floor", call.op("Div", a, divisor))
        rest = call.op("Sub", a, call.op("Mul", whole, divisor))
    else:
        rest = call.op("Mod", a, divisor)
    return call.op("Where", by_zero, zero, rest)


def _power(call: Call, a: str, b: str, dtype: str) -> str:
    if dtype in ("int8", "uint8"):
        # Pow of 8 bits is not in ONNX.
        return call.cast(call.op("Pow", call.cast(a, "int32"), call.cast(b, "int32")), dtype)
    return call.op("Pow", a, b)


def _hypotenuse(call: Call, a: str, b: str, dtype: str) -> str:
    if dtype not in _FLOATS:
        a, b = call.cast(a, "float64"), call.cast(b, "float64")
    y = call.op("Sqrt", call.op("Add", call.op("Mul", a, a), call.op("Mul", b, b)))
    return y if dtype in _FLOATS else call.cast(y, dtype)


def _angle(call: Call, a: str, b: str, dtype: str) -> str:
    """Return ``arctan2(a, b)``."""
    zero = call.constant(0, dtype)
    # ONNX has no atan2: the arctangent of the quotient, moved by the quadrant.
    angle = call.op("Atan", call.op("Div", a, b))
    turn = call.op("Where", call.op("Less", a, zero), *_constants(call, -pi, pi, dtype))
    is_negative = call.op("Less", b, zero)
    y = call.op("Where", is_negative, call.op("Add", angle, turn), angle)
    both = call.op("And", call.op("Equal", a, zero), call.op("Equal", b, zero))
    return call.op("Where", both, zero, y)


def _constants(call: Call, a: float, b: float, dtype: str) -> tuple[str, str]:
    return call.constant(a, dtype), call.constant(b, dtype)


def _copy_sign(call: Call, a: str, b: str, dtype: str) -> str:
    size = call.op("Abs", a)
    negative = call.op("Less", b, call.constant(0, dtype))
    return call.op("Where", negative, call.op("Neg", size), size)


def _load_exponent(call: Call, a: str, b: str, dtype: str) -> str:
    return call.op("Mul", a, call.op("Pow", call.constant(2, dtype), b))


_ARITHMETIC: dict[Formula, tuple[str, ...]] = {
    _simple("Add", "Or"): (
        "elemwise_add",
        "broadcast_add",
        "_npi_add",
        "_grad_add",
        "_plus_scalar",
    ),
    _simple("Sub"): ("elemwise_sub", "broadcast_sub", "_npi_subtract", "_minus_scalar"),
    _simple("Mul", "And"): ("elemwise_mul", "broadcast_mul", "_npi_multiply", "_mul_scalar"),
    _simple("Div"): (
        "elemwise_div",
        "broadcast_div",
        "_npi_true_divide",
        "_scatter_elemwise_div",
        "_div_scalar",
        "_npi_true_divide_scalar",
    ),
    _remainder: ("_mod", "broadcast_mod", "_npi_mod", "_mod_scalar"),
    _power: ("_power", "broadcast_power", "_npi_power", "_power_scalar"),
    _simple("Max", "Or"): ("_maximum", "broadcast_maximum", "_maximum_scalar"),
    _simple("Min", "And"): ("_minimum", "broadcast_minimum", "_minimum_scalar"),
    _hypotenuse: ("_hypot", "broadcast_hypot", "_hypot_scalar"),
    _angle: ("_npi_arctan2", "_npi_arctan2_scalar"),
    _copy_sign: ("_npi_copysign", "_npi_copysign_scalar"),
    _load_exponent: ("_npi_ldexp", "_npi_ldexp_scalar"),
}


def _operands(call: Call, dtype: str) -> tuple[str, str]:
    """Return both operands cast to a dtype; the second may be the parameter ``scalar``."""
    lhs = call.cast_from(call.x, call.dtype(), dtype)
    if "scalar" in call.params:
        number = call.params["scalar"]
        if dtype not in _FLOATS and dtype != "bool" and "imum" in call.op_name:
            # MXNet's maximum with a number beyond the dtype is clipped.
            number = min(max(number, np.iinfo(dtype).min), np.iinfo(dtype).max)
        return lhs, call.constant(number, dtype)
    return lhs, call.cast_from(call.name(1), call.dtype(1), dtype)


def _arithmetic(formula: Formula) -> Converter:
    def convert(call: Call) -> str:
        dtype = call.out_dtype()
        return formula(call, *_operands(call, dtype), dtype)

    return convert


for _formula, _names in _ARITHMETIC.items():
    converter(*_names)(_arithmetic(_formula))

_COMPARISONS = {
    "equal": "Equal",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "lesser": "Less",
    "lesser_equal": "LessOrEqual",
    "not_equal": "Equal",  # of which Not is taken
}


def _comparable_operands(call: Call) -> tuple[str, str]:
    """Return both operands, cast to a dtype that ONNX can compare."""
    dtype = call.dtype()
    fraction = "scalar" in call.params and call.params["scalar"] % 1 != 0
    if fraction and not call.is_floating():
        dtype = "float64"
    elif dtype in ("bool", "int8", "uint8"):
        dtype = "int32"
    return _operands(call, dtype)


def _comparison(op: str, *, negated: bool) -> Converter:
    def convert(call: Call) -> str:
        a, b = _comparable_operands(call)
        y = call.op(op, a, b)
        return call.to_output(call.op("Not", y) if negated else y, "bool")

    return convert


for _name, _op in _COMPARISONS.items():
    _numpy_name = _name.replace("lesser", "less")
    converter(
        *(f"_{_name}", f"broadcast_{_name}", f"_{_name}_scalar"),
        *(f"_npi_{_numpy_name}", f"_npi_{_numpy_name}_scalar"),
    )(_comparison(_op, negated=_name == "not_equal"))


def _logic(op: str) -> Converter:
    def convert(call: Call) -> str:
        lhs = call.truth(call.x, call.dtype())
        if "scalar" in call.params:
            rhs = call.constant(call.params["scalar"] != 0, "bool")
        else:
            rhs = call.truth(call.name(1), call.dtype(1))
        return call.to_output(call.op(op, lhs, rhs), "bool")

    return convert


def _bits(op: str, logical: str) -> Converter:
    def convert(call: Call) -> str:
        dtype = call.out_dtype()
        a, b = _operands(call, dtype)
        if dtype == "bool":
            return call.op(logical, a, b)
        if call.opset < 18:  # noqa: PLR2004
            raise call.refused("bits of integers need opset_version=18 or later")
        return call.op(op, a, b)

    return convert


for _name, _op in (("and", "And"), ("or", "Or"), ("xor", "Xor")):
    converter(f"_logical_{_name}", f"broadcast_logical_{_name}", f"_logical_{_name}_scalar")(
        _logic(_op)
    )
    converter(f"_npi_bitwise_{_name}", f"_npi_bitwise_{_name}_scalar")(_bits(f"Bitwise{_op}", _op))


@converter("where", "_npi_where")
def _where(call: Call) -> str:
    dtype = call.out_dtype()
    condition = call.truth(call.x, call.dtype())
    a = call.cast_from(call.name(1), call.dtype(1), dtype)
    b = call.cast_from(call.name(2), call.dtype(2), dtype)
    if call.rank() == 1 and call.rank(1) > 1 and call.op_name == "where":
        condition = call.unsqueeze(condition, *range(1, call.rank(1)))  # chooses rows
    return call.op("Where", condition, a, b)
