"""Compositions of pointwise functions, and of scalar and promoting forms of binary operators."""

from collections.abc import Callable
from math import log, pi
from typing import Any

import numpy as np

from hy_ndarray.ops.compositions._terms import cast, constant, in_reals, is_whole
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import (
    activations,
    arithmetic,
    broadcast,
    compare,
    exponential,
    identity,
    rounding,
    scalar,
    trigonometry,
    unary as elementwise,
)
from hy_ndarray.ops.np import (
    arithmetic as np_arithmetic,
    choosing,
    scalar as np_scalar,
    unary as np_unary,
)
from hy_ndarray.ops.optimizer import arrays as optimizer_arrays
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.record.types import TensorType

_BETWEEN = {
    arithmetic.elemwise_add: broadcast.broadcast_add,
    arithmetic.elemwise_sub: broadcast.broadcast_sub,
    arithmetic.elemwise_mul: broadcast.broadcast_mul,
    arithmetic.elemwise_div: broadcast.broadcast_div,
    arithmetic.elemwise_mod: broadcast.broadcast_mod,
    arithmetic.elemwise_power: broadcast.broadcast_power,
    arithmetic.elemwise_maximum: broadcast.broadcast_maximum,
    arithmetic.elemwise_minimum: broadcast.broadcast_minimum,
    arithmetic.elemwise_hypot: broadcast.broadcast_hypot,
    arithmetic.grad_add: broadcast.broadcast_add,
    arithmetic.scatter_elemwise_div: broadcast.broadcast_div,
    compare.elemwise_equal: compare.broadcast_equal,
    compare.elemwise_not_equal: compare.broadcast_not_equal,
    compare.elemwise_greater: compare.broadcast_greater,
    compare.elemwise_greater_equal: compare.broadcast_greater_equal,
    compare.elemwise_lesser: compare.broadcast_lesser,
    compare.elemwise_lesser_equal: compare.broadcast_lesser_equal,
    compare.elemwise_logical_and: compare.broadcast_logical_and,
    compare.elemwise_logical_or: compare.broadcast_logical_or,
    compare.elemwise_logical_xor: compare.broadcast_logical_xor,
}
"""Broadcasting operators by the operator on arrays of one shape that they implement."""

_COMPARED = {
    "equal": np_arithmetic.np_equal,
    "not_equal": np_arithmetic.np_not_equal,
    "greater": np_arithmetic.np_greater,
    "greater_equal": np_arithmetic.np_greater_equal,
    "lesser": np_arithmetic.np_less,
    "lesser_equal": np_arithmetic.np_less_equal,
}
"""NumPy's comparisons (boolean results) by name of the legacy ones (numeric results)."""


def _alias(name: OperatorFunction, of: OperatorFunction) -> None:
    @composition(name)
    def same(*operands: Tracer, **params: Any) -> Any:
        return of(*operands, **params)


for _name, _of in _BETWEEN.items():
    _alias(_name, _of)
_alias(rounding.fix, rounding.trunc)
_alias(rounding.round_ste, rounding.round)
_alias(rounding.sign_ste, elementwise.sign)


def _compared(name: str, compared: OperatorFunction) -> None:
    @composition(getattr(compare, f"broadcast_{name}"))
    def between(lhs: Tracer, rhs: Tracer) -> Tracer:
        return cast(compared(lhs, rhs), lhs.dtype)

    @composition(getattr(compare, f"{name}_scalar"))
    def with_number(data: Tracer, *, scalar: float, is_int: bool) -> Tracer:
        lhs, rhs = _as_written(data, scalar, is_int)
        return cast(compared(lhs, rhs), _combined(data, is_int).dtype)

    @composition(getattr(np_scalar, f"np_{name.replace('lesser', 'less')}_scalar"))
    def of_np(data: Tracer, *, scalar: float, is_int: bool) -> Any:
        is_exact = is_whole(data) and scalar == int(scalar)
        return compared(*_as_written(data, scalar, is_exact))


