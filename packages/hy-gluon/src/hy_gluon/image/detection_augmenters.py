"""Augmenters of images together with their objects' bounding boxes."""

import json
import random
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_gluon.image.augmenters import Augmenter
from hy_gluon.image.cropping import copyMakeBorder, fixed_crop
from hy_ndarray import ArgumentError, nd

__all__ = [
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "DetRandomSelectAug",
]

Objects: TypeAlias = npt.NDArray[Any]
"""``[N, width]``: class, left, upper, right, lower edge as parts of the image's sides, and more."""


class DetAugmenter:
    """Base class of augmenters of images with bounding boxes; subclasses override ``__call__``.

    Args:
        kwargs: Arguments of the constructor, for :meth:`dumps`.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in kwargs.items()
        }

    def dumps(self) -> Any:
        """Return a JSON description: the class name in lower case, and the arguments.

        Example:
            >>> DetHorizontalFlipAug(0.5).dumps()
            '["dethorizontalflipaug", {"p": 0.5}]'
        """
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        """Return the augmented image and objects; the arguments stay unchanged."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


class DetBorrowAug(DetAugmenter):
    """Applies an image augmenter that does not move objects, such as a colour change.

    Args:
        augmenter: The augmenter.

    Raises:
        ArgumentError: ``augmenter`` is not an Augmenter.
    """

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise ArgumentError(
                f"DetBorrowAug: Borrowing from invalid Augmenter: {type(augmenter).__name__}"
            )
        super().__init__()
        self.augmenter = augmenter

    def dumps(self) -> list[Any]:
        """Return the class name in lower case and the augmenter's description."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        """Return the augmented image and the unchanged objects."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Applies one randomly selected augmenter, or none.

    Args:
        aug_list: The augmenters.
        skip_prob: Probability of applying none.

    Raises:
        ArgumentError: An element of ``aug_list`` is not a DetAugmenter.
    """

    def __init__(self, aug_list: Sequence[DetAugmenter], skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        untyped: Any = aug_list
        augmenters = untyped if isinstance(untyped, list | tuple) else [untyped]
        for each in augmenters:
            if not isinstance(each, DetAugmenter):
                kind = type(each).__name__
                raise ArgumentError(
                    f"DetRandomSelectAug: Allow DetAugmenter in list only, not {kind}"
                )
        self.aug_list: list[DetAugmenter] = list(augmenters)
        self.skip_prob = skip_prob if self.aug_list else 1

    def dumps(self) -> list[Any]:
        """Return the class name in lower case and the augmenters' descriptions."""
        return [type(self).__name__.lower(), [each.dumps() for each in self.aug_list]]

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        """Return image and objects after a randomly selected augmenter, or unchanged."""
        if random.random() < self.skip_prob:  # noqa: S311
            return src, label
        return random.choice(self.aug_list)(src, label)  # noqa: S311


