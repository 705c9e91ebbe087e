"""Normalisation without statistics: vectors to length one, and channels by their neighbours."""

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, expanded, place, quiet
from hy_kernels.numpy._kernels import kernel
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


def _length(x: Array, mode: str, eps: float, out: Places) -> Array:
    """The lengths; the squares are put into the memory there is for the result."""
    square = _total(np.multiply(x, x, out=place(out)), mode)
    square += x.dtype.type(eps)
    return np.sqrt(square, out=square)


@kernel(out="apart")
@quiet
def l2_normalization(data: Array, *, eps: float, mode: str, out: Places = None) -> Array:
    """Each vector over its length."""
    x = wide(data)
    length = _length(x, mode, eps, out)
    return narrow(np.divide(x, length, out=place(out)), data.dtype)


@kernel(out="apart")
@quiet
def l2_normalization_backward(
    dy: Array, data: Array, *, eps: float, mode: str, out: Places = None
) -> Array:
    """``dy`` less its part along the vector, over the length."""
    x, g = wide(data), wide(dy)
    length = _length(x, mode, eps, out)
    y = np.divide(x, length, out=place(out))
    y *= _total(g * y, mode)
    np.subtract(g, y, out=y)
    y /= length
    return narrow(y, data.dtype)


@kernel(out="apart")
def l2_total(data: Array, *, mode: str, out: Places = None) -> Array:
    """The sum over each vector in the place of each of its elements."""
    total = _total(wide(data), mode)
    return expanded(total, data.shape, out, dtype=data.dtype)


def _window(x: Array, size: int, out: Places = None) -> Array:
    """Sums over ``size`` channels around each."""
    half = (size - 1) // 2  # of an even number one less, as in oneDNN
    channels = x.shape[1]
    total = copied(x, out)
    for offset in range(1, min(half, channels - 1) + 1):
        total[:, offset:] += x[:, :-offset]
        total[:, :-offset] += x[:, offset:]
    return total


@kernel(out="apart")
def channel_window(data: Array, *, nsize: int, out: Places = None) -> Array:
    """Sums over ``nsize`` channels around each."""
    return narrow(_window(wide(data), nsize, out), data.dtype)


def _strength(x: Array, alpha: float, knorm: float, nsize: int, out: Places = None) -> Array:
    s = _window(x * x, nsize, out)
    s *= x.dtype.type(alpha / nsize)
    s += x.dtype.type(knorm)
    return s


@kernel(out="apart")
@quiet
def lrn(
    data: Array, *, alpha: float, beta: float, knorm: float, nsize: int, out: Places = None
) -> Array:
    """``data`` over a power of the strength of the channels around each element."""
    x = wide(data)
    s = _strength(x, alpha, knorm, nsize, out)
    np.power(s, x.dtype.type(-beta), out=s)
    s *= x
    return narrow(s, data.dtype)


@kernel(out="apart")
@quiet
def lrn_backward(
    dy: Array,
    data: Array,
    *,
    alpha: float,
    beta: float,
    knorm: float,
    nsize: int,
    out: Places = None,
) -> Array:
    """The gradient of ``lrn`` to the data."""
    x, g = wide(data), wide(dy)
    s = _strength(x, alpha, knorm, nsize)
    power = np.power(s, x.dtype.type(-beta))
    dx = np.multiply(g, power, out=place(out))
    power /= s
    power *= g
    power *= x
    through = _window(power, nsize, (s,))
    through *= x
    through *= x.dtype.type(-2 * alpha * beta / nsize)
    dx += through
    return narrow(dx, data.dtype)
