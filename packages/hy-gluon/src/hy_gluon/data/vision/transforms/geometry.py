"""Resizing, cropping, flipping and rotation of images."""

from typing import Any

import numpy as np

from hy_gluon import image
from hy_gluon._errors import LayerError
from hy_gluon.block import Block, HybridBlock
from hy_gluon.nn._arguments import sizes

__all__ = [
    "CenterCrop",
    "CropResize",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomResizedCrop",
    "RandomRotation",
    "Resize",
    "Rotate",
]


def _pair(size: int | tuple[int, int]) -> tuple[int, int]:
    """Return (width, height) for a pair or for one number."""
    width, height = sizes(size, 2, "size")
    return width, height


class Resize(HybridBlock):
    """Resizes images ``[*N, height, width, channels]``.

    Args:
        size: Width and height; or one number for both.
        keep_ratio: If ``size`` is one number, resize the shorter side to it and keep the aspect
            ratio.
        interpolation: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos.


    Example:
        >>> Resize((2, 3))(nd.ones((5, 6, 3))).shape
        (3, 2, 3)
    """

    def __init__(
        self, size: int | tuple[int, int], keep_ratio: bool = False, interpolation: int = 1
    ) -> None:
        super().__init__()
        self._size = size
        self._keep = keep_ratio
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the images ``x``, transformed.

        Raises:
            LayerError: ``size`` is neither a number nor a pair.
        """
        if np.ndim(self._size) and np.shape(self._size) != (2,):
            raise LayerError(f"Resize: size must be a number or two, not {self._size!r}")
        return F.image.resize(x, size=self._size, keep_ratio=self._keep, interp=self._interpolation)


class CropResize(HybridBlock):
    """Crops a rectangle of images ``[*N, height, width, channels]``; optionally resizes the crop.

    Args:
        x: Left edge of the crop.
        y: Upper edge of the crop.
        width: Width of the crop.
        height: Height of the crop.
        size: Width and height, or one number for both; not resized if None.
        interpolation: See :class:`Resize`; bilinear if None.

    Example:
        >>> CropResize(0, 0, 2, 4, size=(3, 3))(nd.ones((5, 6, 3))).shape
        (3, 3, 3)
    """

    def __init__(
        self,
        x: int,
        y: int,
        width: int,
        height: int,
        size: int | tuple[int, int] | None = None,
        interpolation: int | None = None,
    ) -> None:
        super().__init__()
        self._x = x
        self._y = y
        self._width = width
        self._height = height
        self._size = size
        self._interpolation = 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the images ``x``, transformed."""
        part = F.image.crop(x, self._x, self._y, self._width, self._height)
        if self._size is None:
            return part
        return F.image.resize(part, size=self._size, interp=self._interpolation)


class CenterCrop(Block):
    """Crops the center of images ``[*N, height, width, channels]``.

    Args:
        size: Width and height of the crop, or one number for both. If an image is smaller, the
            largest crop of this aspect ratio is enlarged.
        interpolation: See :class:`Resize`.

    Example:
        >>> CenterCrop(2)(nd.ones((5, 6, 3))).shape
        (2, 2, 3)
    """

    def __init__(self, size: int | tuple[int, int], interpolation: int = 1) -> None:
        super().__init__()
        self._size = size
        self._interpolation = interpolation

    def forward(self, x: Any) -> Any:
        """Return the images ``x``, transformed."""
        return image.center_crop(x, _pair(self._size), self._interpolation)[0]


class RandomResizedCrop(Block):
    """Crops a rectangle of random area, aspect ratio and position, and resizes the crop.

    Args:
        size: Width and height, or one number for both.
        scale: Range of the crop's area relative to the image.
        ratio: Range of the crop's ratio of width to height.
        interpolation: See :class:`Resize`.

    Example:
        >>> RandomResizedCrop(3)(nd.ones((5, 6, 3))).shape
        (3, 3, 3)
    """

    def __init__(
        self,
        size: int | tuple[int, int],
        scale: float | tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ) -> None:
        super().__init__()
        self._size = size
        self._args = (scale, ratio, interpolation)

    def forward(self, x: Any) -> Any:
        """Return the images ``x``, ``[*N, height, width, channels]``, transformed."""
        return image.random_size_crop(x, _pair(self._size), *self._args)[0]


class RandomFlipLeftRight(HybridBlock):
    """Flips images left to right with probability 1/2.

    Example:
        >>> RandomFlipLeftRight()(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """Flips images top to bottom with probability 1/2.

    Example:
        >>> RandomFlipTopBottom()(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_flip_top_bottom(x)


class Rotate(Block):
    """Rotates floating images ``[*N, channels, height, width]`` counter-clockwise by an angle.

    Args:
        rotation_degrees: Angle in degrees.
        zoom_in: Enlarge so that no area outside the image is visible.
        zoom_out: Shrink so that the whole image is visible.

    Example:
        >>> Rotate(90)(nd.array([[[0, 1], [2, 3]]])).asnumpy().round(3)
        array([[[1., 3.],
                [0., 2.]]], dtype=float32)
    """

    def __init__(
        self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False
    ) -> None:
        super().__init__()
        self._args = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        """Return the images ``x``, transformed."""
        return image.imrotate(x, *self._args)


class RandomRotation(Block):
    """Rotates floating images ``[*N, channels, height, width]`` by random angles.

    Args:
        angle_limits: Minimum and maximum angle in degrees, counter-clockwise.
        zoom_in: Enlarge so that no area outside the image is visible.
        zoom_out: Shrink so that the whole image is visible.
        rotate_with_proba: Probability that images are rotated.

    Raises:
        LayerError: The angles are out of order, or the probability is not within 0 to 1.

    Example:
        >>> RandomRotation((-30, 30))(nd.ones((3, 5, 6))).shape
        (3, 5, 6)
    """

    def __init__(
        self,
        angle_limits: tuple[float, float],
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ) -> None:
        super().__init__()
        smallest, largest = angle_limits
        if smallest >= largest:
            raise LayerError(
                f"RandomRotation: angle_limits={angle_limits} must be the smaller, then the larger"
            )
        if not 0 <= rotate_with_proba <= 1:
            raise LayerError(
                f"RandomRotation: rotate_with_proba={rotate_with_proba} must be from 0 to 1"
            )
        self._args = (angle_limits, zoom_in, zoom_out)
        self._rotate_with_proba = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """Return the images ``x``, transformed."""
        # MXNet's draw, in front of that of the angle.
        if np.random.random() >= self._rotate_with_proba:  # noqa: NPY002
            return x
        return image.random_rotate(x, *self._args)
