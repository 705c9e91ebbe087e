"""Images, boxes, sequences, resizing, and samplers made of others."""

from collections.abc import Sequence
from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    expanded,
    filled,
    in_reals,
    is_whole,
    joined,
    part,
    reshape,
    sliced,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.compositions.layout import moved
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import (
    activations,
    exponential,
    rounding,
    scalar,
    unary as elementwise,
)
from hy_ndarray.ops.elementwise.broadcast import broadcast_maximum, broadcast_minimum
from hy_ndarray.ops.indexing import gathering, take as indexing
from hy_ndarray.ops.nn import deconv
from hy_ndarray.ops.np import (
    arithmetic as np_arithmetic,
    axes as np_axes,
    counting,
    reduce as np_reduce,
    unary,
)
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.np.scalar import (
    np_greater_scalar,
    np_less_scalar,
)
from hy_ndarray.ops.random.distributions import normal, uniform
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.reduce import statistics
from hy_ndarray.ops.shaping import expanding, sequence, slicing
from hy_ndarray.ops.vision import detection, image, image_color, resize, sampler

__all__: list[str] = []


@composition(elementwise.negative)
def _negative(data: Tracer) -> Any:
    return data * -1


@composition(exponential.log10)
def _log10(data: Tracer) -> Any:
    return in_reals(lambda x: exponential.log(x) * 0.4342944819032518, data)


@composition(rounding.ceil)
def _ceil(data: Tracer) -> Any:
    return data if is_whole(data) else -rounding.floor(-data)


@composition(rounding.trunc)
def _trunc(data: Tracer) -> Any:
    if is_whole(data):
        return data
    return where(np_less_scalar(data, scalar=0.0), rounding.ceil(data), rounding.floor(data))


def _number(value: float, dtype: str) -> Tracer:
    return cast(filled((), value, "float64"), dtype)


@composition(elementwise.clip)
def _clip(data: Tracer, *, a_min: float, a_max: float) -> Any:
    y = where(np_less_scalar(data, scalar=a_min), _number(a_min, data.dtype), data)
    return where(np_greater_scalar(y, scalar=a_max), _number(a_max, data.dtype), y)


_LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
}


@composition(unary.np_nan_to_num)
def _nan_to_num(
    data: Tracer, *, copy: bool, nan: float, posinf: float | None, neginf: float | None
) -> Any:
    if data.dtype not in _LARGEST:
        return data
    largest = _LARGEST[data.dtype]
    high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf
    y = where(unary.np_isnan(data), _number(nan, data.dtype), data)
    y = where(unary.np_isposinf(data), _number(high, data.dtype), y)
    return where(unary.np_isneginf(data), _number(low, data.dtype), y)


@composition(statistics.allclose)
def _allclose(a: Tracer, b: Tracer, *, rtol: float, atol: float, equal_nan: bool) -> Any:
    x, y = cast(a, "float64"), cast(b, "float64")
    near = np_arithmetic.np_less_equal(elementwise.abs(x - y), elementwise.abs(y) * rtol + atol)
    near = np_arithmetic.np_bitwise_and(near, unary.np_isfinite(y))
    same = np_arithmetic.np_bitwise_or(near, np_arithmetic.np_equal(x, y))
    if equal_nan:
        both = np_arithmetic.np_bitwise_and(unary.np_isnan(x), unary.np_isnan(y))
        same = np_arithmetic.np_bitwise_or(same, both)
    return cast(np_reduce.np_all(same, axis=None, keepdims=False), "uint8")


def _pairs(width: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(width[::2], width[1::2], strict=True))


_MODES = {"constant": "constant", "edge": "edge", "reflect": "reflect"}


@composition(expanding.pad)
def _pad(data: Tracer, *, mode: str, pad_width: Sequence[int], constant_value: float) -> Any:
    return counting.np_pad(
        data, pad_width=_pairs(pad_width), mode=_MODES[mode], constant_value=constant_value
    )


