"""Random changes of brightness, contrast, saturation, hue and lighting."""

from typing import Any

from hy_gluon._errors import LayerError
from hy_gluon.block import HybridBlock

__all__ = [
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomHue",
    "RandomLighting",
    "RandomSaturation",
]


class _RandomFactor(HybridBlock):
    """Base class of transforms of colours by a random factor.

    Args:
        amount: Maximum deviation of the factor from 1; the factor is never negative.

    Raises:
        LayerError: ``amount`` is negative.
    """

    def __init__(self, amount: float) -> None:
        super().__init__()
        if amount < 0:
            raise LayerError(f"{type(self).__name__}: {amount} is below 0")
        self._args = (max(0.0, 1 - amount), 1 + amount)


class RandomBrightness(_RandomFactor):
    """Multiplies images by a random factor.

    Args:
        brightness: Maximum deviation of the factor from 1; the factor is never negative.

    Raises:
        LayerError: ``brightness`` is negative.

    Example:
        >>> RandomBrightness(0.2)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_brightness(x, *self._args)


class RandomContrast(_RandomFactor):
    """Changes the contrast: scales pixels' distance from their mean by a random factor.

    Args:
        contrast: Maximum deviation of the factor from 1; the factor is never negative.

    Raises:
        LayerError: ``contrast`` is negative.

    Example:
        >>> RandomContrast(0.2)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_contrast(x, *self._args)


class RandomSaturation(_RandomFactor):
    """Changes the saturation: scales colours' distance from grey by a random factor.

    Args:
        saturation: Maximum deviation of the factor from 1; the factor is never negative.

    Raises:
        LayerError: ``saturation`` is negative.

    Example:
        >>> RandomSaturation(0.2)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_saturation(x, *self._args)


class RandomHue(_RandomFactor):
    """Rotates hues by a random fraction of the colour circle.

    Args:
        hue: Maximum rotation in either direction, as a fraction of the colour circle.

    Raises:
        LayerError: ``hue`` is negative.

    Example:
        >>> RandomHue(0.1)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(self, hue: float) -> None:
        super().__init__(hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_hue(x, *self._args)


class RandomColorJitter(HybridBlock):
    """Randomly changes brightness, contrast, saturation and hue, in a random order.

    Args:
        brightness: See :class:`RandomBrightness`; 0 for no change.
        contrast: See :class:`RandomContrast`; 0 for no change.
        saturation: See :class:`RandomSaturation`; 0 for no change.
        hue: See :class:`RandomHue`; 0 for no change.

    Example:
        >>> RandomColorJitter(brightness=0.2, hue=0.1)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)
    """

    def __init__(
        self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0
    ) -> None:
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """Adds AlexNet's PCA noise: random multiples of the principal components of ImageNet colours.

    Args:
        alpha: Standard deviation of the random multiples.

    Example:
        >>> RandomLighting(0.1)(nd.ones((5, 6, 3))).shape
        (5, 6, 3)

    Source:
        Krizhevsky, Sutskever, Hinton, ImageNet Classification with Deep Convolutional Neural
        Networks, 2012.
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image ``x``, ``[height, width, channels]``, transformed."""
        return F.image.random_lighting(x, self._alpha)
