"""Random changes of colors in images, and normalization of pixels."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mxnet.io.image_parameters import ImageParameters, RecordParameters

__all__ = ["Values", "changes_colours", "colours", "moved_colours"]

# Rec. 601 luma, as OpenCV's.
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_VALUES = np.array([55.46, 4.794, 1.148])
_VECTORS = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
)
"""Principal components of the colours of ImageNet (Krizhevsky et al., 2012)."""


def changes_colours(wanted: ImageParameters) -> bool:
    """Return whether colors are changed before the normalization."""
    jitter = (wanted.brightness, wanted.contrast, wanted.saturation, wanted.pca_noise)
    return any(amount > 0 for amount in (*jitter, *_hls_amounts(wanted)))


def _hls_amounts(wanted: ImageParameters) -> tuple[int, int, int]:
    return wanted.random_h, wanted.random_l, wanted.random_s


def colours(
    pixels: npt.NDArray[np.uint8], wanted: ImageParameters, rng: random.Random
) -> npt.NDArray[np.uint8]:
    """Return ``[height, width, 3]`` with color jitter, noise and hue shift."""
    image = pixels.astype(np.float32)
    steps: list[Callable[[], npt.NDArray[np.float32]]] = []
    if wanted.brightness > 0:
        steps.append(lambda: image * _around_one(wanted.brightness, rng))
    if wanted.contrast > 0:
        steps.append(lambda: _toward(image, (image @ _LUMA).mean(), wanted.contrast, rng))
    if wanted.saturation > 0:
        steps.append(lambda: _toward(image, (image @ _LUMA)[..., None], wanted.saturation, rng))
    # The order of jitters is random, as in MXNet.
    rng.shuffle(steps)
    for step in steps:
        image = np.clip(step(), 0, 255)
    if any(amount > 0 for amount in _hls_amounts(wanted)):
        moves = [rng.randint(-amount, amount) for amount in _hls_amounts(wanted)]
        image = moved_colours(image, *moves)
    if wanted.pca_noise > 0:
        weights = np.array([rng.gauss(0, wanted.pca_noise) for _ in range(3)])
        image = image + (_VECTORS @ (weights * _VALUES)).astype(np.float32)
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def _around_one(amount: float, rng: random.Random) -> np.float32:
    return np.float32(1 + rng.uniform(-amount, amount))


def _toward(image: Any, grey: Any, amount: float, rng: random.Random) -> Any:
    factor = _around_one(amount, rng)
    return image * factor + grey * (1 - factor)


def moved_colours(image: Any, hue_by: float, light_by: float, saturation_by: float) -> Any:
    """Return an image with hue (of 180), lightness and saturation (of 255) shifted."""
    high, low = image.max(axis=-1), image.min(axis=-1)
    spread, total = high - low, high + low
    safe = np.where(spread > 0, spread, 1)
    red, green, blue = (image[..., i] for i in range(3))
    hue = np.select(
        [high == red, high == green],
        [(green - blue) / safe, 2 + (blue - red) / safe],
        4 + (red - green) / safe,
    )
    # OpenCV's hue of 8 bits: 180 for the circle. MXNet clips it instead of going round.
    hue = np.clip(30 * (hue % 6) + hue_by, 0, 180) / 30
    light = np.clip(total / 2 + light_by, 0, 255)
    room = np.maximum(np.where(total < 255, total, 510 - total), 1e-6)  # noqa: PLR2004
    saturation = np.clip(255 * spread / room + saturation_by, 0, 255) / 255
    chroma = saturation * np.where(light < 127.5, 2 * light, 510 - 2 * light) / 2  # noqa: PLR2004
    # Each channel is a trapezoid of the hue, shifted by a third of the circle.
    offsets = np.array([0, 4, 2], np.float32)
    distance = np.abs((hue[..., None] + offsets) % 6 - 3)
    return (light[..., None] + chroma[..., None] * np.clip(2 * distance - 3, -1, 1)).astype(
        np.float32
    )


@dataclass(frozen=True, slots=True)
class Values:
    """Factor and offset per channel that normalize pixels."""

    factor: npt.NDArray[np.float32]
    """``[channels]``."""
    term: npt.NDArray[np.float32]
    """``[channels]``."""

    @classmethod
    def of(cls, wanted: RecordParameters, contrast: float = 1.0, light: float = 0.0) -> "Values":
        """Return the factors and offsets for mean, standard deviation and scale.

        Args:
            wanted: The parameters.
            contrast: Factor of all pixels.
            light: Added to all pixels.
        """
        count = wanted.data_shape[0]
        mean = np.array(wanted.means)[:count]
        std = np.array([wanted.std_r, wanted.std_g, wanted.std_b, wanted.std_a])[:count]
        factor, term = contrast * wanted.scale / std, (light - mean) * wanted.scale / std
        return cls(factor.astype(np.float32), term.astype(np.float32))

    def write(
        self, bands: Sequence[npt.NDArray[np.uint8]], target: npt.NDArray[np.float32]
    ) -> None:
        """Write the normalized channels of an image, ``[height, width]`` each, to ``target``."""
        for band, channel, factor, term in zip(bands, target, self.factor, self.term, strict=True):
            np.copyto(channel, band)
            # Skipped where they change nothing: two passes over the pixels less.
            if factor != 1:
                np.multiply(channel, factor, out=channel)
            if term != 0:
                np.add(channel, term, out=channel)
