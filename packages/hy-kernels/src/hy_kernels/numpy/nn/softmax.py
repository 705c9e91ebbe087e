"""Softmax and its variants."""

import numpy as np

from hy_kernels.numpy._array import Array, Places, accumulator, expanded, place, quiet, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.linalg._einsum import einsum
from hy_kernels.numpy.nn._rows import by_rows, exponentials, row_sum
from hy_kernels.numpy.nn._window import narrow, wide
from hy_kernels.numpy.nn._workspace import workspace

__all__ = [
    "axis_total",
    "log_softmax",
    "log_softmax_backward",
    "softmax",
    "softmax_activation",
    "softmax_backward",
    "softmin",
]

LARGEST_SUM = 1e7  # less a larger one's logarithm, a result would lose digits


def _scaled(data: Array, temperature: float | None, dtype: str | None) -> Array:
    """``data / temperature`` in the dtype to compute in; may be ``data`` itself."""
    x = data
    if dtype is not None and np.dtype(dtype).itemsize > data.dtype.itemsize:
        x = data.astype(dtype)
    x = wide(x)
    return x if temperature in (None, 1.0) else x / x.dtype.type(temperature)


def softmax_of(x: Array, axis: int, sign: int = 1, out: Places = None) -> Array:
    """Softmax of ``sign · x`` in an array of its own."""
    if not x.size:
        return x.copy()
    y = target(out, x.shape, x.dtype)
    if axis in (-1, x.ndim - 1):
        rows, result = _rows(x), _rows(y)
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
    y *= np.reciprocal(sums)[:, None]


def log_softmax_of(x: Array, axis: int = -1, out: Places = None) -> Array:
    """Logarithm of softmax in an array of its own."""
    if not x.size:
        return x.copy()
    y = target(out, x.shape, x.dtype)
    if axis not in (-1, x.ndim - 1):
        np.subtract(x, x.max(axis=axis, keepdims=True), out=y)
        y -= np.log(np.exp(y).sum(axis=axis, keepdims=True))
        return y
    rows, result = _rows(x), _rows(y)

    def work(block: slice) -> None:
        operands, part = rows[block], result[block]
        scratch = workspace("exponentials", part.shape, part.dtype)
        peak, sums = exponentials(operands, scratch, LARGEST_SUM)
        less = operands if peak is None else np.subtract(operands, peak, out=part)
        np.subtract(less, np.log(sums)[:, None], out=part)

    by_rows(rows, work)
    return y


def _beyond(data: Array, length: Array, axis: int) -> Array:
    """Return where the position along ``axis`` is not below the row's length."""
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
    out: Places = None,
) -> Array:
    """Exponentials normalised along ``axis``; positions beyond ``length`` are left out."""
    x = _scaled(data, temperature, dtype)
    if length is None:
        y = softmax_of(x, axis, out=out)
    else:
        beyond = _beyond(x, length, axis)
        y = softmax_of(np.where(beyond, -np.inf, x), axis, out=out)
        np.copyto(y, 0, where=beyond)
    return narrow(y, np.dtype(dtype or data.dtype))


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def softmin(
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: Places = None,
) -> Array:
    """Softmax of ``-data``."""
    y = softmax_of(_scaled(data, temperature, dtype), axis, -1, out)
    return narrow(y, np.dtype(dtype or data.dtype))


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def log_softmax(
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
    out: Places = None,
) -> Array:
    """Logarithm of softmax, computed without it."""
    x = _scaled(data, temperature, dtype)
    y = log_softmax_of(x, axis, out)
    return narrow(y, np.dtype(dtype or data.dtype))


def _is_last(axis: int, *arrays: Array) -> bool:
    """Whether ``axis`` is the last one of arrays of one dtype that are not empty."""
    first = arrays[0]
    same = all(a.dtype == first.dtype for a in arrays)
    return same and first.size > 0 and axis in (-1, first.ndim - 1)


def _rows(x: Array) -> Array:
    return np.ascontiguousarray(x).reshape(-1, x.shape[-1])


@kernel(out="apart", threads=COSTS.threads.rows)
def softmax_backward(
    dy: Array,
    output: Array,
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    out: Places = None,
) -> Array:
    """``output (dy - total of dy output) / temperature`` in the dtype of ``data``."""
    g, y = wide(dy), wide(output)
    scale = y.dtype.type(1 / (temperature or 1))
    if _is_last(axis, g, y):
        dx = target(out, g.shape, g.dtype)
        rows, gradients, outputs = _rows(dx), _rows(g), _rows(y)

        def work(block: slice) -> None:
            own, of = rows[block], outputs[block]
            total = einsum("rd,rd->r", gradients[block], of)
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
    return narrow(dx, data.dtype)


@kernel(out="apart", threads=COSTS.threads.rows)
def log_softmax_backward(
    dy: Array,
    output: Array,
    data: Array,
    *,
    axis: int,
    temperature: float | None,
    out: Places = None,
) -> Array:
    """``(dy - exp(output) total of dy) / temperature`` in the dtype of ``data``."""
    g, y = wide(dy), wide(output)
    scale = y.dtype.type(1 / (temperature or 1))
    if _is_last(axis, g, y):
        dx = target(out, g.shape, g.dtype)
        rows, gradients, outputs = _rows(dx), _rows(g), _rows(y)

        def work(block: slice) -> None:
            own = rows[block]
            np.exp(outputs[block], out=own)
            np.multiply(own, row_sum(gradients[block])[:, None], out=own)
            np.subtract(gradients[block], own, out=own)
            if scale != 1:
                np.multiply(own, scale, out=own)

        by_rows(rows, work)
    else:
        dx = np.exp(y, out=place(out))
        dx *= g.sum(axis=axis, keepdims=True)
        np.subtract(g, dx, out=dx)
        dx *= scale
    return narrow(dx, data.dtype)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def softmax_activation(data: Array, *, mode: str, out: Places = None) -> Array:
    """Softmax over the channels, or along the last axis."""
    return narrow(softmax_of(wide(data), 1 if mode == "channel" else -1, out=out), data.dtype)


@kernel(out="apart")
def axis_total(data: Array, *, axis: int, out: Places = None) -> Array:
    """The sum along ``axis`` in the place of each element."""
    total = data.sum(axis=axis, keepdims=True, dtype=accumulator(data.dtype))
    return expanded(total, data.shape, out, dtype=data.dtype)
