"""Brightness, contrast, saturation, hue and lighting of images.

Images are ``[H, W, C]`` with 1 or 3 channels in RGB order, of any dtype. Results in integers are
clipped to the range of the dtype and truncated.
"""

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import same_gradient
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.params import Floats
from hy_ndarray.ops.record.ranges import NonNegativeFloat
from hy_ndarray.ops.record.rules import expect_rank
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType, show


def _image(data: TensorType) -> TensorType:
    expect_rank(data, 3)
    if data.shape is not None and data.shape[2] not in (None, 1, 3):
        raise ShapeError(f"{data.label}{show(data.shape)} must have 1 or 3 channels")
    return data


def _of_random_factor(
    data: TensorType, *, min_factor: NonNegativeFloat, max_factor: NonNegativeFloat
) -> TensorType:
    """Return the type of an image.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least {note}.
        max_factor: The greatest {note}.

    Raises:
        ShapeError: ``data`` is not an image of 1 or 3 channels.
        ArgumentError: A factor is negative.
    """
    return _image(data)


_random = family(
    _of_random_factor, kernel="image_random_{}", name="_image_random_{}", needs=("rng",)
)

image_random_brightness = _random(
    "brightness",
    "_npx__image_random_brightness",
    text="Return the image multiplied by a random factor.",
    note="factor",
)
image_random_contrast = _random(
    "contrast",
    "_npx__image_random_contrast",
    text="Return the image with its contrast, the distance from the mean gray, scaled randomly.",
    note="factor",
)
image_random_saturation = _random(
    "saturation",
    "_npx__image_random_saturation",
    text="Return the image with its saturation, the distance from gray, scaled randomly.",
    note="factor",
)
image_random_hue = _random(
    "hue",
    "_npx__image_random_hue",
    text="Return the image with its hue rotated by a random angle.",
    note="rotation; 1 is a full circle",
)


@operator("_image_random_color_jitter", "_npx__image_random_color_jitter", needs=("rng",))
def image_random_color_jitter(
    data: TensorType, *, brightness: float, contrast: float, saturation: float, hue: float
) -> TensorType:
    """Return the image with random brightness, contrast, saturation and hue, in random order.

    Args:
        data: ``[H, W, C]``.
        brightness: The brightness factor is drawn from ``1 - brightness`` to ``1 + brightness``.
        contrast: The contrast factor is drawn from ``1 - contrast`` to ``1 + contrast``.
        saturation: The saturation factor is drawn from ``1 - saturation`` to ``1 + saturation``.
        hue: The hue is rotated by ``-hue`` to ``hue``; 1 is a full circle.

    Raises:
        ShapeError: ``data`` is not an image of 1 or 3 channels.
    """
    return _image(data)


@operator("_image_adjust_lighting", "_npx__image_adjust_lighting", grad=same_gradient)
def image_adjust_lighting(data: TensorType, *, alpha: Floats) -> TensorType:
    """Return the image shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha: Three shifts, one along each component, in standard deviations of the component.

    Raises:
        ShapeError: ``data`` is not an image of 1 or 3 channels.
        ArgumentError: ``alpha`` is not three numbers.

    Source:
        Krizhevsky, Sutskever, Hinton 2012, ImageNet Classification with Deep Convolutional Neural
        Networks, section 4.1.
    """
    if len(alpha) != 3:
        raise ArgumentError(f"alpha={alpha} must have 3 numbers")
    return _image(data)


@operator(
    "_image_random_lighting", "_npx__image_random_lighting", needs=("rng",), grad=same_gradient
)
def image_random_lighting(data: TensorType, *, alpha_std: float = 0.05) -> TensorType:
    """Return the image randomly shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha_std: Standard deviation of the shifts, in standard deviations of the components.

    Raises:
        ShapeError: ``data`` is not an image of 1 or 3 channels.

    Source:
        Krizhevsky, Sutskever, Hinton 2012, ImageNet Classification with Deep Convolutional Neural
        Networks, section 4.1.
    """
    return _image(data)
