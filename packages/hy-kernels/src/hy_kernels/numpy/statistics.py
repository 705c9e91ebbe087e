"""Moments, running sums, and what whole arrays add up to."""

import numpy as np

from hy_kernels.numpy._array import Array, accumulator, quiet
from hy_kernels.numpy.reduce import Axis, mean, sum

__all__ = [
    "all_finite",
    "allclose",
    "cumsum",
    "cumsum_backward",
    "moments",
    "multi_all_finite",
    "multi_sum_sq",
    "square_sum",
]


@quiet
def moments(data: Array, *, axes: Axis, keepdims: bool) -> tuple[Array, Array]:
    """Mean and variance."""
    wide = accumulator(data.dtype) if data.dtype.kind in "fV" else np.dtype(np.float64)
    values = data.astype(wide, copy=False)
    centre = mean(values, axis=axes or None, keepdims=True, exclude=False)
    deviations = np.subtract(values, centre)
    np.square(deviations, out=deviations)
    variance = mean(deviations, axis=axes, keepdims=keepdims, exclude=False)
    return centre.reshape(variance.shape).astype(data.dtype), variance.astype(data.dtype)


@quiet
def cumsum(a: Array, *, axis: int | None, dtype: str | None) -> Array:
    """Running sum."""
    kept = np.dtype(np.int64) if a.dtype == bool else a.dtype
    y = np.dtype(dtype) if dtype is not None else kept
    total: Array = np.cumsum(a, axis=axis, dtype=accumulator(y))
    return total.astype(y, copy=False)


@quiet
def cumsum_backward(dy: Array, a: Array, *, axis: int | None, dtype: str | None) -> Array:
    """Running sum from the end."""
    along = -1 if axis is None else axis
    total = np.cumsum(np.flip(dy, along), axis=along, dtype=accumulator(dy.dtype))
    return np.ascontiguousarray(np.flip(total, along), a.dtype).reshape(a.shape)


@quiet
def square_sum(data: Array, *, axis: Axis, keepdims: bool, exclude: bool) -> Array:
    """Sum of squares."""
    squares = np.square(data, dtype=accumulator(data.dtype))
    y = sum(squares, axis=axis, keepdims=keepdims, exclude=exclude)
    return y.astype(data.dtype, copy=False)


@quiet
def multi_sum_sq(*data: Array, num_arrays: int) -> Array:
    """Sum of squares of each array."""
    if len(data) != num_arrays or any(x.dtype != data[0].dtype for x in data):
        raise ValueError(f"{num_arrays} arrays")
    flat = [x.astype(np.float32, copy=False).ravel() for x in data]
    return np.array([np.dot(x, x) for x in flat], np.float32)


def all_finite(data: Array, *, init_output: bool) -> Array:
    """1 if every element is finite."""
    return np.array([np.isfinite(data).all()], np.float32)


def multi_all_finite(*data: Array, num_arrays: int, init_output: bool) -> Array:
    """1 if every element of every array is finite."""
    if len(data) != num_arrays:
        raise ValueError(f"{num_arrays} arrays")
    return np.array([all(np.isfinite(x).all() for x in data)], np.float32)


@quiet
def allclose(a: Array, b: Array, *, rtol: float, atol: float, equal_nan: bool) -> Array:
    """1 if the arrays are close."""
    if a.shape != b.shape:
        raise ValueError("shapes differ")
    return np.array(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan), np.uint8)
