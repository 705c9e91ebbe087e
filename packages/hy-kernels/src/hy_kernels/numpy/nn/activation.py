"""Kernels of ``Activation`` and ``LeakyReLU``, which select the function by ``act_type``."""

from collections.abc import Callable
from functools import partial
from math import inf, pi, sqrt
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import (
    PLAIN,
    Array,
    Out,
    OutBuffers,
    aligned,
    between,
    number,
    out_buffer,
    quiet,
    reciprocal,
    shaped,
)
from hy_kernels.numpy._bounds import relu
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.elementwise.special import erf
from hy_kernels.numpy.nn._rows import by_block
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.record import Function, Params, Types, by_params, by_types

# Constants of SELU that keep mean 0 and variance 1 from layer to layer (Klambauer et al., 2017).
_ALPHA = 1.6732632423543772
_LAMBDA = 1.0507009873554805

# tanh(x p(x²)) is erf(x / sqrt 2) up to 6e-8: a fit to atanh(erf(x / sqrt 2)) / x for |x| < 5.6,
# weighted so that the error of the result is even. Beyond, p is above 1.6, so that tanh gives ±1.
# So 1 + exp(-2 x p(x²)) is one over the cumulative normal distribution, and here is -2 p.
_NORMAL = tuple(
    -2 * coefficient
    for coefficient in (
        1.7561715492765613e-09,
        -1.3226335704328166e-07,
        3.964744493643904e-06,
        -5.530619331668039e-05,
        -3.259497863219334e-05,
        0.0363330845791215,
        0.797884941458316,
    )
)

Fill: TypeAlias = Callable[..., None]
"""``fill(out, *arrays)`` computes each element of ``out`` from the arrays' elements there."""


def _by_blocks(fill: Fill, *arrays: Array, out: Out = None) -> Array:
    """Return ``fill`` applied to arrays of one shape, in blocks that fit in the cache."""
    result = aligned(arrays[0].shape, arrays[0].dtype) if out is None else out[0]
    if out is None and result.ndim and result.size <= COSTS.blocks.rows:
        fill(result, *arrays)
        return result
    flat = [np.ascontiguousarray(x).reshape(-1) for x in (result, *arrays)]
    if out is not None and any(np.may_share_memory(result, x) for x in arrays):
        _refill(fill, flat)
        return result
    by_block(result.size, lambda block: fill(*(x[block] for x in flat)))
    return result


def _refill(fill: Fill, flat: list[Array]) -> None:
    """Apply ``fill`` in place, through scratch memory.

    ``flat`` holds the result, then the operands, one of which shares its memory: ``fill`` may write
    to a result before it has read all operands.
    """

    def work(block: slice) -> None:
        target, *parts = (x[block] for x in flat)
        result = workspace("result", target.shape, target.dtype)
        fill(result, *parts)
        target[...] = result

    by_block(flat[0].size, work)


def _below(x: Array, out: Array | None = None) -> Array:
    """Return ``min(x, 0)``."""
    if x.size <= COSTS.memory.zeros or x.dtype.kind != "f":
        return np.asarray(np.minimum(x, number(0, x.dtype), out=out))
    return between(x, -inf, 0.0, out)


def _sigmoid(y: Array, x: Array) -> None:
    # For very negative x the exponential is infinite, and its reciprocal is 0, as it should be.
    np.negative(x, out=y)
    np.exp(y, out=y)
    y += number(1, y.dtype)
    reciprocal(y, y)


def _softrelu(y: Array, x: Array) -> None:
    """Compute ``log(1 + exp(x))`` as ``max(x, 0) + log1p(exp(-|x|))``, which cannot overflow."""
    np.abs(x, out=y)
    np.negative(y, out=y)
    np.exp(y, out=y)
    np.log1p(y, out=y)
    y += relu(x)


def _softsign(y: Array, x: Array) -> None:
    np.abs(x, out=y)
    y += number(1, y.dtype)
    np.divide(x, y, out=y)


def _tanh(y: Array, x: Array) -> None:
    np.tanh(x, out=y)


