"""Compositions of resizing, sampling, colors and boxes of images."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    expanded,
    filled,
    flipped,
    is_whole,
    joined,
    number,
    part,
    reshape,
    sliced,
    total,
    wide,
)
from hy_ndarray.ops.compositions.layout import moved
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.compositions.products import matmul, swapped
from hy_ndarray.ops.elementwise import activations, exponential, scalar, unary as elementwise
from hy_ndarray.ops.elementwise.broadcast import broadcast_maximum, broadcast_minimum
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.np.scalar import np_greater_scalar, np_less_scalar
from hy_ndarray.ops.random.distributions import normal, uniform
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.shaping import slicing
from hy_ndarray.ops.vision import detection, image, image_color, patches, resize, sampler


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
    is_joined = multi_input_mode == "concat" and len(data) > 1
    for x in data:
        n, c, h, w = x.shape
        own = part(g, 1, start, start + c) if is_joined else g
        start += c
        scale = g.shape[2] // h
        each = reshape(own, n, c, h, scale, w, scale)
        gradients.append(cast(total(each, [3, 5]), x.dtype))
    return gradients


def _line(count: int, like: Tracer) -> Tracer:
    """Return ``count`` equally spaced coordinates from -1 to 1, in the dtype of ``like``."""
    # Rounded in that dtype, as in MXNet: the gradient of a sampler jumps at whole pixels, where an
    # identity map samples, so that one digit decides between the pixels on both sides.
    return _numbers(count, like) * (2 / max(count - 1, 1)) - 1.0


def _numbers(count: int, like: Tracer) -> Tracer:
    """Return ``0, 1, ..., count - 1`` in the dtype of ``like``."""
    numbers = create(np_arange, start=0.0, stop=float(count), dtype="float64")
    return cast(numbers, like.dtype)


def _regular_grid(
    size: Sequence[int], like: Tracer, along: Callable[[int, Tracer], Tracer] = _line
) -> tuple[Tracer, Tracer]:
    """Return the x and y coordinates ``[1, 1, H, W]`` of a regular grid, spaced by ``along``."""
    height, width = size
    x = reshape(along(width, like), 1, 1, 1, width)
    y = reshape(along(height, like), 1, 1, height, 1)
    return expanded(x, (1, 1, height, width)), expanded(y, (1, 1, height, width))


def _homogeneous(size: Sequence[int], like: Tracer) -> Tracer:
    """Return ``[3, H W]``, the coordinates (x, y, 1) of a regular grid."""
    ones = filled((1, 1, *size), 1.0, like.dtype)
    return reshape(joined([*_regular_grid(size, like), ones], 1), 3, prod(size))


def _transformed(data: Tracer, size: Sequence[int]) -> Tracer:
    """Return a regular grid transformed by each of the affine maps ``[N, 6]``."""
    maps = reshape(wide(data), data.shape[0], 2, 3)
    grid = matmul(maps, _homogeneous(size, maps))
    return cast(reshape(grid, data.shape[0], 2, *size), data.dtype)


def _over_halves(flow: Tracer) -> Tracer:
    """Return a flow in pixels as coordinates, in which half an image's width or height is 1."""
    height, width = flow.shape[2:]
    ends = [filled((1, 1, 1), max(n - 1, 1) / 2, flow.dtype) for n in (width, height)]
    return flow / joined(ends, 0)


@composition(sampler.grid_generator)
def _grid(data: Tracer, *, transform_type: str, target_shape: Sequence[int]) -> Any:
    if transform_type == "affine":
        return _transformed(data, target_shape)
    flow = wide(data)
    # In pixels first, as in MXNet: whole pixels stay exact up to one division.
    pixels = flow + joined(_regular_grid(flow.shape[2:], flow, _numbers), 1)
    return cast(_over_halves(pixels) - 1.0, data.dtype)


@composition(sampler.grid_generator_backward)
def _grid_backward(dy: Tracer, data: Tracer, *, transform_type: str) -> Any:
    g = wide(dy)
    if transform_type == "warp":
        return cast(_over_halves(g), data.dtype)
    points = reshape(g, data.shape[0], 2, prod(g.shape[2:]))
    dtheta = matmul(points, swapped(_homogeneous(g.shape[2:], g)))
    return cast(reshape(dtheta, *data.shape), data.dtype)


@composition(sampler.grid_linear)
def _grid_linear(data: Tracer, like: Tracer, *, transform_type: str) -> Any:
    if transform_type == "affine":
        return _transformed(data, like.shape[2:])
    return cast(_over_halves(wide(data)), data.dtype)


@composition(patches.im2col_backward)
def _im2col_backward(dy: Tracer, data: Tracer, **params: Any) -> Any:
    return patches.col2im(dy, output_size=data.shape[2:], **params)


