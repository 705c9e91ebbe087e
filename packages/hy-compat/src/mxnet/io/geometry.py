"""Resizing, warping and cropping of images, with the results of OpenCV in MXNet."""

import math
import random
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_gluon.image import imresize
from hy_ndarray import ArgumentError, nd
from mxnet.io.image_parameters import AUTOMATIC, ImageParameters

__all__ = [
    "Box",
    "Pixels",
    "Size",
    "bordered",
    "crop_box",
    "geometry",
    "only_crops",
    "resized",
    "short_side",
    "warped",
]

Pixels: TypeAlias = npt.NDArray[np.uint8]
"""An image ``[height, width, channels]``."""
Size: TypeAlias = tuple[int, int]
"""Width and height."""
Box: TypeAlias = tuple[int, int, int, int]
"""Left, upper, right and lower edge."""

_NEAREST, _BILINEAR, _CUBIC, _AREA, _AUTOMATIC, _ANY = 0, 1, 2, 3, 9, 10
_RESAMPLE = {0: 0, 1: 2, 2: 3, 3: 2, 4: 3}
"""Pillow's method of interpolation for each of MXNet's."""
_BORDER = 2  # pixels around an image, for interpolation at its edges
_ATTEMPTS = 10


def method_for(method: int, before: Size, after: Size, rng: random.Random) -> int:
    """Return the interpolation method; 9 selects by the sizes, 10 at random."""
    if method == _ANY:
        return rng.randrange(5)
    if method == _AUTOMATIC:
        if after[0] > before[0] and after[1] > before[1]:
            return _CUBIC
        return _AREA if after[0] < before[0] and after[1] < before[1] else _BILINEAR
    return method


def resized(
    image: Pixels,
    size: Size,
    method: int,
    rng: random.Random,
    box: Box | None = None,
    part: Box | None = None,
) -> Pixels:
    """Return an image, or a rectangle of it, resized.

    Args:
        image: The image.
        size: New width and height.
        method: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos, 9 by size, 10 random.
        rng: Random generator.
        box: Rectangle of the image to resize; all if None.
        part: Rectangle of the result to return; all if None.
    """
    if box is not None:
        image = _sub_image(image, box)
    before = image.shape[1], image.shape[0]
    wanted = part or (0, 0, *size)
    method = method_for(method, before, size, rng)
    if before == size:
        return _sub_image(image, wanted)
    left, top, right, bottom = wanted
    if method == _NEAREST:
        # OpenCV's nearest: the floor of the scaled index, without half a pixel.
        rows = np.arange(top, bottom) * before[1] // size[1]
        columns = np.arange(left, right) * before[0] // size[0]
        nearest: Pixels = image[rows[:, None], columns]
        return nearest
    if method == _BILINEAR:
        across = _neighbours(before[0], size[0], left, right)
        return _bilinear(image, _neighbours(before[1], size[1], top, bottom), across)
    pixels = nd.array(image, dtype="uint8")
    new: Pixels = imresize(pixels, *size, method).asnumpy()
    return _sub_image(new, wanted)


def _sub_image(image: Pixels, box: Box) -> Pixels:
    left, top, right, bottom = box
    return image[top:bottom, left:right]


def _neighbours(before: int, after: int, first: int, last: int) -> Any:
    """Return, for each new position, the two old neighbors and the weight of the second."""
    # OpenCV puts pixels' middles at halves.
    exact = (np.arange(first, last) + 0.5) * (before / after) - 0.5
    low = np.floor(exact).astype(np.intp)
    weight = (exact - low).astype(np.float32)
    weight[low < 0] = 0
    return np.maximum(low, 0), np.minimum(low + 1, before - 1), weight


def _bilinear(image: Pixels, down: Any, across: Any) -> Pixels:
    channels = image.shape[2]
    (upper, lower, weight), (left, right, side_weight) = down, across
    first, last = left[0], right[-1] + 1
    # Only the columns that are read: a crop of a resized image needs no more.
    near = image[upper, first:last].reshape(len(upper), -1)
    far = image[lower, first:last].reshape(len(upper), -1)
    # One product instead of two: near + weight (far - near).
    rows = np.subtract(far, near, dtype=np.float32)
    rows *= weight[:, None]
    rows += near
    columns = [
        ((side - first)[:, None] * channels + np.arange(channels)).ravel() for side in (left, right)
    ]
    mixed, other = (rows.take(each, axis=1) for each in columns)
    other -= mixed
    other *= np.repeat(side_weight, channels)
    mixed += other
    # Half up, as all are positive.
    mixed += 0.5
    pixels: Pixels = mixed.astype(np.uint8).reshape(len(upper), len(left), channels)
    return pixels