def _combined(data: Tracer, is_int: bool) -> Tracer:
    """Return ``data`` cast for arithmetic with a number: integers to float64 unless ``is_int``."""
    if is_whole(data) and not is_int:
        return cast(data, "float64")
    return cast(data, "int64") if data.dtype == "bool" else data


def _as_written(data: Tracer, scalar: float, is_int: bool) -> tuple[Tracer, Tracer]:
    """Return the operands of a comparison in a dtype in which the number does not overflow."""
    if not is_whole(data):
        return data, constant(data, scalar)
    kind = "int64" if is_int else "float64"
    return cast(data, kind), constant(data, scalar, kind)


for _key, _function in _COMPARED.items():
    _compared(_key, _function)


def _logical(name: str, joined: Callable[[Tracer, Tracer], Tracer]) -> None:
    @composition(getattr(compare, f"broadcast_logical_{name}"))
    def between(lhs: Tracer, rhs: Tracer) -> Tracer:
        return joined(_is_true(lhs), _is_true(rhs))

    @composition(getattr(compare, f"logical_{name}_scalar"))
    def with_number(data: Tracer, *, scalar: float, is_int: bool) -> Tracer:
        lhs = _combined(data, is_int)
        return joined(_is_true(lhs), constant(lhs, float(scalar != 0)))


def _is_true(x: Tracer) -> Tracer:
    result: Tracer = compare.not_equal_scalar(x, scalar=0.0)
    return result


_logical("and", broadcast.broadcast_mul)
_logical("or", broadcast.broadcast_maximum)
_logical("xor", compare.broadcast_not_equal)


def _with_number(
    name: OperatorFunction,
    function: OperatorFunction,
    *,
    swapped: bool = False,
    is_clamped: bool = False,
) -> None:
    """Declare the composition of a binary operator of an array and a number."""

    @composition(name)
    def with_number(data: Tracer, *, scalar: float, is_int: bool) -> Any:
        lhs = _combined(data, is_int)
        rhs = constant(lhs, _nearest(lhs, scalar) if is_clamped else scalar)
        return function(rhs, lhs) if swapped else function(lhs, rhs)


for _name, _of, _swapped in (
    (scalar.plus_scalar, broadcast.broadcast_add, False),
    (scalar.minus_scalar, broadcast.broadcast_sub, False),
    (scalar.rminus_scalar, broadcast.broadcast_sub, True),
    (scalar.mul_scalar, broadcast.broadcast_mul, False),
    (scalar.div_scalar, broadcast.broadcast_div, False),
    (scalar.rdiv_scalar, broadcast.broadcast_div, True),
    (scalar.mod_scalar, broadcast.broadcast_mod, False),
    (scalar.rmod_scalar, broadcast.broadcast_mod, True),
    (scalar.rpower_scalar, broadcast.broadcast_power, True),
    (scalar.hypot_scalar, broadcast.broadcast_hypot, False),
    (scalar.scatter_plus_scalar, broadcast.broadcast_add, False),
    (scalar.scatter_minus_scalar, broadcast.broadcast_sub, False),
    (np_scalar.np_arctan2_scalar, np_arithmetic.np_arctan2, False),
    (np_scalar.np_rarctan2_scalar, np_arithmetic.np_arctan2, True),
    (np_scalar.np_copysign_scalar, np_arithmetic.np_copysign, False),
    (np_scalar.np_rcopysign_scalar, np_arithmetic.np_copysign, True),
    (np_scalar.np_ldexp_scalar, np_arithmetic.np_ldexp, False),
    (np_scalar.np_rldexp_scalar, np_arithmetic.np_ldexp, True),
    (np_scalar.np_lcm_scalar, np_arithmetic.np_lcm, False),
    (np_scalar.np_bitwise_and_scalar, np_arithmetic.np_bitwise_and, False),
    (np_scalar.np_bitwise_or_scalar, np_arithmetic.np_bitwise_or, False),
    (np_scalar.np_bitwise_xor_scalar, np_arithmetic.np_bitwise_xor, False),
):
    _with_number(_name, _of, swapped=_swapped)
