"""MXNet's output layers, whose gradient is that of a loss, and softmax cross entropy."""

from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    copied,
    flattened,
    out_buffer,
    quiet,
    shaped,
    target,
)
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import integers
from hy_kernels.numpy.nn._rows import by_rows, exponentials
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.softmax import LARGEST_SUM, softmax_of


@kernel(out="apart")
def regression_backward(
    output: Array, label: Array, *, grad_scale: float, sign: bool, out: OutBuffers = None
) -> Array:
    """Return the gradient of a regression output: ``output - label`` or, for L1, its sign.

    It is multiplied by ``grad_scale`` and divided by the number of outputs per sample.
    """
    error = np.subtract(
        to_compute_dtype(output), to_compute_dtype(label).reshape(output.shape), out=out_buffer(out)
    )
    if sign:
        np.sign(error, out=error)
    error *= error.dtype.type(grad_scale * len(output) / max(output.size, 1))
    return to_storage_dtype(error, output.dtype)


def _classes_on_axis_1(data: Array, multi_output: bool, preserve_shape: bool) -> Array:
    """Return a view of ``data`` with the classes along axis 1.

    The shape is ``[N, C, P]`` for ``multi_output``, ``[R, C]`` with classes along the last axis for
    ``preserve_shape``, else ``[N, C]``.
    """
    if multi_output:
        return flattened(data, 2)
    return flattened(data, 0, data.ndim - 1) if preserve_shape else flattened(data, 1)


@kernel(out="apart")
@quiet
def softmax_output(
    data: Array,
    label: Array,
    *,
    multi_output: bool,
    preserve_shape: bool,
    out: OutBuffers = None,
    **_: Any,  # of the loss, whose gradient alone they change
) -> Array:
    """Return the softmax over the classes of each sample, or position if ``multi_output``."""
    rows = _classes_on_axis_1(to_compute_dtype(data), multi_output, preserve_shape)
    y = softmax_of(rows, 1, out=shaped(out, rows.shape))
    return to_storage_dtype(y.reshape(data.shape), data.dtype)


def _flat_indices(label: Array, shape: tuple[int, ...]) -> Array:
    """Return flat indices into an array ``[N, C, *rest]`` of the classes in ``label [N, *rest]``.

    Labels are truncated to integers; those that are not a class are skipped.
    """
    count, classes, rest = shape[0], shape[1], prod(shape[2:])
    index = integers(label).reshape(count, rest)
    inside = (index >= 0) & (index < classes)
    index += np.arange(count)[:, None] * classes
    index *= rest
    index += np.arange(rest)
    return index[inside]


@kernel(out="apart")
def softmax_output_backward(
    output: Array,
    label: Array,
    *,
    grad_scale: float,
    ignore_label: float,
    multi_output: bool,
    use_ignore: bool,
    preserve_shape: bool,
    normalization: str,
    smooth_alpha: float,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of cross entropy to the logits: ``softmax - label``, scaled.

    As in MXNet, the gradient of the result is ignored.
    """
    dtype = output.dtype
    if label.shape == output.shape:
        # Labels are probabilities: MXNet scales their gradient only by grad_scale.
        error = np.subtract(to_compute_dtype(output), to_compute_dtype(label), out=out_buffer(out))
        error *= error.dtype.type(grad_scale)
        return to_storage_dtype(error, dtype)
    rows = _classes_on_axis_1(to_compute_dtype(output), multi_output, preserve_shape)
    each = (len(rows), *rows.shape[2:])
    # Without preserve_shape MXNet reads one label per sample, whatever their number.
    classes = to_compute_dtype(label).reshape(-1)[: prod(each)].reshape(each)
    indices = _flat_indices(classes, rows.shape)
    if smooth_alpha and not multi_output:
        off = smooth_alpha / max(rows.shape[1] - 1, 1)
        error = target(shaped(out, rows.shape), rows.shape, rows.dtype)
        np.subtract(rows, rows.dtype.type(off), out=error)
        error.reshape(-1)[indices] += rows.dtype.type(off - 1 + smooth_alpha)
    else:
        error = copied(rows, shaped(out, rows.shape))
        error.reshape(-1)[indices] -= 1
    if use_ignore:
        error *= np.expand_dims(classes != ignore_label, 1)
    divisor = rows.shape[2] if multi_output else 1
    if normalization == "batch":
        divisor = label.size
    elif normalization == "valid":
        divisor = np.count_nonzero(to_compute_dtype(label) != ignore_label)
    error *= error.dtype.type(grad_scale / max(divisor, 1))
    return to_storage_dtype(error.reshape(output.shape), dtype)


@kernel(out="apart")
@quiet
def softmax_cross_entropy(data: Array, label: Array, *, out: OutBuffers = None) -> Array:
    """Return ``[1]``, the sum of ``-log_softmax(data)`` at the labels."""
    x = to_compute_dtype(data)
    y = target(out, (1,), x.dtype)
    if not x.size:
        y[...] = 0
        return to_storage_dtype(y, data.dtype)
    rows = np.ascontiguousarray(x)
    logarithms = np.empty(len(rows), rows.dtype)

    def work(block: slice) -> None:
        part = rows[block]
        scratch = workspace("exponentials", part.shape, part.dtype)
        peak, sums = exponentials(part, scratch, LARGEST_SUM)
        np.log(sums, out=logarithms[block])
        if peak is not None:
            logarithms[block] += peak[:, 0]

    by_rows(rows, work)
    indices = _flat_indices(label, rows.shape)
    own = rows.reshape(-1).take(indices)
    own -= logarithms.take(indices // rows.shape[1])
    np.negative(own.sum(), out=y)
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
@quiet
def softmax_cross_entropy_backward(
    dy: Array, data: Array, label: Array, *, out: OutBuffers = None
) -> Array:
    """Return ``dy (softmax(data) - one_hot(label))``, the gradient to the data."""
    error = softmax_of(to_compute_dtype(data), 1, out=out)
    error.reshape(-1)[_flat_indices(label, data.shape)] -= 1
    error *= to_compute_dtype(dy)
    return to_storage_dtype(error, data.dtype)
