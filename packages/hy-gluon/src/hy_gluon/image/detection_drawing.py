"""Drawing of bounding boxes into images."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon.image.color_augmenters import normalization

__all__ = ["restored", "with_boxes"]


def restored(image: Any, mean: Any, std: Any, *, clip: bool) -> npt.NDArray[np.uint8]:
    """Undo the normalization of an image; return its pixels.

    Args:
        image: ``[height, width, 3]``.
        mean: Subtracted mean; True for ImageNet's, None for none.
        std: Standard deviation by which the image was divided; see ``mean``.
        clip: Clip values to 0 to 255; otherwise they wrap around.
    """
    pixels = image.asnumpy().astype(np.float32)
    mean, std = normalization(mean, std)
    pixels = pixels * (1 if std is None else std) + (0 if mean is None else mean)
    if clip:
        pixels = np.clip(pixels, 0, 255)
    # By way of int64, which wraps; what C makes of a negative float as uint8 is undefined.
    whole: npt.NDArray[np.uint8] = pixels.astype(np.int64).astype(np.uint8)
    return whole


def with_boxes(
    pixels: npt.NDArray[np.uint8],
    objects: npt.NDArray[Any],
    color: tuple[int, int, int] | None,
    thickness: int,
    names: Mapping[int, str] | None,
) -> npt.NDArray[np.uint8]:
    """Return an image with the objects' boxes drawn, and class names if given.

    Args:
        pixels: ``[height, width, 3]``.
        objects: ``[N, 5 or more]``: class, then left, top, right and bottom edge.
        color: Red, green and blue of all boxes; None for a colour per class.
        thickness: Thickness of the lines in pixels.
        names: Names by class.
    """
    from PIL import Image, ImageDraw  # noqa: PLC0415  # an extra

    image = Image.fromarray(pixels)
    draw = ImageDraw.Draw(image)
    sides = np.array([image.width, image.height] * 2)
    for each in objects:
        kind = int(each[0])
        left, top, right, bottom = (int(edge) for edge in each[1:5] * sides)
        # Seeded by the class, so that it has the same colour in every image.
        rng = np.random.default_rng(abs(kind))
        tone = tuple(color) if color is not None else tuple(rng.integers(0, 256, 3).tolist())
        draw.rectangle((left, top, max(left, right), max(top, bottom)), None, tone, thickness)
        if names is not None and kind in names:
            draw.text((left + thickness, top + thickness), names[kind], fill=tone)
    return np.array(image)