_with_number(scalar.maximum_scalar, broadcast.broadcast_maximum, is_clamped=True)
_with_number(scalar.minimum_scalar, broadcast.broadcast_minimum, is_clamped=True)


def _nearest(data: Tracer, number: float) -> float:
    """Return the number clipped to the range of an integer dtype; unchanged for other dtypes."""
    if not is_whole(data):
        return number
    limits = np.iinfo(data.dtype)
    return min(max(number, limits.min), limits.max)


@composition(scalar.power_scalar)
def _power(data: Tracer, *, scalar: float, is_int: bool) -> Any:
    lhs = _combined(data, is_int)
    if is_whole(lhs) and scalar < 0:  # roots of 1 are all that is whole
        real = cast(lhs, "float64")
        return cast(broadcast.broadcast_power(real, constant(real, scalar)), lhs.dtype)
    return broadcast.broadcast_power(lhs, constant(lhs, scalar))


@composition(np_scalar.np_true_divide_scalar)
def _divided(data: Tracer, *, scalar: float, is_int: bool) -> Tracer:
    real = cast(data, "float32") if is_whole(data) else data
    return real / constant(real, scalar)


@composition(np_scalar.np_rtrue_divide_scalar)
def _dividing(data: Tracer, *, scalar: float, is_int: bool) -> Tracer:
    real = cast(data, "float32") if is_whole(data) else data
    return constant(real, scalar) / real


def _unary(name: OperatorFunction, function: Callable[[Tracer], Tracer]) -> None:
    """Declare the composition of a unary function, computed by :func:`in_reals`."""

    @composition(name)
    def unary(data: Tracer) -> Tracer:
        return in_reals(function, data)


_unary(elementwise.rsqrt, lambda x: 1.0 / elementwise.sqrt(x))
_unary(elementwise.rcbrt, lambda x: 1.0 / elementwise.cbrt(x))
_unary(elementwise.reciprocal, lambda x: 1.0 / x)
_unary(activations.sigmoid, lambda x: 1.0 / (exponential.exp(-x) + 1.0))
_unary(activations.softsign, lambda x: x / (elementwise.abs(x) + 1.0))
_unary(trigonometry.degrees, lambda x: x * (180 / pi))
_unary(trigonometry.radians, lambda x: x * (pi / 180))
_unary(exponential.log2, lambda x: exponential.log(x) * (1 / log(2)))


@composition(elementwise.square)
def _square(data: Tracer) -> Tracer:
    return data * data


@composition(compare.logical_not)
def _logical_not(data: Tracer) -> Any:
    return compare.equal_scalar(data, scalar=0.0)


@composition(np_unary.np_logical_not)
def _np_logical_not(x: Tracer) -> Any:
    return np_scalar.np_equal_scalar(x, scalar=0.0)


@composition(activations.relu)
def _relu(data: Tracer) -> Any:
    return scalar.maximum_scalar(data, scalar=0.0)


@composition(activations.relu_backward)
def _relu_backward(dy: Tracer, y: Tracer) -> Any:
    slope = choosing.np_where(np_unary.np_isnan(y), y, elementwise.sign(y))
    return dy * slope


@composition(activations.hard_sigmoid)
def _hard_sigmoid(data: Tracer, *, alpha: float, beta: float) -> Tracer:
    return in_reals(lambda x: elementwise.clip(x * alpha + beta, a_min=0.0, a_max=1.0), data)


@composition(elementwise.smooth_l1)
def _smooth_l1(data: Tracer, *, scalar: float) -> Tracer:
    scale = scalar * scalar

    def value(x: Tracer) -> Any:
        distance = elementwise.abs(x)
        inner = distance * distance * (0.5 * scale)
        if not scale:
            return inner
        return where(distance < 1 / scale, inner, distance - 0.5 / scale)

    return in_reals(value, data)


