"""imrotate and random_rotate: images rotated about their center."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray import ArgumentError, DTypeError, NDArray, ShapeError, nd

__all__ = ["imrotate", "random_rotate"]


def imrotate(
    src: NDArray, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """Return images rotated counter-clockwise about their center; pixels from outside are 0.

    Args:
        src: ``[channels, height, width]`` or ``[N, channels, height, width]``; floating.
        rotation_degrees: Angle in degrees, or ``[N]`` with an angle for each image.
        zoom_in: Enlarge so that no area outside the image is visible.
        zoom_out: Shrink so that the whole image is visible.

    Raises:
        ArgumentError: Both zooms are set, or the number of angles differs from that of images.
        DTypeError: The dtype is integer; see ``ToTensor``.
        ShapeError: The number of axes is neither 3 nor 4.

    Example:
        >>> imrotate(nd.array([[[0, 1], [2, 3]]]), 90).asnumpy().round(3)
        array([[[1., 3.],
                [0., 2.]]], dtype=float32)
    """
    if zoom_in and zoom_out:
        raise ArgumentError("imrotate: zoom_in and zoom_out cannot both be True")
    if not np.issubdtype(src.dtype, np.floating):
        raise DTypeError(
            f"imrotate rotates images of floating dtype, not {np.dtype(src.dtype)}: use it after "
            "ToTensor"
        )
    if len(src.shape) not in (3, 4):
        raise ShapeError(
            f"imrotate: an image is [channels, height, width], perhaps in batches, not {src.shape}"
        )
    single = len(src.shape) == 3  # noqa: PLR2004
    images = src.expand_dims(0) if single else src
    degrees = rotation_degrees
    values = degrees.asnumpy() if isinstance(degrees, NDArray) else np.asarray(degrees, np.float64)
    if single and values.ndim:
        raise ArgumentError("imrotate: a single image takes a single angle")
    if values.ndim and values.shape != (len(images),):
        raise ArgumentError(f"imrotate: {values.size} angles for {len(images)} images")
    angles = np.broadcast_to(np.deg2rad(values.astype(np.float64)), (len(images),))
    grid = _sampling_grid(angles, images.shape[-2], images.shape[-1], zoom_in, zoom_out)
    rotated = nd.BilinearSampler(images, nd.array(grid, dtype=src.dtype, ctx=src.context))
    return rotated[0] if single else rotated


def _sampling_grid(
    angles: npt.NDArray[Any], height: int, width: int, zoom_in: bool, zoom_out: bool
) -> npt.NDArray[Any]:
    """Return the source position of each pixel, ``[N, 2, height, width]``: x and y in -1 to 1."""
    sin, cos = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    scale: Any = 1.0
    if zoom_in or zoom_out:
        # Sides of the smallest upright rectangle around the rotated image.
        tall = width * np.abs(sin) + height * np.abs(cos)
        wide = width * np.abs(cos) + height * np.abs(sin)
        scale = (
            np.minimum(height / tall, width / wide)
            if zoom_in
            else np.maximum(tall / height, wide / width)
        )
    middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
    x = (np.arange(width) - middle_x) * scale
    y = (np.arange(height)[:, None] - middle_y) * scale
    return np.stack(
        [
            # BilinearSampler counts from -1 to 1 between the middles of the outer pixels; an image
            # one pixel wide has no such distance.
            (cos * x - sin * y) / max(middle_x, 0.5),
            (sin * x + cos * y) / max(middle_y, 0.5),
        ],
        axis=1,
    )


def random_rotate(
    src: NDArray, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """Return images rotated by random angles between two limits.

    Args:
        src: See :func:`imrotate`.
        angle_limits: Minimum and maximum angle in degrees.
        zoom_in: See :func:`imrotate`.
        zoom_out: See :func:`imrotate`.

    Example:
        >>> random_rotate(nd.ones((3, 5, 6)), (-30, 30)).shape
        (3, 5, 6)
    """
    # MXNet's draws, so that numpy.random.seed gives its angles.
    number = None if len(src.shape) == 3 else len(src)  # noqa: PLR2004
    angles = np.random.uniform(*angle_limits, number)  # noqa: NPY002
    return imrotate(src, angles, zoom_in, zoom_out)
