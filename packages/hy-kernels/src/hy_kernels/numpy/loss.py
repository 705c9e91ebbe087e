"""Output layers that bring their own gradient, and cross entropy."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = [
    "linear_regression_output",
    "logistic_regression_output",
    "mae_regression_output",
    "make_loss_scaled",
    "make_loss_scaled_backward",
    "regression_backward",
    "softmax_cross_entropy",
    "softmax_cross_entropy_backward",
    "softmax_output",
    "softmax_output_backward",
    "svm_output",
    "svm_output_backward",
]


def linear_regression_output(data: Array, label: Array, *, grad_scale: float) -> Array:
    """A copy of the data."""
    return data.copy()


def mae_regression_output(data: Array, label: Array, *, grad_scale: float) -> Array:
    """A copy of the data."""
    return data.copy()


@quiet
def logistic_regression_output(data: Array, label: Array, *, grad_scale: float) -> Array:
    """``1 / (1 + exp(-data))``."""
    return narrow(np.reciprocal(np.exp(-wide(data)) + 1), data.dtype)


def regression_backward(output: Array, label: Array, *, grad_scale: float, sign: bool) -> Array:
    """Output less label, or only the sign of that, over the number of outputs per sample."""
    error = wide(output) - wide(label).reshape(output.shape)
    if sign:
        np.sign(error, out=error)
    error *= error.dtype.type(grad_scale * len(output) / max(output.size, 1))
    return narrow(error, output.dtype)


def _softmax(x: Array, axis: int) -> Array:
    if not x.size:
        return x.copy()
    y: Array = x - x.max(axis=axis, keepdims=True)
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y


def _rows(data: Array, multi_output: bool, preserve_shape: bool) -> Array:
    """The classes on axis 1: ``[N, C, P]``, ``[R, C]`` or ``[N, rest]``."""
    if multi_output:
        return data.reshape(*data.shape[:2], -1)
    return data.reshape(-1, data.shape[-1]) if preserve_shape else data.reshape(len(data), -1)


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
) -> Array:
    """Softmax of each sample."""
    rows = _rows(wide(data), multi_output, preserve_shape)
    return narrow(_softmax(rows, 1).reshape(data.shape), data.dtype)


def _one_hot(label: Array, shape: tuple[int, ...]) -> Array:
    """Where ``[N, C, ...]`` is the class of its label, a fraction being cut off."""
    classes = np.arange(shape[1]).reshape(-1, *(1,) * (len(shape) - 2))
    return np.asarray(np.expand_dims(np.trunc(label), 1) == classes)


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
) -> Array:
    """Softmax less the label as probabilities, scaled."""
    dtype = output.dtype
    if label.shape == output.shape:
        error = wide(output) - wide(label)
        return narrow(error * error.dtype.type(grad_scale), dtype)
    rows = _rows(wide(output), multi_output, preserve_shape)
    places = (len(rows), *rows.shape[2:])
    # Without preserve_shape MXNet reads one label per sample, whatever their number.
    target = wide(label).reshape(-1)[: np.prod(places, dtype=int)].reshape(places)
    hit = _one_hot(target, rows.shape)
    if smooth_alpha and not multi_output:
        off = smooth_alpha / max(rows.shape[1] - 1, 1)
        error = rows - np.where(hit, 1 - smooth_alpha, off).astype(rows.dtype)
    else:
        error = rows - hit
    kept = target != ignore_label
    if use_ignore:
        error *= np.expand_dims(kept, 1)
    scale = grad_scale / _divisor(kept, rows, multi_output, normalization)
    error *= error.dtype.type(scale)
    return narrow(error.reshape(output.shape), dtype)


def _divisor(kept: Array, rows: Array, multi_output: bool, normalization: str) -> float:
    if normalization == "valid":
        return max(int(kept.sum()), 1)
    spread = rows.shape[2] if multi_output else 1
    return max(spread * (len(rows) if normalization == "batch" else 1), 1)


@quiet
def softmax_cross_entropy(data: Array, label: Array) -> Array:
    """The sum of ``-log softmax(data)`` at the labels."""
    x = wide(data)
    if not x.size:
        return np.zeros(1, data.dtype)
    x = x - x.max(axis=1, keepdims=True)
    x -= np.log(np.exp(x).sum(axis=1, keepdims=True))
    picked = x.sum(where=_one_hot(label, x.shape))
    return narrow(np.negative(picked).reshape(1), data.dtype)


@quiet
def softmax_cross_entropy_backward(dy: Array, data: Array, label: Array) -> Array:
    """``dy (softmax(data) - one_hot(label))``."""
    error = _softmax(wide(data), 1)
    error -= _one_hot(label, data.shape)
    error *= wide(dy)
    return narrow(error, data.dtype)


def svm_output(
    data: Array,
    label: Array,
    *,
    margin: float,
    regularization_coefficient: float,
    use_linear: bool,
) -> Array:
    """A copy of the data."""
    return data.copy()


def svm_output_backward(
    output: Array,
    label: Array,
    *,
    margin: float,
    regularization_coefficient: float,
    use_linear: bool,
) -> Array:
    """Gradient of the hinge loss of each class against the others, or of its square."""
    x = wide(output)
    away = np.where(_one_hot(wide(label).reshape(len(x)), x.shape), -1, 1).astype(x.dtype)
    slack = x * away + x.dtype.type(margin)
    np.maximum(slack, 0, out=slack)
    slope = (slack > 0) * away if use_linear else slack * away * 2
    return narrow(slope * x.dtype.type(regularization_coefficient), output.dtype)


def make_loss_scaled(
    data: Array, *, grad_scale: float, valid_thresh: float, normalization: str
) -> Array:
    """A copy of the data."""
    return data.copy()


def make_loss_scaled_backward(
    data: Array, *, grad_scale: float, valid_thresh: float, normalization: str
) -> Array:
    """The same number for each element."""
    divisor: Any = 1
    if normalization == "batch":
        divisor = max(len(data), 1)
    elif normalization == "valid":
        divisor = max(int((data > valid_thresh).sum()), 1)
    return np.full(data.shape, grad_scale / divisor, data.dtype)
