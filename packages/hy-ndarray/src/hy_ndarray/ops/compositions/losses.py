"""Compositions of losses, and of output layers with the gradient of a loss."""

from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    constant,
    expanded,
    filled,
    joined,
    part,
    reshape,
    size,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.compositions.activations import log_softmax_along, peak, softmax_along
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import activations, exponential, scalar, unary as elementwise
from hy_ndarray.ops.elementwise.rounding import floor, trunc
from hy_ndarray.ops.indexing.take import one_hot, pick
from hy_ndarray.ops.nn import cross_entropy, loss
from hy_ndarray.ops.np.scalar import np_not_equal_scalar
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition


@composition(
    loss.linear_regression_output,
    loss.mae_regression_output,
    loss.svm_output,
)
def _as_it_is(data: Tracer, label: Tracer, **_: Any) -> Any:
    return data


@composition(loss.make_loss_scaled)
def _make_loss_scaled(data: Tracer, **_: Any) -> Any:
    return data


@composition(loss.logistic_regression_output)
def _logistic(data: Tracer, label: Tracer, *, grad_scale: float) -> Any:
    return activations.sigmoid(data)


@composition(loss.regression_backward)
def _regression_backward(output: Tracer, label: Tracer, *, grad_scale: float, sign: bool) -> Any:
    y = wide(output)
    error = y - cast(reshape(wide(label), *output.shape), y.dtype)
    if sign:
        error = elementwise.sign(error)
    return cast(error * (grad_scale * output.shape[0] / max(size(output), 1)), output.dtype)


@composition(loss.make_loss_scaled_backward)
def _make_loss_backward(
    data: Tracer, *, grad_scale: float, valid_thresh: float, normalization: str
) -> Any:
    if normalization == "valid":
        valid = cast(total(cast(data > valid_thresh, "float64"), None), "float64")
        share = grad_scale / scalar.maximum_scalar(valid, scalar=1.0)
        return expanded(cast(share, data.dtype), data.shape)
    divisor = max(prod(data.shape[:-1]), 1) if normalization == "batch" else 1
    return filled(data.shape, grad_scale / divisor, data.dtype)


def _in_rows(x: Tracer, multi_output: bool, preserve_shape: bool) -> Tracer:
    """Return data as ``[examples, classes, rest]``, or ``[examples, classes]``."""
    shape = x.shape
    if multi_output:
        return reshape(x, *shape[:2], prod(shape[2:]))
    if preserve_shape:
        return reshape(x, prod(shape[:-1]), shape[-1])
    return reshape(x, shape[0], prod(shape[1:]))


@composition(loss.softmax_output)
def _softmax_output(
    data: Tracer, label: Tracer, *, multi_output: bool, preserve_shape: bool, **_: Any
) -> Any:
    rows = _in_rows(wide(data), multi_output, preserve_shape)
    return cast(reshape(softmax_along(rows, 1), *data.shape), data.dtype)


def _hits(label: Tracer, shape: tuple[int, ...], dtype: str) -> Any:
    """Return the one-hot encoding of labels, with the classes along axis 1."""
    hit = one_hot(trunc(label), depth=shape[1], dtype=dtype)
    order = [0, hit.ndim - 1, *range(1, hit.ndim - 1)]
    return transposed(hit, *order)


@composition(loss.softmax_output_backward)
def _softmax_output_backward(
    output: Tracer,
    label: Tracer,
    *,
    grad_scale: float,
    ignore_label: float,
    multi_output: bool,
    use_ignore: bool,
    preserve_shape: bool,
    normalization: str,
    smooth_alpha: float,
) -> Any:
    y = wide(output)
    if label.shape == output.shape:
        return cast((y - cast(wide(label), y.dtype)) * grad_scale, output.dtype)
    rows = _in_rows(y, multi_output, preserve_shape)
    index_shape = (rows.shape[0], *rows.shape[2:])
    labels = reshape(wide(label), size(label))
    classes = reshape(part(labels, 0, 0, prod(index_shape)), *index_shape)
    goal = _hits(classes, rows.shape, rows.dtype)
    if smooth_alpha and not multi_output:
        off = smooth_alpha / max(rows.shape[1] - 1, 1)
        goal = goal * (1 - smooth_alpha - off) + off
    error = rows - goal
    if use_ignore:
        known = cast(np_not_equal_scalar(classes, scalar=ignore_label), rows.dtype)
        error = error * reshape(known, index_shape[0], 1, *index_shape[1:])
    divisor = rows.shape[2] if multi_output else 1
    if normalization == "batch":
        divisor = size(label)
    if normalization == "valid":
        known = cast(np_not_equal_scalar(labels, scalar=ignore_label), rows.dtype)
        count = scalar.maximum_scalar(total(known, None), scalar=1.0)
        error = error * (grad_scale / count)
    else:
        error = error * (grad_scale / max(divisor, 1))
    return cast(reshape(error, *output.shape), output.dtype)