@composition(expanding.pad_backward)
def _pad_backward(dy: Tracer, data: Tracer, *, mode: str, pad_width: Sequence[int]) -> Any:
    return counting.np_pad_backward(dy, data, pad_width=_pairs(pad_width), mode=_MODES[mode])


@composition(indexing.pick_backward)
def _pick_backward(
    dy: Tracer, data: Tracer, index: Tracer, *, axis: int, keepdims: bool, mode: str
) -> Any:
    at, n = axis % data.ndim, data.shape[axis]
    shape = [1 if i == at else k for i, k in enumerate(data.shape)]
    whole = reshape(rounding.trunc(cast(index, "float64")), *shape)
    if mode == "wrap":
        whole = whole - rounding.floor(whole / float(n)) * float(n)
    else:
        whole = elementwise.clip(whole, a_min=0.0, a_max=float(max(n - 1, 0)))
    places = create(np_arange, start=0.0, stop=float(n), dtype="float64")
    places = reshape(places, *[n if i == at else 1 for i in range(data.ndim)])
    is_picked = np_arithmetic.np_equal(whole, places)
    return where(is_picked, reshape(dy, *shape), _number(0.0, dy.dtype))


@composition(deconv.deconvolution)
def _deconvolution(
    data: Tracer,
    weight: Tracer,
    bias: Tracer | None = None,
    *,
    layout: str | None,
    **params: Any,
) -> Any:
    inner = {k: v for k, v in params.items() if k in deconv.deconvolution_project.op.params}
    y = deconv.deconvolution_project(data, weight, layout=layout, **inner)
    if bias is None:
        return y
    trailing = 0 if layout is not None and layout[-1] == "C" else y.ndim - 2
    return y + reshape(bias, -1, *(1,) * trailing)


@composition(resize.adaptive_avg_pooling2d_like)
def _adaptive_like(data: Tracer, like: Tracer) -> Any:
    return resize.adaptive_avg_pooling2d(data, output_size=like.shape[2:])


@composition(resize.bilinear_resize2d_like)
def _bilinear_like(data: Tracer, like: Tracer, *, align_corners: bool) -> Any:
    height, width = like.shape[2:]
    return resize.bilinear_resize2d(data, height=height, width=width, align_corners=align_corners)


def _enlarged(data: Sequence[Tracer], height: int, mode: str) -> Any:
    images = []
    for x in data:
        n, c, h, w = x.shape
        scale = height // h
        grown = expanded(reshape(x, n, c, h, 1, w, 1), (n, c, h, scale, w, scale))
        images.append(reshape(grown, n, c, h * scale, w * scale))
    if mode == "concat":
        return joined(images, 1)
    y = images[0]
    for x in images[1:]:
        y = y + x
    return y


@composition(resize.up_sampling_like)
def _up_sampling_like(like: Tracer, *data: Tracer, multi_input_mode: str) -> Any:
    return _enlarged(data, like.shape[2], multi_input_mode)


@composition(resize.up_sampling_nearest_backward)
def _up_sampling_backward(dy: Tracer, *data: Tracer, multi_input_mode: str, parts: int) -> Any:
    g, start, gradients = wide(dy), 0, []
    for x in data:
        n, c, h, w = x.shape
        own = part(g, 1, start, start + c) if multi_input_mode == "concat" else g
        start += c
        scale = g.shape[2] // h
        each = reshape(own, n, c, h, scale, w, scale)
        gradients.append(cast(total(each, [3, 5]), x.dtype))
    return gradients


@composition(sampler.spatial_transformer)
def _spatial_transformer(
    data: Tracer, loc: Tracer, *, target_shape: Any, transform_type: str, **_: Any
) -> Any:
    options = {"transform_type": transform_type, "target_shape": target_shape}
    grid = sampler.grid_generator(wide(loc), **options)
    return cast(sampler.bilinear_sampler(wide(data), grid), data.dtype)


