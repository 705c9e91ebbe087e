"""Random changes of contrast, saturation, hue and brightness of images."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.random._draws import Generator

Change: TypeAlias = Callable[[Array, float], Array]
"""Function of an image, which it overwrites, and a factor; returns the changed image."""

_GRAY = (0.299, 0.587, 0.114)  # luma of ITU-R BT.601


def _working_copy(data: Array, out: OutBuffers) -> Array:
    """Return a floating-point copy of the image, which is then changed in place."""
    whole = data.dtype.kind in "iub"
    return copied(data, out, dtype=np.dtype(np.float32) if whole else accumulator(data.dtype))


def _in_image_dtype(image: Array, data: Array) -> Array:
    """Return the image converted to the dtype of ``data``; integers are clipped and truncated."""
    if data.dtype.kind in "iu":
        limits = np.iinfo(data.dtype)
        image = np.clip(image, limits.min, limits.max)
    return image.astype(data.dtype, copy=False)


def _gray(image: Array) -> Array:
    """Return the luma of the image, ``[H, W, 1]``."""
    return image @ np.array(_GRAY, image.dtype)[:, None] if image.shape[-1] == 3 else image


def _brightness(image: Array, factor: float) -> Array:
    image *= image.dtype.type(factor)
    return image


def _contrast(image: Array, factor: float) -> Array:
    mean = _gray(image).mean() if image.size else 0.0
    image *= image.dtype.type(factor)
    image += image.dtype.type((1 - factor) * mean)
    return image


def _saturation(image: Array, factor: float) -> Array:
    if image.shape[-1] != 3:
        return image
    gray = _gray(image)
    image *= image.dtype.type(factor)
    image += gray * image.dtype.type(1 - factor)
    return image


@quiet
def _hue(image: Array, factor: float) -> Array:
    """Rotate hues by ``factor`` of a full circle; HSL lightness and saturation are unchanged."""
    if image.shape[-1] != 3:
        return image
    red, green, blue = (image[..., i] for i in range(3))
    high, low = image.max(axis=-1), image.min(axis=-1)
    span = high - low
    hue = np.where(
        high == red,
        (green - blue) / span,
        np.where(high == green, (blue - red) / span + 2, (red - green) / span + 4),
    )
    hue = np.where(span > 0, hue, 0) + 6 * factor
    # Along the hue circle, each color rises and falls linearly between low and high; green and
    # blue are shifted by a third of the circle each.
    at = np.mod(hue[..., None] + np.array([2, 0, -2], image.dtype), 6)
    share = np.clip(2 - np.abs(at - 2), 0, 1)
    np.add(low[..., None], span[..., None] * share, out=image)
    return image


def _uniform(rng: Generator, low: float, high: float) -> float:
    return float(low + (high - low) * rng.random())


def _enter(name: str, change: Change) -> None:
    """Register the kernel of a change by a random factor."""

    @kernel(name, out="apart")
    def changed(
        data: Array, *, min_factor: float, max_factor: float, rng: Generator, out: OutBuffers = None
    ) -> Array:
        factor = _uniform(rng, min_factor, max_factor)
        return _in_image_dtype(change(_working_copy(data, out), factor), data)


_enter("image_random_contrast", _contrast)
_enter("image_random_saturation", _saturation)
_enter("image_random_hue", _hue)


@kernel(out="apart")
def image_random_color_jitter(
    data: Array,
    *,
    brightness: float,
    contrast: float,
    saturation: float,
    hue: float,
    rng: Generator,
    out: OutBuffers = None,
) -> Array:
    """Return the image with random brightness, contrast, saturation and hue, in random order."""
    changes: list[tuple[Change, float, float]] = [
        (_brightness, 1, brightness),
        (_contrast, 1, contrast),
        (_saturation, 1, saturation),
        (_hue, 0, hue),
    ]
    image = _working_copy(data, out)
    # In random order, because the changes do not commute.
    for i in rng.permutation(len(changes)):
        change, middle, width = changes[i]
        if width > 0:
            image = change(image, _uniform(rng, middle - width, middle + width))
    return _in_image_dtype(image, data)