@composition(loss.softmax_cross_entropy)
def _softmax_cross_entropy(data: Tracer, label: Tracer) -> Any:
    x = wide(data)
    if not size(data):
        return filled((1,), 0.0, data.dtype)
    hit = np_not_equal_scalar(_hits(label, data.shape, x.dtype), scalar=0.0)
    picked = where(hit, log_softmax_along(x, 1), constant(x, 0.0))
    return cast(reshape(-total(picked, None), 1), data.dtype)


@composition(loss.softmax_cross_entropy_backward, differentiated=True)
def _softmax_cross_entropy_backward(dy: Tracer, data: Tracer, label: Tracer) -> Any:
    x = wide(data)
    error = softmax_along(x, 1) - _hits(label, data.shape, x.dtype)
    return cast(error * cast(wide(dy), x.dtype), data.dtype)


@composition(loss.svm_output_backward)
def _svm_backward(
    output: Tracer,
    label: Tracer,
    *,
    margin: float,
    regularization_coefficient: float,
    use_linear: bool,
) -> Any:
    x = wide(output)
    x = reshape(x, prod(x.shape[:-1]), x.shape[-1])
    away = 1.0 - _hits(reshape(wide(label), x.shape[0]), x.shape, x.dtype) * 2.0
    slack = activations.relu(x * away + margin)
    slope = (slack > 0.0) if use_linear else slack * 2.0
    return cast(reshape(slope * away * regularization_coefficient, *output.shape), output.dtype)


@composition(cross_entropy.log_softmax_pick)
def _log_softmax_pick(
    data: Tracer, index: Tracer, *, keepdims: bool, mode: str, negative: bool
) -> Any:
    x = wide(data)
    highest = peak(x, -1)
    sums = total(exponential.exp(x - highest), [-1], keepdims=True)
    y = x - highest - exponential.log(sums)
    y = pick(-y if negative else y, index, axis=-1, keepdims=keepdims, mode=mode)
    return [cast(y, data.dtype), joined([highest, sums], -1)]


@composition(cross_entropy.log_softmax_pick_backward)
def _log_softmax_pick_backward(
    dy: Tracer,
    data: Tracer,
    index: Tracer,
    statistics: Tracer,
    *,
    keepdims: bool,
    mode: str,
    negative: bool,
) -> Any:
    x = wide(data)
    each = reshape(cast(wide(dy), x.dtype), *data.shape[:-1], 1)
    highest, sums = part(statistics, -1, 0, 1), part(statistics, -1, 1, 2)
    share = exponential.exp(x - highest) / sums
    hit = one_hot(
        reshape(_wrapped(index, data.shape[-1], mode), *data.shape[:-1]),
        depth=data.shape[-1],
        dtype=x.dtype,
    )
    dx = (share - hit) * each
    return cast(dx if negative else -dx, data.dtype)


def _wrapped(index: Tracer, count: int, mode: str) -> Any:
    """Return indices wrapped or clipped into the range of an axis of size ``count``."""
    whole = trunc(cast(index, "float64"))
    if mode == "wrap":
        return whole - floor(whole / float(count)) * float(count)
    last = float(max(count - 1, 0))
    return elementwise.clip(whole, a_min=0.0, a_max=last)


@composition(cross_entropy.log_softmax_dot)
def _log_softmax_dot(data: Tracer, label: Tracer) -> Any:
    x = wide(data)
    weights = cast(wide(label), x.dtype)
    if not size(data):
        shape = data.shape[:-1]
        return [filled((*shape, 1), 0.0, data.dtype), filled((*shape, 3), 0.0, x.dtype)]
    highest = peak(x, -1)
    sums = total(exponential.exp(x - highest), [-1], keepdims=True)
    y = total((x - highest - exponential.log(sums)) * weights, [-1], keepdims=True)
    return [
        cast(y, data.dtype),
        joined([highest, sums, total(weights, [-1], keepdims=True)], -1),
    ]


@composition(cross_entropy.log_softmax_dot_backward)
def _log_softmax_dot_backward(dy: Tracer, data: Tracer, label: Tracer, statistics: Tracer) -> Any:
    x = wide(data)
    highest, sums, weights = (part(statistics, -1, i, i + 1) for i in range(3))
    share = exponential.exp(x - highest) / sums
    dx = (cast(wide(label), x.dtype) - share * weights) * cast(wide(dy), x.dtype)
    return cast(dx, data.dtype)