def _lengths(data: Tracer, lengths: Tracer, axis: int) -> tuple[Tracer, Tracer]:
    """Positions along the axis of time, and where sequences end, broadcast against the data."""
    steps = data.shape[axis]
    places = create(np_arange, start=0.0, stop=float(steps), dtype="float64")
    trailing = (1,) * (data.ndim - 2)
    time, batch = (steps, 1), (1, data.shape[1 - axis])
    if axis:
        time, batch = time[::-1], batch[::-1]
    ends = rounding.trunc(cast(lengths, "float64"))
    return reshape(places, *time, *trailing), reshape(ends, *batch, *trailing)


@composition(sequence.sequence_mask)
def _sequence_mask(
    data: Tracer,
    sequence_length: Tracer | None = None,
    *,
    use_sequence_length: bool,
    value: float,
    axis: int,
) -> Any:
    if sequence_length is None:
        return data
    places, ends = _lengths(data, sequence_length, axis)
    inside = np_arithmetic.np_less(places, ends)
    return where(inside, data, _number(value, data.dtype))


@composition(image.image_to_tensor)
def _to_tensor(data: Tracer) -> Any:
    return cast(moved(data, -1, -3), "float32") / 255.0


@composition(image.image_normalize)
def _normalize(data: Tracer, *, mean: Sequence[float], std: Sequence[float]) -> Any:
    channels = data.shape[-3]
    x = cast(data, "float32") if is_whole(data) else wide(data)

    def column(numbers: Sequence[float]) -> Tracer:
        own = numbers if len(numbers) == channels else [*numbers[:1]] * channels
        return joined([filled((1, 1, 1), v, x.dtype) for v in own], 0)

    return cast((x - column(mean)) / column(std), data.dtype)


def _frame(data: Tracer, x: int, y: int, width: int, height: int) -> tuple[Any, Any]:
    front = (None,) * (data.ndim - 3)
    return (*front, y, x), (*front, y + height, x + width)


@composition(image.image_crop)
def _image_crop(data: Tracer, *, x: int, y: int, width: int, height: int) -> Any:
    return sliced(data, *_frame(data, x, y, width, height))


@composition(image.image_crop_backward)
def _image_crop_backward(
    dy: Tracer, data: Tracer, *, x: int, y: int, width: int, height: int
) -> Any:
    begin, end = _frame(data, x, y, width, height)
    return slicing.slice_assign(filled(data.shape, 0.0, dy.dtype), dy, begin=begin, end=end)


def _flip(data: Tracer, axis: int) -> Any:
    return np_axes.np_flip(data, axis=(axis,))


@composition(image.image_flip_left_right)
def _left_right(data: Tracer) -> Any:
    return _flip(data, -2)


@composition(image.image_flip_top_bottom)
def _top_bottom(data: Tracer) -> Any:
    return _flip(data, -3)


def _drawn(low: float = 0.0, high: float = 1.0) -> Any:
    """One number between bounds."""
    u = create(uniform.random, shape=(1,), dtype="float64")
    return u * (high - low) + low


def _perhaps(data: Tracer, axis: int) -> Any:
    return where(np_less_scalar(_drawn(), scalar=0.5), _flip(data, axis), data)


@composition(image.image_random_flip_left_right)
def _random_left_right(data: Tracer) -> Any:
    return _perhaps(data, -2)


@composition(image.image_random_flip_top_bottom)
def _random_top_bottom(data: Tracer) -> Any:
    return _perhaps(data, -3)


_GRAY = (0.299, 0.587, 0.114)
_LIGHTING = (
    (55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009),
    (55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140),
    (55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203),
)
"""Principal components of the colors of ImageNet, times the roots of their variances."""


def _real(data: Tracer) -> Tracer:
    return cast(data, "float32") if is_whole(data) else wide(data)


