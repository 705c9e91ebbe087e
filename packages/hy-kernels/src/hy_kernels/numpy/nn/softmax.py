"""Softmax and its variants."""

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    out_buffer,
    quiet,
    target,
)
from hy_kernels.numpy._folds import row_sum
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._rows import by_rows, exponentials
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.runtime._product import vecdot

# Log-softmax without peaks subtracts the logarithm of the sum of exponentials, which this limits to
# 16: with a larger logarithm the difference would lose digits.
LARGEST_SUM = 1e7


def _scaled(data: Array, temperature: float | None, dtype: str | None) -> Array:
    """Return ``data / temperature`` in the dtype to compute in; it may be ``data`` itself."""
    x = data
    if dtype is not None and np.dtype(dtype).itemsize > data.dtype.itemsize:
        x = data.astype(dtype)
    x = to_compute_dtype(x)
    return x if temperature in (None, 1.0) else x / x.dtype.type(temperature)


def softmax_of(x: Array, axis: int, sign: int = 1, out: OutBuffers = None) -> Array:
    """Return ``softmax(sign * x)``, for a sign of 1 or -1."""
    if not x.size:
        return x.copy()
    y = target(out, x.shape, x.dtype)
    if _is_last_axis(axis, x):
        rows, result = _as_matrix(x), _as_matrix(y)
        by_rows(rows, lambda block: _softmax_rows(rows[block], result[block], sign))
        return y
    peak = (x.max if sign > 0 else x.min)(axis=axis, keepdims=True)
    if sign > 0:
        np.subtract(x, peak, out=y)
    else:
        np.subtract(peak, x, out=y)
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y


def _softmax_rows(x: Array, y: Array, sign: int) -> None:
    if sign < 0:
        x = -x
    _, sums = exponentials(x, y)
    # One division per row: multiplying is faster than dividing each element.
    y *= np.reciprocal(sums)[:, None]


def log_softmax_of(x: Array, axis: int = -1, out: OutBuffers = None) -> Array:
    """Return ``log(softmax(x))`` along ``axis``, without underflow."""
    if not x.size:
        return x.copy()
    y = target(out, x.shape, x.dtype)
    if not _is_last_axis(axis, x):
        np.subtract(x, x.max(axis=axis, keepdims=True), out=y)
        y -= np.log(np.exp(y).sum(axis=axis, keepdims=True))
        return y
    rows, result = _as_matrix(x), _as_matrix(y)

    def work(block: slice) -> None:
        operands, part = rows[block], result[block]
        scratch = workspace("exponentials", part.shape, part.dtype)
        peak, sums = exponentials(operands, scratch, LARGEST_SUM)
        less = operands if peak is None else np.subtract(operands, peak, out=part)
        np.subtract(less, np.log(sums)[:, None], out=part)

    by_rows(rows, work)
    return y


def _padding_mask(data: Array, length: Array, axis: int) -> Array:
    """Return a mask of the padding: positions along ``axis`` at or beyond ``length``."""
    axis %= data.ndim
    shape = [1] * data.ndim
    shape[axis] = -1
    return np.arange(data.shape[axis]).reshape(shape) >= np.expand_dims(length, axis)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def softmax(
    data: Array,
    length: Array | None = None,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the softmax along ``axis``; positions at or beyond ``length`` are zero."""
    x = _scaled(data, temperature, dtype)
    if length is None:
        y = softmax_of(x, axis, out=out)
    else:
        beyond = _padding_mask(x, length, axis)
        # exp(-inf) is 0. Rows of length 0, which would be nan, are set to zero below.
        y = softmax_of(np.where(beyond, -np.inf, x), axis, out=out)
        np.copyto(y, 0, where=beyond)
    return to_storage_dtype(y, np.dtype(dtype or data.dtype))


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def softmin(
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the softmax of ``-data``."""
    y = softmax_of(_scaled(data, temperature, dtype), axis, -1, out)
    return to_storage_dtype(y, np.dtype(dtype or data.dtype))


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def log_softmax(
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: OutBuffers = None,
) -> Array:
    """Return ``log(softmax(data / temperature))``, without underflow."""
    x = _scaled(data, temperature, dtype)
    y = log_softmax_of(x, axis, out)
    return to_storage_dtype(y, np.dtype(dtype or data.dtype))


def _is_last(axis: int, *arrays: Array) -> bool:
    """Return whether ``axis`` is the last axis and the arrays are non-empty and of one dtype."""
    first = arrays[0]
    same = all(a.dtype == first.dtype for a in arrays)
    return same and first.size > 0 and _is_last_axis(axis, first)


def _is_last_axis(axis: int, x: Array) -> bool:
    return axis in (-1, max(x.ndim - 1, 0))  # an array without axes is a row of one


def _as_matrix(x: Array) -> Array:
    # Also an array without axes becomes a row, by `ascontiguousarray`.
    contiguous = np.ascontiguousarray(x)
    return contiguous.reshape(-1, contiguous.shape[-1])


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def softmax_backward(
    dy: Array,
    output: Array,
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    out: OutBuffers = None,
) -> Array:
    """Return ``output (dy - sum(dy output)) / temperature`` in the dtype of ``data``."""
    g, y = to_compute_dtype(dy), to_compute_dtype(output)
    scale = y.dtype.type(1 / (temperature or 1))
    if _is_last(axis, g, y):
        dx = target(out, g.shape, g.dtype)
        rows, gradients, outputs = _as_matrix(dx), _as_matrix(g), _as_matrix(y)

        def work(block: slice) -> None:
            own, of = rows[block], outputs[block]
            total = vecdot(gradients[block], of)
            np.subtract(gradients[block], total[:, None], out=own)
            np.multiply(own, of, out=own)
            if scale != 1:
                np.multiply(own, scale, out=own)

        by_rows(rows, work)
    else:
        dx = target(out, g.shape, np.promote_types(g.dtype, y.dtype))
        np.multiply(g, y, out=dx)
        np.subtract(g, dx.sum(axis=axis, keepdims=True), out=dx)
        dx *= y
        dx *= scale
    return to_storage_dtype(dx, data.dtype)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def log_softmax_backward(
    dy: Array,
    output: Array,
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    out: OutBuffers = None,
) -> Array:
    """Return ``(dy - exp(output) sum(dy)) / temperature`` in the dtype of ``data``."""
    g, y = to_compute_dtype(dy), to_compute_dtype(output)
    scale = y.dtype.type(1 / (temperature or 1))
    if _is_last(axis, g, y):
        dx = target(out, g.shape, g.dtype)
        rows, gradients, outputs = _as_matrix(dx), _as_matrix(g), _as_matrix(y)

        def work(block: slice) -> None:
            own = rows[block]
            np.exp(outputs[block], out=own)
            np.multiply(own, row_sum(gradients[block])[:, None], out=own)
            np.subtract(gradients[block], own, out=own)
            if scale != 1:
                np.multiply(own, scale, out=own)

        by_rows(rows, work)
    else:
        dx = np.exp(y, out=out_buffer(out))
        dx *= g.sum(axis=axis, keepdims=True)
        np.subtract(g, dx, out=dx)
        dx *= scale
    return to_storage_dtype(dx, data.dtype)
