"""imresize, resize_short and scale_down: resizing of images and sizes."""

import random
from typing import Any

from hy_ndarray import ArgumentError, ShapeError, nd

__all__ = [
    "imresize",
    "interpolation_for",
    "interpolation_method",
    "resize_short",
    "scale_down",
]

_BILINEAR, _CUBIC, _AREA = 1, 2, 3
_AUTOMATIC, _ANY = 9, 10
_METHODS = 5  # codes of interpolation: nearest, bilinear, bicubic, area, Lanczos


def scale_down(src_size: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """Return the largest size with the aspect ratio of ``size`` that fits into an image.

    Args:
        src_size: Width and height of the image.
        size: Requested width and height.

    Returns:
        ``size`` if it fits, else the largest size of this ratio.

    Raises:
        ArgumentError: A size is not two numbers.

    Example:
        >>> scale_down((640, 480), (720, 120))
        (640, 106)
    """
    if len(size) != 2:  # noqa: PLR2004
        raise ArgumentError(f"a size is width and height, not {size!r}")
    width, height = float(size[0]), float(size[1])
    source_width, source_height = src_size
    # Height before width, as in MXNet: the second ratio applies to what the first one left.
    if source_height < height:
        width, height = width * source_height / height, float(source_height)
    if source_width < width:
        width, height = float(source_width), height * source_width / width
    return int(width), int(height)


def interpolation_for(interp: int, before: tuple[int, int], after: tuple[int, int]) -> int:
    """Return the interpolation method 0 to 4; 9 selects it by the sizes, 10 at random.

    Args:
        interp: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 is bicubic for enlarging and
            area for shrinking; 10 is a random one of the first five.
        before: Width and height of the image.
        after: Width and height after resizing.

    Raises:
        ArgumentError: ``interp`` is unknown.
    """
    if interp == _AUTOMATIC:
        # OpenCV's advice: cubic to enlarge, areas to shrink, where bilinear would skip pixels.
        if after[0] > before[0] and after[1] > before[1]:
            return _CUBIC
        return _AREA if after[0] < before[0] and after[1] < before[1] else _BILINEAR
    if interp == _ANY:
        return random.randrange(_METHODS)  # noqa: S311  # no secret
    if not 0 <= interp < _METHODS:
        raise ArgumentError(f"interpolation must be 0 to 4, 9 or 10, not {interp}")
    return interp


def interpolation_method(interp: int, sizes: tuple[int, ...] = ()) -> int:
    """Return the interpolation method 0 to 4 for ``interp``; see :func:`interpolation_for`.

    Args:
        interp: See :func:`interpolation_for`.
        sizes: Height and width before, then height and width after resizing; if empty, 9 means
            bicubic.

    Raises:
        ArgumentError: ``interp`` is unknown.

    Example:
        >>> interpolation_method(9, (4, 4, 8, 8)), interpolation_method(9, (8, 8, 4, 4))
        (2, 3)
    """
    before, after = (sizes[1::-1], sizes[:1:-1]) if sizes else ((1, 1), (2, 2))
    return interpolation_for(interp, (before[0], before[1]), (after[0], after[1]))


def imresize(src: Any, w: int, h: int, interp: int = 1, out: Any = None) -> Any:
    """Return an image resized to width ``w`` and height ``h``.

    Args:
        src: ``[*batch, height, width, channels]``.
        w: New width.
        h: New height.
        interp: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos, 9 by the sizes, 10 random.
        out: Array ``[*batch, h, w, channels]`` of the dtype of ``src`` for the result.

    Raises:
        ShapeError: ``src`` has fewer than three axes, or ``out`` has another shape.
        DTypeError: ``out`` has another dtype.
        ArgumentError: ``interp`` is unknown.

    Example:
        >>> imresize(nd.ones((5, 6, 3)), 4, 2).shape
        (2, 4, 3)
    """
    if len(src.shape) < 3:  # noqa: PLR2004  # height, width, channels
        raise ShapeError(
            f"imresize: an image {tuple(src.shape)} must have the axes height, width and channels"
        )
    before = src.shape[-2], src.shape[-3]
    method = interpolation_for(interp, before, (w, h))
    return nd.image.resize(src, size=(w, h), interp=method, out=out)


def resize_short(src: Any, size: int, interp: int = 2) -> Any:
    """Return an image resized so that its shorter side is ``size``, with the same aspect ratio.

    Args:
        src: ``[*batch, height, width, channels]``.
        size: New size of the shorter side.
        interp: See :func:`imresize`.

    Example:
        >>> resize_short(nd.ones((4, 8, 3)), 2).shape
        (2, 4, 3)
    """
    height, width = src.shape[-3], src.shape[-2]
    if height > width:
        # Rounded down, as in MXNet.
        return imresize(src, size, size * height // width, interp)
    return imresize(src, size * width // height, size, interp)
