"""Boxes of objects, ``[*shape, 4]`` in arrays of any library, for all tables.

Formats are ``"corner"``, the edges ``x1, y1, x2, y2``, and ``"center"``, center and size.
"""

from collections.abc import Callable, Sequence
from math import floor, sqrt
from typing import Any, TypeAlias

__all__ = [
    "Edges",
    "Floats",
    "Stack",
    "area",
    "base_anchors",
    "centers",
    "converted",
    "converted_backward",
    "edges",
    "half_sizes",
]

Floats: TypeAlias = tuple[float, ...]
Edges: TypeAlias = tuple[Any, Any, Any, Any]
"""Four arrays of one shape: ``x1, y1, x2, y2``."""
Stack: TypeAlias = Callable[[Sequence[Any]], Any]
"""Function of a library that stacks arrays along a new last axis."""


def edges(boxes: Any, form: str = "corner") -> Edges:
    """Return the edges of boxes in a format."""
    a, b, c, d = (boxes[..., i] for i in range(4))
    if form == "corner":
        return a, b, c, d
    w, h = c / 2, d / 2
    return a - w, b - h, a + w, b + h


def area(boxes: Edges, border: float = 0.0) -> Any:
    """Return the area of boxes; ``border`` is 1 if edges are inclusive pixels, else 0."""
    x1, y1, x2, y2 = boxes
    return (x2 - x1 + border) * (y2 - y1 + border)


def converted(boxes: Any, before: str, after: str, stack: Stack) -> Any:
    """Return boxes in another format."""
    if before == after:
        return boxes
    if after == "corner":
        return stack(edges(boxes, "center"))
    a, b, c, d = edges(boxes)
    return stack([(a + c) / 2, (b + d) / 2, c - a, d - b])


def converted_backward(dy: Any, before: str, after: str, stack: Stack) -> Any:
    """Return the gradient of :func:`converted` to its boxes: the transpose, as it is linear."""
    if before == after:
        return dy
    a, b, c, d = edges(dy)
    if after == "corner":
        return stack([a + c, b + d, (c - a) / 2, (d - b) / 2])
    return stack([a / 2 - c, b / 2 - d, a / 2 + c, b / 2 + d])


def centers(boxes: Any) -> tuple[Any, Any]:
    """Return the centers and sizes, ``[*shape, 2]`` each, of boxes given by their edges."""
    low, high = boxes[..., :2], boxes[..., 2:]
    return (low + high) / 2, high - low


def half_sizes(sizes: Floats, ratios: Floats, aspect: float) -> tuple[Floats, ...]:
    """Return half the width and height of a pixel's anchors (Liu et al., SSD, 2016).

    Sizes are fractions of the height; ``aspect``, rows per column, scales widths, so that anchors
    of ratio 1 are square in pixels.
    """
    # All sizes with the first ratio, then the first size with all other ratios.
    shapes = [(s, ratios[0]) for s in sizes] + [(sizes[0], r) for r in ratios[1:]]
    return tuple([(s * aspect * sqrt(r) / 2, s / sqrt(r) / 2) for s, r in shapes])


def base_anchors(stride: int, scales: Floats, ratios: Floats) -> tuple[Floats, ...]:
    """Return the anchors ``[A, 4]`` of the first pixel, whose edges are inclusive pixels."""
    center = (stride - 1) / 2
    result = []
    for ratio in ratios:
        # Rounded to whole pixels, halves up, step by step as in MXNet's kernel.
        width = floor(sqrt(floor(stride * stride / ratio)) + 0.5)
        height = floor(width * ratio + 0.5)
        for scale in scales:
            w, h = (width * scale - 1) / 2, (height * scale - 1) / 2
            result.append((center - w, center - h, center + w, center + h))
    return tuple(result)