_FORWARD: dict[str, Fill] = {
    "sigmoid": _sigmoid,
    "softrelu": _softrelu,
    "softsign": _softsign,
    "tanh": _tanh,
}


@kernel(pointwise=True, threads=COSTS.threads.rows)
def activation(data: Array, *, act_type: str, out: Out = None) -> Array:
    """Return the activation function ``act_type`` of each element."""
    if act_type != "relu":
        return _smooth(data, act_type, out)
    return relu(data, None if out is None else out[0])


@quiet
def _smooth(data: Array, act_type: str, out: Out) -> Array:
    return to_storage_dtype(
        _by_blocks(_FORWARD[act_type], to_compute_dtype(data), out=out), data.dtype
    )


def _sigmoid_backward(dx: Array, dy: Array, y: Array) -> None:
    np.subtract(1, y, out=dx)
    dx *= y
    dx *= dy


def _softrelu_backward(dx: Array, dy: Array, y: Array) -> None:
    # sigmoid(x) = 1 - exp(-y), as y = log(1 + exp(x)); expm1 keeps the digits of small y.
    np.negative(y, out=dx)
    np.expm1(dx, out=dx)
    np.negative(dx, out=dx)
    dx *= dy


def _softsign_backward(dx: Array, dy: Array, y: Array) -> None:
    # 1 / (1 + |x|)² in terms of the result: 1 - |y| = 1 / (1 + |x|).
    np.abs(y, out=dx)
    np.subtract(1, dx, out=dx)
    dx *= dx
    dx *= dy


def _tanh_backward(dx: Array, dy: Array, y: Array) -> None:
    np.multiply(y, y, out=dx)
    np.subtract(1, dx, out=dx)
    dx *= dy


_BACKWARD: dict[str, Fill] = {
    "sigmoid": _sigmoid_backward,
    "softrelu": _softrelu_backward,
    "softsign": _softsign_backward,
    "tanh": _tanh_backward,
}


def _relu_backward(types: Types, params: Params) -> Callable[..., Array] | None:
    """Return the gradient of ``relu`` specialised for these types; None for other functions."""
    if params["act_type"] != "relu" or any(t is None or t[1] not in PLAIN for t in types):
        return None
    _, output = types
    assert output is not None
    zero = np.zeros((), output[1])

    def gradient(dy: Array, output: Array, out: Out = None) -> Array:
        return np.multiply(dy, np.greater(output, zero), out=out)

    return gradient


@kernel(pointwise=True, threads=COSTS.threads.rows, specialize=by_types(_relu_backward))
@quiet
def activation_backward(dy: Array, output: Array, *, act_type: str, out: Out = None) -> Array:
    """Return the gradient to the data: ``dy`` times the derivative, computed from the output."""
    if act_type == "relu":
        return np.multiply(dy, output > 0, out=out)
    return to_storage_dtype(
        _by_blocks(_BACKWARD[act_type], to_compute_dtype(dy), to_compute_dtype(output), out=out),
        dy.dtype,
    )


# --- leaky -----------------------------------------------------------------------------------


def _over_channels(gamma: Array, data: Array) -> Array:
    """Return ``gamma`` in a shape that broadcasts against ``data``; a vector lies along axis 1."""
    g = to_compute_dtype(gamma)
    if gamma.ndim == 1 and data.ndim > 1:
        return g.reshape(-1, *(1,) * (data.ndim - 2))
    return g


def _to_gamma(values: Array, gamma: Array, out: OutBuffers, k: int) -> Array:
    """Return ``values`` summed to the shape of ``gamma``, in out buffer ``k``."""
    like = _over_channels(gamma, values)
    extra = values.ndim - like.ndim
    axes = tuple(i for i in range(values.ndim) if i < extra or like.shape[i - extra] == 1)
    memory = out_buffer(shaped(out, (1,) * extra + like.shape, k))
    total = values.sum(axis=axes, keepdims=True, out=memory)
    return to_storage_dtype(total.reshape(gamma.shape), gamma.dtype)


