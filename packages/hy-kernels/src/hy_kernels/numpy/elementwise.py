"""Operators on the elements of one array: copies, casts, absolute value, powers, squashing."""

import numpy as np

from hy_kernels.numpy._array import Array, in_float32, pointwise, quiet

__all__ = [
    "abs",
    "block_grad",
    "cast",
    "cast_like",
    "cbrt",
    "clip",
    "copy",
    "make_loss",
    "negative",
    "rcbrt",
    "reciprocal",
    "relu",
    "relu_backward",
    "rsqrt",
    "sigmoid",
    "sign",
    "softsign",
    "sqrt",
    "square",
]


def copy(data: Array) -> Array:
    """A copy."""
    return np.array(data, order="C")


block_grad = copy
make_loss = copy


@quiet
def cast(data: Array, *, dtype: str) -> Array:
    """``data`` in another dtype; floats lose what is behind the point on their way to integers."""
    return data.astype(dtype)


@quiet
def cast_like(data: Array, like: Array) -> Array:
    """``data`` in the dtype of ``like``."""
    return data.astype(like.dtype)


abs = np.abs
negative = np.negative
square = np.square


def sign(data: Array) -> Array:
    """-1, 0 or 1; 0 for nan."""
    return np.subtract(data > 0, data < 0, dtype=np.int8).astype(data.dtype)


def clip(data: Array, *, a_min: float, a_max: float) -> Array:
    """``data`` with everything outside of ``[a_min, a_max]`` moved to the nearest end."""
    return np.clip(data, a_min, a_max).astype(data.dtype, copy=False)


@quiet
def sqrt(data: Array) -> Array:
    """Square root."""
    return pointwise(np.sqrt, data)


@quiet
def rsqrt(data: Array) -> Array:
    """``1 / sqrt(data)``."""
    return in_float32(lambda x: np.reciprocal(np.sqrt(x)), data)


@quiet
def cbrt(data: Array) -> Array:
    """Cube root."""
    return pointwise(np.cbrt, data)


@quiet
def rcbrt(data: Array) -> Array:
    """``1 / cbrt(data)``."""
    return in_float32(lambda x: np.reciprocal(np.cbrt(x)), data)


@quiet
def reciprocal(data: Array) -> Array:
    """``1 / data``."""
    return pointwise(np.reciprocal, data)


def relu(data: Array) -> Array:
    """``max(data, 0)``."""
    return np.maximum(data, 0)


def relu_backward(dy: Array, y: Array) -> Array:
    """``dy`` where ``y`` is positive, 0 where it is 0, nan where it is nan."""
    slope = np.sign(y)
    slope *= dy
    return slope


def _sigmoid(data: Array) -> Array:
    y = np.negative(data)
    np.exp(y, out=y)
    y += 1
    return np.reciprocal(y, out=y)


@quiet
def sigmoid(data: Array) -> Array:
    """``1 / (1 + exp(-data))``."""
    return in_float32(_sigmoid, data)


def _softsign(data: Array) -> Array:
    y = np.abs(data)
    y += 1
    return np.true_divide(data, y, out=y)


def softsign(data: Array) -> Array:
    """``data / (1 + abs(data))``."""
    return in_float32(_softsign, data)