@composition(sampler.spatial_transformer)
def _spatial_transformer(
    data: Tracer, loc: Tracer, *, target_shape: Any, transform_type: str, **_: Any
) -> Any:
    options = {"transform_type": transform_type, "target_shape": target_shape}
    grid = sampler.grid_generator(wide(loc), **options)
    return cast(sampler.bilinear_sampler(wide(data), grid), data.dtype)


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
    leading = (None,) * (data.ndim - 3)
    return (*leading, y, x), (*leading, y + height, x + width)


@composition(image.image_crop)
def _image_crop(data: Tracer, *, x: int, y: int, width: int, height: int) -> Any:
    return sliced(data, *_frame(data, x, y, width, height))


@composition(image.image_crop_backward)
def _image_crop_backward(
    dy: Tracer, data: Tracer, *, x: int, y: int, width: int, height: int
) -> Any:
    begin, end = _frame(data, x, y, width, height)
    return slicing.slice_assign(filled(data.shape, 0.0, dy.dtype), dy, begin=begin, end=end)


@composition(image.image_flip_left_right)
def _left_right(data: Tracer) -> Any:
    return flipped(data, -2)


@composition(image.image_flip_top_bottom)
def _top_bottom(data: Tracer) -> Any:
    return flipped(data, -3)


def _random_number(low: float = 0.0, high: float = 1.0) -> Any:
    """Return one uniform random number between ``low`` and ``high``, shape ``(1,)``."""
    u = create(uniform.random, shape=(1,), dtype="float64")
    return u * (high - low) + low


def _perhaps(data: Tracer, axis: int) -> Any:
    return where(np_less_scalar(_random_number(), scalar=0.5), flipped(data, axis), data)


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
"""Principal components of ImageNet's colors, times their standard deviations."""


def _real(data: Tracer) -> Tracer:
    return cast(data, "float32") if is_whole(data) else wide(data)


def _in_image_dtype(x: Any, data: Tracer) -> Any:
    """Return colors cast to an image's dtype, clipped to its range."""
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
    return _in_image_dtype(x * _share(_random_number(min_factor, max_factor), x), data)


@composition(image_color.image_random_contrast)
def _contrast(data: Tracer, *, min_factor: float, max_factor: float) -> Any:
    x, factor = _real(data), _random_number(min_factor, max_factor)
    mean = total(_gray(x), None) / float(max(prod(x.shape[:-1]), 1))
    shift = (1.0 - factor) * cast(reshape(mean, 1), "float64")
    return _in_image_dtype(x * _share(factor, x) + _share(shift, x), data)


@composition(image_color.image_random_saturation)
def _saturation(data: Tracer, *, min_factor: float, max_factor: float) -> Any:
    x, factor = _real(data), _random_number(min_factor, max_factor)
    if x.shape[-1] != 3:
        return _in_image_dtype(x, data)
    return _in_image_dtype(x * _share(factor, x) + _gray(x) * _share(1.0 - factor, x), data)


def _lit(data: Tracer, alpha: Sequence[Any]) -> Any:
    x = _real(data)
    if x.shape[-1] != 3:
        return _in_image_dtype(x, data)
    shifts = []
    for row in _LIGHTING:
        shift = alpha[0] * row[0] + alpha[1] * row[1] + alpha[2] * row[2]
        known = shift if isinstance(shift, Tracer) else filled((1,), shift, "float64")
        shifts.append(known)
    return _in_image_dtype(x + _share(joined(shifts, 0), x), data)


@composition(image_color.image_adjust_lighting)
def _adjust_lighting(data: Tracer, *, alpha: Sequence[float]) -> Any:
    return _lit(data, alpha)


@composition(image_color.image_random_lighting)
def _random_lighting(data: Tracer, *, alpha_std: float) -> Any:
    drawn = create(normal.random, shape=(3,), dtype="float64") * alpha_std
    return _lit(data, [part(drawn, 0, i, i + 1) for i in range(3)])


def _box_edges(boxes: Tracer, format: str) -> list[Tracer]:
    """Return the left, top, right and bottom edges of boxes given by corners or centers."""
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
    a, b = _box_edges(left, format), _box_edges(cast(wide(rhs), left.dtype), format)
    low = [broadcast_maximum(x, y) for x, y in zip(a[:2], b[:2], strict=True)]
    high = [broadcast_minimum(x, y) for x, y in zip(a[2:], b[2:], strict=True)]
    shared = _area(low, high)
    union = _area(a[:2], a[2:]) + _area(b[:2], b[2:]) - shared
    is_some = np_greater_scalar(union, scalar=0.0)
    share = where(is_some, shared / where(is_some, union, number(1.0, left.dtype)), shared * 0)
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
