"""Cross entropy: log-softmax at one class per row, or its dot product with labels, in blocks."""

from functools import lru_cache
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, out_buffer, quiet, shaped, target
from hy_kernels.numpy._folds import row_sum
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import positions
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._rows import by_rows, exponentials
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.softmax import LARGEST_SUM


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def log_softmax_pick(
    data: Array, index: Array, *, keepdims: bool, mode: str, negative: bool, out: OutBuffers = None
) -> tuple[Array, Array]:
    """Return log-softmax at one class of each row, or its negative, and statistics ``[..., 2]``.

    The statistics of a row are its peak (0 or the maximum) and its sum of ``exp(data - peak)``.
    """
    classes = data.shape[-1]
    rows = np.ascontiguousarray(to_compute_dtype(data)).reshape(index.size, classes)
    # From two numbers per row the gradient can recompute the softmax.
    memory = out_buffer(shaped(out, (len(rows), 2), 1))
    statistics = np.empty((len(rows), 2), rows.dtype) if memory is None else memory
    peak, total = statistics[:, 0], statistics[:, 1]

    def work(block: slice) -> None:
        part = rows[block]
        scratch = workspace("exponentials", part.shape, part.dtype)
        result, total[block] = exponentials(part, scratch, LARGEST_SUM)
        peak[block] = 0 if result is None else result[:, 0]

    by_rows(rows, work)
    y = rows.reshape(-1).take(_flat_indices(index, rows.shape, mode))
    y -= peak
    operands = (np.log(total), y) if negative else (y, np.log(total))
    y = np.subtract(*operands, out=out_buffer(shaped(out, y.shape)))
    shape = data.shape[:-1]
    statistics = statistics.reshape(*shape, 2)
    return to_storage_dtype(
        y.reshape((*shape, 1) if keepdims else shape or 1), data.dtype
    ), statistics


def _flat_indices(index: Array, shape: tuple[int, int], mode: str) -> Array:
    """Return the flat index of the picked element of each row."""
    picked = positions(index, shape[1], mode).reshape(-1)
    picked += _known_starts(*shape) if shape[0] <= COSTS.memory.labels else _starts(*shape)
    return picked


def _starts(rows: int, columns: int) -> Array:
    """Return the flat index of the first element of each row."""
    starts = np.arange(rows) * columns
    starts.flags.writeable = False
    return starts


# Each training step has labels of the same shape.
_known_starts = lru_cache(maxsize=64)(_starts)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def log_softmax_pick_backward(
    dy: Array,
    data: Array,
    index: Array,
    statistics: Array,
    *,
    keepdims: bool,
    mode: str,
    negative: bool,
    out: OutBuffers = None,
) -> Array:
    """Return ``dy (onehot(index) - softmax(data))``, or its negative: the gradient to the data."""
    classes = data.shape[-1]
    rows = np.ascontiguousarray(to_compute_dtype(data)).reshape(index.size, classes)
    result = target(out, data.shape, rows.dtype)
    dx = result.reshape(rows.shape)
    peak, total = statistics.reshape(-1, 2, 1).transpose(1, 0, 2)
    each = to_compute_dtype(dy).reshape(-1, 1)
    factor = each / total
    if not negative:
        np.negative(factor, out=factor)

    def work(block: slice) -> None:
        own, part = dx[block], rows[block]
        # If the forward pass needed no peaks, they are 0, which saves a subtraction.
        if peak[block].any():
            part = np.subtract(part, peak[block], out=own)
        np.exp(part, out=own)
        own *= factor[block]

    by_rows(rows, work)
    indices = _flat_indices(index, rows.shape, mode)
    if negative:
        dx.reshape(-1)[indices] -= each[:, 0]
    else:
        dx.reshape(-1)[indices] += each[:, 0]
    return to_storage_dtype(result, data.dtype)


def _matrix(x: Array) -> Array:
    """Return ``x`` as a contiguous matrix, rows along its last axis, in a dtype to compute in."""
    return np.ascontiguousarray(to_compute_dtype(x)).reshape(prod(x.shape[:-1]), x.shape[-1])


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def log_softmax_dot(data: Array, label: Array, *, out: OutBuffers = None) -> tuple[Array, Array]:
    """Return the dot product of label and log-softmax of each row, and statistics ``[..., 3]``.

    The statistics of a row are its peak (0 or the maximum), its sum of ``exp(data - peak)``, and
    the sum of its label.
    """
    rows, labels = _matrix(data), _matrix(label)
    memory = out_buffer(shaped(out, (len(rows), 3), 1))
    statistics = np.empty((len(rows), 3), rows.dtype) if memory is None else memory
    y = target(shaped(out, (len(rows),)), (len(rows),), rows.dtype)
    peaks, totals, weights = statistics.T

    def work(block: slice) -> None:
        part, own = rows[block], labels[block]
        scratch = workspace("exponentials", part.shape, part.dtype)
        peak, total = exponentials(part, scratch, LARGEST_SUM)
        peaks[block] = 0 if peak is None else peak[:, 0]
        totals[block], weights[block] = total, row_sum(own)
        logarithm = np.log(total)[:, None]
        if peak is None:
            np.subtract(part, logarithm, out=scratch)
        else:
            np.subtract(part, peak, out=scratch)
            scratch -= logarithm
        scratch *= own
        y[block] = row_sum(scratch)

    if rows.size:
        by_rows(rows, work)
    else:
        y[...], statistics[...] = 0, 0
    shape = data.shape[:-1]
    return to_storage_dtype(y.reshape(*shape, 1), data.dtype), statistics.reshape(*shape, 3)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def log_softmax_dot_backward(
    dy: Array, data: Array, label: Array, statistics: Array, *, out: OutBuffers = None
) -> Array:
    """Return ``dy (label - softmax(data) · sum(label))``, the gradient to the data."""
    rows, labels = _matrix(data), _matrix(label)
    result = target(out, data.shape, rows.dtype)
    dx = result.reshape(rows.shape)
    peak, total, weight = statistics.reshape(-1, 3, 1).transpose(1, 0, 2)
    each, share = to_compute_dtype(dy).reshape(-1, 1), -weight / total

    def work(block: slice) -> None:
        own = np.subtract(rows[block], peak[block], out=dx[block])
        np.exp(own, out=own)
        own *= share[block]
        own += labels[block]
        own *= each[block]

    if rows.size:
        by_rows(rows, work)
    return to_storage_dtype(result, data.dtype)