def _positive(x: Array) -> Array:
    """Return 1 where ``x`` is positive, else 0, in the dtype of ``x``."""
    # A mask to multiply by: numpy.where selects elements one by one and is far slower.
    return np.asarray(np.greater(x, number(0, x.dtype)), x.dtype)


def _leaky(y: Array, x: Array, *, slope: float) -> None:
    factor = x.dtype.type(slope)
    # For factors up to 1 max(x, factor x) is the result, in one pass without a mask.
    if 0 < factor <= 1:
        np.multiply(x, factor, out=y)
        np.maximum(x, y, out=y)
        return
    _below(x, out=y)
    y *= factor
    y += relu(x)


def _prelu(x: Array, slopes: Array, out: Out) -> Array:
    """Return ``x`` where it is positive, else ``x * slopes``."""
    scratch = np.empty_like(x) if out is None else workspace("sloped", x.shape, x.dtype)
    # For slopes up to 1 max(x, slope x) is the result, in one pass without a mask.
    is_low = np.logical_and(slopes > 0, slopes <= 1).all()
    y = x if is_low else _below(x, out=scratch)
    y = np.multiply(y, slopes, out=scratch)
    combine, part = (np.maximum, x) if is_low else (np.add, relu(x))
    return combine(y, part, out=y if out is None else out)


def _leaky_backward(dx: Array, dy: Array, x: Array, *, slope: float) -> None:
    step = _positive(x)
    if 0 <= slope <= 1:
        np.multiply(between(step, slope, 1.0, step), dy, out=dx)
        return
    # slope (1 - step) + step: exact, as step is 0 or 1.
    np.multiply(step, x.dtype.type(-slope), out=dx)
    dx += x.dtype.type(slope)
    dx += step
    dx *= dy


def _elu(y: Array, x: Array, *, low: float, high: float) -> None:
    """Compute ELU or SELU: ``low (exp(x) - 1)`` where ``x`` is negative, else ``high x``."""
    _below(x, out=y)
    np.expm1(y, out=y)
    y *= number(low, x.dtype)
    y += relu(x) if high == 1 else relu(x) * number(high, x.dtype)


def _elu_backward(dx: Array, dy: Array, x: Array, *, low: float, high: float) -> None:
    step = _positive(x)
    _below(x, out=dx)
    np.exp(dx, out=dx)
    dx *= x.dtype.type(low)
    dx *= 1 - step
    step *= x.dtype.type(high)
    dx += step
    dx *= dy


def _inverse_normal(y: Array, x: Array) -> None:
    """Compute the reciprocal of the normal CDF in float32; infinity where the CDF is 0."""
    square = workspace("square", x.shape, x.dtype)
    np.multiply(x, x, out=square)
    np.multiply(square, number(_NORMAL[0], x.dtype), out=y)
    for c in _NORMAL[1:-1]:
        y += number(c, x.dtype)
        y *= square
    y += number(_NORMAL[-1], x.dtype)
    y *= x
    np.exp(y, out=y)
    y += number(1, x.dtype)


def _normal(y: Array, x: Array) -> None:
    """Compute the cumulative distribution function (CDF) of the standard normal distribution."""
    if x.dtype == np.float32:
        _inverse_normal(y, x)
        reciprocal(y, y)
        return
    half = x.dtype.type(0.5)
    y[...] = erf(x * x.dtype.type(sqrt(0.5)))
    y *= half
    y += half


def _normal_density(x: Array, out: Array | None = None) -> Array:
    """Return the density of the standard normal distribution."""
    y = np.asarray(np.multiply(x, x, out=out))
    y *= x.dtype.type(-0.5)
    np.exp(y, out=y)
    y *= x.dtype.type(1 / sqrt(2 * pi))
    return y


def _gelu(y: Array, x: Array) -> None:
    if x.dtype == np.float32:
        _inverse_normal(y, x)
        np.divide(x, y, out=y)
    else:
        _normal(y, x)
        y *= x


def _gelu_backward(dx: Array, dy: Array, x: Array) -> None:
    _normal(dx, x)
    density = _normal_density(x, workspace("square", x.shape, x.dtype))
    density *= x
    dx += density
    dx *= dy


