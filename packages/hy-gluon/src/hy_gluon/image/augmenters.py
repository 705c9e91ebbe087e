"""Augmenters: callable image transforms that can be described as JSON."""

import json
import random
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from hy_gluon.image.color import color_normalize
from hy_gluon.image.cropping import center_crop, random_crop, random_size_crop
from hy_gluon.image.resizing import imresize, resize_short
from hy_ndarray import ArgumentError, NDArray, nd
from hy_ndarray.suggestion import Suggesting

__all__ = [
    "Augmenter",
    "CastAug",
    "CenterCropAug",
    "ColorNormalizeAug",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "RandomCropAug",
    "RandomOrderAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "SequentialAug",
]


class Augmenter(Suggesting):
    """Base class of image augmenters; subclasses override ``__call__``.

    Args:
        kwargs: Arguments of the constructor, for :meth:`dumps`.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: _json_value(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """Return a JSON description: the class name in lower case, and the arguments.

        Example:
            >>> ResizeAug(256).dumps()
            '["resizeaug", {"size": 256, "interp": 2}]'
        """
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any) -> Any:
        """Return the augmented image; ``src`` stays unchanged."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


def _json_value(value: Any) -> Any:
    array = value.asnumpy() if isinstance(value, NDArray) else value
    return array.tolist() if isinstance(array, np.ndarray) else array


class SequentialAug(Augmenter):
    """Applies augmenters one after the other.

    Args:
        ts: The augmenters.
    """

    def __init__(self, ts: Sequence[Augmenter]) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> list[Any]:
        """Return the class name in lower case and the augmenters' descriptions."""
        return [type(self).__name__.lower(), [t.dumps() for t in self.ts]]

    def __call__(self, src: Any) -> Any:
        """Return the image after all augmenters."""
        for t in self.ts:
            src = t(src)
        return src


class RandomOrderAug(SequentialAug):
    """Applies augmenters in a new random order in each call.

    Args:
        ts: The augmenters.
    """

    def __init__(self, ts: Sequence[Augmenter]) -> None:
        super().__init__([*ts])

    def __call__(self, src: Any) -> Any:
        """Return the image after all augmenters, in an order drawn by Python's ``random``."""
        random.shuffle(cast("list[Augmenter]", self.ts))  # a seed gives MXNet's orders
        return super().__call__(src)


class ResizeAug(Augmenter):
    """Resizes the shorter side; see :func:`resize_short`.

    Args:
        size: New size of the shorter side.
        interp: Interpolation method; see :func:`imresize`.

    Example:
        >>> ResizeAug(2)(nd.ones((5, 6, 3))).shape
        (2, 2, 3)
    """

    def __init__(self, size: int, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp

    def __call__(self, src: Any) -> Any:
        """Return ``src`` resized."""
        return resize_short(src, self.size, self.interp)


class _ToSize(Augmenter):
    """Base class of augmenters whose images have one size."""

    def __init__(self, size: tuple[int, int], interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp


class ForceResizeAug(_ToSize):
    """Resizes both sides; see :func:`imresize`.

    Args:
        size: New width and height.
        interp: Interpolation method; see :func:`imresize`.

    Example:
        >>> ForceResizeAug((2, 3))(nd.ones((5, 6, 3))).shape
        (3, 2, 3)
    """

    def __call__(self, src: Any) -> Any:
        """Return ``src`` resized."""
        return imresize(src, *self.size, self.interp)


class CenterCropAug(_ToSize):
    """Crops the center; see :func:`center_crop`.

    Args:
        size: Width and height of the crop.
        interp: Interpolation method if the crop is enlarged; see :func:`imresize`.

    Example:
        >>> CenterCropAug((2, 3))(nd.ones((5, 6, 3))).shape
        (3, 2, 3)
    """

    def __call__(self, src: Any) -> Any:
        """Return ``src`` cropped."""
        return center_crop(src, self.size, self.interp)[0]


class RandomCropAug(_ToSize):
    """Crops at a random position; see :func:`random_crop`.

    Args:
        size: Width and height of the crop.
        interp: Interpolation method if the crop is enlarged; see :func:`imresize`.

    Example:
        >>> RandomCropAug((2, 3))(nd.ones((5, 6, 3))).shape
        (3, 2, 3)
    """

    def __call__(self, src: Any) -> Any:
        """Return ``src`` cropped."""
        return random_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Crops a random rectangle, and resizes the crop; see :func:`random_size_crop`.

    Args:
        size: Width and height after resizing.
        area: Range of the crop's area relative to the image, or its minimum.
        ratio: Range of the crop's ratio of width to height.
        interp: Interpolation method; see :func:`imresize`.

    Example:
        >>> RandomSizedCropAug((2, 3), (0.5, 1), (0.75, 1.33))(nd.ones((5, 6, 3))).shape
        (3, 2, 3)
    """

    def __init__(
        self,
        size: tuple[int, int],
        area: float | tuple[float, float],
        ratio: tuple[float, float],
        interp: int = 2,
    ) -> None:
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size = size
        self.area = area
        self.ratio = ratio
        self.interp = interp

    def __call__(self, src: Any) -> Any:
        """Return ``src`` cropped."""
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class HorizontalFlipAug(Augmenter):
    """Flips images left to right with a given probability.

    Args:
        p: Probability.

    Example:
        >>> HorizontalFlipAug(0.5)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any) -> Any:
        """Return ``src``, flipped or not."""
        return nd.flip(src, axis=1) if random.random() < self.p else src  # noqa: S311


class CastAug(Augmenter):
    """Casts images to a dtype.

    Args:
        typ: The dtype.

    Example:
        >>> CastAug("float16")(nd.ones((5, 6, 3), dtype="uint8")).dtype.__name__
        'float16'
    """

    def __init__(self, typ: str = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: Any) -> Any:
        """Return ``src`` in the dtype."""
        return src.astype(self.typ)


class ColorNormalizeAug(Augmenter):
    """Normalises colours, ``(image - mean) / std``; see :func:`color_normalize`.

    Args:
        mean: Mean by channel; 0 if None.
        std: Standard deviation by channel; 1 if None.

    Example:
        >>> normalize = ColorNormalizeAug(nd.array([1.0, 0.0, 0.0]), nd.array([1.0, 1.0, 2.0]))
        >>> normalize(nd.ones((1, 1, 3))).asnumpy()
        array([[[0. , 1. , 0.5]]], dtype=float32)
    """

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean = _array(mean)
        self.std = _array(std)

    def __call__(self, src: Any) -> Any:
        """Return ``src`` normalised."""
        return color_normalize(src, self.mean, self.std)


def _array(value: Any) -> Any:
    return value if value is None or isinstance(value, NDArray) else nd.array(value)


def check_color(name: str, channels: Any) -> Any:
    """Return an array of three channel values; None unchanged.

    Raises:
        ArgumentError: ``channels`` is not three numbers.
    """
    if channels is None:
        return None
    array = np.asarray(_json_value(channels))
    if array.shape not in ((1,), (3,)) or array.dtype.kind not in "biuf":
        what = f"the shape {array.shape} of {array.dtype}"
        raise ArgumentError(f"{name} must have 1 or 3 numbers, not {what}")
    return array
