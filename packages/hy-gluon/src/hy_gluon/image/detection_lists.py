"""Default augmenters for detection: CreateDetAugmenter and CreateMultiRandCropAugmenter."""

from typing import Any

from hy_gluon.image.augmenters import CastAug, ForceResizeAug, ResizeAug
from hy_gluon.image.color_augmenters import color_steps
from hy_gluon.image.detection_augmenters import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
    DetRandomSelectAug,
)
from hy_ndarray import ArgumentError

__all__ = ["CreateDetAugmenter", "CreateMultiRandCropAugmenter"]


def CreateMultiRandCropAugmenter(  # noqa: N802  # MXNet's name
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Return an augmenter that applies one of several random crops, or none.

    Args:
        min_object_covered: See :class:`DetRandomCropAug`; a list gives one value per crop, other
            values apply to all crops. This holds for the next four arguments, too.
        aspect_ratio_range: See :class:`DetRandomCropAug`.
        area_range: See :class:`DetRandomCropAug`.
        min_eject_coverage: See :class:`DetRandomCropAug`.
        max_attempts: See :class:`DetRandomCropAug`.
        skip_prob: Probability of no crop.

    Raises:
        ArgumentError: The lists differ in length.

    Example:
        >>> len(CreateMultiRandCropAugmenter([0.1, 0.5], (0.5, 2.0)).aug_list)
        2
    """
    options = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
    lists = [value if isinstance(value, list) else [value] for value in options]
    count = max(map(len, lists))
    if any(len(values) not in {1, count} for values in lists):
        raise ArgumentError(
            "CreateMultiRandCropAugmenter: lists must be equally long, but have "
            f"{[len(values) for values in lists]} elements"
        )
    columns = [values * count if len(values) == 1 else values for values in lists]
    crops = [DetRandomCropAug(*row) for row in zip(*columns, strict=True)]
    return DetRandomSelectAug(crops, skip_prob=skip_prob)


def CreateDetAugmenter(  # noqa: N802  # MXNet's name
    data_shape: tuple[int, ...],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    pad_val: Any = (127, 127, 127),
) -> list[DetAugmenter]:
    """Return the default augmenters of images with bounding boxes.

    Args:
        data_shape: Channels, height and width of the result.
        resize: New size of the shorter side, applied first; 0 for none.
        rand_crop: Probability of a random crop.
        rand_pad: Probability of placing the image on a larger canvas.
        rand_gray: The probability for :class:`RandomGrayAug`.
        rand_mirror: Flip images horizontally with probability 1/2.
        mean: Mean of the pixels by channel; True for ImageNet's.
        std: Standard deviation of the pixels by channel; True for ImageNet's.
        brightness: See :class:`ColorJitterAug`.
        contrast: See :class:`ColorJitterAug`.
        saturation: See :class:`ColorJitterAug`.
        pca_noise: Standard deviation for :class:`LightingAug`.
        hue: See :class:`HueJitterAug`.
        inter_method: Interpolation method; see :func:`imresize`.
        min_object_covered: See :func:`CreateMultiRandCropAugmenter`.
        aspect_ratio_range: See ``DetRandomCropAug``; also for padding.
        area_range: See ``DetRandomCropAug``; the second number also for padding.
        min_eject_coverage: See :class:`DetRandomCropAug`.
        max_attempts: See ``DetRandomCropAug``; also for padding.
        pad_val: Colour of the larger canvas.

    Raises:
        ArgumentError: Lists differ in length, or ``mean`` or ``std`` is not one or three numbers.

    Example:
        >>> [type(step).__name__ for step in CreateDetAugmenter((3, 300, 300), rand_mirror=True)]
        ['DetHorizontalFlipAug', 'DetBorrowAug', 'DetBorrowAug']
    """
    steps: list[DetAugmenter] = []
    if resize > 0:
        steps.append(DetBorrowAug(ResizeAug(resize, inter_method)))
    if rand_crop > 0:
        crops = (
            min_object_covered,
            aspect_ratio_range,
            area_range,
            min_eject_coverage,
            max_attempts,
        )
        steps.append(CreateMultiRandCropAugmenter(*crops, skip_prob=1 - rand_crop))
    if rand_mirror:
        steps.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        largest = area_range[1] if isinstance(area_range, tuple) else 3.0
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, largest), max_attempts, pad_val)
        steps.append(DetRandomSelectAug([pad], 1 - rand_pad))
    jitter = (brightness, contrast, saturation)
    plain = [
        ForceResizeAug((data_shape[2], data_shape[1]), inter_method),
        CastAug(),
        *color_steps(jitter, hue, pca_noise, rand_gray, mean, std),
    ]
    return [*steps, *map(DetBorrowAug, plain)]