@composition(elementwise.div_sqrt_dim)
def _div_sqrt_dim(data: Tracer) -> Tracer:
    width = max(data.shape[-1], 1) if data.ndim else 1
    return in_reals(lambda x: x * width**-0.5, data)


@composition(arithmetic.add_n)
def _add_n(*args: Tracer) -> Tracer:
    first = args[0]
    total = cast(first, "float32") if first.dtype in ("float16", "bfloat16") else first
    for x in args[1:]:
        total = total + cast(x, total.dtype)
    return cast(total, first.dtype)


@composition(identity.block_grad, identity.make_loss, identity.gradient_multiplier)
def _same(data: Tracer, **_: Any) -> Tracer:
    return data


@composition(identity.identity_with_attr_like_rhs)
def _first(lhs: Tracer, rhs: Tracer) -> Tracer:
    return lhs


def _promoted(name: OperatorFunction, function: OperatorFunction) -> None:
    """Declare the composition of a NumPy binary operator, which promotes dtypes."""

    @composition(name)
    def promoted(lhs: Tracer, rhs: Tracer) -> Any:
        types = [TensorType(None, x.dtype) for x in (lhs, rhs)]
        kind = name.op.infer(types, {})[0].dtype or lhs.dtype
        return function(cast(lhs, kind), cast(rhs, kind))


_promoted(np_arithmetic.np_add, broadcast.broadcast_add)
_promoted(np_arithmetic.np_subtract, broadcast.broadcast_sub)
_promoted(np_arithmetic.np_multiply, broadcast.broadcast_mul)
_promoted(np_arithmetic.np_true_divide, broadcast.broadcast_div)
_promoted(np_arithmetic.np_mod, broadcast.broadcast_mod)
_promoted(np_arithmetic.np_power, broadcast.broadcast_power)


@composition(np_arithmetic.same_sign)
def _same_sign(lhs: Tracer, rhs: Tracer) -> Any:
    sign = elementwise.sign(lhs)
    return np_arithmetic.np_copysign(sign, rhs) * sign


@composition(np_arithmetic.np_ldexp)
def _ldexp(lhs: Tracer, rhs: Tracer) -> Tracer:
    if is_whole(lhs):
        return cast(cast(lhs, "float64") * 2.0 ** cast(rhs, "float64"), lhs.dtype)
    return lhs * cast(2.0**rhs, lhs.dtype)


def _tangent(x: Tracer) -> Any:
    return trigonometry.sin(x) / trigonometry.cos(x)


def _half_exponentials(x: Tracer) -> Any:
    half = log(2)  # under the exponential, so that it overflows no earlier than the sum
    return exponential.exp(x - half) + exponential.exp(-x - half)


_unary(trigonometry.tan, _tangent)
_unary(trigonometry.cosh, _half_exponentials)
_unary(
    trigonometry.arctanh,
    lambda x: (exponential.log1p(x) - exponential.log1p(-x)) * 0.5,
)
_unary(
    trigonometry.arctan,
    lambda x: np_arithmetic.np_arctan2(x, constant(x, 1.0)),
)


@composition(optimizer_arrays.multi_lars)
def _multi_lars(
    lrs: Tracer,
    weights_sum_sq: Tracer,
    grads_sum_sq: Tracer,
    wds: Tracer,
    *,
    eta: float,
    eps: float,
    rescale_grad: float,
) -> Any:
    weight = elementwise.sqrt(weights_sum_sq)
    grad = elementwise.sqrt(grads_sum_sq) * rescale_grad
    trust = weight * eta / (grad + wds * weight + eps)
    # The common rate where there is no weight, or no gradient, to compare with.
    for length in (weight, grad):
        is_there = np_scalar.np_greater_scalar(length, scalar=0.0)
        trust = choosing.np_where(is_there, trust, constant(trust, 1.0))
    return lrs * trust
