"""Moments, cumulative sums, sums of squares, and checks of whole arrays."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    accumulator,
    copied,
    out_buffer,
    quiet,
    target,
)
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.reduce.reductions import Axis, mean


@kernel(out="apart")
@quiet
def moments(
    data: Array, *, axes: Axis, keepdims: bool, out: OutBuffers = None
) -> tuple[Array, Array]:
    """Return the mean and the (biased) variance over axes."""
    compute_dtype = accumulator(data.dtype) if data.dtype.kind in "fV" else np.dtype(np.float64)
    values = data.astype(compute_dtype, copy=False)
    centre = mean(values, axis=axes or None, keepdims=True, exclude=False)
    # Two passes, because mean(x²) - mean(x)² suffers from cancellation if the mean is large.
    deviations = np.asarray(np.subtract(values, centre))
    np.square(deviations, out=deviations)
    variance = mean(deviations, axis=axes, keepdims=keepdims, exclude=False, out=out and out[1:])
    centre = copied(centre.reshape(variance.shape), out, dtype=data.dtype)
    return centre, variance.astype(data.dtype, copy=False)


def _rounding_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype that cumulative sums are accumulated in; for float16 itself, as in MXNet."""
    return dtype if dtype == np.float16 else accumulator(dtype)


@kernel(out="apart")
@quiet
def cumsum(a: Array, *, axis: int | None, dtype: str | None, out: OutBuffers = None) -> Array:
    """Return the cumulative sum along ``axis``, or of the flattened array."""
    keep = np.dtype(np.int64) if a.dtype == bool else a.dtype
    y = np.dtype(dtype) if dtype is not None else keep
    total: Array = np.cumsum(a, axis=axis, dtype=_rounding_dtype(y), out=out_buffer(out))
    return total.astype(y, copy=False)


@kernel(out="apart")
@quiet
def cumsum_backward(
    dy: Array, a: Array, *, axis: int | None, dtype: str | None, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``cumsum``: the cumulative sum of ``dy`` from the end."""
    along = -1 if axis is None else axis
    compute_dtype = _rounding_dtype(a.dtype) if dy.dtype == np.float16 else accumulator(dy.dtype)
    dx = target(out, a.shape, compute_dtype)
    backwards = np.flip(dx.reshape(dy.shape), along)
    np.cumsum(np.flip(dy, along), axis=along, dtype=compute_dtype, out=backwards)
    return dx if compute_dtype == a.dtype else copied(dx, out, dtype=a.dtype)


@kernel(out="apart")
@quiet
def multi_sum_sq(*data: Array, num_arrays: int, out: OutBuffers = None) -> Array:
    """Return the sum of squares of each array, as a float32 vector."""
    if len(data) != num_arrays or any(x.dtype != data[0].dtype for x in data):
        raise ValueError(
            f"num_arrays is {num_arrays}, and needs as many arrays of one dtype; there are "
            f"{len(data)}"
        )
    y = target(out, (num_arrays,), np.float32)
    for k, x in enumerate(data):
        # A dot product, which takes no array of squares.
        flat = x.astype(np.float32, copy=False).ravel()
        y[k] = np.dot(flat, flat)
    return y


@kernel(out="apart")
def all_finite(data: Array, *, init_output: bool, out: OutBuffers = None) -> Array:
    """Return 1 if every element is finite, else 0."""
    y = target(out, (1,), np.float32)
    y[0] = np.isfinite(data).all()
    return y


@kernel(out="apart")
def multi_all_finite(
    *data: Array, num_arrays: int, init_output: bool, out: OutBuffers = None
) -> Array:
    """Return 1 if every element of every array is finite, else 0."""
    if len(data) != num_arrays:
        raise ValueError(f"num_arrays is {num_arrays}, but there are {len(data)} arrays")
    y = target(out, (1,), np.float32)
    y[0] = all(np.isfinite(x).all() for x in data)
    return y


@kernel()
@quiet
def allclose(a: Array, b: Array, *, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Return 1 if the arrays are close, else 0."""
    if a.shape != b.shape:
        raise ValueError(f"cannot compare {a.shape} with {b.shape}: the shapes differ")
    return np.array(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan), np.uint8)
