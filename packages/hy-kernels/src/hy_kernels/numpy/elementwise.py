"""Absolute value, sign, roots, small powers and their kin, element by element."""

import math

import numpy as np

from hy_kernels.numpy._array import Array, Out, elementwise, in_float32, pointwise, quiet

__all__ = [
    "abs",
    "cbrt",
    "clip",
    "div_sqrt_dim",
    "negative",
    "quadratic",
    "rcbrt",
    "reciprocal",
    "rsqrt",
    "sign",
    "smooth_l1",
    "sqrt",
    "square",
]


abs = np.abs
negative = np.negative
square = np.square


def sign(data: Array) -> Array:
    """-1, 0 or 1; 0 for nan."""
    return np.subtract(data > 0, data < 0, dtype=np.int8).astype(data.dtype)


@elementwise
def clip(data: Array, *, a_min: float, a_max: float, out: Out = None) -> Array:
    """``data`` with everything outside of ``[a_min, a_max]`` moved to the nearest end."""
    if out is not None:
        return np.clip(data, a_min, a_max, out=out[0])
    return np.clip(data, a_min, a_max).astype(data.dtype, copy=False)


@elementwise
@quiet
def sqrt(data: Array, *, out: Out = None) -> Array:
    """Square root."""
    return pointwise(np.sqrt, data, out)


@quiet
def rsqrt(data: Array) -> Array:
    """``1 / sqrt(data)``."""
    return in_float32(lambda x: np.reciprocal(np.sqrt(x)), data)


@elementwise
@quiet
def cbrt(data: Array, *, out: Out = None) -> Array:
    """Cube root."""
    return pointwise(np.cbrt, data, out)


@quiet
def rcbrt(data: Array) -> Array:
    """``1 / cbrt(data)``."""
    return in_float32(lambda x: np.reciprocal(np.cbrt(x)), data)


@elementwise
@quiet
def reciprocal(data: Array, *, out: Out = None) -> Array:
    """``1 / data``."""
    return pointwise(np.reciprocal, data, out)


def smooth_l1(data: Array, *, scalar: float) -> Array:
    """A parabola around 0, straight lines outside."""
    scale = scalar * scalar

    def value(x: Array) -> Array:
        size = np.abs(x)
        return np.where(size < 1 / scale, size * size * (0.5 * scale), size - 0.5 / scale)

    return in_float32(value, data)


def quadratic(data: Array, *, a: float, b: float, c: float) -> Array:
    """``a * data² + b * data + c``."""
    return in_float32(lambda x: (a * x + b) * x + c, data)


def div_sqrt_dim(data: Array) -> Array:
    """``data`` divided by the square root of the size of its last axis."""
    return in_float32(lambda x: x * (1 / math.sqrt(x.shape[-1])), data)
