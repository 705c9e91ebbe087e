"""Output layers with the gradient of a loss as their own, and cross entropy."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, flattened, out_buffer, quiet, shaped, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype

__all__ = [
    "regression_backward",
    "softmax_cross_entropy",
    "softmax_cross_entropy_backward",
    "softmax_output",
    "softmax_output_backward",
]


@kernel(out="apart")
def regression_backward(
    output: Array, label: Array, *, grad_scale: float, sign: bool, out: OutBuffers = None
) -> Array:
    """Return output less label, or its sign, scaled, over the number of outputs per sample."""
    error = np.subtract(
        to_compute_dtype(output), to_compute_dtype(label).reshape(output.shape), out=out_buffer(out)
    )
    if sign:
        np.sign(error, out=error)
    error *= error.dtype.type(grad_scale * len(output) / max(output.size, 1))
    return to_storage_dtype(error, output.dtype)


def _softmax(x: Array, axis: int, out: OutBuffers = None) -> Array:
    if not x.size:
        return x.copy()
    y: Array = np.subtract(x, x.max(axis=axis, keepdims=True), out=out_buffer(out))
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y


def _classes_on_axis_1(data: Array, multi_output: bool, preserve_shape: bool) -> Array:
    """Return data with the classes on axis 1: ``[N, C, P]``, ``[R, C]`` or ``[N, rest]``."""
    if multi_output:
        return flattened(data, 2)
    return flattened(data, 0, data.ndim - 1) if preserve_shape else flattened(data, 1)


@kernel(out="apart")
@quiet
def softmax_output(
    data: Array,
    label: Array,
    *,
    grad_scale: float,
    ignore_label: float,
    multi_output: bool,
    use_ignore: bool,
    preserve_shape: bool,
    normalization: str,
    out_grad: bool,
    smooth_alpha: float,
    out: OutBuffers = None,
) -> Array:
    """Return the softmax over the classes of each sample."""
    rows = _classes_on_axis_1(to_compute_dtype(data), multi_output, preserve_shape)
    y = _softmax(rows, 1, shaped(out, rows.shape))
    return to_storage_dtype(y.reshape(data.shape), data.dtype)


def _one_hot(label: Array, shape: tuple[int, ...]) -> Array:
    """Return a mask ``[N, C, ...]`` of the labels' classes; fractions of labels are cut off."""
    classes = np.arange(shape[1]).reshape(-1, *(1,) * (len(shape) - 2))
    return np.asarray(np.expand_dims(np.trunc(label), 1) == classes)


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
    """Return the gradient of cross entropy, ``softmax - label``, scaled; MXNet ignores ``dy``."""
    dtype = output.dtype
    if label.shape == output.shape:
        # Label probabilities: MXNet scales their gradient by grad_scale alone.
        error = np.subtract(to_compute_dtype(output), to_compute_dtype(label), out=out_buffer(out))
        error *= error.dtype.type(grad_scale)
        return to_storage_dtype(error, dtype)
    rows = _classes_on_axis_1(to_compute_dtype(output), multi_output, preserve_shape)
    places = (len(rows), *rows.shape[2:])
    # Without preserve_shape MXNet reads one label per sample, whatever their number.
    classes = to_compute_dtype(label).reshape(-1)[: np.prod(places, dtype=int)].reshape(places)
    hit = _one_hot(classes, rows.shape)
    memory = out_buffer(shaped(out, rows.shape))
    if smooth_alpha and not multi_output:
        off = smooth_alpha / max(rows.shape[1] - 1, 1)
        goal = np.where(hit, 1 - smooth_alpha, off).astype(rows.dtype)
        error = np.subtract(rows, goal, out=memory)
    else:
        error = np.subtract(rows, hit, out=memory)
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
    """Return the sum of ``-log softmax(data)`` at the labels, ``[1]``."""
    x = to_compute_dtype(data)
    y = target(out, (1,), x.dtype)
    if not x.size:
        y[...] = 0
        return to_storage_dtype(y, data.dtype)
    # Less the maximum, so that exp does not overflow; the softmax stays the same.
    x = x - x.max(axis=1, keepdims=True)
    x -= np.log(np.exp(x).sum(axis=1, keepdims=True))
    np.negative(x.sum(where=_one_hot(label, x.shape)), out=y)
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
@quiet
def softmax_cross_entropy_backward(
    dy: Array, data: Array, label: Array, *, out: OutBuffers = None
) -> Array:
    """Return ``dy (softmax(data) - one_hot(label))``."""
    error = _softmax(to_compute_dtype(data), 1, out)
    error -= _one_hot(label, data.shape)
    error *= to_compute_dtype(dy)
    return to_storage_dtype(error, data.dtype)
