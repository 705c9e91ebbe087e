"""Colour augmenters, and CreateAugmenter, which returns the default list of augmenters."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.image.augmenters import (
    Augmenter,
    CastAug,
    CenterCropAug,
    ColorNormalizeAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomOrderAug,
    RandomSizedCropAug,
    ResizeAug,
    check_color,
)
from hy_ndarray import ArgumentError, nd

__all__ = [
    "BrightnessJitterAug",
    "ColorJitterAug",
    "ContrastJitterAug",
    "CreateAugmenter",
    "HueJitterAug",
    "LightingAug",
    "RandomGrayAug",
    "SaturationJitterAug",
    "color_steps",
    "normalization",
]

_Matrix = npt.NDArray[np.float64]

_LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue in the brightness of a pixel."""

_YIQ: _Matrix = np.array([_LUMA, [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
"""From red, green, blue to brightness and two axes of colour (the television standard NTSC)."""

_RGB: _Matrix = np.array([[1, 0.956, 0.621], [1, -0.272, -0.647], [1, -1.107, 1.705]])
"""And back, rounded as it usually is."""

_GREY = np.array([0.21, 0.72, 0.07])

_IMAGENET_MEAN = np.array([123.68, 116.28, 103.53], np.float32)
_IMAGENET_STD = np.array([58.395, 57.12, 57.375], np.float32)
"""Of the pixels of ImageNet."""

_PRINCIPAL_VALUES = (55.46, 4.794, 1.148)
_PRINCIPAL_COLORS = (
    (-0.5675, 0.7192, 0.4009),
    (-0.5808, -0.0045, -0.8140),
    (-0.5836, -0.6948, 0.4203),
)
"""Principal components of the colours of ImageNet (Krizhevsky et al., 2012)."""


def _in_floats(src: Any, change: Callable[[Any], Any]) -> Any:
    """Apply ``change`` to an image in floats; integer images are rounded and clipped afterwards."""
    if np.issubdtype(src.dtype, np.floating):
        return change(src)
    dtype, limits = np.dtype(src.dtype), np.iinfo(src.dtype)
    # A cast alone would cut off fractions, and values above 255 would wrap to dark ones.
    values = nd.round(change(src.astype("float32")))
    return nd.clip(values, float(limits.min), float(limits.max)).astype(dtype)


def _mixed(src: Any, matrix: Any) -> Any:
    """Return linear combinations of channels, with weights in the rows of ``matrix``."""
    return nd.dot(src, nd.array(np.transpose(matrix), dtype=src.dtype, ctx=src.context))


def _around_one(amount: float) -> float:
    return 1.0 + random.uniform(-amount, amount)  # noqa: S311


def _toward(src: Any, gray: Any, factor: float) -> Any:
    """Return the interpolation of ``src`` (factor 1) and ``gray`` (factor 0)."""
    return nd.broadcast_add(src * factor, gray * (1.0 - factor))


class BrightnessJitterAug(Augmenter):
    """Multiplies images by a random factor.

    Args:
        brightness: Maximum deviation of the factor from 1.

    Example:
        >>> BrightnessJitterAug(0.2)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: Any) -> Any:
        """Return the image ``src``, of any dtype, with changed colors."""
        factor = _around_one(self.brightness)
        return _in_floats(src, lambda image: image * factor)


class ContrastJitterAug(Augmenter):
    """Changes the contrast: scales pixels' distance from their mean by a random factor.

    Args:
        contrast: Maximum deviation of the factor from 1.

    Example:
        >>> ContrastJitterAug(0.2)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast

    def __call__(self, src: Any) -> Any:
        """Return the image ``src``, of any dtype, with changed colors."""
        factor = _around_one(self.contrast)

        def change(image: Any) -> Any:
            gray = _mixed(image, _LUMA[None, :]).mean(axis=(0, 1), keepdims=True)
            return _toward(image, gray, factor)

        return _in_floats(src, change)


class SaturationJitterAug(Augmenter):
    """Changes the saturation: scales colours' distance from grey by a random factor.

    Args:
        saturation: Maximum deviation of the factor from 1.

    Example:
        >>> SaturationJitterAug(0.2)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation

    def __call__(self, src: Any) -> Any:
        """Return the image ``src``, of any dtype, with changed colors."""
        factor = _around_one(self.saturation)
        return _in_floats(src, lambda image: _toward(image, _mixed(image, _LUMA[None, :]), factor))


class HueJitterAug(Augmenter):
    """Rotates hues by a random angle on the colour circle.

    Args:
        hue: Maximum rotation, in units of half a circle.

    Example:
        >>> HueJitterAug(0.1)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue

    def __call__(self, src: Any) -> Any:
        """Return the image ``src``, of any dtype, with changed colors."""
        angle = np.pi * random.uniform(-self.hue, self.hue)  # noqa: S311
        sin, cos = np.sin(angle), np.cos(angle)
        # In YIQ a hue is the angle in the plane of I and Q, so that a rotation there leaves
        # brightness alone.
        turn = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
        return _in_floats(src, lambda image: _mixed(image, _RGB @ turn @ _YIQ))


class ColorJitterAug(RandomOrderAug):
    """Randomly changes brightness, contrast and saturation, in a random order.

    Args:
        brightness: See :class:`BrightnessJitterAug`; 0 for no change.
        contrast: See :class:`ContrastJitterAug`; 0 for no change.
        saturation: See :class:`SaturationJitterAug`; 0 for no change.

    Example:
        >>> ColorJitterAug(0.2, 0.2, 0.2)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        ts: list[Augmenter] = []
        if brightness > 0:
            ts.append(BrightnessJitterAug(brightness))
        if contrast > 0:
            ts.append(ContrastJitterAug(contrast))
        if saturation > 0:
            ts.append(SaturationJitterAug(saturation))
        super().__init__(ts)


class LightingAug(Augmenter):
    """Adds random multiples of the principal components of colours (PCA noise).

    Args:
        alphastd: Standard deviation of the random multiples.
        eigval: ``[3]``: standard deviations of the components.
        eigvec: ``[3, 3]``: the components, as columns.

    Source:
        Krizhevsky, Sutskever, Hinton, ImageNet Classification with Deep Convolutional Neural
        Networks, 2012.
    """

    def __init__(self, alphastd: float, eigval: Any, eigvec: Any) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd = alphastd
        self.eigval = np.asarray(eigval)
        self.eigvec = np.asarray(eigvec)

    def __call__(self, src: Any) -> Any:
        """Return the image ``src``, of any dtype, with changed colors."""
        # Krizhevsky et al. 2012, section 4.1: each component times a normal number times its
        # eigenvalue.
        alpha = np.random.normal(0, self.alphastd, size=(3,))  # noqa: NPY002  # what users seed
        shift = self.eigvec @ (alpha * self.eigval)

        def change(image: Any) -> Any:
            return image + nd.array(shift, dtype=image.dtype, ctx=image.context)

        return _in_floats(src, change)


class RandomGrayAug(Augmenter):
    """Converts images to grey with a given probability.

    Args:
        p: Probability.

    Example:
        >>> RandomGrayAug(0.5)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any) -> Any:
        """Return ``src``, of any dtype, in grey or unchanged."""
        if random.random() >= self.p:  # noqa: S311
            return src
        return _in_floats(src, lambda image: _mixed(image, np.tile(_GREY, (3, 1))))


def CreateAugmenter(  # noqa: N802  # MXNet's name; one step for each argument
    data_shape: tuple[int, int, int],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """Return the default augmenters for the given options.

    Args:
        data_shape: Channels, height and width of the resulting images.
        resize: New size of the shorter side, applied first; 0 for none.
        rand_crop: Crop at a random position, instead of the center.
        rand_resize: Crop a random size, too; requires ``rand_crop``.
        rand_mirror: Flip images horizontally with probability 1/2.
        mean: Mean of the pixels by channel; True for ImageNet's.
        std: Standard deviation of the pixels by channel; True for ImageNet's.
        brightness: See :class:`ColorJitterAug`.
        contrast: See :class:`ColorJitterAug`.
        saturation: See :class:`ColorJitterAug`.
        hue: See :class:`HueJitterAug`.
        pca_noise: Standard deviation for :class:`LightingAug`.
        rand_gray: The probability for :class:`RandomGrayAug`.
        inter_method: Interpolation method; see :func:`imresize`.

    Raises:
        ArgumentError: ``rand_resize`` is set without ``rand_crop``, or ``mean`` or ``std`` is not
            one or three numbers.

    Example:
        >>> [type(step).__name__ for step in CreateAugmenter((3, 224, 224), rand_mirror=True)]
        ['CenterCropAug', 'HorizontalFlipAug', 'CastAug']
    """
    if rand_resize and not rand_crop:
        raise ArgumentError("CreateAugmenter: rand_resize needs rand_crop=True")
    size = (data_shape[2], data_shape[1])
    steps: list[Augmenter] = []
    if resize > 0:
        steps.append(ResizeAug(resize, inter_method))
    if rand_resize:
        # The crop of Szegedy et al. 2015: 8 % to 100 % of the area, ratios from 3/4 to 4/3.
        steps.append(
            RandomSizedCropAug(size, area=0.08, ratio=(3.0 / 4.0, 4.0 / 3.0), interp=inter_method)
        )
    elif rand_crop:
        steps.append(RandomCropAug(size, inter_method))
    else:
        steps.append(CenterCropAug(size, inter_method))
    if rand_mirror:
        steps.append(HorizontalFlipAug(0.5))
    jitter = (brightness, contrast, saturation)
    return [*steps, CastAug(), *color_steps(jitter, hue, pca_noise, rand_gray, mean, std)]


def normalization(mean: Any, std: Any) -> tuple[Any, Any]:
    """Return mean and standard deviation by channel, with ImageNet's in place of True.

    Raises:
        ArgumentError: An argument is not one or three numbers.
    """
    return (
        check_color("mean", _IMAGENET_MEAN if mean is True else mean),
        check_color("std", _IMAGENET_STD if std is True else std),
    )


def color_steps(
    jitter: tuple[float, float, float],
    hue: float,
    pca_noise: float,
    rand_gray: float,
    mean: Any,
    std: Any,
) -> list[Augmenter]:
    """Return the colour augmenters for the given options.

    Args:
        jitter: Brightness, contrast and saturation, for :class:`ColorJitterAug`.
        hue: See :class:`HueJitterAug`.
        pca_noise: Standard deviation for :class:`LightingAug`.
        rand_gray: The probability for :class:`RandomGrayAug`.
        mean: See :func:`CreateAugmenter`.
        std: See :func:`CreateAugmenter`.

    Raises:
        ArgumentError: ``mean`` or ``std`` is not one or three numbers.
    """
    steps: list[Augmenter] = []
    if any(jitter):
        steps.append(ColorJitterAug(*jitter))
    if hue:
        steps.append(HueJitterAug(hue))
    if pca_noise > 0:
        values, colors = np.array(_PRINCIPAL_VALUES), np.array(_PRINCIPAL_COLORS)
        steps.append(LightingAug(pca_noise, values, colors))
    if rand_gray > 0:
        steps.append(RandomGrayAug(rand_gray))
    mean, std = normalization(mean, std)
    if mean is not None or std is not None:
        steps.append(ColorNormalizeAug(mean, std))
    return steps