def short_side(size: Size, short: int) -> Size:
    """Return a size with shorter side ``short`` and the same aspect ratio."""
    width, height = size
    return (short, height * short // width) if width < height else (width * short // height, short)


def bordered(image: Pixels, border: int, fill: int) -> Pixels:
    """Return an image with a border of a constant value."""
    height, width, channels = image.shape
    result = np.full((height + 2 * border, width + 2 * border, channels), fill, np.uint8)
    result[border : border + height, border : border + width] = image
    return result


def _warps(wanted: ImageParameters) -> bool:
    """Return whether images are rotated, sheared, scaled or stretched."""
    by_aspect = not wanted.random_resized_crop and (
        wanted.max_aspect_ratio > 0 or wanted.min_aspect_ratio is not None
    )
    has_rotation = wanted.rotate > 0 or wanted.max_rotate_angle > 0 or wanted.max_shear_ratio > 0
    scaled = (wanted.min_random_scale, wanted.max_random_scale) != (1, 1)
    # MXNet's defaults (0 and 1e10) mean no limit.
    fits = wanted.min_img_size > 0 or wanted.max_img_size < 1e10  # noqa: PLR2004
    return by_aspect or has_rotation or scaled or fits


def warped(image: Pixels, wanted: ImageParameters, rng: random.Random) -> Pixels:
    """Return an image randomly rotated, sheared, scaled and stretched about its center."""
    shear = rng.uniform(-wanted.max_shear_ratio, wanted.max_shear_ratio)
    limit = wanted.max_rotate_angle
    angle = wanted.rotate if wanted.rotate > 0 else rng.randint(-limit, limit)
    scale = rng.uniform(wanted.min_random_scale, wanted.max_random_scale)
    ratio = 1.0
    if not wanted.random_resized_crop:
        low = wanted.min_aspect_ratio
        spread = wanted.max_aspect_ratio
        ratio = rng.uniform(low, spread) if low is not None else 1 + rng.uniform(-spread, spread)
    # MXNet: height and width by the ratio, with their mean kept at scale.
    tall = 2 * scale / (1 + ratio)
    wide = ratio * tall
    sin, cos = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    forward = np.array(
        [
            [tall * cos - shear * sin * wide, tall * sin + shear * cos * wide],
            [-sin * wide, cos * wide],
        ]
    )
    low_size, high_size = wanted.min_img_size, wanted.max_img_size
    before = image.shape[1], image.shape[0]
    width, height = (int(max(low_size, min(high_size, scale * side))) for side in before)
    after = width, height
    method = method_for(wanted.inter_method, before, after, rng)
    return _transformed(image, forward, after, wanted.fill_value, method)


def _transformed(
    image: Pixels, forward: npt.NDArray[np.float64], size: Size, fill: int, method: int
) -> Pixels:
    """Return an image transformed by a matrix about the centers of both images."""
    from PIL import Image  # noqa: PLC0415  # an extra

    back = np.linalg.inv(forward)
    middle, before = np.array(size) / 2, np.array([image.shape[1], image.shape[0]]) / 2
    # Pixels are at whole numbers in OpenCV, at halves in Pillow; and OpenCV mixes those at the
    # edge with what is outside.
    start = before - back @ (middle + 0.5) + 0.5 + _BORDER
    data = (back[0, 0], back[0, 1], start[0], back[1, 0], back[1, 1], start[1])
    whole = bordered(image, _BORDER, fill)
    grey = whole.shape[2] == 1
    source = Image.fromarray(whole[:, :, 0] if grey else whole)
    colour = fill if grey else (fill,) * whole.shape[2]
    transformed = source.transform(
        size, Image.Transform.AFFINE, data, Image.Resampling(_RESAMPLE[method]), fillcolor=colour
    )
    return np.asarray(transformed).reshape(size[1], size[0], -1)


def _crop_and_resize(
    image: Pixels, size: Size, wanted: ImageParameters, rng: random.Random, scaled_to: Size
) -> Pixels:
    """Return a crop of an image, resized to the size of the batch.

    Args:
        image: The image.
        size: Width and height of the crop.
        wanted: Parameters of the crop.
        rng: Random generator.
        scaled_to: Size of an imagined resizing before the crop.
    """
    method = wanted.inter_method
    if wanted.random_resized_crop:
        box = _random_box(scaled_to, wanted, rng)
        if box is not None:
            whole = resized(image, scaled_to, method, rng)
            return resized(whole, size, method, rng, box)
    low, high = wanted.min_crop_size, wanted.max_crop_size
    if (low, high) != (AUTOMATIC, AUTOMATIC):
        # One limit alone is both.
        side = rng.randint(low if low > 0 else high, high if high > 0 else low)
        if side > min(scaled_to):
            raise ArgumentError(
                f"crops of {side} pixels do not fit into an image of {scaled_to[0]} x "
                f"{scaled_to[1]}: use resize, or a smaller max_crop_size"
            )
        whole = resized(image, scaled_to, method, rng)
        return resized(whole, size, method, rng, crop_box(scaled_to, (side, side), wanted, rng))
    # The image must cover the crop, so it is enlarged as far as needed: as in MXNet to the height,
    # and then, if it is still too narrow, to the width.
    for axis in (1, 0):
        if scaled_to[axis] < size[axis]:
            image = resized(image, scaled_to, method, rng)
            enlarged = [side * size[axis] // scaled_to[axis] for side in scaled_to]
            scaled_to = enlarged[0], enlarged[1]
    return resized(image, scaled_to, method, rng, part=crop_box(scaled_to, size, wanted, rng))


def crop_box(outer: Size, size: Size, wanted: ImageParameters, rng: random.Random) -> Box:
    """Return the position of a crop: centered or random."""
    free = outer[0] - size[0], outer[1] - size[1]
    left, top = (rng.randint(0, side) if wanted.rand_crop else side // 2 for side in free)
    return left, top, left + size[0], top + size[1]


def _random_box(outer: Size, wanted: ImageParameters, rng: random.Random) -> Box | None:
    """Return a crop of random area and aspect ratio, or None after ten failed attempts."""
    low, high = wanted.min_aspect_ratio, wanted.max_aspect_ratio
    if low is None:
        low, high = 1 - high, 1 + high
    # Inception's crop (Szegedy et al. 2015), with ten attempts as in MXNet.
    for _ in range(_ATTEMPTS):
        area = outer[0] * outer[1] * rng.uniform(wanted.min_random_area, wanted.max_random_area)
        ratio = rng.uniform(low, high)
        width, height = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < width <= outer[0] and 0 < height <= outer[1]:
            left, top = rng.randint(0, outer[0] - width), rng.randint(0, outer[1] - height)
            return left, top, left + width, top + height
    return None


def only_crops(wanted: ImageParameters) -> bool:
    """Return whether large enough images are cropped without resizing or warping."""
    sizes = (wanted.resize, wanted.min_crop_size, wanted.max_crop_size, wanted.pad)
    return not (wanted.random_resized_crop or _warps(wanted) or any(size > 0 for size in sizes))


def geometry(wanted: ImageParameters) -> Callable[[Pixels, random.Random], Pixels]:
    """Return a function that resizes, warps, pads and crops an image to the batch's size."""
    size = wanted.data_shape[2], wanted.data_shape[1]
    is_warped = _warps(wanted)

    def apply(image: Pixels, rng: random.Random) -> Pixels:
        # The resize is kept as a size for `_crop_and_resize`, which resizes only the part it
        # takes.
        scaled_to = image.shape[1], image.shape[0]
        if wanted.resize > 0:
            scaled_to = short_side(scaled_to, wanted.resize)
        if is_warped or wanted.pad > 0:
            image = resized(image, scaled_to, wanted.inter_method, rng)
            if is_warped:
                image = warped(image, wanted, rng)
            if wanted.pad > 0:
                image = bordered(image, wanted.pad, wanted.fill_value)
            scaled_to = image.shape[1], image.shape[0]
        return _crop_and_resize(image, size, wanted, rng, scaled_to)

    return apply