class DetHorizontalFlipAug(DetAugmenter):
    """Flips image and boxes left to right with a given probability.

    Args:
        p: Probability.

    Example:
        >>> label = nd.array([[0, 0.1, 0.2, 0.4, 0.5]]).asnumpy()
        >>> image, boxes = DetHorizontalFlipAug(1)(nd.ones((4, 4, 3)), label)
        >>> boxes.round(1)
        array([[0. , 0.6, 0.2, 0.9, 0.5]], dtype=float32)
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        """Return image and objects, both flipped or neither."""
        if random.random() >= self.p:  # noqa: S311
            return src, label
        flipped = label.copy()
        # The left edge becomes the right one, so that left stays smaller than right.
        flipped[:, 1], flipped[:, 3] = 1 - label[:, 3], 1 - label[:, 1]
        return nd.flip(src, axis=1), flipped


def _as_pair(value: Any) -> tuple[Any, Any]:
    return tuple(value) if isinstance(value, list | tuple) else (value, value)


class DetRandomCropAug(DetAugmenter):
    """Crops a random rectangle that contains at least one object.

    Args:
        min_object_covered: Minimum fraction inside the crop of every object that overlaps it.
        aspect_ratio_range: Range of the crop's ratio of width to height.
        area_range: Range of the crop's area relative to the image.
        min_eject_coverage: Objects with a smaller fraction inside the crop are dropped.
        max_attempts: Number of failed attempts after which the image is left unchanged.
    """

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        ratios, areas = _as_pair(aspect_ratio_range), _as_pair(area_range)
        super().__init__(
            min_object_covered=min_object_covered,
            aspect_ratio_range=ratios,
            area_range=areas,
            min_eject_coverage=min_eject_coverage,
            max_attempts=max_attempts,
        )
        self.min_object_covered = min_object_covered
        self.aspect_ratio_range = ratios
        self.area_range = areas
        self.min_eject_coverage = min_eject_coverage
        self.max_attempts = max_attempts
        self.enabled = areas[1] > 0 and areas[0] <= areas[1] and 0 < ratios[0] <= ratios[1]

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        """Return image and objects, cropped."""
        height, width = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled and len(label) else 0):
            ranges = self.area_range, self.aspect_ratio_range
            size = _random_size((width, height), *ranges, larger=False)
            if size is None:
                continue
            left = random.randint(0, width - size[0])  # noqa: S311
            top = random.randint(0, height - size[1])  # noqa: S311
            objects = self._objects_in_crop(label, (left, top, *size), width, height)
            if objects is not None:
                return fixed_crop(src, left, top, *size), objects
        return src, label

    def _objects_in_crop(
        self, label: Objects, part: tuple[int, int, int, int], width: int, height: int
    ) -> Objects | None:
        """Return the objects in a crop, relative to it; None if the crop violates a limit."""
        sides = np.array([width, height])
        start, size = np.array(part[:2]) / sides, np.array(part[2:]) / sides
        low, high = label[:, 1:3], label[:, 3:5]
        common = np.minimum(high, start + size) - np.maximum(low, start)
        covered = np.maximum(common, 0).prod(axis=1)
        # The bound keeps boxes without an area from a division by zero.
        covered /= np.maximum((high - low).prod(axis=1), 1e-12)
        # Objects outside of the part do not count: else no crop could leave one out.
        seen = covered[covered > 0]
        if not seen.size or seen.min() <= self.min_object_covered:
            return None
        stays = covered > self.min_eject_coverage
        if not stays.any():
            return None
        objects_left: Objects = label[stays].copy()
        # In parts of the crop's sides, cut where the box passes its border.
        objects_left[:, 1:3] = np.clip((low[stays] - start) / size, 0, 1)
        objects_left[:, 3:5] = np.clip((high[stays] - start) / size, 0, 1)
        return objects_left


# Canvases that are larger by less than this in width or height are drawn anew, as in MXNet.
_MIN_BORDER = 2


class DetRandomPadAug(DetAugmenter):
    """Places the image at a random position on a larger canvas.

    Args:
        aspect_ratio_range: Range of the canvas's ratio of width to height.
        area_range: Range of the canvas's area as a multiple of the image's.
        max_attempts: Number of failed attempts after which the image is left unchanged.
        pad_val: Colour of the canvas.
    """

    def __init__(
        self,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Any = (128, 128, 128),
    ) -> None:
        ratios, areas = _as_pair(aspect_ratio_range), _as_pair(area_range)
        colour = tuple(pad_val) if isinstance(pad_val, list | tuple) else (pad_val,) * 3
        super().__init__(
            aspect_ratio_range=ratios,
            area_range=areas,
            max_attempts=max_attempts,
            pad_val=colour,
        )
        self.pad_val = colour
        self.aspect_ratio_range = ratios
        self.area_range = areas
        self.max_attempts = max_attempts
        self.enabled = areas[1] > 1 and areas[0] <= areas[1] and 0 < ratios[0] <= ratios[1]

    def __call__(self, src: Any, label: Objects) -> tuple[Any, Objects]:
        """Return the padded image, and the objects with adjusted boxes."""
        height, width = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled else 0):
            ranges = self.area_range, self.aspect_ratio_range
            size = _random_size((width, height), *ranges, larger=True)
            if size is None or min(size[0] - width, size[1] - height) < _MIN_BORDER:
                continue
            left = random.randint(0, size[0] - width)  # noqa: S311
            top = random.randint(0, size[1] - height)  # noqa: S311
            borders = top, size[1] - height - top, left, size[0] - width - left
            colour = self.pad_val * 3 if len(self.pad_val) == 1 else self.pad_val
            moved = label.copy()
            before, after = np.array([width, height]), np.array(size)
            for edges in (slice(1, 3), slice(3, 5)):
                moved[:, edges] = (label[:, edges] * before + [left, top]) / after
            return copyMakeBorder(src, *borders, values=colour), moved
        return src, label


def _random_size(
    sides: tuple[int, int], areas: Any, ratios: Any, *, larger: bool
) -> tuple[int, int] | None:
    """Return a random width and height; None if there is none with the ratio that was drawn.

    Args:
        sides: Width and height of the image.
        areas: Range of the area, in areas of the image.
        ratios: Range of the ratio of width to height.
        larger: Whether the image must fit into the rectangle, and not the rectangle into it.
    """
    width, height = sides
    ratio = random.uniform(*ratios)  # noqa: S311
    low, high = ((width * height * part / ratio) ** 0.5 for part in areas)
    if larger:
        low = max(low, height, width / ratio)
    else:
        high = min(high, height, width / ratio)
    if low > high:
        return None
    # Ratio and height are uniform, as in MXNet: were the area drawn first, rectangles that do not
    # fit would be drawn anew, and ratios far from the image's would be rare.
    drawn = random.uniform(low, high)  # noqa: S311
    size = round(drawn * ratio), round(drawn)
    return size if min(size) > 0 else None
