"""Compositions of normalization, convolution and attention layers."""

from math import prod, sqrt
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    expanded,
    filled,
    flipped,
    joined,
    narrowed,
    part,
    reshape,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.compositions.products import matmul, swapped
from hy_ndarray.ops.elementwise import unary as elementwise
from hy_ndarray.ops.nn import conv, deconv
from hy_ndarray.ops.nn.attention import interleaved as attention, rotary
from hy_ndarray.ops.nn.normalization import local as local_norm, norm, rms as rms_norm
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition


def _total_of(x: Tracer, mode: str) -> Tracer:
    first = 2 if mode == "spatial" else 1
    axes = [1] if mode == "channel" else [*range(first, x.ndim)]
    return total(x, axes, keepdims=True) if axes else x


def _l2_norm(x: Tracer, mode: str, eps: float) -> Any:
    return elementwise.sqrt(_total_of(x * x, mode) + eps)


@composition(local_norm.l2_normalization)
def _l2_normalization(data: Tracer, *, eps: float, mode: str) -> Any:
    return narrowed(lambda x: x / _l2_norm(x, mode, eps), data)


@composition(local_norm.l2_normalization_backward, differentiated=True)
def _l2_backward(dy: Tracer, data: Tracer, *, eps: float, mode: str) -> Any:
    x = wide(data)
    g = cast(wide(dy), x.dtype)
    length = _l2_norm(x, mode, eps)
    y = x / length
    return cast((g - y * _total_of(g * y, mode)) / length, data.dtype)


@composition(local_norm.l2_total)
def _l2_total(data: Tracer, *, mode: str) -> Any:
    return narrowed(lambda x: expanded(_total_of(x, mode), data.shape), data)


def _channels(x: Tracer, nsize: int) -> Tracer:
    """Return for each channel the sum over a window of ``nsize`` neighbouring channels."""
    half, channels = (nsize - 1) // 2, x.shape[1]
    # Copies shifted by each offset are added, with zeros past the first and the last channel.
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
    # With strength s = knorm + alpha/nsize Σ x², the result is x s^-beta and its gradient
    # dy s^-beta - 2 alpha beta / nsize x Σ dy x s^(-beta-1); sums are over channel windows.
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
    # Bias is added by a step of its own, so that tables need only the product.
    y = conv.convolution_project(
        data, weight, stride=stride, dilate=dilate, pad=pad, num_group=num_group, layout=layout
    )
    if bias is None:
        return y
    trailing = 0 if layout is not None and layout[-1] == "C" else y.ndim - 2
    return y + reshape(bias, -1, *(1,) * trailing)


def _normalized(
    data: Tracer, gamma: Tracer, beta: Tracer, shape: list[int], axes: list[int], eps: float
) -> tuple[Tracer, Tracer, Tracer]:
    """Return normalized, scaled and shifted data, with means and standard deviations.

    Args:
        data: The data, normalized in the shape ``shape``.
        gamma: The scale, broadcast to ``shape``.
        beta: The shift, broadcast to ``shape``.
        shape: The shape in which statistics are computed.
        axes: The reduction axes in ``shape``.
        eps: Added to the variance.
    """
    x = reshape(wide(data), *shape)
    count = float(max(prod(shape[i] for i in axes), 1))
    mean = total(x, axes, keepdims=True) / count
    # Centered first: the mean of squares less the square of the mean would cancel digits.
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
    data: Tracer, gamma: Tracer, beta: Tracer, *, num_groups: int, eps: float, output_mean_var: bool
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
    """Return one interleaved projection, such as queries: ``[samples * heads, length, size]``."""
    length, samples, width = data.shape
    size_ = width // (heads * parts)
    split = reshape(data, length, samples, heads, parts, size_)
    own = reshape(part(split, 3, index, index + 1), length, samples * heads, size_)
    return transposed(own, 1, 0, 2)


@composition(attention.head_part)
def _head_part_of(data: Tracer, *, heads: int, parts: int, part: int) -> Any:
    return _head_part(data, heads, parts, part)


def _to_heads(y: Tracer, samples: int, heads: int) -> Tracer:
    """Return ``[samples * heads, length, size]`` as ``[length, samples, heads, 1, size]``."""
    length = y.shape[1]
    return reshape(transposed(y, 1, 0, 2), length, samples, heads, 1, y.shape[2])


@composition(attention.place_head_part)
def _place_head_part(y: Tracer, data: Tracer, *, heads: int, parts: int, part: int) -> Any:
    own = _to_heads(y, data.shape[1], heads)
    zeros = filled(own.shape, 0.0, y.dtype)
    return reshape(joined([own if i == part else zeros for i in range(parts)], 3), *data.shape)


@composition(attention.join_head_parts)
def _join_head_parts(*data: Tracer, heads: int) -> Any:
    rows, length, width = data[0].shape
    pieces = [_to_heads(x, rows // heads, heads) for x in data]
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


@composition(rotary.rotary_embedding)
def _rotary_embedding(data: Tracer, cos: Tracer, sin: Tracer) -> Any:
    def rotated(x: Tracer, cos: Tracer, sin: Tracer) -> Tracer:
        halves = reshape(x, *x.shape[:-1], 2, x.shape[-1] // 2)
        return x * cos + reshape(flipped(halves, x.ndim - 1), *x.shape) * sin

    return narrowed(rotated, data, cos, sin)


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


@composition(deconv.deconvolution)
def _deconvolution(
    data: Tracer, weight: Tracer, bias: Tracer | None = None, *, layout: str | None, **params: Any
) -> Any:
    inner = {k: v for k, v in params.items() if k in deconv.deconvolution_project.op.params}
    y = deconv.deconvolution_project(data, weight, layout=layout, **inner)
    if bias is None:
        return y
    trailing = 0 if layout is not None and layout[-1] == "C" else y.ndim - 2
    return y + reshape(bias, -1, *(1,) * trailing)
