"""Compositions of activations, softmax and their gradients."""

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    constant,
    expanded,
    narrowed,
    reshape,
    size,
    total,
    wide,
)
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import (
    activations,
    exponential,
    scalar,
    special,
    unary as elementwise,
)
from hy_ndarray.ops.elementwise.trigonometry import tanh
from hy_ndarray.ops.nn import activation, softmax
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.np.reduce import np_max
from hy_ndarray.ops.np.scalar import np_not_equal_scalar
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition

__all__ = ["log_softmax_along", "peak", "softmax_along"]

_ALPHA = 1.6732632423543772  # see below
_LAMBDA = 1.0507009873554805
"""Constants alpha and lambda of SELU (Klambauer et al. 2017, arXiv:1706.02515)."""


def _softrelu(x: Tracer) -> Any:
    # log(1 + exp(x)) in a form that does not overflow for large x.
    return exponential.log1p(exponential.exp(-elementwise.abs(x))) + activations.relu(x)


_FORWARD: dict[str, Callable[[Tracer], Any]] = {
    "relu": activations.relu,
    "sigmoid": activations.sigmoid,
    "softrelu": _softrelu,
    "softsign": activations.softsign,
    "tanh": tanh,
}
_BACKWARD: dict[str, Callable[[Tracer, Tracer], Any]] = {
    "relu": lambda dy, y: dy * (y > 0.0),
    "sigmoid": lambda dy, y: (1.0 - y) * y * dy,
    "softrelu": lambda dy, y: -exponential.expm1(-y) * dy,
    "softsign": lambda dy, y: elementwise.square(1.0 - elementwise.abs(y)) * dy,
    "tanh": lambda dy, y: (1.0 - y * y) * dy,
}
"""Gradient functions of ``dy`` and the activation's result, by name of the activation."""


@composition(activation.activation)
def _activation(data: Tracer, *, act_type: str) -> Any:
    return narrowed(_FORWARD[act_type], data)


@composition(activation.activation_backward, differentiated=True)
def _activation_backward(dy: Tracer, output: Tracer, *, act_type: str) -> Any:
    return narrowed(_BACKWARD[act_type], dy, output)


def _below(x: Tracer) -> Any:
    return scalar.minimum_scalar(x, scalar=0.0)


def _normal(x: Tracer) -> Any:
    """Return the cumulative distribution function of the standard normal distribution."""
    return special.erf(x * sqrt(0.5)) * 0.5 + 0.5


def _bell(x: Tracer) -> Any:
    """Return the density of the standard normal distribution."""
    return exponential.exp(x * x * -0.5) * (1 / sqrt(2 * pi))


def _elu_factors(act_type: str, slope: float) -> tuple[float, float]:
    """Return an exponential linear unit's factors for negative and for positive inputs."""
    return (_ALPHA * _LAMBDA, _LAMBDA) if act_type == "selu" else (slope, 1.0)


@composition(activation.leaky_relu_backward)
def _leaky_backward(dy: Tracer, data: Tracer, *, act_type: str, slope: float) -> Any:
    def value(g: Tracer, x: Tracer) -> Any:
        step = x > 0.0
        if act_type == "gelu":
            return (_normal(x) + _bell(x) * x) * g
        if act_type == "leaky":
            return (step * (1.0 - slope) + slope) * g
        # The exponential of large positive inputs would overflow, and inf * 0 is nan.
        low, high = _elu_factors(act_type, slope)
        return (exponential.exp(_below(x)) * low * (1.0 - step) + step * high) * g

    return narrowed(value, dy, data)


@composition(activation.leaky_relu_curve)
def _leaky_curve(data: Tracer, *, act_type: str, slope: float) -> Any:
    def value(x: Tracer) -> Any:
        if act_type == "leaky":
            return x * 0.0
        if act_type == "gelu":
            return _bell(x) * (2.0 - x * x)
        low, _ = _elu_factors(act_type, slope)
        return exponential.exp(_below(x)) * (x <= 0.0) * low

    return narrowed(value, data)


def _over_channels(gamma: Tracer, data: Tracer) -> Tracer:
    """Return PReLU slopes ``gamma`` reshaped to broadcast along the channels of ``data``."""
    is_channels = gamma.ndim == 1 and data.ndim > 1
    return reshape(gamma, -1, *(1,) * (data.ndim - 2)) if is_channels else gamma


def _to_gamma(values: Tracer, gamma: Tracer) -> Tracer:
    """Return values summed to the shape and dtype of ``gamma``."""
    like = _over_channels(gamma, values)
    extra = values.ndim - like.ndim
    axes = [i for i in range(values.ndim) if i < extra or like.shape[i - extra] == 1]
    return cast(reshape(total(values, axes), *gamma.shape), gamma.dtype)


