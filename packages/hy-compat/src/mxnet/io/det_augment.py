"""Augmentation of images with the bounding boxes of objects."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mxnet.io.geometry import Box, Pixels

__all__ = ["Boxes", "Objects", "Sampler", "cropped", "mirrored", "padded"]

Boxes: TypeAlias = npt.NDArray[np.float64]
"""``[N, 4]``: left, upper, right and lower edge, as parts of the image's sides."""
Objects: TypeAlias = npt.NDArray[np.float32]
"""``[N, width]``: class, left, upper, right and lower edge, and further numbers of an object."""

_UNLIMITED = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Sampler:
    """Sampler of random crops, with a range (two numbers) for each property."""

    scale: tuple[float, float]
    """The root of its area."""
    ratio: tuple[float, float]
    """Width to height."""
    overlap: tuple[float, float]
    """Intersection over union with an object."""
    sample_coverage: tuple[float, float]
    """How much of it is an object."""
    object_coverage: tuple[float, float]
    """How much of an object is in it."""
    trials: int

    def draw(self, boxes: Boxes, rng: random.Random) -> Boxes | None:
        """Return a random crop ``[4]`` that fulfils all limits for at least one object, or None."""
        for _ in range(self.trials):
            part = self._any(rng)
            if part is not None and self._satisfies_limits(part, boxes):
                return part
        return None

    def _any(self, rng: random.Random) -> Boxes | None:
        scale = rng.uniform(*self.scale)
        # A part of this area must not be wider or taller than the image.
        low, high = max(self.ratio[0], scale**2), min(self.ratio[1], scale**-2 if scale else 1)
        if not 0 < low <= high or scale <= 0:
            return None
        root = math.sqrt(rng.uniform(low, high))
        width, height = min(1.0, scale * root), min(1.0, scale / root)
        left, top = rng.uniform(0, 1 - width), rng.uniform(0, 1 - height)
        return np.array([left, top, left + width, top + height])

    def _satisfies_limits(self, part: Boxes, boxes: Boxes) -> bool:
        limits_of_all = (self.overlap, self.sample_coverage, self.object_coverage)
        if all(limits == _UNLIMITED for limits in limits_of_all):
            return True
        common, own, area = _areas(part, boxes)
        values = (
            # 1e-12: boxes without any area.
            common / np.maximum(own + area - common, 1e-12),
            common / area,
            common / np.maximum(own, 1e-12),
        )
        fits = np.ones(len(boxes), bool)
        for (low, high), value in zip(limits_of_all, values, strict=True):
            if (low, high) != _UNLIMITED:
                fits &= (value >= low) & (value <= high)
        return bool(fits.any())


def _areas(part: Boxes, boxes: Boxes) -> tuple[Any, Any, float]:
    """Return the areas of intersections with the crop, of the objects, and of the crop."""
    sides = np.minimum(boxes[:, 2:], part[2:]) - np.maximum(boxes[:, :2], part[:2])
    own = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    return np.maximum(sides, 0).prod(axis=1), own, float((part[2:] - part[:2]).prod())


def cropped(
    image: Pixels,
    objects: Objects,
    samplers: Sequence[Sampler],
    rng: random.Random,
    overlap_needed: float | None,
) -> tuple[Pixels, Objects]:
    """Return a random crop of an image with its objects; unchanged if no sampler succeeds.

    Args:
        image: The image.
        objects: Objects in the image.
        samplers: Samplers of crops, tried in random order.
        rng: Random generator.
        overlap_needed: Share of an object that must be in the crop; its center if None.
    """
    boxes = objects[:, 1:5].astype(np.float64)
    # In random order, so that no sampler is preferred.
    for sampler in rng.sample(list(samplers), len(samplers)):
        part = sampler.draw(boxes, rng)
        if part is None:
            continue
        sides = np.array([image.shape[1], image.shape[0]] * 2)
        left, top, right, bottom = edges = _pixels(part, sides)
        if right <= left or bottom <= top:
            continue
        # The part in whole pixels, so boxes fit what is cut out.
        exact = np.array(edges) / sides
        inside = _seen(exact, objects, overlap_needed)
        if len(inside):
            return image[top:bottom, left:right], inside
    return image, objects


def _pixels(part: Boxes, sides: Any) -> Box:
    left, top, right, bottom = (int(edge) for edge in part * sides)
    return left, top, right, bottom


def _seen(part: Boxes, objects: Objects, overlap_needed: float | None) -> Objects:
    boxes = objects[:, 1:5].astype(np.float64)
    # "center": objects whose middle is inside; "overlap": those that are inside far enough.
    if overlap_needed is None:
        middle = (boxes[:, :2] + boxes[:, 2:]) / 2
        inside = ((middle >= part[:2]) & (middle <= part[2:])).all(axis=1)
    else:
        common, own, _ = _areas(part, boxes)
        inside = common > overlap_needed * own
    result = objects[inside].copy()
    start, size = np.tile(part[:2], 2), np.tile(part[2:] - part[:2], 2)
    result[:, 1:5] = np.clip((boxes[inside] - start) / size, 0, 1)
    return result


def padded(
    image: Pixels, objects: Objects, scale: float, fill: int, rng: random.Random
) -> tuple[Pixels, Objects]:
    """Return an image placed randomly on a canvas ``scale`` times as large, with its objects."""
    height, width, channels = image.shape
    size = int(height * scale), int(width * scale)
    top, left = rng.randint(0, size[0] - height), rng.randint(0, size[1] - width)
    result = np.full((*size, channels), fill, np.uint8)
    result[top : top + height, left : left + width] = image
    moved = objects.copy()
    before, after = np.array([width, height] * 2), np.array([size[1], size[0]] * 2)
    # Boxes are in parts of the image's sides, which have grown.
    moved[:, 1:5] = (objects[:, 1:5] * before + np.array([left, top] * 2)) / after
    return result, moved


def mirrored(image: Pixels, objects: Objects) -> tuple[Pixels, Objects]:
    """Return an image and its objects, flipped horizontally."""
    flipped = objects.copy()
    # Left and right edge exchange their meaning.
    flipped[:, 1], flipped[:, 3] = 1 - objects[:, 3], 1 - objects[:, 1]
    return image[:, ::-1], flipped
