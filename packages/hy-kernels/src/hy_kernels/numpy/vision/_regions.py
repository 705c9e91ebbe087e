"""Regions of images as weighted sums over rows and columns.

Each part of a region is a sum over the image with separable weights ``rows[y] * columns[x]``, as in
bilinear interpolation and averages over rectangles. The weights along an axis are an array
``[R, *parts, size]`` for all ``R`` regions.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array


class Region(NamedTuple):
    """A region: its image, the pixels it reads, and their weights."""

    number: int
    image: int
    where: tuple[slice, slice]
    """Slices of the image's rows and columns outside of which all weights are zero."""
    rows: Array
    columns: Array


def _spans(weights: Array) -> list[slice]:
    """Return, for each region, the slice of the last axis outside of which all weights are zero."""
    size = weights.shape[-1]
    if not weights.size:
        return [slice(0, 0)] * len(weights)
    used: Array = np.asarray(weights.reshape(len(weights), -1, size).any(axis=1))
    first = used.argmax(axis=1)
    stop = np.where(used.any(axis=1), size - used[:, ::-1].argmax(axis=1), 0)
    return [slice(low, high) for low, high in zip(first.tolist(), stop.tolist(), strict=True)]


def regions(images: Array, rows: Array, columns: Array, count: int) -> Iterator[Region]:
    """Yield the non-empty regions; those with a negative image index are skipped.

    Args:
        images: ``[R]``, the image index of each region.
        rows: Weights along the image's rows.
        columns: Weights along the image's columns.
        count: Number of images.

    Raises:
        IndexError: An image index is not below ``count``.
    """
    spans = zip(_spans(rows), _spans(columns), strict=True)
    for number, (image, where) in enumerate(zip(images.astype(int).tolist(), spans, strict=True)):
        if image >= count:
            raise IndexError(f"region {number} is of image {image}; there are {count}")
        if image >= 0 and where[0].stop and where[1].stop:
            seen = rows[number][..., where[0]], columns[number][..., where[1]]
            yield Region(number, image, where, *seen)


def interpolation(positions: Array, size: int) -> tuple[Array, Array]:
    """Return the weights ``[*shape, size]`` of linear interpolation, and their derivatives.

    Positions outside the axis are clipped to its ends, where the derivative is zero.
    """
    at = np.clip(positions, 0, size - 1)
    low = np.floor(at).astype(int)
    part = (at - low)[..., None]
    line = np.arange(size)
    first, second = line == low[..., None], line == low[..., None] + 1
    derivative = second.astype(positions.dtype) - first
    derivative[(positions < 0) | (positions >= size - 1)] = 0
    return first * (1 - part) + second * part, derivative


def rounded(values: Array) -> Array:
    """Return the nearest integers; halves are rounded away from zero, as by C's ``round``."""
    nearest: Array = np.trunc(values + np.copysign(0.5, values))
    return nearest.astype(values.dtype)


def channel_indices(outputs: int, groups: int, parts: int) -> Array:
    """Return ``[outputs, parts, parts]``, the input channel that each part of an output reads."""
    group = np.arange(parts) * groups // parts
    output = np.arange(outputs)[:, None, None]
    return np.asarray((output * groups + group[:, None]) * groups + group)
