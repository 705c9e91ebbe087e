"""Activations, softmax and its losses, normalization and attention."""

from collections.abc import Callable
from math import pi, prod, sqrt
from typing import Any

from hy_ndarray.ops import activations, elementwise, exponential, loss, scalar, special
from hy_ndarray.ops.compositions._terms import (
    cast,
    constant,
    expanded,
    filled,
    joined,
    narrowed,
    part,
    reshape,
    size,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.compositions.products import matmul, swapped
from hy_ndarray.ops.indexing import one_hot, pick
from hy_ndarray.ops.nn import (
    activation,
    attention,
    conv,
    cross_entropy,
    local_norm,
    norm,
    quantized,
    rms_norm,
    softmax,
)
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.np.reduce import np_max
from hy_ndarray.ops.np.scalar import np_not_equal_scalar
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.rounding import floor, trunc
from hy_ndarray.ops.trigonometry import tanh

__all__: list[str] = []

_ALPHA = 1.6732632423543772
_LAMBDA = 1.0507009873554805
"""Of selu (Klambauer et al. 2017, arXiv:1706.02515)."""


def _softrelu(x: Tracer) -> Any:
    return exponential.log1p(exponential.exp(-elementwise.abs(x))) + activations.relu(x)


_FORWARD: dict[str, Callable[[Tracer], Any]] = {
    "relu": activations.relu,
    "sigmoid": activations.sigmoid,
    "softrelu": _softrelu,
    "softsign": activations.softsign,
    "tanh": tanh,
}
_BACKWARD: dict[str, Callable[[Tracer, Tracer], Any]] = {
    "relu": lambda dy, y: dy * (y > 0.0),
    "sigmoid": lambda dy, y: (1.0 - y) * y * dy,
    "softrelu": lambda dy, y: -exponential.expm1(-y) * dy,
    "softsign": lambda dy, y: elementwise.square(1.0 - elementwise.abs(y)) * dy,
    "tanh": lambda dy, y: (1.0 - y * y) * dy,
}
"""Gradients by results."""


@composition(activation.activation)
def _activation(data: Tracer, *, act_type: str) -> Any:
    return narrowed(_FORWARD[act_type], data)


@composition(activation.activation_backward)
def _activation_backward(dy: Tracer, output: Tracer, *, act_type: str) -> Any:
    return narrowed(_BACKWARD[act_type], dy, output)


def _below(x: Tracer) -> Any:
    return scalar.minimum_scalar(x, scalar=0.0)


def _normal(x: Tracer) -> Any:
    """The share of a normal distribution below a number."""
    return special.erf(x * sqrt(0.5)) * 0.5 + 0.5


def _bell(x: Tracer) -> Any:
    """Its density."""
    return exponential.exp(x * x * -0.5) * (1 / sqrt(2 * pi))


def _ends(act_type: str, slope: float) -> tuple[float, float]:
    """Factors of an exponential unit below 0 and above."""
    return (_ALPHA * _LAMBDA, _LAMBDA) if act_type == "selu" else (slope, 1.0)


@composition(activation.leaky_relu_backward)
def _leaky_backward(dy: Tracer, data: Tracer, *, act_type: str, slope: float) -> Any:
    def value(g: Tracer, x: Tracer) -> Any:
        step = x > 0.0
        if act_type == "gelu":
            return (_normal(x) + _bell(x) * x) * g
        if act_type == "leaky":
            return (step * (1.0 - slope) + slope) * g
        low, high = _ends(act_type, slope)
        return (exponential.exp(_below(x)) * low * (1.0 - step) + step * high) * g

    return narrowed(value, dy, data)


@composition(activation.leaky_relu_curve)
def _leaky_curve(data: Tracer, *, act_type: str, slope: float) -> Any:
    def value(x: Tracer) -> Any:
        if act_type == "leaky":
            return x * 0.0
        if act_type == "gelu":
            return _bell(x) * (2.0 - x * x)
        low, _ = _ends(act_type, slope)
        return exponential.exp(_below(x)) * (x <= 0.0) * low

    return narrowed(value, data)


def _along(gamma: Tracer, data: Tracer) -> Tracer:
    """Slopes along the channels that they are of."""
    is_channels = gamma.ndim == 1 and data.ndim > 1
    return reshape(gamma, -1, *(1,) * (data.ndim - 2)) if is_channels else gamma


def _to_gamma(values: Tracer, gamma: Tracer) -> Tracer:
    """Values added up for each slope."""
    like = _along(gamma, values)
    extra = values.ndim - like.ndim
    axes = [i for i in range(values.ndim) if i < extra or like.shape[i - extra] == 1]
    return cast(reshape(total(values, axes), *gamma.shape), gamma.dtype)


@composition(activation.prelu_backward)
def _prelu_backward(dy: Tracer, data: Tracer, gamma: Tracer) -> Any:
    x, g = wide(data), wide(dy)
    step = x > 0.0
    dx = ((1.0 - step) * _along(wide(gamma), x) + step) * g
    return [cast(dx, dy.dtype), _to_gamma(g * _below(x), gamma)]


@composition(activation.prelu_backward_backward)
def _prelu_backward_backward(
    ddata: Tracer, dgamma: Tracer, dy: Tracer, data: Tracer, gamma: Tracer
) -> Any:
    u, x, g = wide(ddata), wide(data), wide(dy)
    a = _along(wide(dgamma), x)
    step = x > 0.0
    past = 1.0 - step
    to_dy = (past * _along(wide(gamma), x) + step) * u + _below(x) * a
    return [
        cast(to_dy, dy.dtype),
        cast(past * g * a, data.dtype),
        _to_gamma(past * u * g, gamma),
    ]


def _peak(x: Tracer, axis: int) -> Any:
    return np_max(x, axis=(axis,), keepdims=True)


def _softmax(x: Tracer, axis: int) -> Any:
    if not size(x):
        return x
    y = exponential.exp(x - _peak(x, axis))
    return y / total(y, [axis], keepdims=True)


def _log_softmax(x: Tracer, axis: int) -> Any:
    if not size(x):
        return x
    y = x - _peak(x, axis)
    return y - exponential.log(total(exponential.exp(y), [axis], keepdims=True))


def _scaled(data: Tracer, temperature: float | None, dtype: str | None) -> Tracer:
    """What softmax is of: in a wider dtype, and over the temperature, as a call says."""
    x = cast(data, dtype) if dtype in ("float32", "float64") and dtype > data.dtype else data
    x = wide(x)
    return x if temperature in (None, 1.0) else x / float(temperature)


@composition(softmax.softmax)
def _softmax_of(
    data: Tracer,
    length: Tracer | None = None,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
) -> Any:
    x = _scaled(data, temperature, dtype)
    if length is None:
        return cast(_softmax(x, axis), dtype or data.dtype)
    at = axis % x.ndim
    n = x.shape[at]
    places = create(np_arange, start=0.0, stop=float(n), dtype="float64")
    places = reshape(places, *[n if i == at else 1 for i in range(x.ndim)])
    front, back = length.shape[:at], length.shape[at:]
    beyond = np_not_equal_scalar(
        places >= reshape(cast(length, "float64"), *front, 1, *back), scalar=0.0
    )
    low = constant(x, -1e30)  # whose exponential is 0; of -inf alone there is no softmax
    y = _softmax(where(beyond, low, x), axis)
    return cast(where(beyond, constant(x, 0.0), y), dtype or data.dtype)


@composition(softmax.softmin)
def _softmin(
    data: Tracer, *, axis: int, temperature: float | None, dtype: str | None, use_length: bool
) -> Any:
    return cast(_softmax(-_scaled(data, temperature, dtype), axis), dtype or data.dtype)


@composition(softmax.log_softmax)
def _log_softmax_of(
    data: Tracer, *, axis: int, temperature: float | None, dtype: str | None, use_length: bool
) -> Any:
    return cast(_log_softmax(_scaled(data, temperature, dtype), axis), dtype or data.dtype)


@composition(softmax.softmax_backward)
def _softmax_backward(
    dy: Tracer, output: Tracer, data: Tracer, *, axis: int, temperature: float | None
) -> Any:
    y = wide(output)
    g = cast(wide(dy), y.dtype)
    dx = (g - total(g * y, [axis], keepdims=True)) * y * (1 / (temperature or 1))
    return cast(dx, data.dtype)


@composition(softmax.log_softmax_backward)
def _log_softmax_backward(
    dy: Tracer, output: Tracer, data: Tracer, *, axis: int, temperature: float | None
) -> Any:
    y = wide(output)
    g = cast(wide(dy), y.dtype)
    dx = (g - exponential.exp(y) * total(g, [axis], keepdims=True)) * (1 / (temperature or 1))
    return cast(dx, data.dtype)


@composition(softmax.softmax_activation)
def _softmax_activation(data: Tracer, *, mode: str) -> Any:
    return narrowed(lambda x: _softmax(x, 1 if mode == "channel" else -1), data)


@composition(softmax.axis_total)
def _axis_total(data: Tracer, *, axis: int) -> Any:
    return expanded(total(data, [axis], keepdims=True), data.shape)


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
    """Examples, classes along axis 1, and what is behind them."""
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
    return cast(reshape(_softmax(rows, 1), *data.shape), data.dtype)


def _hits(label: Tracer, shape: tuple[int, ...], dtype: str) -> Any:
    """1 where the class along axis 1 is the label, else 0."""
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
    places = (rows.shape[0], *rows.shape[2:])
    labels = reshape(wide(label), size(label))
    classes = reshape(part(labels, 0, 0, prod(places)), *places)
    goal = _hits(classes, rows.shape, rows.dtype)
    if smooth_alpha and not multi_output:
        off = smooth_alpha / max(rows.shape[1] - 1, 1)
        goal = goal * (1 - smooth_alpha - off) + off
    error = rows - goal
    if use_ignore:
        known = cast(np_not_equal_scalar(classes, scalar=ignore_label), rows.dtype)
        error = error * reshape(known, places[0], 1, *places[1:])
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
    chosen = where(hit, _log_softmax(x, 1), constant(x, 0.0))
    return cast(reshape(-total(chosen, None), 1), data.dtype)


@composition(loss.softmax_cross_entropy_backward)
def _softmax_cross_entropy_backward(dy: Tracer, data: Tracer, label: Tracer) -> Any:
    x = wide(data)
    error = _softmax(x, 1) - _hits(label, data.shape, x.dtype)
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


def _pick(values: Tracer, index: Tracer, keepdims: bool, mode: str) -> Any:
    return pick(values, index, axis=-1, keepdims=keepdims, mode=mode)


@composition(cross_entropy.log_softmax_pick)
def _log_softmax_pick(
    data: Tracer, index: Tracer, *, keepdims: bool, mode: str, negative: bool
) -> Any:
    x = wide(data)
    peak = _peak(x, -1)
    sums = total(exponential.exp(x - peak), [-1], keepdims=True)
    y = x - peak - exponential.log(sums)
    y = _pick(-y if negative else y, index, keepdims, mode)
    return [cast(y, data.dtype), joined([peak, sums], -1)]


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
    peak, sums = part(statistics, -1, 0, 1), part(statistics, -1, 1, 2)
    share = exponential.exp(x - peak) / sums
    hit = one_hot(
        reshape(_wrapped(index, data.shape[-1], mode), *data.shape[:-1]),
        depth=data.shape[-1],
        dtype=x.dtype,
    )
    dx = (share - hit) * each
    return cast(dx if negative else -dx, data.dtype)


def _wrapped(index: Tracer, count: int, mode: str) -> Any:
    """Indices inside of an axis, as ``mode`` says."""
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
    peak = _peak(x, -1)
    sums = total(exponential.exp(x - peak), [-1], keepdims=True)
    y = total((x - peak - exponential.log(sums)) * weights, [-1], keepdims=True)
    return [
        cast(y, data.dtype),
        joined([peak, sums, total(weights, [-1], keepdims=True)], -1),
    ]


@composition(cross_entropy.log_softmax_dot_backward)
def _log_softmax_dot_backward(dy: Tracer, data: Tracer, label: Tracer, statistics: Tracer) -> Any:
    x = wide(data)
    peak, sums, weights = (part(statistics, -1, i, i + 1) for i in range(3))
    share = exponential.exp(x - peak) / sums
    dx = (cast(wide(label), x.dtype) - share * weights) * cast(wide(dy), x.dtype)
    return cast(dx, data.dtype)


def _total_of(x: Tracer, mode: str) -> Tracer:
    first = 2 if mode == "spatial" else 1
    axes = [1] if mode == "channel" else [*range(first, x.ndim)]
    return total(x, axes, keepdims=True) if axes else x


def _length(x: Tracer, mode: str, eps: float) -> Any:
    return elementwise.sqrt(_total_of(x * x, mode) + eps)


@composition(local_norm.l2_normalization)
def _l2_normalization(data: Tracer, *, eps: float, mode: str) -> Any:
    return narrowed(lambda x: x / _length(x, mode, eps), data)


@composition(local_norm.l2_normalization_backward)
def _l2_backward(dy: Tracer, data: Tracer, *, eps: float, mode: str) -> Any:
    x = wide(data)
    g = cast(wide(dy), x.dtype)
    length = _length(x, mode, eps)
    y = x / length
    return cast((g - y * _total_of(g * y, mode)) / length, data.dtype)


@composition(local_norm.l2_total)
def _l2_total(data: Tracer, *, mode: str) -> Any:
    return narrowed(lambda x: expanded(_total_of(x, mode), data.shape), data)


def _channels(x: Tracer, nsize: int) -> Tracer:
    """The sum over a window of channels around each."""
    half, channels = (nsize - 1) // 2, x.shape[1]
    y = x
    for offset in range(1, min(half, channels - 1) + 1):
        shape = [*x.shape]
        shape[1] = offset
        zeros = filled(shape, 0.0, x.dtype)
        y = y + joined([zeros, part(x, 1, 0, channels - offset)], 1)
        y = y + joined([part(x, 1, offset, channels), zeros], 1)
    return y


@composition(local_norm.channel_window)
def _channel_window(data: Tracer, *, nsize: int) -> Any:
    return narrowed(lambda x: _channels(x, nsize), data)


@composition(local_norm.lrn)
def _lrn(data: Tracer, *, alpha: float, beta: float, knorm: float, nsize: int) -> Any:
    def value(x: Tracer) -> Any:
        return (_channels(x * x, nsize) * (alpha / nsize) + knorm) ** -beta * x

    return narrowed(value, data)


@composition(local_norm.lrn_backward)
def _lrn_backward(
    dy: Tracer, data: Tracer, *, alpha: float, beta: float, knorm: float, nsize: int
) -> Any:
    x = wide(data)
    g = cast(wide(dy), x.dtype)
    strength = _channels(x * x, nsize) * (alpha / nsize) + knorm
    power = strength**-beta
    through = _channels(power / strength * g * x, nsize) * x
    return cast(g * power + through * (-2 * alpha * beta / nsize), data.dtype)


@composition(conv.channel_sum)
def _channel_sum(data: Tracer, like: Tracer, *, axis: int) -> Any:
    rest = [i for i in range(data.ndim) if i != axis % data.ndim]
    return cast(total(wide(data), rest), like.dtype)


@composition(conv.channel_spread)
def _channel_spread(data: Tracer, like: Tracer, *, axis: int) -> Any:
    at = axis % like.ndim
    shape = [n if i == at else 1 for i, n in enumerate(like.shape)]
    return cast(expanded(reshape(data, *shape), like.shape), like.dtype)


@composition(conv.convolution_v1)
def _convolution_v1(*operands: Tracer | None, **params: Any) -> Any:
    return conv.convolution(*operands, **params)


@composition(conv.convolution)
def _convolution(
    data: Tracer,
    weight: Tracer,
    bias: Tracer | None = None,
    *,
    stride: Any,
    dilate: Any,
    pad: Any,
    num_group: int,
    layout: str | None,
    **_: Any,
) -> Any:
    y = conv.convolution_project(
        data, weight, stride=stride, dilate=dilate, pad=pad, num_group=num_group, layout=layout
    )
    return y if bias is None else y + _by_channel(bias, y.ndim, layout)


def _by_channel(x: Tracer, rank: int, layout: str | None) -> Tracer:
    behind = 0 if layout is not None and layout[-1] == "C" else rank - 2
    return reshape(x, -1, *(1,) * behind)


def _normalized(
    data: Tracer, gamma: Tracer, beta: Tracer, shape: list[int], axes: list[int], eps: float
) -> tuple[Tracer, Tracer, Tracer]:
    """Data less its mean and over its deviation, both along axes of another shape."""
    x = reshape(wide(data), *shape)
    count = float(max(prod(shape[i] for i in axes), 1))
    mean = total(x, axes, keepdims=True) / count
    centered = x - mean
    deviation = elementwise.sqrt(total(centered * centered, axes, keepdims=True) / count + eps)
    y = centered / deviation * cast(gamma, x.dtype) + cast(beta, x.dtype)
    return (
        cast(reshape(y, *data.shape), data.dtype),
        cast(mean, data.dtype),
        cast(deviation, data.dtype),
    )


@composition(norm.layer_norm)
def _layer_norm(
    data: Tracer, gamma: Tracer, beta: Tracer, *, axis: int, eps: float, output_mean_var: bool
) -> Any:
    at = axis % data.ndim
    along = [n if i == at else 1 for i, n in enumerate(data.shape)]
    scale, shift = reshape(gamma, *along), reshape(beta, *along)
    return [*_normalized(data, scale, shift, [*data.shape], [at], eps)]


@composition(norm.group_norm)
def _group_norm(
    data: Tracer,
    gamma: Tracer,
    beta: Tracer,
    *,
    num_groups: int,
    eps: float,
    output_mean_var: bool,
) -> Any:
    samples, channels, *space = data.shape
    shape = [samples, num_groups, channels // num_groups, *space]
    axes = [*range(2, len(shape))]
    along = [num_groups, *(1,) * len(axes)]
    y, *statistics = _normalized(
        data, reshape(gamma, *along), reshape(beta, *along), shape, axes, eps
    )
    return [y, *[reshape(x, samples, num_groups) for x in statistics]]


@composition(norm.instance_norm)
def _instance_norm(data: Tracer, gamma: Tracer, beta: Tracer, *, eps: float) -> Any:
    samples, channels, *space = data.shape
    along = [channels, *(1,) * len(space)]
    axes = [*range(2, data.ndim)]
    y, *statistics = _normalized(
        data, reshape(gamma, *along), reshape(beta, *along), [*data.shape], axes, eps
    )
    return [y, *[reshape(x, samples, channels) for x in statistics]]


def _head_part(data: Tracer, heads: int, parts: int, index: int) -> Tracer:
    """One of the interleaved parts of all heads: ``[samples * heads, length, size]``."""
    length, samples, width = data.shape
    size_ = width // (heads * parts)
    split = reshape(data, length, samples, heads, parts, size_)
    own = reshape(part(split, 3, index, index + 1), length, samples * heads, size_)
    return transposed(own, 1, 0, 2)


@composition(attention.head_part)
def _head_part_of(data: Tracer, *, heads: int, parts: int, part: int) -> Any:
    return _head_part(data, heads, parts, part)


def _placed(y: Tracer, samples: int, heads: int) -> Tracer:
    """The inverse of :func:`_head_part`: ``[length, samples, heads, 1, size]``."""
    length = y.shape[1]
    return reshape(transposed(y, 1, 0, 2), length, samples, heads, 1, y.shape[2])


@composition(attention.place_head_part)
def _place_head_part(y: Tracer, data: Tracer, *, heads: int, parts: int, part: int) -> Any:
    own = _placed(y, data.shape[1], heads)
    zeros = filled(own.shape, 0.0, y.dtype)
    return reshape(joined([own if i == part else zeros for i in range(parts)], 3), *data.shape)


@composition(attention.join_head_parts)
def _join_head_parts(*data: Tracer, heads: int) -> Any:
    rows, length, width = data[0].shape
    pieces = [_placed(x, rows // heads, heads) for x in data]
    return reshape(joined(pieces, 3), length, rows // heads, heads * len(data) * width)


def _scores(query: Tracer, key: Tracer) -> Any:
    scale = 1 / sqrt(max(query.shape[-1], 1))
    return narrowed(lambda q, k: matmul(q, swapped(k)) * scale, query, key)


def _values(data: Tracer, weights: Tracer, heads: int, parts: int) -> Any:
    value = _head_part(data, heads, parts, parts - 1)
    y = matmul(weights, value)
    rows = weights.shape[1]
    return reshape(transposed(y, 1, 0, 2), rows, data.shape[1], heads * y.shape[2])


@composition(attention.selfatt_scores)
def _selfatt_scores(queries_keys_values: Tracer, *, heads: int) -> Any:
    query, key = (_head_part(queries_keys_values, heads, 3, i) for i in range(2))
    return _scores(query, key)


@composition(attention.selfatt_values)
def _selfatt_values(queries_keys_values: Tracer, attention: Tracer, *, heads: int) -> Any:
    return _values(queries_keys_values, attention, heads, 3)


@composition(attention.encdec_scores)
def _encdec_scores(queries: Tracer, keys_values: Tracer, *, heads: int) -> Any:
    return _scores(_head_part(queries, heads, 1, 0), _head_part(keys_values, heads, 2, 0))


@composition(attention.encdec_values)
def _encdec_values(keys_values: Tracer, attention: Tracer, *, heads: int) -> Any:
    return _values(keys_values, attention, heads, 2)


@composition(rms_norm.rms_norm)
def _rms_norm(data: Tracer, gamma: Tracer, *, eps: float) -> Any:
    x = wide(data)
    square = total(x * x, [-1], keepdims=True) / float(max(x.shape[-1], 1))
    inverse = 1.0 / elementwise.sqrt(square + eps)
    return [cast(x * inverse * cast(gamma, x.dtype), data.dtype), cast(inverse, data.dtype)]


@composition(rms_norm.rms_norm_backward)
def _rms_norm_backward(
    dy: Tracer, data: Tracer, gamma: Tracer, inverse: Tracer, *, eps: float
) -> Any:
    x = wide(data)
    slope, scale, factor = (cast(each, x.dtype) for each in (dy, inverse, gamma))
    normal = x * scale
    products = slope * normal
    dgamma = total(products, [*range(x.ndim - 1)]) if x.ndim > 1 else products
    along = total(products * factor, [-1], keepdims=True) / float(max(x.shape[-1], 1))
    dx = (slope * factor - normal * along) * scale
    return [cast(dx, data.dtype), cast(dgamma, gamma.dtype)]


@composition(quantized.quantized_flatten)
def _quantized_flatten(data: Tracer, min_data: Tracer, max_data: Tracer) -> Any:
    rows = data.shape[0]
    flat = reshape(data, rows, prod(data.shape[1:]))
    return [flat, reshape(min_data, 1), reshape(max_data, 1)]