@composition(activation.prelu_backward)
def _prelu_backward(dy: Tracer, data: Tracer, gamma: Tracer) -> Any:
    x, g = wide(data), wide(dy)
    step = x > 0.0
    dx = ((1.0 - step) * _over_channels(wide(gamma), x) + step) * g
    return [cast(dx, dy.dtype), _to_gamma(g * _below(x), gamma)]


@composition(activation.prelu_backward_backward)
def _prelu_backward_backward(
    ddata: Tracer, dgamma: Tracer, dy: Tracer, data: Tracer, gamma: Tracer
) -> Any:
    u, x, g = wide(ddata), wide(data), wide(dy)
    a = _over_channels(wide(dgamma), x)
    step = x > 0.0
    past = 1.0 - step
    to_dy = (past * _over_channels(wide(gamma), x) + step) * u + _below(x) * a
    return [
        cast(to_dy, dy.dtype),
        cast(past * g * a, data.dtype),
        _to_gamma(past * u * g, gamma),
    ]


def peak(x: Tracer, axis: int) -> Any:
    """Return the maximum along an axis, which is kept with size 1."""
    return np_max(x, axis=(axis,), keepdims=True)


def softmax_along(x: Tracer, axis: int) -> Any:
    """Return the softmax along an axis."""
    if not size(x):
        return x
    # Less the maximum, so that no exponential overflows.
    y = exponential.exp(x - peak(x, axis))
    return y / total(y, [axis], keepdims=True)


def log_softmax_along(x: Tracer, axis: int) -> Any:
    """Return the logarithm of the softmax along an axis."""
    if not size(x):
        return x
    # As in softmax_along; the logarithm of softmax itself would be -inf where it underflows.
    y = x - peak(x, axis)
    return y - exponential.log(total(exponential.exp(y), [axis], keepdims=True))


def _softmax_operand(data: Tracer, temperature: float | None, dtype: str | None) -> Tracer:
    """Return the logits of softmax in a wider dtype, divided by the temperature."""
    x = cast(data, dtype) if dtype in ("float32", "float64") and dtype > data.dtype else data
    x = wide(x)
    return x if temperature in (None, 1.0) else x / float(temperature)


@composition(softmax.softmax)
def _softmax_of(
    data: Tracer,
    length: Tracer | None = None,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
) -> Any:
    x = _softmax_operand(data, temperature, dtype)
    if length is None:
        return cast(softmax_along(x, axis), dtype or data.dtype)
    at = axis % x.ndim
    n = x.shape[at]
    positions = create(np_arange, start=0.0, stop=float(n), dtype="float64")
    positions = reshape(positions, *[n if i == at else 1 for i in range(x.ndim)])
    leading, back = length.shape[:at], length.shape[at:]
    beyond = np_not_equal_scalar(
        positions >= reshape(cast(length, "float64"), *leading, 1, *back), scalar=0.0
    )
    low = constant(x, -1e30)  # whose exponential is 0; of -inf alone there is no softmax
    y = softmax_along(where(beyond, low, x), axis)
    return cast(where(beyond, constant(x, 0.0), y), dtype or data.dtype)


@composition(softmax.softmin)
def _softmin(
    data: Tracer, *, axis: int, temperature: float | None, dtype: str | None, use_length: bool
) -> Any:
    return cast(
        softmax_along(-_softmax_operand(data, temperature, dtype), axis), dtype or data.dtype
    )


@composition(softmax.log_softmax)
def _log_softmax_of(
    data: Tracer, *, axis: int, temperature: float | None, dtype: str | None, use_length: bool
) -> Any:
    return cast(
        log_softmax_along(_softmax_operand(data, temperature, dtype), axis), dtype or data.dtype
    )


@composition(softmax.softmax_backward)
def _softmax_backward(
    dy: Tracer, output: Tracer, data: Tracer, *, axis: int, temperature: float | None
) -> Any:
    y = wide(output)
    g = cast(wide(dy), y.dtype)
    dx = (g - total(g * y, [axis], keepdims=True)) * y * (1 / (temperature or 1))
    return cast(dx, data.dtype)


@composition(softmax.log_softmax_backward)
def _log_softmax_backward(
    dy: Tracer, output: Tracer, data: Tracer, *, axis: int, temperature: float | None
) -> Any:
    y = wide(output)
    g = cast(wide(dy), y.dtype)
    dx = (g - exponential.exp(y) * total(g, [axis], keepdims=True)) * (1 / (temperature or 1))
    return cast(dx, data.dtype)


@composition(softmax.softmax_activation)
def _softmax_activation(data: Tracer, *, mode: str) -> Any:
    return softmax.softmax(data, axis=1 if mode == "channel" else -1)


@composition(softmax.axis_total)
def _axis_total(data: Tracer, *, axis: int) -> Any:
    return expanded(total(data, [axis], keepdims=True), data.shape)
