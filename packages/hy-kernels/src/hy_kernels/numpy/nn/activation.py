"""Activation functions, by name, and the leaky ones."""

from math import pi, sqrt
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.nn._window import narrow, wide
from hy_kernels.numpy.special import erf

__all__ = [
    "activation",
    "activation_backward",
    "leaky_relu",
    "leaky_relu_backward",
    "leaky_relu_curve",
    "prelu_backward",
    "prelu_backward_backward",
]

_ALPHA = 1.6732632423543772  # of selu
_LAMBDA = 1.0507009873554805


def _sigmoid(x: Array) -> Array:
    y = np.negative(x)
    np.exp(y, out=y)
    y += 1
    return np.reciprocal(y, out=y)


def _softrelu(x: Array) -> Array:
    """``log(1 + exp(x))`` without overflow."""
    y = np.abs(x)
    np.negative(y, out=y)
    np.exp(y, out=y)
    np.log1p(y, out=y)
    y += np.maximum(x, 0)
    return y


def _softsign(x: Array) -> Array:
    y = np.abs(x)
    y += 1
    return np.divide(x, y, out=y)


def activation(data: Array, *, act_type: str) -> Array:
    """``act_type`` of each element."""
    if act_type == "relu":
        return np.asarray(np.maximum(data, data.dtype.type(0)))
    return _smooth(data, act_type)


@quiet
def _smooth(data: Array, act_type: str) -> Array:
    x = wide(data)
    if act_type == "tanh":
        y = np.tanh(x)
    elif act_type == "sigmoid":
        y = _sigmoid(x)
    else:
        y = _softrelu(x) if act_type == "softrelu" else _softsign(x)
    return narrow(y, data.dtype)


@quiet
def activation_backward(dy: Array, output: Array, *, act_type: str) -> Array:
    """``dy`` times the slope, which the output tells."""
    if act_type == "relu":
        return dy * (output > 0)
    y = wide(output)
    if act_type == "tanh":
        slope = y * y
        np.subtract(1, slope, out=slope)
    elif act_type == "sigmoid":
        slope = 1 - y
        slope *= y
    elif act_type == "softrelu":
        slope = np.negative(y)
        np.expm1(slope, out=slope)
        np.negative(slope, out=slope)
    else:
        slope = 1 - np.abs(y)
        slope *= slope
    slope *= dy
    return narrow(slope, dy.dtype)


# --- leaky -----------------------------------------------------------------------------------


def _along(gamma: Array, data: Array) -> Array:
    """``gamma`` so that it broadcasts: a vector lies along axis 1."""
    g = wide(gamma)
    if gamma.ndim == 1 and data.ndim > 1:
        return g.reshape(-1, *(1,) * (data.ndim - 2))
    return g


def _to_gamma(values: Array, gamma: Array) -> Array:
    """``values`` summed down to the shape of ``gamma``."""
    like = _along(gamma, values)
    extra = values.ndim - like.ndim
    axes = tuple(i for i in range(values.ndim) if i < extra or like.shape[i - extra] == 1)
    return narrow(values.sum(axis=axes).reshape(gamma.shape), gamma.dtype)


def _curved(x: Array, act_type: str, slope: float) -> Array:
    """What elu and selu make of ``x``."""
    low, high = (_ALPHA * _LAMBDA, _LAMBDA) if act_type == "selu" else (slope, 1.0)
    y = np.minimum(x, 0)
    np.expm1(y, out=y)
    y *= x.dtype.type(low)
    y += np.maximum(x, 0) * x.dtype.type(high)
    return y


def _normal(x: Array) -> Array:
    """The cumulative normal distribution."""
    y = np.asarray(erf(x * x.dtype.type(1 / sqrt(2))))
    y += 1
    y *= x.dtype.type(0.5)
    return y


def _bell(x: Array) -> Array:
    """The density of the normal distribution."""
    y = x * x
    y *= x.dtype.type(-0.5)
    np.exp(y, out=y)
    y *= x.dtype.type(1 / sqrt(2 * pi))
    return y


@quiet
def leaky_relu(
    data: Array,
    gamma: Array | None = None,
    *,
    act_type: str,
    slope: float,
    lower_bound: float,
    upper_bound: float,
    is_train: bool,
    rng: np.random.Generator,
) -> Any:
    """Positive elements as they are, the others made small; ``"rrelu"`` also gives its slopes."""
    x = wide(data)
    if act_type == "rrelu":
        if is_train:
            draw = rng.random(x.shape, np.float32) * (upper_bound - lower_bound) + lower_bound
            slopes = np.where(x > 0, 1, draw).astype(x.dtype)
        else:
            mean = x.dtype.type((lower_bound + upper_bound) / 2)
            slopes = np.where(x > 0, x.dtype.type(1), mean)
        return narrow(x * slopes, data.dtype), narrow(slopes, data.dtype)
    if act_type == "leaky":
        y = np.where(x > 0, x, x * x.dtype.type(slope))
    elif act_type == "prelu":
        assert gamma is not None
        y = np.where(x > 0, x, x * _along(gamma, x))
    else:
        y = x * _normal(x) if act_type == "gelu" else _curved(x, act_type, slope)
    return narrow(y, data.dtype)


@quiet
def leaky_relu_backward(dy: Array, data: Array, *, act_type: str, slope: float) -> Array:
    """``dy`` times the slope at ``data``."""
    x, g = wide(data), wide(dy)
    if act_type == "leaky":
        dx = np.where(x > 0, g, g * x.dtype.type(slope))
    elif act_type == "gelu":
        dx = _bell(x)
        dx *= x
        dx += _normal(x)
        dx *= g
    else:
        low, high = (_ALPHA * _LAMBDA, _LAMBDA) if act_type == "selu" else (slope, 1.0)
        dx = np.exp(np.minimum(x, 0))
        dx *= x.dtype.type(low)
        np.copyto(dx, high, where=x > 0)
        dx *= g
    return narrow(dx, dy.dtype)


@quiet
def leaky_relu_curve(data: Array, *, act_type: str, slope: float) -> Array:
    """The second derivative."""
    x = wide(data)
    if act_type == "leaky":
        curve = np.zeros_like(x)
    elif act_type == "gelu":
        curve = _bell(x) * (2 - x * x)
    else:
        low = _ALPHA * _LAMBDA if act_type == "selu" else slope
        curve = np.exp(np.minimum(x, 0)) * (x <= 0) * x.dtype.type(low)
    return narrow(curve, data.dtype)


def prelu_backward(dy: Array, data: Array, gamma: Array) -> tuple[Array, Array]:
    """Gradients to data and gamma."""
    x, g = wide(data), wide(dy)
    dx = np.where(x > 0, g, g * _along(gamma, x))
    return narrow(dx, dy.dtype), _to_gamma(g * np.minimum(x, 0), gamma)


def prelu_backward_backward(
    ddata: Array, dgamma: Array, dy: Array, data: Array, gamma: Array
) -> tuple[Array, Array, Array]:
    """Gradients of ``prelu_backward`` to dy, data and gamma, given those of its results."""
    u, a, x, g = wide(ddata), _along(dgamma, data), wide(data), wide(dy)
    to_dy = np.where(x > 0, u, u * _along(gamma, x) + x * a)
    to_data = np.where(x > 0, 0, g * a)
    to_gamma = _to_gamma(np.where(x > 0, 0, u * g), gamma)
    return narrow(to_dy, dy.dtype), narrow(to_data, data.dtype), to_gamma
