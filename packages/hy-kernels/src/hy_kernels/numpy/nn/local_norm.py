"""Normalisation without statistics: vectors to length one, and channels by their neighbours."""

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = [
    "channel_window",
    "l2_normalization",
    "l2_normalization_backward",
    "l2_total",
    "lrn",
    "lrn_backward",
]


def _total(x: Array, mode: str) -> Array:
    """Sums over the elements that are one vector."""
    if mode == "channel":
        axes: tuple[int, ...] = (1,)
    else:
        axes = tuple(range(2 if mode == "spatial" else 1, x.ndim))
    return np.asarray(x.sum(axis=axes, keepdims=True))


def _length(x: Array, mode: str, eps: float) -> Array:
    square = _total(x * x, mode)
    square += x.dtype.type(eps)
    return np.sqrt(square, out=square)


@quiet
def l2_normalization(data: Array, *, eps: float, mode: str) -> Array:
    """Each vector over its length."""
    x = wide(data)
    return narrow(x / _length(x, mode, eps), data.dtype)


@quiet
def l2_normalization_backward(dy: Array, data: Array, *, eps: float, mode: str) -> Array:
    """``dy`` less its part along the vector, over the length."""
    x, g = wide(data), wide(dy)
    length = _length(x, mode, eps)
    y = x / length
    y *= _total(g * y, mode)
    np.subtract(g, y, out=y)
    y /= length
    return narrow(y, data.dtype)


def l2_total(data: Array, *, mode: str) -> Array:
    """The sum over each vector in the place of each of its elements."""
    total = _total(wide(data), mode)
    return np.array(np.broadcast_to(total, data.shape), data.dtype, order="C")


def _window(x: Array, size: int) -> Array:
    """Sums over ``size`` channels around each."""
    half = size // 2
    channels = x.shape[1]
    total = x.copy()
    for offset in range(1, min(half, channels - 1) + 1):
        total[:, offset:] += x[:, :-offset]
        total[:, :-offset] += x[:, offset:]
    return total


def channel_window(data: Array, *, nsize: int) -> Array:
    """Sums over ``nsize`` channels around each."""
    return narrow(_window(wide(data), nsize), data.dtype)


def _strength(x: Array, alpha: float, knorm: float, nsize: int) -> Array:
    s = _window(x * x, nsize)
    s *= x.dtype.type(alpha / nsize)
    s += x.dtype.type(knorm)
    return s


@quiet
def lrn(data: Array, *, alpha: float, beta: float, knorm: float, nsize: int) -> Array:
    """``data`` over a power of the strength of the channels around each element."""
    x = wide(data)
    s = _strength(x, alpha, knorm, nsize)
    np.power(s, x.dtype.type(-beta), out=s)
    s *= x
    return narrow(s, data.dtype)


@quiet
def lrn_backward(
    dy: Array, data: Array, *, alpha: float, beta: float, knorm: float, nsize: int
) -> Array:
    """The gradient of ``lrn`` to the data."""
    x, g = wide(data), wide(dy)
    s = _strength(x, alpha, knorm, nsize)
    power = np.power(s, x.dtype.type(-beta))
    dx = g * power
    power /= s
    power *= g
    power *= x
    through = _window(power, nsize)
    through *= x
    through *= x.dtype.type(-2 * alpha * beta / nsize)
    dx += through
    return narrow(dx, data.dtype)