def _stored(x: Any, data: Tracer) -> Any:
    """Colors in the dtype of an image, whose limits are kept."""
    limits = {"uint8": (0, 255), "int8": (-128, 127), "int32": (-(2**31), 2**31 - 1)}
    if data.dtype in limits:
        low, high = limits[data.dtype]
        x = elementwise.clip(x, a_min=float(low), a_max=float(high))
    return cast(x, data.dtype)


def _gray(x: Tracer) -> Any:
    if x.shape[-1] != 3:
        return x
    weights = joined([filled((1,), w, x.dtype) for w in _GRAY], 0)
    return total(x * weights, [-1], keepdims=True)


def _share(factor: Any, x: Tracer) -> Any:
    return cast(factor, x.dtype)


@composition(image_color.image_random_brightness)
def _brightness(data: Tracer, *, min_factor: float, max_factor: float) -> Any:
    x = _real(data)
    return _stored(x * _share(_drawn(min_factor, max_factor), x), data)


@composition(image_color.image_random_contrast)
def _contrast(data: Tracer, *, min_factor: float, max_factor: float) -> Any:
    x, factor = _real(data), _drawn(min_factor, max_factor)
    mean = total(_gray(x), None) / float(max(prod(x.shape[:-1]), 1))
    shift = (1.0 - factor) * cast(reshape(mean, 1), "float64")
    return _stored(x * _share(factor, x) + _share(shift, x), data)


@composition(image_color.image_random_saturation)
def _saturation(data: Tracer, *, min_factor: float, max_factor: float) -> Any:
    x, factor = _real(data), _drawn(min_factor, max_factor)
    if x.shape[-1] != 3:
        return _stored(x, data)
    return _stored(x * _share(factor, x) + _gray(x) * _share(1.0 - factor, x), data)


def _lit(data: Tracer, alpha: Sequence[Any]) -> Any:
    x = _real(data)
    if x.shape[-1] != 3:
        return _stored(x, data)
    shifts = []
    for row in _LIGHTING:
        shift = alpha[0] * row[0] + alpha[1] * row[1] + alpha[2] * row[2]
        known = shift if isinstance(shift, Tracer) else filled((1,), shift, "float64")
        shifts.append(known)
    return _stored(x + _share(joined(shifts, 0), x), data)


@composition(image_color.image_adjust_lighting)
def _adjust_lighting(data: Tracer, *, alpha: Sequence[float]) -> Any:
    return _lit(data, alpha)


@composition(image_color.image_random_lighting)
def _random_lighting(data: Tracer, *, alpha_std: float) -> Any:
    drawn = create(normal.random, shape=(3,), dtype="float64") * alpha_std
    return _lit(data, [part(drawn, 0, i, i + 1) for i in range(3)])


def _edges(boxes: Tracer, format: str) -> list[Tracer]:
    """Left, top, right and bottom."""
    a, b, c, d = (part(boxes, -1, i, i + 1) for i in range(4))
    if format == "corner":
        return [a, b, c, d]
    return [a - c / 2.0, b - d / 2.0, a + c / 2.0, b + d / 2.0]


def _area(low: Sequence[Tracer], high: Sequence[Tracer]) -> Any:
    sides = [activations.relu(h - w) for w, h in zip(low, high, strict=True)]
    return sides[0] * sides[1]


@composition(detection.box_iou)
def _box_iou(lhs: Tracer, rhs: Tracer, *, format: str) -> Any:
    left = reshape(wide(lhs), *lhs.shape[:-1], *(1,) * (rhs.ndim - 1), lhs.shape[-1])
    a, b = _edges(left, format), _edges(cast(wide(rhs), left.dtype), format)
    low = [broadcast_maximum(x, y) for x, y in zip(a[:2], b[:2], strict=True)]
    high = [broadcast_minimum(x, y) for x, y in zip(a[2:], b[2:], strict=True)]
    shared = _area(low, high)
    union = _area(a[:2], a[2:]) + _area(b[:2], b[2:]) - shared
    is_some = np_greater_scalar(union, scalar=0.0)
    share = where(is_some, shared / where(is_some, union, _number(1.0, left.dtype)), shared * 0)
    return cast(reshape(share, *lhs.shape[:-1], *rhs.shape[:-1]), lhs.dtype)


