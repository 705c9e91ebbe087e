"""Softmax and its kin."""

import numpy as np

from hy_kernels.numpy._array import Array, accumulator, quiet
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = [
    "axis_total",
    "log_softmax",
    "log_softmax_backward",
    "softmax",
    "softmax_activation",
    "softmax_backward",
    "softmin",
]


def _scaled(data: Array, temperature: float | None, dtype: str | None) -> Array:
    """``data / temperature`` in the dtype to compute in; may be ``data`` itself."""
    x = data
    if dtype is not None and np.dtype(dtype).itemsize > data.dtype.itemsize:
        x = data.astype(dtype)
    x = wide(x)
    return x if temperature in (None, 1.0) else x / x.dtype.type(temperature)


def _softmax(x: Array, axis: int, sign: int = 1) -> Array:
    """Softmax of ``sign · x`` in an array of its own."""
    if not x.size:
        return x.copy()
    peak = (x.max if sign > 0 else x.min)(axis=axis, keepdims=True)
    y: Array = x - peak if sign > 0 else peak - x
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y


def _beyond(data: Array, length: Array, axis: int) -> Array:
    """Where the position along ``axis`` is not below the row's length."""
    axis %= data.ndim
    shape = [1] * data.ndim
    shape[axis] = -1
    return np.arange(data.shape[axis]).reshape(shape) >= np.expand_dims(length, axis)


@quiet
def softmax(
    data: Array,
    length: Array | None = None,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
) -> Array:
    """Exponentials normalised along ``axis``; positions beyond ``length`` are left out."""
    x = _scaled(data, temperature, dtype)
    if length is None:
        y = _softmax(x, axis)
    else:
        beyond = _beyond(x, length, axis)
        y = _softmax(np.where(beyond, -np.inf, x), axis)
        np.copyto(y, 0, where=beyond)
    return narrow(y, np.dtype(dtype or data.dtype))


@quiet
def softmin(
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
) -> Array:
    """Softmax of ``-data``."""
    y = _softmax(_scaled(data, temperature, dtype), axis, -1)
    return narrow(y, np.dtype(dtype or data.dtype))


@quiet
def log_softmax(
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
) -> Array:
    """Logarithm of softmax, computed without it."""
    x = _scaled(data, temperature, dtype)
    if x.size:
        x = x - x.max(axis=axis, keepdims=True)
        x -= np.log(np.exp(x).sum(axis=axis, keepdims=True))
    return np.array(x, dtype or data.dtype, copy=x is data or None)


def _total(x: Array, axis: int) -> Array:
    return np.asarray(x.sum(axis=axis, keepdims=True))


def softmax_backward(
    dy: Array, output: Array, data: Array, *, axis: int, temperature: float | None
) -> Array:
    """``output (dy - total of dy output) / temperature`` in the dtype of ``data``."""
    g, y = wide(dy), wide(output)
    dx = g * y
    total = _total(dx, axis)
    np.subtract(g, total, out=dx)
    dx *= y
    if temperature not in (None, 1.0):
        dx /= dx.dtype.type(temperature)
    return narrow(dx, data.dtype)


def log_softmax_backward(
    dy: Array, output: Array, data: Array, *, axis: int, temperature: float | None
) -> Array:
    """``(dy - exp(output) total of dy) / temperature`` in the dtype of ``data``."""
    g = wide(dy)
    dx = np.exp(wide(output))
    dx *= _total(g, axis)
    np.subtract(g, dx, out=dx)
    if temperature not in (None, 1.0):
        dx /= dx.dtype.type(temperature)
    return narrow(dx, data.dtype)


@quiet
def softmax_activation(data: Array, *, mode: str) -> Array:
    """Softmax over the channels, or along the last axis."""
    return narrow(_softmax(wide(data), 1 if mode == "channel" else -1), data.dtype)


def axis_total(data: Array, *, axis: int) -> Array:
    """The sum along ``axis`` in the place of each element."""
    total = data.sum(axis=axis, keepdims=True, dtype=accumulator(data.dtype))
    return np.array(np.broadcast_to(total, data.shape), data.dtype, order="C")
