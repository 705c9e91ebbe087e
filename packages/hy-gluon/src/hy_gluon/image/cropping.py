"""Crops at fixed and random positions, and borders around images."""

import math
import random
from collections.abc import Sequence
from typing import Any, TypeAlias

from hy_gluon.image.resizing import imresize, scale_down
from hy_ndarray import ArgumentError, NDArray, ShapeError, nd

__all__ = ["center_crop", "copyMakeBorder", "fixed_crop", "random_crop", "random_size_crop"]

Rectangle: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height of a part of an image."""

_ATTEMPTS = 10


def fixed_crop(
    src: Any, x0: int, y0: int, w: int, h: int, size: tuple[int, int] | None = None, interp: int = 2
) -> Any:
    """Return a rectangle of an image, optionally resized.

    Args:
        src: ``[*batch, height, width, channels]``.
        x0: Left edge of the rectangle.
        y0: Upper edge of the rectangle.
        w: Width of the rectangle, which is clipped to the image.
        h: Height of the rectangle.
        size: Width and height to resize the crop to; not resized if None.
        interp: See :func:`imresize`.

    Example:
        >>> fixed_crop(nd.arange(12).reshape((3, 4, 1)), 1, 0, 2, 1)[0, :, 0].asnumpy()
        array([1., 2.], dtype=float32)
    """
    if len(src.shape) < 3:  # noqa: PLR2004
        raise ShapeError(f"an image is [height, width, channels], not {src.shape}")
    part = src[(..., slice(y0, y0 + h), slice(x0, x0 + w), slice(None))]
    return part if size is None or (w, h) == tuple(size) else imresize(part, *size, interp)


def random_crop(src: Any, size: tuple[int, int], interp: int = 2) -> tuple[Any, Rectangle]:
    """Return a crop at a random position, and its rectangle.

    Args:
        src: ``[*batch, height, width, channels]``.
        size: Width and height of the crop. If the image is smaller, the largest crop of this
            aspect ratio is enlarged.
        interp: See :func:`imresize`.

    Returns:
        The crop, and its rectangle (x0, y0, width, height).

    Example:
        >>> image, (left, top, width, height) = random_crop(nd.ones((5, 6, 3)), (2, 3))
        >>> image.shape, width, height
        ((3, 2, 3), 2, 3)
    """
    height, width = src.shape[-3], src.shape[-2]
    w, h = scale_down((width, height), size)
    x0, y0 = random.randint(0, width - w), random.randint(0, height - h)  # noqa: S311
    return fixed_crop(src, x0, y0, w, h, size, interp), (x0, y0, w, h)


def center_crop(src: Any, size: tuple[int, int], interp: int = 2) -> tuple[Any, Rectangle]:
    """Return the center crop, and its rectangle.

    Args:
        src: ``[*batch, height, width, channels]``.
        size: Width and height of the crop. If the image is smaller, the largest crop of this
            aspect ratio is enlarged.
        interp: See :func:`imresize`.

    Returns:
        The crop, and its rectangle (x0, y0, width, height).

    Example:
        >>> center_crop(nd.zeros((10, 20, 3)), (6, 4))[1]
        (7, 3, 6, 4)
    """
    height, width = src.shape[-3], src.shape[-2]
    w, h = scale_down((width, height), size)
    x0, y0 = (width - w) // 2, (height - h) // 2
    return fixed_crop(src, x0, y0, w, h, size, interp), (x0, y0, w, h)


def random_size_crop(
    src: Any,
    size: tuple[int, int],
    area: float | tuple[float, float],
    ratio: tuple[float, float],
    interp: int = 2,
) -> tuple[Any, Rectangle]:
    """Return a crop of random area, aspect ratio and position, resized, and its rectangle.

    Args:
        src: ``[*batch, height, width, channels]``.
        size: Width and height to resize the crop to.
        area: Range of the crop's area relative to the image, or its minimum.
        ratio: Range of the crop's ratio of width to height.
        interp: See :func:`imresize`.

    Returns:
        The crop and its rectangle; the center crop after ten failed attempts.

    Raises:
        ArgumentError: A ratio is not above 0.

    Example:
        >>> image, where = random_size_crop(nd.ones((5, 6, 3)), (2, 3), (0.5, 1), (0.75, 1.33))
        >>> image.shape
        (3, 2, 3)
    """
    if min(ratio) <= 0:
        raise ArgumentError(f"random_size_crop: ratios must be above 0, not {tuple(ratio)}")
    height, width = src.shape[-3], src.shape[-2]
    smallest, largest = area if isinstance(area, Sequence) else (area, 1.0)
    for _ in range(_ATTEMPTS):
        target = random.uniform(smallest, largest) * width * height  # noqa: S311
        # Uniform in the logarithm, so that 3/4 and 4/3 are equally likely.
        shape = math.exp(random.uniform(math.log(ratio[0]), math.log(ratio[1])))  # noqa: S311
        w, h = round(math.sqrt(target * shape)), round(math.sqrt(target / shape))
        if 0 < w <= width and 0 < h <= height:
            x0, y0 = random.randint(0, width - w), random.randint(0, height - h)  # noqa: S311
            return fixed_crop(src, x0, y0, w, h, size, interp), (x0, y0, w, h)
    # No attempt fitted, as for a long image and a ratio near 1; MXNet crops its middle then.
    return center_crop(src, size, interp)


def copyMakeBorder(  # noqa: N802  # MXNet's name
    src: NDArray,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,  # noqa: A002
    value: float = 0.0,
    values: Sequence[float] | float | None = (),
    out: NDArray | None = None,
    name: str | None = None,
) -> NDArray:
    """Return an image with a border added around it.

    Args:
        src: ``[height, width, channels]``.
        top: Number of rows to add above.
        bot: Number of rows to add below.
        left: Number of columns to add on the left.
        right: Number of columns to add on the right.
        type: Border type as in OpenCV: 0 constant, 1 replicate, 2 reflect, 3 wrap, 4 reflect
            without the edge pixel.
        value: The colour, if ``values`` is empty or None.
        values: The colour of each channel.
        out: Array ``[top + height + bot, left + width + right, channels]`` for the result.
        name: Has no effect.

    Raises:
        ArgumentError: A border is negative, or ``type`` is unknown.
        ShapeError: The number of ``values`` differs from that of channels.

    Example:
        >>> copyMakeBorder(nd.ones((1, 1, 1)), 0, 0, 1, 0, value=5)[0, :, 0].asnumpy()
        array([5., 1.], dtype=float32)
    """
    colors = (values,) if isinstance(values, int | float) else tuple(values or ())
    if colors and len(colors) != src.shape[-1]:
        raise ShapeError(f"copyMakeBorder: {len(colors)} values, {src.shape[-1]} channels")
    bordered: NDArray = getattr(nd, "_cvcopyMakeBorder")(  # noqa: B009  # has no stub
        src,
        top=top,
        bot=bot,
        left=left,
        right=right,
        type=type,
        value=value,
        values=colors,
        out=out,
        name=name,
    )
    return bordered