def _shape_of(act_type: str, slope: float) -> tuple[Fill, Fill]:
    """Return the functions of ``leaky``, ``elu``, ``selu`` or ``gelu`` and of its gradient."""
    if act_type == "gelu":
        return _gelu, _gelu_backward
    if act_type == "leaky":
        return partial(_leaky, slope=slope), partial(_leaky_backward, slope=slope)
    low, high = (_ALPHA * _LAMBDA, _LAMBDA) if act_type == "selu" else (slope, 1.0)
    return partial(_elu, low=low, high=high), partial(_elu_backward, low=low, high=high)


@quiet
def _activated(fill: Fill, data: Array, out: Out = None) -> Array:
    return to_storage_dtype(_by_blocks(fill, to_compute_dtype(data), out=out), data.dtype)


def _of_prediction(params: Params, _: Function) -> Function | None:
    """Return the function for predictions; None for ``prelu`` and ``rrelu``."""
    act_type: str = params["act_type"]
    if act_type in ("prelu", "rrelu"):
        return None
    fill = _shape_of(act_type, params["slope"])[0]
    return lambda data, gamma=None: _activated(fill, data)  # noqa: ARG005  # which has no part in it


@kernel(pointwise=True, threads=COSTS.threads.rows, specialize=by_params(_of_prediction))
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
    out: Out = None,
) -> Any:
    """Return the leaky function ``act_type`` of each element; for ``rrelu`` also its factors."""
    x = to_compute_dtype(data)
    if act_type == "rrelu":
        # In prediction, the mean of the slopes that are drawn in training (Xu et al., 2015).
        slopes = np.full(x.shape, (lower_bound + upper_bound) / 2, x.dtype)
        if is_train:
            slopes[...] = (
                rng.random(x.shape, np.float32) * (upper_bound - lower_bound) + lower_bound
            )
        step = _positive(x)
        slopes *= 1 - step
        slopes += step
        return to_storage_dtype(x * slopes, data.dtype), to_storage_dtype(slopes, data.dtype)
    if act_type != "prelu":
        return _activated(_shape_of(act_type, slope)[0], data, out)
    assert gamma is not None
    return to_storage_dtype(_prelu(x, _over_channels(gamma, x), out), data.dtype)


@kernel(pointwise=True, threads=COSTS.threads.rows)
@quiet
def leaky_relu_backward(
    dy: Array, data: Array, *, act_type: str, slope: float, out: Out = None
) -> Array:
    """Return the gradient to the data: ``dy`` times the derivative of ``act_type`` at ``data``."""
    backward = _shape_of(act_type, slope)[1]
    return to_storage_dtype(
        _by_blocks(backward, to_compute_dtype(dy), to_compute_dtype(data), out=out), dy.dtype
    )


@kernel(pointwise=True)
@quiet
def leaky_relu_curve(data: Array, *, act_type: str, slope: float, out: Out = None) -> Array:
    """Return the second derivative of ``act_type`` at ``data``."""
    x = to_compute_dtype(data)
    if act_type == "leaky":
        curve = np.empty_like(x) if out is None else out[0]
        curve[...] = 0
    elif act_type == "gelu":
        # (x Φ(x))'' = φ(x) (2 - x²).
        curve = np.multiply(_normal_density(x), 2 - x * x, out=out)
    else:
        low = _ALPHA * _LAMBDA if act_type == "selu" else slope
        curve = np.multiply(np.exp(_below(x)) * (x <= 0), x.dtype.type(low), out=out)
    return to_storage_dtype(curve, data.dtype)


@kernel(out="apart")
def prelu_backward(
    dy: Array, data: Array, gamma: Array, *, out: OutBuffers = None
) -> tuple[Array, Array]:
    """Return the gradients of PReLU to data and gamma."""
    x, g = to_compute_dtype(data), to_compute_dtype(dy)
    step = _positive(x)
    dx = np.multiply(1 - step, _over_channels(gamma, x), out=out_buffer(out))
    dx += step
    dx *= g
    return to_storage_dtype(dx, dy.dtype), _to_gamma(g * _below(x), gamma, out, 1)