def _centers(boxes: Tracer) -> tuple[Any, Any]:
    low, high = part(boxes, -1, 0, 2), part(boxes, -1, 2, 4)
    return (low + high) / 2.0, high - low


@composition(detection.box_decode)
def _box_decode(
    data: Tracer,
    anchors: Tracer,
    *,
    std0: float,
    std1: float,
    std2: float,
    std3: float,
    clip: float,
    format: str,
) -> Any:
    x, a = wide(data), wide(anchors)
    center, span = _centers(a) if format == "corner" else (part(a, -1, 0, 2), part(a, -1, 2, 4))
    first = joined([filled((1,), s, x.dtype) for s in (std0, std1)], 0)
    second = joined([filled((1,), s, x.dtype) for s in (std2, std3)], 0)
    growth = part(x, -1, 2, 4) * second
    if clip > 0:
        growth = scalar.minimum_scalar(growth, scalar=clip)
    middle = part(x, -1, 0, 2) * first * span + center
    half = exponential.exp(growth) * span / 2.0
    return cast(joined([middle - half, middle + half], -1), data.dtype)


@composition(sequence.sequence_last)
def _sequence_last(
    data: Tracer,
    sequence_length: Tracer | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
) -> Any:
    rest = [n for i, n in enumerate(data.shape) if i != axis]
    if sequence_length is None:
        steps = data.shape[axis]
        return reshape(part(data, axis, steps - 1, steps), *rest)
    last = rounding.trunc(cast(sequence_length, "float64")) - 1.0
    index = expanded(reshape(last, -1, *(1,) * (len(rest) - 1)), rest)
    return indexing.pick(data, index, axis=axis)


@composition(sequence.sequence_last_backward)
def _sequence_last_backward(
    dy: Tracer,
    data: Tracer,
    sequence_length: Tracer | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
) -> Any:
    steps = data.shape[axis]
    lengths = sequence_length
    if lengths is None:
        lengths = filled((data.shape[1 - axis],), float(steps), "float64")
    places, ends = _lengths(data, lengths, axis)
    last = elementwise.clip(ends - 1.0, a_min=0.0, a_max=float(max(steps - 1, 0)))
    slope = reshape(dy, *[1 if i == axis else n for i, n in enumerate(data.shape)])
    return where(np_arithmetic.np_equal(places, last), slope, _number(0.0, dy.dtype))


@composition(sequence.sequence_reverse)
def _sequence_reverse(
    data: Tracer,
    sequence_length: Tracer | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
) -> Any:
    if sequence_length is None:
        return _flip(data, axis)
    trailing = range(2, data.ndim)
    x = transposed(data, 1, 0, *trailing) if axis else data
    steps, batch = x.shape[:2]
    places = create(np_arange, start=0.0, stop=float(steps), dtype="float64")
    rows = reshape(places, steps, 1)
    ends = reshape(rounding.trunc(cast(sequence_length, "float64")), 1, batch)
    ends = elementwise.clip(ends, a_min=0.0, a_max=float(steps))
    source = where(np_arithmetic.np_less(rows, ends), ends - 1.0 - rows, rows + ends * 0)
    columns = create(np_arange, start=0.0, stop=float(batch), dtype="float64")
    columns = expanded(reshape(columns, 1, 1, batch), (1, steps, batch))
    index = joined([reshape(source, 1, steps, batch), columns], 0)
    y = gathering.gather_nd(x, cast(index, "int64"))
    return transposed(y, 1, 0, *trailing) if axis else y
